"""A plan in words: drawn from what will run, never from what somebody said about it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from cmdr.model.names import display_name
from cmdr.model.plans.plan import SHOWN, Kind, Plan, PlanItem, Verb
from cmdr.model.plans.plan_facts import FOLDERS
from cmdr.model.plans.request_plan import PlanOutline, RequestPlan
from cmdr.model.plans.steps import KINDS
from cmdr.model.units import count, human_size

TAKEN_NAMES: tuple[tuple[str, str], ...] = (
    ("ask", "ask each time"),
    ("skip", "skip it"),
    ("overwrite", "overwrite; the old one goes to the trash"),
    ("rename", "keep both, with a new name"),
    ("newer", "overwrite only what is older"),
    ("larger", "overwrite only what is smaller"),
)


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
    Verb.ATTRIBUTES: "Change attributes of",
    Verb.PACK: "Pack",
    Verb.UNPACK: "Unpack",
    Verb.UNDO: "Undo",
    Verb.RUN: "Run",
    Verb.TRUST: "Trust",
}
_SPELLED = "mind \\u{…}: a character that cannot be seen, or passes for another"
_NEW = (Verb.MKDIR, Verb.MKFILE, Verb.WRITE)
_CHOSEN_SHOWN = 5
_KINDS_SHOWN = 6
_LONGEST = 200
"""Bytes of a name in an archive; it can be as long as somebody likes."""


class Fact(NamedTuple):
    """One line of a plan, and how it weighs; names in it are somebody's own, so nobody tells that from the text."""

    text: str
    tone: Literal["", "care", "risk"] = ""


def title_of(plan: Plan) -> str:
    """What the plan does, in one line."""
    if isinstance(plan, RequestPlan | PlanOutline):
        return plan.title
    if plan.verb is Verb.LINK:
        return _linked(plan.subject)
    if _is_named_in_title(plan):
        return f"{_DOES[plan.verb]} {display_name(plan.subject.place.path)}"
    if plan.verb is Verb.UNDO and plan.undone is not None:
        return f"Undo {plan.undone} (operation {plan.undoes}): {amount_of(plan)}"
    told = f"{_DOES[plan.verb]} {amount_of(plan)}"
    return f"{told} to {display_name(plan.destination)}" if plan.destination else told


def _is_named_in_title(plan: Plan) -> bool:
    return plan.verb in _NEW and len(plan.items) == len(plan.made_folders) + 1


def _linked(item: PlanItem) -> str:
    link = display_name((item.target or item.place).path)
    if item.source is not None:
        return f"Give {display_name(item.source.path)} the further name {link}"
    return f"Link {link} to {display_name(item.data or b'')}"


def amount_of(plan: Plan) -> str:
    """How much it touches, as in `2 folders, 31 files, 4.5 MiB`."""
    return plan.totals.told


def word_to_type(plan: Plan) -> str | None:
    """The word a person must type before a plan of high risk runs, or None when a plain yes is enough."""
    return plan.verb.value if plan.risk.is_high else None


def chosen_of(plan: Plan) -> str:
    """What it is about, in a line beside the title: the first that was chosen, and how many more."""
    chosen = plan.chosen
    if not isinstance(plan, RequestPlan) and plan.archives:
        more = f" and {plan.archive_count - 1} more" if plan.archive_count > 1 else ""
        return display_name(plan.archives[0]) + more
    if isinstance(plan, RequestPlan) or not chosen.count:
        return ""
    first = chosen.first[0]
    becomes = f" → {display_name(first.target.name)}" if plan.verb is Verb.RENAME and first.target else ""
    more = f" and {chosen.count - 1} more" if chosen.count > 1 else ""
    return display_name(first.place.path) + becomes + more


def summary_of(plan: Plan) -> list[str]:
    """Everything a person needs to decide, one fact a line; the caller may cut lines, never the order."""
    return [fact.text for fact in facts_of(plan)]


