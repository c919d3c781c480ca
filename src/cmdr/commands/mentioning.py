"""Pointing the connected coding agent at files, with a key."""

import os
from typing import Annotated

from cmdr.commands.file import under_cursor
from cmdr.commands.places import pane_of, path_of
from cmdr.core.call import Call
from cmdr.core.editing.mentions import Mention
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.results.result import Said

MOST = 20

Line = Annotated[int | None, Whole(1), Doc("counted from 1")]


@command("mention", access=Access.ACT, title="Mention to the coding agent")
async def mention(call: Call, *, path: str | None = None, first: Line = None, last: Line = None) -> Said:
    """Point the connected coding agent at the selected files, or at a file and some of its lines."""
    room = call.commander.editor
    tab = pane_of(call.workspace, "focused").tab
    if path is not None:
        chosen = [path_of(path, tab.path)]
    else:
        columns = tab.listing.columns
        chosen = [os.path.join(tab.path, columns.name(row)) for row in tab.selection.rows()]
        chosen = chosen or [under_cursor(pane_of(call.workspace, "focused"))]
    if len(chosen) > MOST:
        raise CommandError(f"{len(chosen)} files are too many to mention; at most {MOST}.")
    for each in chosen:
        if not await in_thread(room.folders.may_tell, each):
            raise CommandError(f"{to_wire(each)} is private or outside the workspace, so it is not mentioned.")
        begin = None if first is None else first - 1
        end = None if last is None else last - 1
        if not room.mentions.tell(Mention(each, begin, end)):
            raise CommandError("No coding agent is connected. Start one with: cmdr claude")
    return Said(
        f"Mentioned {to_wire(os.path.basename(chosen[0]))}"
        + (f" and {len(chosen) - 1} more" if len(chosen) > 1 else "")
    )
