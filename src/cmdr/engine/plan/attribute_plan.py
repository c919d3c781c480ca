"""Planning other attributes: permissions, owner and time of chosen files, and of all that chosen folders hold."""

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from cmdr.engine.plan.refusals import NotForAgents, NothingToDo, Unreadable
from cmdr.engine.plan.sources import Nesting, PrivateSources, outermost
from cmdr.engine.plan.survey import Choices, Source, Survey
from cmdr.engine.steps.attributes import SetAttributes
from cmdr.engine.steps.nothing import Nothing
from cmdr.files.file_stat import group_name, user_name
from cmdr.model.names import to_wire
from cmdr.model.plans.attributes import AttributeChange, Attributes, AttributeWish
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Totals, Verb
from cmdr.model.plans.plan_facts import PlanDraft


@dataclass(frozen=True, slots=True)
class Powers:
    """Who this program is to the system."""

    uid: int
    groups: frozenset[int]

    @classmethod
    def here(cls) -> "Powers":
        """Those of this program."""
        return cls(os.geteuid(), frozenset((os.getegid(), *os.getgroups())))

    def lack(self, change: AttributeChange) -> str:
        """Why the system would refuse a change, or nothing."""
        before, after = change
        if self.uid == 0:
            return ""
        if before.uid != self.uid:
            return f"it belongs to {user_name(before.uid)}; only they or root may change it"
        if after.uid != before.uid:
            return "only root may give it to another owner"
        if after.gid != before.gid and after.gid not in self.groups:
            return f"you are not in the group {group_name(after.gid)}"
        if before.mode != after.mode and after.mode & stat.S_ISGID and after.gid not in self.groups:
            return f"set-group-ID would be dropped: you are not in its group {group_name(after.gid)}"
        return ""


_SAME = "it has these attributes already"
_LINK = "links stay as they are"
_MOUNTED = "another volume is mounted here, so it stays as it is"
_SHUT = "what is inside cannot be read; repeat this when it can"
_TWICE = "it is another name of a file in this plan"
_PROGRAM = "becomes a program that can be run"
_SPECIAL_BITS = 0o7000


def plan_attributes(paths: Sequence[bytes], choices: Choices, powers: Powers | None = None) -> Plan:
    """Give chosen files and folders other attributes; those that would not change are left out."""
    wish = choices.attributes
    if wish is None:
        raise ValueError("which attributes?")
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        is_flat = Nesting(paths).is_flat
        if wish.inside:
            paths = outermost(paths)
        elif not is_flat:
            # What lies deeper comes first: a folder above it may not let us in afterwards.
            paths = sorted(paths, key=lambda path: -path.count(b"/"))
        tree = _AttributePlan(survey, choices, wish, powers or Powers.here(), not is_flat)
        for source in survey.sources(paths, choices.expected):
            tree.add(source, 1)
        if not tree.changes:
            raise NothingToDo(f"Nothing would change. {to_wire(tree.first_left)}: {tree.why_left}.")
        roots = tuple(survey.roots.values())
        return Plan(Verb.ATTRIBUTES, tree.items.done(), roots).weigh(tree.items.facts)


@dataclass(slots=True)
class _AttributePlan:
    """The items of one plan, as they are found: what a folder holds comes before the folder."""

    survey: Survey
    choices: Choices
    wish: AttributeWish
    powers: Powers
    is_scattered: bool
    """Whether the same file may have been chosen by several paths."""
    items: PlanDraft = field(default_factory=PlanDraft)
    changes: int = 0
    first_left: bytes = b""
    why_left: str = ""
    _known: set[tuple[int, int]] = field(default_factory=set)
    """The files in this plan that have other names."""
    _private: PrivateSources = field(init=False)

    def __post_init__(self) -> None:
        self._private = PrivateSources(self.choices.privacy)

    def add(self, source: Source, depth: int) -> None:
        """Plan a file or folder, and what it holds if that is wanted."""
        self.survey.check()
        kind = source.fingerprint.kind
        # Also asked about folders that stay as they are: what they hold is asked about after them.
        private = self._private.reason(source)
        if kind is not Kind.FOLDER:
            self.survey.count()
        elif self.wish.inside:
            self._inside(source, depth)
        change = self._change(source.found, is_folder=kind is Kind.FOLDER)
        why = self._left(source.found, kind, change)
        if not why:
            self._must_be_allowed(source, kind, change, private)
            self._append(source, kind, change, private)
        elif depth == 1 or why not in (_SAME, _LINK):
            # That something inside a folder stays the same is what most of it does.
            self._leave(source.place, kind, why)

    def _inside(self, source: Source, depth: int) -> None:
        place, found = source.place, source.found
        try:
            with self.survey.children(source.folder, place.name, depth, place.path) as children:
                for name, stat_ in children.entries():
                    below = Place(place.root, place.rel + b"/" + name)
                    if stat_.st_dev != found.st_dev:
                        self._leave(below, Kind.FOLDER, _MOUNTED)
                    else:
                        self.add(Source(below, children.fd, stat_), depth + 1)
        except Unreadable:
            self._leave(place, Kind.FOLDER, _SHUT)

    def _change(self, found: os.stat_result, *, is_folder: bool) -> AttributeChange:
        before = Attributes(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, found.st_mtime_ns)
        change = AttributeChange(before, self.wish.of(before, is_folder=is_folder))
        if change.sets_owner:
            change = AttributeChange(*(_named(side) for side in change))
        return change

    def _left(self, found: os.stat_result, kind: Kind, change: AttributeChange) -> str:
        """Why something stays as it is, or nothing."""
        if kind is Kind.LINK:
            return _LINK
        if change.before == change.after:
            return _SAME
        if self.is_scattered or found.st_nlink > 1:
            if (found.st_dev, found.st_ino) in self._known:
                return _TWICE
            self._known.add((found.st_dev, found.st_ino))
        return self.powers.lack(change)

    def _must_be_allowed(self, source: Source, kind: Kind, change: AttributeChange, private: str) -> None:
        if self.choices.privacy is None:
            return
        path = source.place.path
        if change.sets_owner:
            raise NotForAgents(path, "agents may not change owners")
        if kind is not Kind.FOLDER and change.gained & _SPECIAL_BITS:
            raise NotForAgents(path, "agents may not set set-user-ID, set-group-ID or sticky bits of files")
        if private and change.gained:
            raise NotForAgents(path, f"agents may not open up what is private ({private})")

    def _append(self, source: Source, kind: Kind, change: AttributeChange, private: str) -> None:
        becomes = self.choices.privacy is not None and kind is Kind.FILE and change.gained & 0o111
        why = self.choices.protection.reason(source.place.path) or private or (_PROGRAM if becomes else "")
        totals = Totals(0, 1, 0) if kind is Kind.FOLDER else Totals(1, 0, 0)
        self.items.append(
            PlanItem(
                SetAttributes.name,
                kind,
                source.place,
                fingerprint=source.fingerprint,
                totals=totals,
                protected=why,
                change=change,
            )
        )
        self.changes += 1

    def _leave(self, place: Place, kind: Kind, why: str) -> None:
        if not self.first_left:
            self.first_left, self.why_left = place.path, why
        self.items.append(Nothing.because(why, kind, place))


def _named(side: Attributes) -> Attributes:
    return side._replace(owner=f"{user_name(side.uid)}:{group_name(side.gid)}")
