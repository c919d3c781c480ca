"""What came of an operation, in words."""

from cmdr.engine.run.item_results import ItemResult
from cmdr.engine.run.outcome import Outcome
from cmdr.model.history import OperationState
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Totals, Verb
from cmdr.model.plans.plan_text import name_of, new_names
from cmdr.model.units import count, human_size

SHOWN = 5


def outcome_line(outcome: Outcome) -> str:
    """One line: what was done, what was not. Where something failed, it does not read as done."""
    verb, totals = outcome.plan.verb, outcome.totals
    done = _amount(totals)
    others = [
        f"{len(items)} {word}"
        for items, word in (
            (outcome.skipped, "skipped"),
            (outcome.failed, "failed"),
            (outcome.drifted, "changed meanwhile and left alone"),
        )
        if items
    ]
    if outcome.state is OperationState.CANCELLED:
        told = "cancelled; nothing was done" if done == "nothing" else f"cancelled after {done}"
    elif outcome.failed or outcome.drifted:
        number = str(totals.files) if totals.files and not totals.folders else done
        return f"{verb}: {', '.join([f'{number} done', *others])}"
    elif verb is Verb.ATTRIBUTES:
        told = f"attributes of {done} changed"
    else:
        told = f"{verb} done: {done}" + (f", {human_size(totals.bytes)}" if totals.bytes else "")
    return "; ".join([told, *others])


def _amount(totals: Totals) -> str:
    parts = [
        count(totals.files, "file") if totals.files else "",
        count(totals.folders, "folder") if totals.folders else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing"


def problem_lines(outcome: Outcome) -> tuple[str, ...]:
    """The first few items that did not go as planned, what could not be kept, and what has another name now."""
    troubled: list[ItemResult] = [*outcome.failed, *outcome.drifted, *outcome.skipped]
    lines = [f"{item.state}: {name_of(item.item)}: {item.reason}" for item in troubled if item.reason]
    lines += [f"not kept: {to_wire(item.place.path)}: {text}" for item, text in outcome.warnings]
    lines += _new_names(outcome)
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"and {len(lines) - SHOWN} more"]
    return tuple(lines)


def _new_names(outcome: Outcome) -> list[str]:
    """What arrived under another name than it had: one that was free at the last moment, or the one in the plan."""
    if not outcome.elsewhere:
        return new_names(outcome.plan) if outcome.is_clean else []
    moved = [item for item, _ in outcome.elsewhere]
    others = [item for item in outcome.plan.renamed.first if item not in moved] if outcome.is_clean else []
    pairs = [*outcome.elsewhere, *((item, item.target or item.place) for item in others)]
    return [f"new name: {to_wire(item.place.name)} → {to_wire(at.name)}" for item, at in pairs]
