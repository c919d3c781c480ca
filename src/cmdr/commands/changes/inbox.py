"""The inbox: what waits for the person, and answers to one or many of them at once. No agent ever has these."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from cmdr.commands.changes.proposals import approve, reject
from cmdr.commands.editor.review_answers import count_answer
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable
from cmdr.model.plans.plan import ConflictPolicy
from cmdr.model.results.inbox import Inbox, InboxAnswer, InboxAnswered, InboxFailure, InboxKind, InboxRow
from cmdr.model.units import count

MAX_ANSWERS = 500
"""Rows that one call answers."""
SAVING_PATIENCE_S = 5.0
"""Seconds that an accepted edit gets to be saved before the next row is answered; it goes on meanwhile."""
_PLANS = (InboxKind.PROPOSAL, InboxKind.COMMAND, InboxKind.TRUST)
_DONE = {
    InboxAnswer.YES: "approved",
    InboxAnswer.RULE: "approved",
    InboxAnswer.NO: "rejected",
    InboxAnswer.GO_ON: "going on",
    InboxAnswer.AGAIN: "tried again",
    InboxAnswer.TAKE_BACK: "being taken back",
    InboxAnswer.LEAVE: "left as it is",
    InboxAnswer.SEEN: "noted",
}


@dataclass(slots=True)
class _Said:
    """One answer, as it was given to all of the rows."""

    answer: InboxAnswer
    reason: str
    word: str
    question: str
    for_all: bool
    until: str
    rule: int | None = None
    jobs: list[str] = field(default_factory=list)


@command("inbox", access=Access.ACT, title="Inbox")
def inbox(call: Call) -> Inbox:
    """Everything that waits for the person, as JSON."""
    return call.commander.inbox.rows()


@command("inbox.answer", access=Access.ACT, title="Answer what waits")
async def answer_inbox(
    call: Call,
    *,
    ids: list[str],
    digests: list[str],
    answer: InboxAnswer,
    reason: str = "",
    word: str = "",
    question: str = "",
    for_all: bool = False,
    until: Literal["today", "always"] = "today",
) -> InboxAnswered:
    """Give one answer to some of what waits, each as it was shown; one that fails keeps no other from its answer."""
    if len(ids) != len(digests):
        raise CommandError("Each row needs its digest, an empty one where it has none.")
    if len(ids) > MAX_ANSWERS:
        raise CommandError(f"That is too much at once: {len(ids)} rows, at most {MAX_ANSWERS}.")
    said = _Said(answer, reason, word, question, for_all, until)
    answered: list[str] = []
    failures: list[InboxFailure] = []
    rows = {row.id: row for row in call.commander.inbox.rows().rows}
    for id, digest in zip(ids, digests, strict=True):
        try:
            await _answer(call, _checked(rows.get(id), id, answer, is_alone=len(ids) == 1), digest, said)
            answered.append(id)
        except CommandError as error:
            failures.append(InboxFailure(id if id in rows else printable(id, 60), str(error)))
    told = f"{count(len(answered), 'answer')}: {_DONE.get(answer, answer.value)}" if answered else ""
    if failures:
        told += f"{'; ' * bool(told)}{len(failures)} could not be answered: {failures[0].why}"
    return InboxAnswered(tuple(answered), tuple(said.jobs), tuple(failures), said.rule, told)


def _checked(row: InboxRow | None, id: str, answer: InboxAnswer, *, is_alone: bool) -> InboxRow:
    """The row, if it takes this answer."""
    if row is None:
        raise CommandError(f"{printable(id, 40)} waits no longer: it was answered elsewhere, or is over.")
    if answer not in row.answers:
        takes = ", ".join(row.answers) or "none: it goes when it is over"
        raise CommandError(f"{row.what}: {answer} is no answer to this. It takes {takes}.")
    if row.word and not is_alone and answer in (InboxAnswer.YES, InboxAnswer.RULE):
        raise CommandError(f'{row.what}: needs the word "{row.word}"; answer it alone.')
    return row


async def _answer(call: Call, row: InboxRow, digest: str, said: _Said) -> None:
    if row.kind in _PLANS:
        await _decide(call, row, digest, said)
    elif row.kind is InboxKind.EDIT:
        await _review(call, row, digest, said)
    elif row.kind is InboxKind.QUESTION:
        job = call.commander.jobs.get(row.id, call.principal)
        policy = ConflictPolicy(said.answer.value)
        call.commander.jobs.answer(job, said.question or row.question, policy, for_all=said.for_all)
    elif said.answer is InboxAnswer.SEEN:
        await _seen(call, row, digest)
    else:
        await _steer(call, row, said)


async def _decide(call: Call, row: InboxRow, digest: str, said: _Said) -> None:
    if said.answer is InboxAnswer.NO:
        reject(call, proposal=row.id, reason=said.reason)
        return
    if said.answer is InboxAnswer.RULE:
        said.rule = await _make_rule(call, row, digest, said)
    approved = await approve(call, proposal=row.id, digest=digest, word=said.word)
    said.jobs += filter(None, [approved.job])


async def _make_rule(call: Call, row: InboxRow, digest: str, said: _Said) -> int | None:
    """The number of the rule for the next like this; made only from what was shown."""
    if digest != row.digest:
        raise CommandError("This is not the plan that was shown. Look at it again.")
    made = await call.commander.ask(call.principal, "rules.make", {"proposal": row.id, "until": said.until})
    number = made.json.get("rule")
    return number if isinstance(number, int) else None


async def _review(call: Call, row: InboxRow, digest: str, said: _Said) -> None:
    reviews = call.commander.editor.reviews
    if said.answer is InboxAnswer.NO:
        count_answer(call, reviews.reject(row.id, call.principal, said.reason), yes=False)
        return
    accepting = asyncio.ensure_future(reviews.accept(row.id, call.principal, digest, said.word))
    # One that is saved behind a job that asks would keep the others from their answer.
    await asyncio.wait({accepting}, timeout=SAVING_PATIENCE_S)
    if accepting.done():
        count_answer(call, await accepting, yes=True)


async def _seen(call: Call, row: InboxRow, digest: str) -> None:
    if row.kind is not InboxKind.WARNING:
        call.commander.inbox.seen(row)
    elif digest != row.digest:
        raise CommandError("This is not the warning that was shown. Look again.")
    else:
        await call.commander.warnings.seen()


async def _steer(call: Call, row: InboxRow, said: _Said) -> None:
    """Let a job go on, be tried again, be taken back or be left."""
    jobs, id = call.commander.jobs, row.id
    if row.kind is InboxKind.INTERRUPTED:
        waiting = jobs.interrupted_as(int(row.id.rpartition(" ")[2]))
        id = waiting.id if waiting is not None else id
    job, begun = jobs.get(id, call.principal), None
    if said.answer is InboxAnswer.TAKE_BACK:
        begun = await jobs.take_back(job, call.principal.id)
    elif said.answer is InboxAnswer.LEAVE:
        jobs.cancel(job)
    elif row.kind is InboxKind.PAUSED:
        jobs.go_on(job)
    else:
        begun = await jobs.retry(job, call.principal.id)
    if row.kind is InboxKind.FAILED:
        call.commander.inbox.seen(row)
    if begun is not None:
        said.jobs.append(begun.id)
