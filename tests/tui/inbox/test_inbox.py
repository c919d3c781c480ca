"""Everything that waits is one list, answered with a key each; no key that was not meant for it answers anything."""

import asyncio

import pytest
from textual import events

from cmdr.core.dispatch.principals import Principal
from cmdr.tui.inbox.answers import BURST_S, NEXT_S
from cmdr.tui.inbox.waiting import waiting_rows
from cmdr.tui.windows.window import GRACE_S

AGENTS = tuple(Principal("agent", name) for name in ("claude", "codex"))
AGENT = AGENTS[0]


async def propose_folders(it, number, principal=AGENT):
    """So many proposals, each of its own agent's, of which none may have more than five."""
    for each in range(number):
        by = AGENTS[each // 5 % 2] if principal is None else principal
        await it.commander.run(by, "mkdir", {"path": str(it.left), "name": f"new{each}"})
    await it.until(lambda: len(waiting_rows(it.commander)) == number)


async def answer(it, key, left, seconds=GRACE_S):
    """Press a key that decides, as somebody does who has looked; wait until it did."""
    it.clock.forward(seconds)
    await it.press(key)
    await it.until(lambda: len(waiting_rows(it.commander)) == left)


def list_of(it):
    return [line.strip() for line in it.lines(it.terminal.screen.query_one("EntryList")) if line.strip()]


def answers_of(it):
    return " ".join(it.terminal.screen._answers.render_line(0).text.split())


async def test_ten_proposals_are_decided_with_eleven_keys(face):
    async with face(size=(120, 40)) as it:
        await propose_folders(it, 10, None)
        await it.press("ctrl+y")
        assert len(list_of(it)) == 10
        for left in reversed(range(10)):
            await answer(it, "y", left)
        await it.until(lambda: "Nothing waits for you any more." in it.drawn)
        await it.until(lambda: all((it.left / f"new{number}").is_dir() for number in range(10)))
        it.clock.forward(GRACE_S)
        await it.press("space")
        assert it.window == "MainScreen"


async def test_what_is_like_the_one_before_needs_no_further_look(face):
    async with face() as it:
        for name in ("file1.txt", "file2.txt", "file3.txt"):
            await it.commander.run(AGENT, "move", {"paths": [str(it.left / name)], "to": str(it.left / "docs")})
        await it.press("ctrl+y")
        for left in (2, 1, 0):
            await answer(it, "y", left, GRACE_S if left == 2 else BURST_S)
        await it.until(lambda: len(list((it.left / "docs").iterdir())) == 3)


async def test_a_key_that_is_held_down_answers_nothing(face):
    async with face() as it:
        await propose_folders(it, 5)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        for _ in range(30):
            it.burst("y")
            it.clock.forward(0.03)
        await it.press("down")
        await it.until(lambda: not it.terminal.screen._deliberate.holds)
        assert len(it.commander.proposals.pending()) == 5


async def test_a_key_held_down_after_an_answer_does_not_answer_the_next(face):
    async with face() as it:
        await propose_folders(it, 3)
        await it.press("ctrl+y")
        await answer(it, "y", 2)
        it.clock.forward(0.5)
        for _ in range(10):
            it.burst("y")
            it.clock.forward(0.03)
        await it.until(lambda: "too fast" in it.drawn)
        await it.press("down")
        assert len(waiting_rows(it.commander)) == 2


async def test_keys_of_the_first_moment_answer_nothing(face):
    async with face() as it:
        await propose_folders(it, 2)
        await it.press("ctrl+y", "y", "y", "n", "R")
        it.clock.forward(0.5)
        await it.press("y")
        assert len(it.commander.proposals.pending()) == 2
        await answer(it, "y", 1)


async def test_somebody_who_has_gone_to_another_row_looks_before_they_answer(face):
    async with face() as it:
        await propose_folders(it, 2)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("down")
        it.clock.forward(BURST_S)
        await it.press("y")
        assert "Look first" in it.drawn
        assert len(it.commander.proposals.pending()) == 2
        await answer(it, "y", 1, NEXT_S)
        await it.until((it.left / "new1").is_dir)
        assert not (it.left / "new0").exists()


async def test_enter_and_pasted_text_never_answer(face):
    async with face() as it:
        await propose_folders(it, 2)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        paste = events.Paste("y\nyes\n")
        paste.set_sender(it.terminal)
        it.terminal.post_message(paste)
        await it.press("enter")
        assert it.window == "Confirm"
        await it.press("escape")
        assert it.window == "InboxWindow"
        assert len(it.commander.proposals.pending()) == 2


async def test_no_with_a_reason_tells_the_agent_the_words(face):
    async with face() as it:
        await propose_folders(it, 1)
        (proposal,) = it.commander.proposals.pending()
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("N")
        await it.type("not here")
        await it.press("enter")
        await it.until(lambda: not it.commander.proposals.pending())
        told = await it.commander.run(AGENT, "await", {"proposal": proposal.id})
        assert "not here" in told


async def test_escape_leaves_the_reason_first_and_then_the_window(face):
    async with face() as it:
        await propose_folders(it, 1)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("N", "escape")
        assert it.window == "InboxWindow"
        await it.press("escape")
        assert it.window == "MainScreen"
        assert len(it.commander.proposals.pending()) == 1


async def test_what_needs_care_takes_its_word_and_no_key(face):
    async with face() as it:
        wish = {"paths": [str(it.left / "readme.md")], "permanent": True}
        await it.commander.run(AGENT, "delete", wish)
        await it.press("ctrl+y")
        assert "! claude" in list_of(it)[0]
        it.clock.forward(GRACE_S)
        await it.press("y")
        assert 'only "delete" does it' in answers_of(it)
        paste = events.Paste("delete")
        paste.set_sender(it.terminal)
        it.terminal.post_message(paste)
        await it.press("enter")
        assert (it.left / "readme.md").exists() and it.commander.proposals.pending()
        await it.type("delete")
        await it.press("enter")
        await it.until(lambda: not (it.left / "readme.md").exists())


async def test_marked_rows_are_answered_together(face):
    async with face() as it:
        await propose_folders(it, 4)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("space", "space")
        assert "2 marked" in answers_of(it)
        await answer(it, "n", 2)
        left = [proposal.plan.subject.place.name for proposal in it.commander.proposals.pending()]
        assert left == [b"new2", b"new3"]


async def test_capital_a_marks_what_looks_alike_and_nothing_else(face):
    async with face() as it:
        for name in ("file1.txt", "file2.txt", "file3.txt"):
            await it.commander.run(AGENT, "move", {"paths": [str(it.left / name)], "to": str(it.left / "docs")})
        await it.commander.run(AGENT, "delete", {"paths": [str(it.left / "main.py")], "permanent": True})
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("A")
        assert "3 marked" in answers_of(it)
        await answer(it, "y", 1)
        await it.until(lambda: len(list((it.left / "docs").iterdir())) == 3)
        assert (it.left / "main.py").exists()


async def test_a_row_that_needs_its_word_cannot_be_marked(face):
    async with face() as it:
        await it.commander.run(AGENT, "delete", {"paths": [str(it.left / "main.py")], "permanent": True})
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.press("space")
        assert "This is answered alone." in it.drawn
        assert not it.terminal.screen._entries.marked


async def test_what_arrives_or_goes_never_moves_what_the_cursor_is_on(face):
    async with face() as it:
        await propose_folders(it, 3)
        await it.press("ctrl+y", "down")
        first = it.commander.proposals.pending()[0]
        await it.commander.run(AGENTS[1], "mkdir", {"path": str(it.left), "name": "late"})
        await it.until(lambda: len(list_of(it)) == 4)
        assert "late" in list_of(it)[-1]
        await it.commander.run(AGENT, "dialog", {"action": "close", "type": "confirmation", "proposal": first.id})
        await it.until(lambda: "ended: " in list_of(it)[0])
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until((it.left / "new1").is_dir)
        assert not (it.left / "new2").exists()


async def test_what_takes_the_place_of_a_row_has_to_be_seen_first(face):
    async with face() as it:
        await propose_folders(it, 2)
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        first, second = it.commander.proposals.pending()
        await it.commander.run(it.terminal.person, "reject", {"proposal": first.id})
        await it.until(lambda: len(list_of(it)) == 1)
        it.clock.forward(BURST_S)
        await it.press("y")
        assert second.state == "pending"
        await answer(it, "y", 0)


async def test_an_answer_is_about_what_was_drawn(face):
    async with face() as it:
        await propose_folders(it, 1)
        (proposal,) = it.commander.proposals.pending()
        await it.press("ctrl+y")
        it.clock.forward(GRACE_S)
        await it.commander.run(it.terminal.person, "proposal.name", {"proposal": proposal.id, "name": "unseen"})
        await it.press("y")
        assert proposal.state == "pending"
        await answer(it, "y", 0)
        await it.until((it.left / "unseen").is_dir)


async def test_a_question_of_a_job_shows_both_files_and_is_answered_with_its_letters(face):
    async with face(size=(160, 40)) as it:
        await it.commander.run(it.terminal.person, "copy", {"paths": [str(it.left / "file1.txt")]})
        (proposal,) = it.commander.proposals.pending()
        yes = {"proposal": proposal.id, "digest": proposal.plan.digest}
        await it.commander.run(it.terminal.person, "approve", yes)
        await it.until(lambda: any(job.question for job in it.commander.jobs.running()))
        await it.press("ctrl+y")
        assert "asks: " in list_of(it)[0]
        assert "there: " in it.drawn and "new: " in it.drawn
        assert "s skip o overwrite r both n newer l larger" in answers_of(it)
        await answer(it, "o", 0)
        await it.until(lambda: (it.right / "file1.txt").read_text() == "hello 1\n")


async def test_an_edit_is_shown_in_short_and_accepted_from_the_list(face):
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.root_spec import RootSpec

    async with face(size=(120, 40)) as it:
        it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
        wish = {"path": str(it.left / "readme.md"), "contents": "# Read me twice\n"}
        call = asyncio.create_task(it.commander.run(AGENT, "open_diff", wish))
        await it.until(lambda: waiting_rows(it.commander))
        await it.press("ctrl+y")
        assert "- # Read me" in it.drawn and "+ # Read me twice" in it.drawn
        await answer(it, "y", 0)
        assert (await call).startswith("OK: FILE_SAVED")
        assert (it.left / "readme.md").read_text() == "# Read me twice\n"


async def test_a_blocking_proposal_stands_before_a_viewer_that_came_earlier(face):
    async with face() as it:
        view = {"action": "open", "type": "file-viewer", "path": str(it.left / "main.py")}
        await it.commander.run(AGENT, "dialog", view)
        await propose_folders(it, 1)
        await it.press("ctrl+y")
        assert "new0" in list_of(it)[0] and "Look at" in list_of(it)[1]
        await it.press("down", "enter")
        await it.until(lambda: it.window == "Viewer")


async def test_an_answer_that_fails_says_why_and_the_row_stays(face, monkeypatch):
    async with face() as it:
        await propose_folders(it, 1)
        await it.press("ctrl+y")
        monkeypatch.setattr(it.commander.proposals, "start_job", None)
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: "could not be answered" in it.drawn)
        assert len(list_of(it)) == 1


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (40, 12)])
async def test_answers_and_facts_are_seen_on_every_screen(face, size):
    async with face(size=size) as it:
        await propose_folders(it, 5)
        await it.press("ctrl+y")
        assert answers_of(it).startswith("y yes n no")
        assert "Waiting for you: 5" in it.drawn
        assert "claude" in it.drawn
        assert it.terminal.screen._detail.size.height >= 2