def facts_of(plan: Plan) -> list[Fact]:
    """The same with the weight of each line; the first is the title."""
    if isinstance(plan, RequestPlan | PlanOutline):
        return [Fact(line) for line in plan.summary]
    lines = [title_of(plan), *_what(plan), *into_folders(plan), *made_folders(plan), *left_out(plan)]
    if plan.destination is not None and plan.free_bytes is not None and plan.need_bytes:
        lines.append(
            f"free there: {human_size(plan.free_bytes)}, after: {human_size(plan.free_bytes - plan.need_bytes)}"
        )
    facts = [Fact(line) for line in lines]
    if plan.risk.is_high:
        facts.append(Fact("RISK: " + "; ".join(plan.risk.reasons), "risk"))
    careful = _listed("overwrites", plan.overwrites)
    careful += [f"protected: {_ends(item)} ({item.protected})" for item in plan.protected[:SHOWN]]
    if len(plan.protected) > SHOWN:
        careful.append(f"protected: and {len(plan.protected) - SHOWN} more")
    facts += [Fact(line, "care") for line in careful]
    if plan.questions:
        facts.append(Fact(f"{count(len(plan.questions), 'name')} taken: you will be asked"))
    facts += [Fact(line) for line in _largest(plan)]
    return [*facts, Fact(_SPELLED)] if any("\\u{" in fact.text for fact in facts) else facts


def made_folders(plan: Plan) -> list[str]:
    """The folders that are missing on the way and are made first."""
    return _listed("creates folder", plan.made_folders)


def into_folders(plan: Plan) -> list[str]:
    """The folders that files are sorted into, with how many go there, where it is not all into one."""
    if not _is_sorted(plan):
        return []
    folders = plan.target_folders
    lines = [f"into {_below(plan, folder)}: {number}" for folder, number in folders[:SHOWN]]
    rest = sum(number for _, number in folders[SHOWN:])
    return [*lines, f"into {count(len(folders) - SHOWN, 'more folder')}: {rest}"] if rest else lines


def left_out(plan: Plan) -> list[str]:
    """How many stay as they are, and why; an undo tells it of each."""
    if plan.verb in (Verb.UNDO, Verb.RESTORE):
        return []
    return [f"{number} will be skipped: {reason or 'left alone'}" for reason, number in plan.skipped]


def _is_sorted(plan: Plan) -> bool:
    if plan.verb not in (Verb.COPY, Verb.MOVE) or plan.destination is None:
        return False
    return any(folder != plan.destination for folder, _ in plan.target_folders)


def _below(plan: Plan, path: bytes) -> str:
    """A path from the destination on, where it lies there."""
    start = (plan.destination or b"").rstrip(b"/") + b"/"
    return display_name(path[len(start) :] if path.startswith(start) else path)


def goes_to(plan: Plan, item: PlanItem) -> str:
    """Where an item goes, as far as the title does not say it: another name, a folder of its own, other attributes."""
    source, target = item.source, item.target
    if plan.verb is Verb.LINK and source is None and item.data is not None:
        return f" leads to {display_name(item.data)}"
    if item.change is not None:
        return f": {item.change.told}"
    if source is None or target is None:
        return ""
    if plan.verb is Verb.LINK:
        return f" also as {display_name(target.path)}"
    if plan.verb in (Verb.COPY, Verb.MOVE) and plan.destination is not None:
        told = _below(plan, target.path)
        return f" → {told}" if told != display_name(source.rel) else ""
    return f" → {display_name(target.name)}" if source.name != target.name else ""


def new_names(plan: Plan) -> list[str]:
    """What a copy or move gives another name, because the old one is taken or another was wished for."""
    if plan.verb not in (Verb.COPY, Verb.MOVE):
        return []
    lines = [f"new name: {_pair(item)}" for item in plan.renamed.first]
    return [*lines, f"new name: {plan.renamed.left_out} more"] if plan.renamed.left_out else lines


def _listed(what: str, items: Sequence[PlanItem]) -> list[str]:
    lines = [f"{what}: {display_name((item.target or item.place).path)}" for item in items[:SHOWN]]
    return [*lines, f"{what}: and {len(items) - SHOWN} more"] if len(items) > SHOWN else lines


def _what(plan: Plan) -> list[str]:
    """What is acted on, by name."""
    if plan.verb is Verb.RENAME:
        pairs = [item for item in plan.told if _is_renamed(item)]
        shown = _odd_first([item for item in plan.odd if _is_renamed(item)], pairs, SHOWN)
        lines = [_pair(item) + _oddly(plan, item, len(pairs) > SHOWN) for item in shown]
        return [*_folders(plan), *lines, *_more(len(pairs) - len(shown))]
    if plan.verb in (Verb.UNDO, Verb.RESTORE):
        return [*(undo_line(item) for item in plan.told[:SHOWN]), *_more(len(plan.told) - SHOWN)]
    if plan.verb is Verb.LINK or (_is_named_in_title(plan) and not plan.totals.bytes):
        return []
    named, many = _named(plan), plan.chosen.count or len(plan.items) - len(plan.made_folders)
    by_name = len(plan.source_folders) == 1
    to = goes_to if _is_sorted(plan) or plan.verb is Verb.ATTRIBUTES else _nowhere_else
    rows = [_row(item, by_name) + to(plan, item) + _oddly(plan, item, many > len(named)) for item in named]
    kinds = _kinds(plan) if many > len(named) else []
    return [*_folders(plan), *rows, *_more(many - len(named)), *kinds, *new_names(plan)]


