"""Rules: what a person has said yes to beforehand, which plans that covers, and how it is told; no disk, no clock.

A rule is about facts of a plan and never about the name of a tool: who, what is done, where by real paths, how much in
an hour. What no rule may admit is a fact of the plan as well (`Facts.never`), and is looked at before any rule is.
"""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cmdr.model.names import display_name, is_within, printable
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.plan_item import Verb
from cmdr.model.units import count, human_size, moment

NEVER_UNASKED = frozenset({Verb.DELETE, Verb.RUN, Verb.TRUST, Verb.UNDO})
"""Verbs that no rule may name."""
ADMITTED = tuple(verb for verb in Verb if verb not in NEVER_UNASKED)
"""Verbs that a rule may name."""
HOUR_S = 3600.0
MAX_RULES = 100
"""Entries that are looked at; those behind them match nothing."""
MAX_ROOTS = 8
"""Folders of one rule."""
_OFFERED_FILES = (200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 250_000)
_OFFERED_GIB = (2, 5, 10, 20, 50, 100, 200, 500)
_OFFERED_OPERATIONS = 60
_ROOM = 4
"""An offered rule has room for so many plans like the one that was shown."""
_GIB = 1 << 30
_DONE = {
    Verb.COPY: "copied {}",
    Verb.MOVE: "moved {}",
    Verb.TRASH: "moved {} to the trash",
    Verb.RENAME: "renamed {}",
    Verb.MKDIR: "created {}",
    Verb.MKFILE: "created {}",
    Verb.LINK: "linked {}",
    Verb.RESTORE: "restored {}",
    Verb.WRITE: "wrote {}",
    Verb.ATTRIBUTES: "changed attributes of {}",
    Verb.PACK: "packed {}",
    Verb.UNPACK: "unpacked {}",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a rule admits in any hour; folders count as files do."""

    files: int
    bytes: int
    operations: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What a rule has admitted within the last hour."""

    files: int = 0
    bytes: int = 0
    operations: int = 0


NOTHING = Spent()


@dataclass(frozen=True, slots=True)
class Rule:
    """One `[[rules]]` entry of the settings: whoever matches all of it is not asked."""

    number: int
    """By which people and answers name it; never given twice. 0: the entry has none yet."""
    client: str
    verbs: frozenset[Verb]
    roots: tuple[bytes, ...]
    """Folders by their real paths; every source and every target lies inside one of them."""
    budget: Budget
    overwrites: bool = False
    """Whether files may be overwritten, each kept in the trash."""
    until: float | None = None
    """Seconds since 1970 after which it holds no more; None: always."""
    suspended: str = ""
    """Why it does not hold for now; empty while it holds."""
    problem: str = field(default="", compare=False)
    """What is wrong with the entry, with its line; then it matches nothing."""
    line: int = field(default=0, compare=False)
    """Where its entry begins in the settings."""

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it this rule and no other: all that the person wrote, without its number and whether it holds."""
        return (self.client, sorted(self.verbs), sorted(self.roots), self.budget, self.overwrites, self.until)


@dataclass(frozen=True, slots=True)
class Outline:
    """What a plan tells about itself before anything is looked up."""

    client: str
    verb: Verb
    files: int
    """Files and folders, all that lies in folders included."""
    bytes: int
    overwrites: int
    never: str = ""
    """Why only the person says yes to it; empty where a rule may."""

    @classmethod
    def of(cls, plan: Plan, client: str) -> "Outline":
        """The outline of a plan that a client made; blocks while a large one is weighed."""
        if plan.verb in NEVER_UNASKED:
            return cls(client, plan.verb, 0, 0, 0, f"{plan.verb.value} is always asked about")
        totals = plan.totals
        files = max(totals.files + totals.folders, sum(1 for _ in plan.items if not _.is_left_alone))
        return cls(client, plan.verb, files, totals.bytes, len(plan.overwrites), never_of(plan))

    def at_least(self, files: int, size: int) -> "Outline":
        """The same, where more was found than the plan tells."""
        return replace(self, files=max(self.files, files), bytes=max(self.bytes, size))


@dataclass(frozen=True, slots=True)
class Facts:
    """All that rules are matched with: the outline, and what was found out on the disk."""

    outline: Outline
    folders: frozenset[bytes] = frozenset()
    """The folders, by real paths, that hold the sources and the targets, and what new links lead to."""
    standing: frozenset[tuple[int, bytes]] = frozenset()
    """Rules and their roots that are still the very folders they were: no links, nothing moved in their place."""
    never: str = ""
    """Why only the person says yes, by what the disk tells."""


@dataclass(frozen=True, slots=True)
class Admission:
    """That rules admit one very plan of one client; made by whoever matched them, and charged to each of them."""

    digest: str
    client: str
    rules: tuple[int, ...]

    @property
    def rule(self) -> int:
        """The rule that is named for it."""
        return self.rules[0]


@dataclass(frozen=True, slots=True)
class Unasked:
    """What ran last without a question."""

    client: str
    words: str
    """As in `claude moved 12 files`."""
    operation: int
    rule: int
    at: float

    @property
    def told(self) -> str:
        """One line for the person, with the way back."""
        return f"{self.words} · Ctrl+Z undoes"


def never_of(plan: Plan) -> str:
    """Why no rule may admit a plan, by what the plan itself tells; empty where one may."""
    if plan.verb in NEVER_UNASKED or plan.undoes is not None or plan.continues is not None:
        return f"{plan.verb.value} is always asked about"
    if not plan.items:
        return "nothing is known of what it does"
    if plan.protected:
        return f"touches a protected place: {plan.protected[0].protected}"
    if plan.risk.is_high:
        return plan.risk.reasons[0]
    if plan.questions:
        return "a name is taken, and it is asked what to do about it"
    if plan.odd:
        return f"{display_name(plan.odd[0].place.name)} is unlike the others"
    return ""


def matches(rule: Rule, facts: Facts, now: float, spent: Spent = NOTHING) -> str:
    """Empty when a rule admits a plan, else why it does not."""
    return (
        facts.outline.never
        or facts.never
        or may_match(rule, facts.outline, now, spent)
        or _outside(rule, facts.folders, facts.standing)
    )


def may_match(rule: Rule, outline: Outline, now: float, spent: Spent = NOTHING) -> str:
    """The same as far as the disk need not be looked at."""
    if why := holds_not(rule, now):
        return why
    if outline.client != rule.client:
        return f"it is for {rule.client}"
    if outline.never:
        return outline.never
    if outline.verb not in rule.verbs or outline.verb in NEVER_UNASKED:
        return f"it does not allow {outline.verb.value}"
    if outline.overwrites and not rule.overwrites:
        return "it lets nothing be overwritten"
    return _beyond(rule.budget, outline, spent)


def holds_not(rule: Rule, now: float) -> str:
    """Why a rule matches nothing at all just now; empty while it holds."""
    if rule.problem:
        return rule.problem
    if rule.suspended:
        return f"suspended: {rule.suspended}"
    return "expired" if rule.until is not None and now >= rule.until else ""


def _beyond(budget: Budget, outline: Outline, spent: Spent) -> str:
    if spent.operations + 1 > budget.operations:
        return f"{count(budget.operations, 'operation')} an hour are used up"
    if spent.files + outline.files > budget.files:
        return f"more than {count(budget.files, 'file')} an hour"
    if spent.bytes + outline.bytes > budget.bytes:
        return f"more than {_size(budget.bytes)} an hour"
    return ""


def _outside(rule: Rule, folders: frozenset[bytes], standing: frozenset[tuple[int, bytes]]) -> str:
    if not folders:
        return "nothing is known of where it works"
    if not rule.roots:
        return "it names no folder"
    for root in rule.roots:
        if (rule.number, root) not in standing:
            return f"{display_name(root)} is gone, or another folder by now"
    for folder in folders:
        if not any(is_within(folder, root) for root in rule.roots):
            return f"{display_name(folder)} lies outside"
    return ""


def done_words(verb: Verb, amount: str = "") -> str:
    """What a plan has done once it ran: “moved 12 files to the trash”, or without an amount “moved to the trash”."""
    told = _DONE.get(verb, "did {}")
    return told.format(amount) if amount else told.replace(" of {}", "").replace(" {}", "")


def end_of_day(now: float) -> float:
    """The last moment of the local day, in seconds since 1970."""
    here = time.localtime(now)
    return time.mktime((here.tm_year, here.tm_mon, here.tm_mday + 1, 0, 0, 0, 0, 0, -1))


def words_of(rule: Rule, now: float, home: bytes = b"") -> str:
    """A rule in one line: “claude, move within ~/Downloads, up to 200 files and 2 GiB an hour, today”."""
    return f"{terms_of(rule, home)}, {until_words(rule.until, now)}"


def terms_of(rule: Rule, home: bytes = b"") -> str:
    """The same without how long it holds, for a rule that is only offered."""
    verbs = ", ".join(sorted(verb.value for verb in rule.verbs)) or "nothing"
    roots = ", ".join(_shortened(root, home) for root in rule.roots) or "no folder"
    budget = rule.budget
    much = f"up to {count(budget.files, 'file')} and {_size(budget.bytes)} an hour"
    if budget.operations != _OFFERED_OPERATIONS:
        much += f" in {count(budget.operations, 'operation')}"
    parts = [printable(rule.client, 40) or "nobody", f"{verbs} within {roots}", much]
    parts += ["overwriting into the trash"] if rule.overwrites else []
    return ", ".join(parts)


def until_words(until: float | None, now: float) -> str:
    """How long a rule holds: `always`, `today`, or until when."""
    if until is None:
        return "always"
    if now >= until:
        return "expired"
    return "today" if until - end_of_day(now) <= 1 else f"until {moment(int(until) * 1_000_000_000)[:16]}"


def offered(
    outline: Outline, sources: Iterable[bytes], targets: Iterable[bytes], within: Sequence[bytes]
) -> Rule | None:
    """The rule for the next plans like one, that overwrites nothing; None where no rule would admit even this one.

    `sources` and `targets` are the real folders of what it is about, `within` the folders that its client may change.
    """
    if outline.never or outline.overwrites or outline.verb in NEVER_UNASKED:
        return None
    roots = _outermost([*_common(sources, within), *_common(targets, within)])
    files = next((step for step in _OFFERED_FILES if step >= outline.files * _ROOM), None)
    room = next((step * _GIB for step in _OFFERED_GIB if step * _GIB >= outline.bytes * _ROOM), None)
    if not roots or len(roots) > MAX_ROOTS or files is None or room is None:
        return None
    budget = Budget(files, room, _OFFERED_OPERATIONS)
    return Rule(0, outline.client, frozenset({outline.verb}), roots, budget)


def _common(folders: Iterable[bytes], within: Sequence[bytes]) -> list[bytes]:
    """The smallest folder that holds them all, in each of the folders that a client may change."""
    held: dict[bytes, list[bytes]] = {}
    for folder in folders:
        root = max((each for each in within if is_within(folder, each)), key=len, default=b"")
        held.setdefault(root, []).append(folder)
    return [os.path.commonpath(some) for root, some in held.items() if root]


def _outermost(folders: Iterable[bytes]) -> tuple[bytes, ...]:
    every = sorted(set(folders))
    return tuple(each for each in every if not any(each != above and is_within(each, above) for above in every))


def _shortened(path: bytes, home: bytes) -> str:
    if home and is_within(path, home):
        return "~" + display_name(path.rstrip(b"/")[len(home.rstrip(b"/")) :])
    return display_name(path)


def _size(size: int) -> str:
    """A size without a needless decimal: `2 GiB`."""
    return human_size(size).replace(".0 ", " ")
