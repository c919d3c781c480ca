"""Deciding about taken names: what the plan said, what the person answers, and never more than that."""

from enum import Enum, auto
from uuid import uuid4

from cmdr.engine.errors import Drifted, Skipped
from cmdr.engine.run.control import Answer, Conflict, Control
from cmdr.model.plans.plan import ConflictPolicy, Decision, Fingerprint, Kind, PlanItem, Totals


class Verdict(Enum):
    """What to do about a taken name; leaving the item out is an exception."""

    REPLACE = auto()
    RENAME = auto()


class Decider:
    """Decides for one operation, and remembers an answer given for all."""

    def __init__(self, policy: ConflictPolicy, control: Control) -> None:
        self._policy = policy
        self._control = control
        self._for_all: ConflictPolicy | None = None
        self._grown_for_all: ConflictPolicy | None = None

    def may_replace(self, item: PlanItem) -> bool:
        """Whether it is already clear that a file standing at the target may be replaced."""
        return item.decision is Decision.REPLACE or self._for_all in (
            ConflictPolicy.OVERWRITE,
            ConflictPolicy.NEWER,
            ConflictPolicy.LARGER,
        )

    def decide(self, item: PlanItem, existing: Fingerprint | None, found: Fingerprint) -> Verdict:
        """What to do about the file found at the target; Skipped or Drifted when the item is left out.

        `existing` is what the plan may replace, as it must look by now.
        """
        policy = self._for_all or self._policy
        if found.kind not in (Kind.FILE, Kind.LINK) or item.kind is Kind.FOLDER:
            if policy is ConflictPolicy.RENAME:
                return Verdict.RENAME
            raise Skipped("a folder has that name" if found.kind is Kind.FOLDER else "a file has that name")
        if found.is_same_file(item.fingerprint):
            if policy is ConflictPolicy.RENAME:
                return Verdict.RENAME
            raise Skipped("it is the same file already")
        if item.decision is Decision.REPLACE and existing is not None and existing.matches(found):
            return Verdict.REPLACE
        if policy is ConflictPolicy.ASK:
            policy = self._ask(item, found)
        elif self._for_all is None and policy not in (ConflictPolicy.SKIP, ConflictPolicy.RENAME):
            # The plan named what may be replaced; this file was not there to be shown.
            raise Drifted("the name was taken after the plan was made")
        return resolve(policy, item.arriving, found)

    def may_take(self, item: PlanItem, totals: Totals) -> None:
        """Ask about a folder that holds something else than was shown; Skipped when it stays."""
        policy = self._grown_for_all
        if policy is None and item.fingerprint is not None:
            answer = self._control.ask(Conflict(f"q_{uuid4().hex[:12]}", item, item.fingerprint, totals))
            policy = answer.policy
            if answer.for_all:
                self._grown_for_all = policy
        if policy is not ConflictPolicy.OVERWRITE:
            told = f"shown: {item.totals.told}; now: {totals.told}"
            raise Skipped(f"it holds something else than was shown, so it was left alone ({told})")

    def _ask(self, item: PlanItem, found: Fingerprint) -> ConflictPolicy:
        answer: Answer = self._control.ask(Conflict(f"q_{uuid4().hex[:12]}", item, found))
        if answer.for_all:
            self._for_all = answer.policy
        return answer.policy


def resolve(policy: ConflictPolicy, source: Fingerprint | None, found: Fingerprint) -> Verdict:
    """What a policy says about two files; Skipped when the one that stands there stays."""
    match policy:
        case ConflictPolicy.OVERWRITE:
            return Verdict.REPLACE
        case ConflictPolicy.RENAME:
            return Verdict.RENAME
        case ConflictPolicy.NEWER if source is not None and source.mtime_ns > found.mtime_ns:
            return Verdict.REPLACE
        case ConflictPolicy.NEWER:
            raise Skipped("the file there is as new or newer")
        case ConflictPolicy.LARGER if source is not None and source.size > found.size:
            return Verdict.REPLACE
        case ConflictPolicy.LARGER:
            raise Skipped("the file there is as large or larger")
        case _:
            raise Skipped("the name is taken")
