"""Text files that the person edits."""

from typing import Annotated

from cmdr.commands.places import pane_of, path_of
from cmdr.core.call import Call
from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_plan import plan_write
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.results.texts import Saved
from cmdr.model.texts.text_format import UnencodableTextError, content_digest, write_text

LARGEST = 32 << 20


@command("text.save", access=Access.ACT, title="Save a text file")
async def save(call: Call, *, path: str, text: str, digest: Annotated[str, Doc("SHA-256 of what was opened")]) -> Saved:
    """Write an edited text back in its own encoding and line ends, unless the file changed meanwhile."""
    target = path_of(path, pane_of(call.workspace, "focused").tab.path)
    before = await load_text(target, LARGEST)
    if before.digest != digest:
        raise CommandError(f"Not saved: it changed on disk since it was opened: {to_wire(target)}")
    try:
        contents = write_text(text, before.format)
    except UnencodableTextError as error:
        raise CommandError(str(error)) from error
    plan = await in_thread(plan_write, target, contents, digest)
    jobs = call.commander.jobs
    job = jobs.start(plan, call.principal.id)
    await jobs.finished(job)
    if job.state is not JobState.DONE:
        raise CommandError(f"Not saved: {'; '.join([job.outcome, *job.problems])}")
    return Saved(target, content_digest(contents))
