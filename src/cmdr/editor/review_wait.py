"""Waiting for a person's answer to a review, while everything else goes on."""

import asyncio
from collections.abc import Awaitable, Callable

from cmdr.model.review import Review
from cmdr.model.review_outcome import Outcome
from cmdr.model.text_format import FileText


async def outcome_of(review: Review, deadline: float | None = None) -> Outcome | None:
    """The outcome, or None when it is still open after `deadline` seconds; being cancelled decides nothing."""
    waiting: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def resolved(outcome: Outcome) -> None:
        if not waiting.done():
            waiting.set_result(outcome)

    stop = review.when_resolved(resolved)
    try:
        done, _ = await asyncio.wait({waiting}, timeout=deadline)
    finally:
        stop()
    return waiting.result() if done else None


async def accept_if_base_stands(
    review: Review, read: Callable[[bytes], Awaitable[FileText | None]], digest: str | None = None
) -> Outcome | None:
    """Accept, unless the file changed since the review was made; then it is merged and shown again, and None returned.

    `read` gives the file as it stands now, or None when there is none.
    """
    before = review.base_changes
    review.base_changed(await read(review.path))
    return review.accept(digest) if review.base_changes == before else None
