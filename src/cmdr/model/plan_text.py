"""A plan in words: drawn from what will run, never from what somebody said about it."""

import os

from cmdr.model.command_plan import CommandPlan
from cmdr.model.names import to_wire
from cmdr.model.plan import Plan, PlanItem, Verb
from cmdr.model.units import count, human_size

_DOES = {
    Verb.COPY: "Copy",
    Verb.MOVE: "Move",
    Verb.TRASH: "Move to trash",
    Verb.DELETE: "Delete for good",
    Verb.RENAME: "Rename",
    Verb.MKDIR: "Create folder",
    Verb.MKFILE: "Create file",
    Verb.LINK: "Link",
    Verb.RESTORE: "Restore",
    Verb.WRITE: "Write",
    Verb.UNDO: "Undo",
    Verb.RUN: "Run",
}
SHOWN = 10


def title_of(plan: Plan) -> str:
    """What the plan does, in one line."""
    if isinstance(plan, CommandPlan):
        return plan.title
    if plan.verb in (Verb.MKDIR, Verb.MKFILE, Verb.WRITE) and len(plan.items) == 1:
        return f"{_DOES[plan.verb]} {to_wire(plan.items[0].place.path)}"
    told = f"{_DOES[plan.verb]} {amount_of(plan)}"
    return f"{told} to {to_wire(plan.destination)}" if plan.destination else told


def amount_of(plan: Plan) -> str:
    """How much it touches, as in `2 folders, 31 files, 4.5 MiB`."""
    totals = plan.totals
    parts = [
        count(totals.folders, "folder") if totals.folders else "",
        count(totals.files, "file") if totals.files or not totals.folders else "",
        human_size(totals.bytes) if totals.bytes else "",
    ]
    return ", ".join(part for part in parts if part)


def word_to_type(plan: Plan) -> str | None:
    """The word a person must type before a plan of high risk runs, or None when a plain yes is enough."""
    return plan.verb.value if plan.risk.is_high else None


def summary_of(plan: Plan) -> list[str]:
    """Everything a person needs to decide, one fact a line; the caller may cut lines, never the order."""
    if isinstance(plan, CommandPlan):
        return plan.summary
    lines = [title_of(plan)]
    lines += [f"from {to_wire(folder)}" for folder in _source_folders(plan)]
    if plan.destination is not None and plan.free_bytes is not None and plan.need_bytes:
        lines.append(
            f"free there: {human_size(plan.free_bytes)}, after: {human_size(plan.free_bytes - plan.need_bytes)}"
        )
    if plan.risk.is_high:
        lines.append("RISK: " + "; ".join(plan.risk.reasons))
    lines += _listed("overwrites", plan.overwrites)
    lines += [f"protected: {to_wire(item.place.path)} ({item.protected})" for item in plan.protected[:SHOWN]]
    if plan.questions:
        lines.append(f"{count(len(plan.questions), 'name')} taken: you will be asked")
    lines += _changes(plan)
    return lines


def _source_folders(plan: Plan) -> list[bytes]:
    folders = {os.path.dirname(item.source.path) for item in plan.items if item.source and b"/" not in item.source.rel}
    return sorted(folders)[:SHOWN]


def _listed(what: str, items: tuple[PlanItem, ...]) -> list[str]:
    lines = [f"{what}: {to_wire((item.target or item.place).path)}" for item in items[:SHOWN]]
    return [*lines, f"{what}: and {len(items) - SHOWN} more"] if len(items) > SHOWN else lines


def _changes(plan: Plan) -> list[str]:
    if plan.verb is Verb.RENAME:
        pairs = [(item.source, item.target) for item in plan.acting if item.source and item.target]
        lines = [f"{to_wire(old.name)} → {to_wire(new.name)}" for old, new in pairs[:SHOWN]]
        return [*lines, f"and {len(pairs) - SHOWN} more"] if len(pairs) > SHOWN else lines
    return [
        f"{human_size(item.totals.bytes):>10}  {to_wire(item.place.path)}"
        for item in plan.biggest(SHOWN)
        if item.totals.bytes
    ]
