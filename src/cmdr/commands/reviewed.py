"""What has become of an edit that an agent proposed, in the words it gets."""

import asyncio
import time
from collections.abc import Sequence

from cmdr.core.call import Call
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.errors import CommandError
from cmdr.model.texts.diff import diff_texts
from cmdr.model.texts.review import ReviewState
from cmdr.model.texts.unified_diff import patch_text

TELL_EVERY = 5.0
RETURNED = 4_000
"""Characters about what the person changed that an answer carries."""


async def outcome_told(call: Call, case: ReviewRecord, patience: float) -> str:
    """Wait for the person's answer and tell it, or say after a while that it still waits."""
    started = time.monotonic()
    while not case.over.is_set():
        call.commander.editor.reviews.keep(case)
        waited = time.monotonic() - started
        if waited >= patience:
            return f"still waiting for the person.\nreview: {case.id} (await it)"
        if waited >= TELL_EVERY:
            await call.progress(round(waited, 1), "waiting for the person's answer")
        try:
            async with asyncio.timeout(min(patience - waited, TELL_EVERY)):
                await case.over.wait()
        except TimeoutError:
            continue
    return _told(call, case)


def _told(call: Call, case: ReviewRecord) -> str:
    outcome = case.review.outcome
    if outcome is None or outcome.state is not ReviewState.ACCEPTED:
        why = "" if outcome is None or outcome.reason == "person" else f" ({outcome.reason})"
        return f"DIFF_REJECTED{why}"
    if case.problem:
        raise CommandError(case.problem)
    saved = f"FILE_SAVED{_numbers(case.operations)}"
    if not outcome.edited:
        return saved
    text = outcome.text or ""
    if not call.principal.token:
        return f"{saved}, changed by the person ({len(text)} characters; read the file)"
    patch = patch_text(diff_texts(case.review.sent_text, text), "proposed", "saved", context=1)
    if len(text) <= len(patch):
        patch = ""
    told = f" as in this patch:\n{patch}" if patch else f" to:\n{text}"
    if len(told) > RETURNED:
        return f"{saved}, changed by the person in many places ({len(text)} characters; read the file)"
    return f"{saved}, changed by the person{told}"


def _numbers(operations: Sequence[int]) -> str:
    """What undo takes back; an edit that also renames is two operations."""
    if not operations:
        return ""
    return f", operation{'s'[: len(operations) - 1]} {' and '.join(map(str, operations))}"
