"""Plans for new names, and what is told of them."""

import os
from collections.abc import Sequence

from cmdr.commands.real_places import with_real_places
from cmdr.core.call import Call
from cmdr.core.threads import in_thread
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.model.names import printable, to_wire
from cmdr.model.plans.plan import Plan

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
