"""Waiting for an answer holds up nobody, and an answer to a changed file is not taken."""

import asyncio

from cmdr.editor.neovim.review_tab import outcome_of
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import read_text


def review():
    base = read_text(b"a\nb\nc\nd\n")
    return Review("r", connection="c", agent="agent:x", tab="t", path=b"/f", base=base, proposed="A\nb\nc\nd\n")


def test_the_answer_wakes_the_waiter():
    async def story():
        edit = review()
        waiting = asyncio.create_task(outcome_of(edit))
        await asyncio.sleep(0)
        edit.accept()
        return await waiting

    assert asyncio.run(story()).state is ReviewState.ACCEPTED


def test_an_open_review_stays_open_after_the_deadline_and_after_cancelling():
    async def story():
        edit = review()
        assert await outcome_of(edit, deadline=0) is None
        waiting = asyncio.create_task(outcome_of(edit))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert edit.state is ReviewState.PENDING
        edit.reject()
        return await outcome_of(edit)

    assert asyncio.run(story()).state is ReviewState.REJECTED
