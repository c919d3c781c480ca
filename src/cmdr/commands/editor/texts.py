"""Text files in the person's hands: saving what they edited, pointing the coding agent at files and lines."""

import os
from typing import Annotated

from cmdr.commands._paths import pane_of, path_of
from cmdr.commands.panes.file import under_cursor
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.editing.documents import Mention
from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_plan import plan_write
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.results.app import Saved
from cmdr.model.results.result import Said
from cmdr.model.texts.text_format import UnencodableTextError, content_digest, write_text

MAX_TEXT_BYTES = 32 << 20
MAX_MENTIONS = 20
Line = Annotated[int | None, Whole(1), Doc("counted from 1")]


@command("text.save", access=Access.ACT, title="Save a text file")
async def save(call: Call, *, path: str, text: str, digest: Annotated[str, Doc("SHA-256 of what was opened")]) -> Saved:
    """Write an edited text back in its own encoding and line ends, unless the file changed meanwhile."""
    target = path_of(path, pane_of(call.workspace, "focused").tab.path)
    before = await load_text(target, MAX_TEXT_BYTES)
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


@command("mention", access=Access.ACT, title="Mention to the coding agent")
async def mention(call: Call, *, path: str | None = None, first: Line = None, last: Line = None) -> Said:
    """Point the connected coding agent at the selected files, or at a file and some of its lines."""
    editor = call.commander.editor
    tab = pane_of(call.workspace, "focused").tab
    if path is not None:
        chosen = [path_of(path, tab.path)]
    else:
        columns = tab.listing.columns
        chosen = [os.path.join(tab.path, columns.name(row)) for row in tab.selection.rows()]
        chosen = chosen or [under_cursor(pane_of(call.workspace, "focused"))]
    if len(chosen) > MAX_MENTIONS:
        raise CommandError(f"{len(chosen)} files are too many to mention; at most {MAX_MENTIONS}.")
    for each in chosen:
        if not await in_thread(editor.folders.may_tell, each):
            raise CommandError(f"{to_wire(each)} is private or outside the workspace, so it is not mentioned.")
        begin = None if first is None else first - 1
        end = None if last is None else last - 1
        if not editor.mentions.tell(Mention(each, begin, end)):
            raise CommandError("No coding agent is connected. Start one with: cmdr claude")
    return Said(
        f"Mentioned {to_wire(os.path.basename(chosen[0]))}"
        + (f" and {len(chosen) - 1} more" if len(chosen) > 1 else "")
    )
