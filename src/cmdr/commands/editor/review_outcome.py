"""What became of a proposed edit, as its agent hears it: waited for, then told per file."""

import asyncio
import time
from collections.abc import Sequence

from cmdr.commands.editor.editor_paths import format_path
from cmdr.core.dispatch.call import Call
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.errors import CommandError
from cmdr.model.job import JobState
from cmdr.model.texts.diff import Decision, diff_texts
from cmdr.model.texts.files_review import FilesReview
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.review import Review
from cmdr.model.texts.unified_diff import patch_text
from cmdr.model.units import count

REVIEW_TIMEOUT_S = 45
"""Seconds that a proposed edit is waited for: many clients drop a call after sixty, and with it the review's name."""
PROGRESS_INTERVAL_S = 5.0
MAX_PATCH_CHARS = 4_000
"""Characters about what the person changed that an answer carries."""
MAX_FILES_TOLD = 50
"""Files of which something was not taken that an answer names."""


async def wait_until_over(call: Call, case: ReviewRecord, patience: float) -> str:
    """The same for whoever proposed it: an edit that its agent gives up on is withdrawn."""
    try:
        return await wait_for_outcome(call, case, patience)
    except asyncio.CancelledError:
        call.commander.editor.reviews.end(case, "shutdown" if call.commander.quitting.is_set() else "client gone")
        raise


async def wait_for_outcome(call: Call, case: ReviewRecord, patience: float) -> str:
    """Wait for the person's answer and tell it, or say after a while that it still waits."""
    started = time.monotonic()
    while not case.over.is_set():
        call.commander.editor.reviews.keep(case)
        waited = time.monotonic() - started
        if waited >= patience:
            return _with_notes(case, f"{_stands(case)}.\nreview: {case.id} (await it)")
        if waited >= PROGRESS_INTERVAL_S:
            is_open = case.review.state is ReviewState.PENDING
            await call.progress(round(waited, 1), "waiting for the person's answer" if is_open else _stands(case))
        try:
            async with asyncio.timeout(min(patience - waited, PROGRESS_INTERVAL_S)):
                await case.over.wait()
        except TimeoutError:
            continue
    return _format_outcome(call, case)


def _stands(case: ReviewRecord) -> str:
    """How an edit stands that is not over: after the person's yes nobody waits for them any more."""
    if case.review.state is ReviewState.PENDING:
        return "still waiting for the person"
    if case.job is None or case.job.state is JobState.RUNNING:
        return "accepted, being saved"
    return f"accepted, {case.job.waits_behind_for_agents or 'waits for its turn'}"


def _format_outcome(call: Call, case: ReviewRecord) -> str:
    outcome = case.review.outcome
    if outcome is None or outcome.state is not ReviewState.ACCEPTED:
        why = "" if outcome is None or outcome.reason == "person" else f" ({outcome.reason})"
        return f'DIFF_REJECTED{why}: "{case.said}"' if case.said else f"DIFF_REJECTED{why}"
    if case.problem:
        raise CommandError(case.problem)
    if isinstance(case.review, FilesReview):
        return _with_notes(case, _format_files(call, case, case.review))
    saved = f"FILE_SAVED{_numbers(case.operations)}"
    if not outcome.edited:
        return saved
    text = outcome.text or ""
    if not call.principal.token:
        return f"{saved}, changed by the person ({len(text)} characters; read the file)"
    patch = patch_text(diff_texts(case.one.sent_text, text), "proposed", "saved", context=1)
    if len(text) <= len(patch):
        patch = ""
    told = f" as in this patch:\n{patch}" if patch else f" to:\n{text}"
    if len(told) > MAX_PATCH_CHARS:
        return f"{saved}, changed by the person in many places ({len(text)} characters; read the file)"
    return f"{saved}, changed by the person{told}"


def _numbers(operations: Sequence[int]) -> str:
    """What undo takes back; an edit that also renames is two operations."""
    if not operations:
        return ""
    return f", operation{'s'[: len(operations) - 1]} {' and '.join(map(str, operations))}"


def _format_files(call: Call, case: ReviewRecord, review: FilesReview) -> str:
    """What was taken of many files: those that were not taken as they were proposed are named, one a line."""
    written = [number for number in review.wanted if number not in case.left]
    taken = sum(_taken(review.files[number]) for number in written)
    files, changes = _of(len(written), len(review.files), "file"), _of(taken, review.changes, "change")
    told = f"FILES_SAVED: {files}, {changes}{_numbers(case.operations)}"
    differing = [f"{format_path(call, review.files[number].path)}: {what}" for number, what in _differing(case, review)]
    more = len(differing) - MAX_FILES_TOLD
    return "\n".join([told, *differing[:MAX_FILES_TOLD], *([f"and {more} files more: read them"] if more > 0 else [])])


def _differing(case: ReviewRecord, review: FilesReview) -> list[tuple[int, str]]:
    """What became of the files that were not taken as they were proposed, by number."""
    found = []
    for number, file in enumerate(review.files):
        if number in case.left:
            found.append((number, case.left[number]))
        elif file.is_dropped:
            found.append((number, "rejected"))
        elif file.outcome is not None and file.outcome.edited:
            dropped = [str(at) for at, said in enumerate(file.decisions, start=1) if said is Decision.REJECTED]
            told = f"without {'change' if len(dropped) == 1 else 'changes'} {', '.join(dropped)}"
            found.append((number, f"{told} of {len(file.decisions)}" if dropped else "changed by the person; read it"))
    return found


def _of(some: int, all: int, what: str) -> str:
    return count(some, what) if some == all else f"{some} of {count(all, what)}"


def _taken(file: Review) -> int:
    return sum(said is not Decision.REJECTED for said in file.decisions)


def _with_notes(case: ReviewRecord, told: str) -> str:
    """With what was left out of the edit before it was proposed."""
    return "\n".join([told, *case.told])
