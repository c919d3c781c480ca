"""Changes to files: proposed, approved, resumed, and those of the journal."""

import json
from dataclasses import dataclass

from cmdr.model.job import JobState
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.plans.plan_text import amount_of, chosen_of, into_folders, left_out, made_folders, new_names, title_of
from cmdr.model.results.result import Data, Json, Result, plain
from cmdr.model.rules import done_words


@dataclass(frozen=True, slots=True)
class RunByRule:
    """How a plan stands that a rule of the person's admitted: it runs, or has run."""

    rule: int
    job: str
    state: JobState
    outcome: str
    problems: tuple[str, ...]
    operation: int | None

    def lines(self, verb: Verb) -> list[str]:
        """For the agent: what was done, by which rule, and what did not go as planned."""
        if not self.state.is_over:
            asks = "; it asks the person something" if self.state is JobState.WAITING else ""
            return [f"Runs by rule {self.rule}{asks}; await tells what comes of it."]
        number = "" if self.operation is None else f", operation {self.operation}"
        if self.state is JobState.DONE:
            return [f"{done_words(verb).capitalize()} by rule {self.rule}{number}."]
        return [f"Begun by rule {self.rule}{number}: {self.outcome}", *self.problems]


@dataclass(frozen=True, slots=True)
class Proposed(Result):
    """A plan that waits for the person's answer, or that a rule of theirs has admitted."""

    kind = "proposed"
    proposal: str
    what: str
    """The word for it: Copy, Move, Delete …"""
    plan: Plan
    note: str = ""
    names_chosen: bool = False
    """Whether to name what the pane chose, for a caller who named nothing."""
    preview: tuple[str, ...] = ()
    """The first lines of what it would do, where the plan's own summary does not say it."""
    from_pane: bool = False
    """Whether it acts on what is selected in a pane; that is let go once it is done."""
    by_rule: RunByRule | None = None
    """How it stands, where nobody had to be asked."""

    @property
    def failed(self) -> bool:
        return self.by_rule is not None and self.by_rule.state is JobState.FAILED

    def text(self) -> str:
        plan, ran = self.plan, self.by_rule
        waits = [f"{self.what} dialog opened. Waiting for user confirmation."]
        lines = waits if ran is None else ran.lines(plan.verb)
        lines.append(f"proposal: {self.proposal} ({amount_of(plan)})")
        if self.note:
            lines.append(self.note)
        if self.names_chosen:
            lines.append(f"chosen in the pane: {chosen_of(plan)}")
        if plan.overwrites:
            lines.append(f"overwrites: {len(plan.overwrites)}")
        if plan.questions:
            lines.append(f"taken names the person will be asked about: {len(plan.questions)}")
        # Where files are sorted, the folders are named already; that some are new is enough to know.
        into = into_folders(plan)
        made = [f"new folders: {len(plan.made_folders)}"] if into and plan.made_folders else made_folders(plan)
        return "\n".join([*lines, *left_out(plan), *into, *made, *new_names(plan), *self.preview])

    def data(self) -> dict[str, Json]:
        plan = self.plan
        return {
            "proposal": self.proposal,
            "digest": plan.digest,
            "verb": plan.verb.value,
            "title": title_of(plan),
            "amount": amount_of(plan),
            "overwrites": len(plan.overwrites),
            "questions": len(plan.questions),
            "skipped": [{"reason": reason, "count": number} for reason, number in plan.skipped],
            "isRisky": plan.risk.is_high,
            "note": self.note,
            "fromPane": self.from_pane,
            "byRule": plain(self.by_rule),
        }


@dataclass(frozen=True, slots=True)
class Approved(Result):
    """The person said yes; a job carries it out."""

    kind = "approved"
    proposal: str
    job: str | None
    not_yet: str = ""
    """Why the job has not begun."""

    def text(self) -> str:
        return f"Approved {self.proposal}\njob: {self.job}" + (f"\nnot yet: {self.not_yet}" if self.not_yet else "")


@dataclass(frozen=True, slots=True)
class Resumed(Result):
    """An interrupted operation goes on, as a job."""

    kind = "resumed"
    operation: int
    job: str

    def text(self) -> str:
        return f"Resumed operation {self.operation}\njob: {self.job}"


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One operation."""

    operation: int
    when: str
    verb: str
    first: bytes
    """The first path it was about."""
    new_name: bytes | None
    items: int
    done: int
    to: bytes | None
    state: str
    by: str
    undone_by: int | None
    left: int
    """What an undo did not take back."""
    failed: int = 0
    """What could not be carried out."""
    rule: int | None = None
    """The rule that admitted it unasked, if one did."""


@dataclass(frozen=True, slots=True)
class HistoryEntries(Data):
    """Some operations, newest first; their text is a list."""

    kind = "historyEntries"
    entries: tuple[HistoryRow, ...]

    def text(self) -> str:
        return json.dumps(self.data()["entries"], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class HistoryBeginning(Data):
    """What came before the history and could not go on, one sentence each; their text is a list."""

    kind = "historyBeginning"
    sentences: tuple[str, ...]

    def text(self) -> str:
        return json.dumps(self.sentences, ensure_ascii=False)
