"""The person's side of a review: look, decide change by change, edit, accept, reject. No agent ever has these."""

from collections.abc import Sequence
from typing import Annotated, Literal

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.errors import CommandError
from cmdr.model.names import display_name, printable, to_wire
from cmdr.model.results.proposals import ReviewShown
from cmdr.model.results.result import PlainText, Said
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.diff import Hunk as Change
from cmdr.model.texts.files_review import FilesReview
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.review import Review
from cmdr.model.texts.unified_diff import patch_text
from cmdr.model.units import count
from cmdr.model.yaml_text import Value, document

MAX_PATCH_CHARS = 12_000
"""Characters that a person can be expected to read at a prompt."""

Hunk = Annotated[int, Whole(1), Doc("counted from 1")]
Decided = Literal["accepted", "rejected", "undecided"]


@command("reviews", access=Access.ACT, title="Edits to review")
def reviews(call: Call) -> PlainText:
    """The edits that wait for an answer."""
    waiting: list[Value] = [
        {
            "id": case.id,
            "by": printable(case.review.agent, 60),
            "path": case.subject,
            "changes": case.changes,
            "digest": case.review.digest,
        }
        for case in call.commander.editor.reviews.waiting
    ]
    return PlainText(document({"reviews": waiting}))


@command("review.accept", access=Access.ACT, title="Accept an edit")
async def accept(call: Call, *, review: str, digest: str, word: str = "") -> Said:
    """Accept an edit exactly as it was shown; where cmdr writes, it is saved and can be undone."""
    case = await call.commander.editor.reviews.accept(review, call.principal, digest, word)
    is_accepted = case.review.state is ReviewState.ACCEPTED
    count_answer(call, case, yes=is_accepted)
    if case.review.outcome is not None and case.review.outcome.reason == "changed on disk":
        return Said(f"Nothing was written: {_left(case)}")
    if not is_accepted:
        return Said("Rejected: every change was")
    held = "" if case.job is None else f"; it {case.job.waits_behind or 'is paused'}"
    left = f"; left out: {_left(case)}" if case.left else ""
    written = count(len(case.review.wanted) - len(case.left), "file") if isinstance(case.review, FilesReview) else ""
    return Said(f"Accepted {written or case.subject}{held}{left}")


def _left(case: ReviewRecord) -> str:
    """What was accepted and not written, and why: the first of them, and how many more."""
    number, why = min(case.left.items())
    more = f" and {len(case.left) - 1} more" if len(case.left) > 1 else ""
    return f"{to_wire(case.files[number].path)} ({why}){more}"


@command("review.reject", access=Access.ACT, title="Reject an edit")
def reject(call: Call, *, review: str, reason: str = "") -> Said:
    """Reject an edit; the file stays as it is. Whoever proposed it gets the reason."""
    case = call.commander.editor.reviews.reject(review, call.principal, reason)
    count_answer(call, case, yes=False)
    return Said(f"Rejected the edit of {case.subject}")


def count_answer(call: Call, case: ReviewRecord, *, yes: bool) -> None:
    """A yes or no to an edit counts for the rules of its client as one to any proposal does."""
    kind, _, client = case.owner.partition(":")
    if kind == "agent":
        call.commander.rules.answered(client, yes=yes)


@command("review.hunk", access=Access.ACT, title="Decide one change")
def hunk(call: Call, *, review: str, hunk: Hunk, decision: Decided, file: Hunk = 1) -> Said:
    """Accept or reject one change of an edit, or leave it open again; of many files, in one of them."""
    call.commander.editor.reviews.decide(review, call.principal, hunk - 1, Decision(decision), file - 1)
    return Said(f"Change {hunk} is {decision}")


@command("review.file", access=Access.ACT, title="Decide one file")
def decide_file(call: Call, *, review: str, file: Hunk, decision: Decided) -> Said:
    """Accept or reject all changes of one file of an edit, or leave them open again."""
    call.commander.editor.reviews.decide(review, call.principal, None, Decision(decision), file - 1)
    return Said(f"File {file} is {decision}")


@command("review.conflict", access=Access.ACT, title="Settle one conflict")
def conflict(call: Call, *, review: str, conflict: Hunk, choice: Literal["mine", "theirs", "both", "base"]) -> Said:
    """Choose a side where the file on disk (mine) and the proposal (theirs) changed the same lines."""
    call.commander.editor.reviews.settle(review, call.principal, conflict - 1, choice)
    return Said(f"Conflict {conflict} is settled with {choice}")


@command("review.edit", access=Access.ACT, title="Edit a proposed text")
def edit(call: Call, *, review: str, text: str, file: Hunk = 1) -> Said:
    """Replace the proposed side of an edit by the person's own version; of many files, of one of them."""
    case = call.commander.editor.reviews.edit(review, call.principal, text, file - 1)
    return Said(f"{len(case.file(file - 1).diff.hunks)} changes now")


@command("review.show", access=Access.ACT, title="Show an edit")
def show(call: Call, *, review: str) -> ReviewShown:
    """Everything one needs to know to decide about an edit at a prompt, as a patch."""
    case = call.commander.editor.reviews.get(review, call.principal)
    if case.review.state is not ReviewState.PENDING:
        raise CommandError(f"This edit was already {case.review.state.value}.")
    first = case.files[0]
    old, new = _old_name(first), display_name(first.new_path)
    patch = "".join(patch_text(file.diff, _old_name(file), display_name(file.new_path)) for file in case.files)
    if len(patch) > MAX_PATCH_CHARS or any(file.merge is not None for file in case.files):
        raise CommandError("This edit is too much for a prompt; review it in the panes, with Ctrl+Y.")
    return ReviewShown(
        by=printable(case.review.agent, 60),
        title=case.title,
        digest=case.review.digest,
        word=case.word,
        protected=case.protected,
        care=case.care,
        path=case.subject if case.is_of_many else new,
        replaces=old if old != new and not first.is_new_file and not case.is_of_many else "",
        amount=_amount([hunk for file in case.files for hunk in file.diff.hunks]),
        patch=patch,
    )


def _old_name(file: Review) -> str:
    return "/dev/null" if file.is_new_file else display_name(file.path)


def _amount(hunks: Sequence[Change]) -> str:
    """How much an edit changes, as in `2 changes, 5 lines added, 1 removed`."""
    added, removed = sum(each.new_size for each in hunks), sum(each.old_size for each in hunks)
    lines = [f"{count(added, 'line')} added" if added else "", f"{count(removed, 'line')} removed" if removed else ""]
    return ", ".join([count(len(hunks), "change"), *(line for line in lines if line)])
