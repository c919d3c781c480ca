"""The inbox: everything that waits for the person, gathered from where it waits, one row each."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.job import Job, JobState
from cmdr.model.names import display_name, printable
from cmdr.model.plans.command_plan import CommandPlan
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.plans.plan_text import amount_of, chosen_of, title_of, word_to_type
from cmdr.model.plans.request_plan import RequestPlan
from cmdr.model.results.inbox import Inbox as Rows
from cmdr.model.results.inbox import InboxAnswer, InboxKind, InboxRow
from cmdr.model.rules import terms_of, words_of
from cmdr.model.texts.diff import Hunk
from cmdr.model.units import count, human_size

if TYPE_CHECKING:
    from cmdr.core.commander import Commander
    from cmdr.core.editing.review_record import ReviewRecord
    from cmdr.model.plans.proposal import Proposal

MAX_ROWS = 500
"""Rows of one answer; whoever has more waiting is helped by none of them."""
_KINDS = {Verb.RUN: InboxKind.COMMAND, Verb.TRUST: InboxKind.TRUST}
_DECIDE = (InboxAnswer.YES, InboxAnswer.NO)
_CUT_SHORT = (InboxAnswer.GO_ON, InboxAnswer.TAKE_BACK, InboxAnswer.LEAVE)
_TAKEN = (InboxAnswer.SKIP, InboxAnswer.OVERWRITE, InboxAnswer.RENAME, InboxAnswer.NEWER, InboxAnswer.LARGER)
_GROWN = (InboxAnswer.SKIP, InboxAnswer.OVERWRITE)
_BLOCKING = frozenset(
    {
        InboxKind.PROPOSAL,
        InboxKind.EDIT,
        InboxKind.COMMAND,
        InboxKind.TRUST,
        InboxKind.QUESTION,
        InboxKind.PAUSED,
    }
)
"""What somebody waits for, an agent or a job."""


class Inbox:
    """Belongs to the loop. Keeps nothing of what it tells, but since when something waits."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._since: dict[str, float] = {}
        """Since when something was noticed that does not say it itself."""

    def rows(self) -> Rows:
        """Everything that waits, what blocks an agent first, then oldest first."""
        found = list(self._found())
        self._since = {row.id: row.since for row in found}
        found.sort(key=lambda row: (row.kind not in _BLOCKING, row.since))
        return Rows(tuple(found[:MAX_ROWS]), max(0, len(found) - MAX_ROWS))

    def seen(self, row: InboxRow) -> None:
        """The person knows of what ended or failed; told once more only if it happens again."""
        if row.kind is InboxKind.ENDED:
            ended = self._commander.proposals.ended
            caller = row.id.removeprefix(_MORE)
            ended.seen([row.id] if caller == row.id else [one.id for one in ended.all() if one.by == caller])
        elif row.kind is InboxKind.SUSPENDED:
            self._commander.rules.seen(int(row.id.removeprefix(_RULE)))
        else:
            self._commander.jobs.seen(self._commander.jobs.get(row.id, PERSON))

    def _found(self) -> Iterator[InboxRow]:
        commander = self._commander
        yield from map(self._proposal, commander.proposals.pending())
        yield from map(_edit, commander.services.waiting_reviews())
        yield from self._jobs()
        yield from self._ended()
        yield from self._suspended()
        yield from self._warnings()

    def _proposal(self, proposal: Proposal) -> InboxRow:
        plan = proposal.plan
        by, word = client_of(proposal.proposed_by), word_to_type(plan) or ""
        offered = self._commander.rules.offer(proposal) if by else None
        rule = "" if offered is None else terms_of(offered, os.path.expanduser(b"~"))
        risk = risk_of(plan)
        detail = chosen_of(plan)
        if proposal.unkept:
            detail = "; ".join(filter(None, [detail, f"would not outlive a restart: {proposal.unkept}"]))
        return InboxRow(
            proposal.id,
            _KINDS.get(plan.verb, InboxKind.PROPOSAL),
            by,
            title_of(plan),
            detail,
            "" if isinstance(plan, RequestPlan) else amount_of(plan),
            risk,
            proposal.since,
            proposal.expires_at,
            plan.digest,
            proposal.reason,
            word,
            (*_DECIDE, InboxAnswer.RULE) if rule else _DECIDE,
            _alike(proposal.proposed_by, plan) if by and not (risk or word) else "",
            rule,
        )

    def _jobs(self) -> Iterator[InboxRow]:
        interrupted = {job.id for job in self._commander.jobs.interrupted()}
        for job in self._commander.jobs.all():
            if job.id in interrupted:
                yield self._job(job, InboxKind.INTERRUPTED, job.outcome, _CUT_SHORT, f"operation {job.operation}")
            elif job.question is not None:
                asked = job.question
                about = f"{display_name(asked.target)} {asked.about}"
                answers = _GROWN if asked.inside else _TAKEN
                yield self._job(job, InboxKind.QUESTION, about, answers, question=asked.id)
            elif job.state is JobState.PAUSED and job.started_by.startswith("agent:"):
                yield self._job(job, InboxKind.PAUSED, "paused", _CUT_SHORT)
            elif not job.is_seen:
                again = (InboxAnswer.AGAIN,) if job.can_retry else ()
                back = (InboxAnswer.TAKE_BACK,) if job.can_undo else ()
                why = "; ".join([job.outcome, *job.problems[:1]])
                yield self._job(job, InboxKind.FAILED, why, (*again, *back, InboxAnswer.SEEN))

    def _job(
        self, job: Job, kind: InboxKind, detail: str, answers: tuple[InboxAnswer, ...], id: str = "", question: str = ""
    ) -> InboxRow:
        id = id or job.id
        done = job.progress
        amount = f"{done.items_done} of {done.items_total}" if done.items_total else ""
        if done.bytes_total:
            amount += f", {human_size(done.bytes_done)} of {human_size(done.bytes_total)}"
        return InboxRow(
            id,
            kind,
            client_of(job.started_by),
            job.title,
            detail,
            amount,
            since=self._noticed(id),
            answers=answers,
            question=question,
        )

    def _ended(self) -> Iterator[InboxRow]:
        ended, answers = self._commander.proposals.ended, (InboxAnswer.SEEN,)
        for one in ended.all():
            by = client_of(one.by)
            yield InboxRow(one.id, InboxKind.ENDED, by, one.what, one.how, since=one.at, answers=answers)
        for caller, number in ended.more().items():
            what = f"{count(number, 'more proposal')} ended without an answer"
            since = self._noticed(_MORE + caller)
            yield InboxRow(
                _MORE + caller, InboxKind.ENDED, client_of(caller), what, "earlier", since=since, answers=answers
            )

    def _suspended(self) -> Iterator[InboxRow]:
        for rule, why, at in self._commander.rules.suspended_unseen():
            what = f"Rule {rule.number} is suspended: {why}"
            words = words_of(rule, time.time(), os.path.expanduser(b"~"))
            id = f"{_RULE}{rule.number}"
            yield InboxRow(id, InboxKind.SUSPENDED, rule.client, what, words, since=at, answers=(InboxAnswer.SEEN,))

    def _warnings(self) -> Iterator[InboxRow]:
        warnings = self._commander.warnings
        told: list[tuple[str, tuple[InboxAnswer, ...]]] = [(text, ()) for text in warnings.lasting()]
        told += [(text, (InboxAnswer.SEEN,)) for text in warnings.unseen()]
        for number, (text, answers) in enumerate(told, start=1):
            id = f"warning {number}"
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
            since = self._noticed(id)
            yield InboxRow(id, InboxKind.WARNING, "", text, since=since, digest=digest, answers=answers)

    def _noticed(self, id: str) -> float:
        return self._since.setdefault(id, time.time())


