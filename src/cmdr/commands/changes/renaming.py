"""New names: plans for them, what is told of them, and a name for each file."""

import os
from collections.abc import Sequence
from typing import Annotated

from cmdr.commands._paths import pane_of, path_of
from cmdr.commands.changes.planning import proposed, with_real_places
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.plans.plan import Plan
from cmdr.model.results.changes import Proposed

Pairs = Sequence[tuple[bytes, bytes]]
"""Paths, each with a new name."""
_PREVIEWED = 3


async def rename_planned(call: Call, pairs: Pairs) -> Plan:
    """The plan, with an eye on what an agent may not make unrecognisable."""
    sandbox = call.commander.sandbox
    privacy = None if call.principal.is_person else sandbox.private
    plan = await in_thread(plan_rename, pairs, protection=sandbox.protection, privacy=privacy)
    return await in_thread(with_real_places, plan, sandbox.protection)


def preview_of(pairs: Pairs) -> list[str]:
    """The first of the new names, one a line."""
    lines = [f"{to_wire(os.path.basename(old))} → {to_wire(new)}" for old, new in pairs[:_PREVIEWED]]
    more = [f"… {len(pairs) - _PREVIEWED} more"] if len(pairs) > _PREVIEWED else []
    return [*lines, *more]


def unchanged(match: str, paths: Sequence[bytes], *, is_chosen: bool) -> str:
    """That a pattern changes no name, and which names they were."""
    some = ", ".join(printable(to_wire(os.path.basename(path)), 40) for path in paths[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    told = f'"{printable(match)}" changes none of these names: {some}{more}.'
    return f'{told} The pane chose them; give "paths" or "set" for others.' if is_chosen else told


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
    return await proposed(call, plan, "Rename", reason, preview=preview_of(pairs), from_pane=call.principal.is_person)
