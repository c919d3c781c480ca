"""A review held in Neovim, while it can be answered anywhere else too: the first answer counts."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from cmdr.editor.languages import language_of
from cmdr.editor.neovim.connection import NeovimGoneError
from cmdr.editor.neovim.diffs import FREELY, Consent, NeovimDiffs
from cmdr.model.names import display_name, printable
from cmdr.model.texts.merge import ConflictStandsError
from cmdr.model.texts.proposed_edit import Outcome, ReviewState
from cmdr.model.texts.review import ProposalTooLargeError, Review
from cmdr.model.texts.text_format import UnencodableTextError

Accept = Callable[[Review], Awaitable[Outcome | None]]
"""Accepts a review; None when the file changed meanwhile and the review must be looked at again."""


async def _accept(review: Review) -> Outcome | None:
    return review.accept()


@dataclass(frozen=True, slots=True)
class _Look:
    """What to show: the proposed side, and one line of advice below it."""

    text: str
    hint: str


async def review_in_neovim(
    diffs: NeovimDiffs, review: Review, accept: Accept = _accept, consent: Consent = FREELY
) -> Outcome:
    """Show a review in Neovim until it is answered there or elsewhere; a Neovim that ends rejects it.

    Raises `NeovimRefusedError`, with the review still open, when Neovim cannot show it: show it elsewhere then.
    """
    elsewhere = asyncio.ensure_future(outcome_of(review))
    look = _Look(review.result_text, _hint(review))
    try:
        while review.outcome is None:
            look = await _one_look(diffs, review, accept, elsewhere, look, consent)
    except NeovimGoneError:
        return review.outcome or review.reject("editor gone")
    finally:
        elsewhere.cancel()
        diffs.close(review.id)
    return review.outcome


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


async def _one_look(
    diffs: NeovimDiffs,
    review: Review,
    accept: Accept,
    elsewhere: "asyncio.Future[Outcome | None]",
    look: _Look,
    consent: Consent,
) -> _Look:
    """Show the diff once and act on the answer; returns what to show when it is not over then."""
    looking = asyncio.ensure_future(
        diffs.show(
            review.id,
            label=review.tab,
            old=review.old_text,
            new=look.text,
            language_id=language_of(review.new_path),
            hint=look.hint,
            before=display_name(review.new_path if review.is_new_file else review.path),
            waits=f"{_agent(review)} proposes an edit of {_name(review)}: it opens when you pause in Normal mode",
            consent=consent,
        )
    )
    try:
        either: set[asyncio.Future[Any]] = {looking, elsewhere}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if review.state is not ReviewState.PENDING:
            return look
        answer = looking.result()
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    diffs.close(review.id)
    if answer.kind == "closed":
        review.reject()
        return look
    try:
        if answer.text != review.result_text:
            review.edit_proposed(answer.text)
        await accept(review)
    except (ConflictStandsError, UnencodableTextError, ProposalTooLargeError) as error:
        return _Look(answer.text, str(error))
    return _Look(review.result_text, f"{display_name(review.path)} changed meanwhile: look again, then :w")


def _hint(review: Review) -> str:
    return f"proposed by {_agent(review)}   :w accepts   :q or q rejects"


def _agent(review: Review) -> str:
    return printable(review.agent, 60)


def _name(review: Review) -> str:
    return display_name(os.path.basename(review.new_path))
