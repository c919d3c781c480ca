"""Many files, each with a new name of its own."""

from typing import Annotated

from cmdr.commands.operations import proposed
from cmdr.commands.places import pane_of, path_of
from cmdr.commands.renaming import preview_of, rename_planned
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire
from cmdr.model.results.changes import Proposed


@command("rename_many", access=Access.PROPOSE, title="Rename each")
async def rename_many(
    call: Call, *, paths: list[str], names: Annotated[list[str], Doc("one for each path")], reason: str = ""
) -> Proposed:
    """Propose to give each file its own new name; swaps are possible."""
    if len(paths) != len(names) or not paths:
        raise CommandError("rename_many needs as many names as paths.")
    base = pane_of(call.workspace, "focused").tab.path
    pairs = [(path_of(path, base), from_wire(name)) for path, name in zip(paths, names, strict=True)]
    plan = await rename_planned(call, pairs)
    # The person's table of names lists what is selected.
    return proposed(call, plan, "Rename", reason, preview=preview_of(pairs), from_pane=call.principal.is_person)
