"""Waiting for a person's answer to a review, while everything else goes on."""

import asyncio

from cmdr.model.texts.review import Review
from cmdr.model.texts.review_outcome import Outcome


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
