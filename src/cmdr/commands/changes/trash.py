"""The trash: a folder to look into, and the way back out of it."""

import os
import stat

from cmdr.commands._paths import PaneRef, pane_of
from cmdr.commands.changes.named_files import pane_for
from cmdr.commands.changes.planning import proposed, sources_of, with_real_places
from cmdr.commands.panes.navigation import arrived
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs.trash import NoTrashHere, home_trash, locate
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.files.errors import disk_error
from cmdr.model.results.changes import Proposed
from cmdr.model.results.result import Said


@command("nav_to_trash", access=Access.VIEW, ids=("nav.trash",), title="Go to the trash")
async def nav_to_trash(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Show the trash of the volume that a pane is on."""
    shown = pane_of(call.workspace, pane)
    before = shown.tab
    return Said(arrived(await call.browser.open(shown, await in_thread(_trash_for, before.path)), before))


@command("restore", access=Access.PROPOSE, title="Restore from the trash")
async def restore(
    call: Call, *, pane: PaneRef | None = None, paths: list[str] | None = None, reason: str = ""
) -> Proposed:
    """Propose to bring files in a trash back to where they came from; chosen as in copy."""
    shown = pane_for(call, "restore", pane, paths, ways='"paths", or "pane" for what is selected there')
    sources = await sources_of(call, shown, paths, None)
    protection = call.commander.sandbox.protection
    plan = await in_thread(plan_restore, sources.paths, limits=sources.limits, protection=protection)
    plan = await in_thread(with_real_places, sources.check(plan), protection)
    return await proposed(call, plan, "Restore", reason, chosen=paths is None, note=sources.note_for(plan))


def _trash_for(folder: bytes) -> bytes:
    """Where the trash of a folder's volume keeps its files."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise disk_error(folder, error) from error
    try:
        files = locate(opened, home_trash()).path + b"/files"
    except NoTrashHere as error:
        raise CommandError(f"There is no trash here: {error}.") from error
    finally:
        os.close(opened)
    try:
        if stat.S_ISDIR(os.stat(files).st_mode):
            return files
    except OSError:
        pass
    raise CommandError("The trash of this volume is empty.")