_RULE = "rule "
_MORE = "more of "
"""Before the principal in the id of the row that counts what is not told one by one."""


def client_of(principal: str) -> str:
    """The name of the client that a principal's id tells of; empty for the person and for nobody."""
    kind, _, name = principal.partition(":")
    return printable(name, 60) if kind == "agent" else ""


def risk_of(plan: Plan) -> tuple[str, ...]:
    """Why a plan needs care, shortly; empty when nothing in it does."""
    told = list(plan.risk.reasons)
    if isinstance(plan, RequestPlan):
        unkept = plan.unkept if isinstance(plan, CommandPlan) else ()
        return (*told, *(f"could change {display_name(path)}, which other programs obey" for path in unkept))
    if plan.overwrites:
        told.append(f"overwrites {count(len(plan.overwrites), 'file')}")
    return tuple(told)


def _alike(principal: str, plan: Plan) -> str:
    """The same text for plans of one client that do the same in the same folders; empty when a plan stands alone."""
    if isinstance(plan, RequestPlan) or plan.asks_again:
        return ""
    roots = sorted(root.path for root in plan.roots)
    told = b"\0".join([principal.encode("utf-8", "surrogatepass"), plan.verb.encode(), plan.destination or b"", *roots])
    return hashlib.sha256(told).hexdigest()[:16]


def _edit(record: ReviewRecord) -> InboxRow:
    files = record.files
    folder, _, _ = display_name(files[0].new_path).rpartition("/")
    name = display_name(files[0].new_path)[len(folder) + 1 :]
    risk = []
    if record.protected:
        risk.append(record.protected if record.is_of_many else f"this file {record.protected}")
    has_conflict = any(file.merge is not None for file in files)
    if has_conflict:
        risk.append("the file was changed meanwhile, in the same lines")
    what = f"{'Create' if files[0].is_new_file else 'Edit'} {name}"
    if record.is_of_many:
        what, folder = f"Edit {len(files)} files, {count(record.changes, 'place')}", f"{folder}/{name} and others"
    return InboxRow(
        record.id,
        InboxKind.EDIT,
        "" if record.is_of_person else printable(record.review.agent, 60),
        what,
        folder,
        _amount([hunk for file in files for hunk in file.diff.hunks]),
        tuple(risk),
        record.since,
        record.expires_at,
        record.review.digest,
        record.title,
        record.word,
        (InboxAnswer.NO,) if has_conflict else _DECIDE,
    )


def _amount(hunks: Sequence[Hunk]) -> str:
    added, removed = sum(each.new_size for each in hunks), sum(each.old_size for each in hunks)
    return f"{count(len(hunks), 'change')}, +{added} -{removed} lines"