def _named(plan: Plan) -> Sequence[PlanItem]:
    """The odd ones and the first of what was chosen; new files and folders come from nowhere, and count themselves."""
    if not plan.chosen.count:
        return plan.items[len(plan.made_folders) :][:_CHOSEN_SHOWN]
    return _odd_first(list(plan.odd), plan.chosen.first, _CHOSEN_SHOWN, plan.chosen.count)


def _is_renamed(item: PlanItem) -> bool:
    return not item.is_left_alone and item.source is not None and item.target is not None


def _odd_first(odd: list[PlanItem], items: Sequence[PlanItem], most: int, many: int = 0) -> list[PlanItem]:
    """The first of some items, after those unlike the rest, when not all can be named."""
    if max(many, len(items)) <= most:
        return list(items)
    return odd + [item for item in items[:most] if item not in odd][: max(0, most - len(odd))]


def _oddly(plan: Plan, item: PlanItem, is_cut: bool) -> str:
    return "  (unlike most)" if is_cut and item in plan.odd else ""


def _kinds(plan: Plan) -> list[str]:
    """Of what kinds they are, in a line, where they are not all alike."""
    kinds = plan.kinds
    if len(kinds) < 2:
        return []
    told = [_of_kind(kind, number) for kind, number in kinds[:_KINDS_SHOWN]]
    others = f", and {len(kinds) - _KINDS_SHOWN} other kinds" if len(kinds) > _KINDS_SHOWN else ""
    return [f"kinds: {', '.join(told)}{others}"]


def _of_kind(kind: bytes, number: int) -> str:
    if kind == FOLDERS:
        return count(number, "folder")
    return f"{number:,} .{display_name(kind)}" if kind else f"{number:,} without an extension"


def name_of(item: PlanItem) -> str:
    """What an item is called in a list: its path, or for what stays in an archive the name it has there."""
    if item.target is None and item.is_unpacked and item.member is not None:
        return f"{display_name(item.place.path)}: {display_name(item.member.name[:_LONGEST])}"
    return display_name(item.place.path)


def _folders(plan: Plan) -> list[str]:
    if plan.archives:
        lines = [f"from {display_name(path)}" for path in plan.archives]
        more = plan.archive_count - len(lines)
        return [*lines, f"from {count(more, 'more archive')}"] if more else lines
    lines = [f"from {display_name(folder)}" for folder in plan.source_folders]
    more = plan.folder_count - len(lines)
    return [*lines, f"from {count(more, 'more folder')}"] if more else lines


def _more(left_out: int) -> list[str]:
    # Not indented as the names are, so that no name can look like it.
    return [f"and {left_out} more"] if left_out > 0 else []


def _row(item: PlanItem, by_name: bool) -> str:
    size = human_size(item.totals.bytes) if item.totals.bytes else ""
    name = (display_name(item.place.name) if by_name else name_of(item)) + ("/" if item.kind is Kind.FOLDER else "")
    return f"{size:>10}  {name}" + (f" ({item.reason})" if KINDS[item.step].is_left_alone and item.reason else "")


def _nowhere_else(_plan: Plan, _item: PlanItem) -> str:
    return ""


def _pair(item: PlanItem) -> str:
    return " → ".join(display_name(place.name) for place in (item.source, item.target) if place)


def _ends(item: PlanItem) -> str:
    """Both names of an item: a place is protected for what is put there, or for what is taken away from it."""
    return " → ".join(display_name(place.path) for place in (item.source, item.target) if place)


def undo_line(item: PlanItem) -> str:
    """What becomes of one item when something is taken back or restored."""
    text = KINDS[item.step].undo_text
    if not text:
        return f"leaves {display_name(item.place.path)}" + (f": {item.reason}" if item.reason else "")
    return text.format(
        place=display_name(item.place.path),
        target=display_name((item.target or item.place).path),
        change=item.change.told if item.change is not None else "",
    )


def _largest(plan: Plan) -> list[str]:
    """The largest files inside what was chosen."""
    if plan.verb in (Verb.RENAME, Verb.UNDO, Verb.RESTORE):
        return []
    told = _named(plan)
    inside = [item for item in plan.biggest if item.totals.bytes and item not in told]
    rows = [_row(item, False) for item in inside]
    return ["largest:", *rows] if rows else []
