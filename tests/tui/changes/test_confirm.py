"""What agents do is seen, never gets in the way, and can be stopped at once."""

import asyncio

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import NotAllowed
from cmdr.model.job import Job, JobState
from cmdr.tui.inbox.waiting import waiting_rows
from cmdr.tui.windows.window import GRACE_S

AGENT = Principal("agent", "claude")


async def propose(it, **arguments):
    return await it.commander.run(
        AGENT, "copy", {"paths": [str(it.left / "readme.md")], "reason": "tidy up", **arguments}
    )


async def test_the_activity_line_names_the_client_and_the_call(face):
    async with face() as it:
        await it.commander.run(AGENT, "nav_to_path", {"pane": "right", "path": str(it.left / "docs")})
        await it.until(lambda: "claude: nav_to_path" in it.status)


async def test_the_same_call_over_and_over_draws_nothing_anew(face, monkeypatch):
    """Each call drew the status line again, 25 times a second beside a busy agent."""
    async with face() as it:
        await it.commander.run(AGENT, "state", {"pane": "left"})
        await it.until(lambda: it.main.status._drawn is not None and "claude: state left" in it.main.status._drawn.text)
        drawings = []
        monkeypatch.setattr(it.main.status, "refresh", lambda *_, **__: drawings.append(1))
        for _ in range(3):
            await it.commander.run(AGENT, "state", {"pane": "left"})
            it.main.redraw()
        assert not drawings
        await it.commander.run(AGENT, "state", {"pane": "right"})
        it.main.redraw()
        assert drawings


async def test_a_proposal_is_counted_and_opens_nothing_by_itself(face):
    async with face() as it:
        await propose(it)
        await it.until(lambda: "1 waits: Ctrl+Y" in it.status)
        assert it.window == "MainScreen"
        await it.press("down")
        assert it.name == "src"


async def test_ctrl_y_shows_the_proposal_drawn_from_the_plan_with_the_reason_last(face):
    async with face() as it:
        await propose(it, reason="[@click=app.quit]trust me[/] \x1b[2J")
        await it.press("ctrl+y", "enter")
        assert it.window == "Confirm"
        assert "claude proposes a change" in it.drawn
        assert "Copy 1 file" in it.drawn
        assert "claude says:" in it.drawn
        assert "│ [@click=app.quit]trust me[/] \\u{1b}[2J" in it.drawn
        assert it.drawn.index("Copy 1 file") < it.drawn.index("claude says")


async def test_nothing_an_agent_says_leaves_its_frame(face):
    """Was: the words stood between quotes in a line of the window, and a quote in them ended that."""
    async with face() as it:
        words = '“ok” " y  Yes, do it    n  No \n│ Copy 1 file │ RISK: none ' * 8
        words += "e" + "\u0301" * 40 + "\u3164\u202e"
        await propose(it, reason=words)
        await it.press("ctrl+y", "enter")
        lines = it.drawn.splitlines()
        begin = next(place for place, line in enumerate(lines) if "claude says:" in line)
        end = next(place for place, line in enumerate(lines) if "No, leave everything as it is" in line)
        framed = [line[line.index("┃") + 1 :].strip() if "┃" in line else line for line in lines[begin + 1 : end]]
        assert len(framed) > 2
        assert framed[0].startswith("│ “ok”")
        assert all(line.startswith("╎ ") for line in framed[1:])
        assert sum("Yes, do it" in line for line in lines[:begin]) == 0
        assert "characters)" in framed[-1]


async def test_what_will_happen_is_told_whole_and_no_part_of_it_begins_a_line(face):
    async with face() as it:
        name = "x" * 90 + " RISK none.txt"
        (it.left / name).write_text("1")
        await it.commander.run(AGENT, "copy", {"paths": [str(it.left / name)]})
        await it.press("ctrl+y", "enter")
        assert "RISK none.txt" in it.drawn
        (line,) = [line for line in it.drawn.splitlines() if "RISK none.txt" in line]
        assert "╎ x" in line


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("p\u0430y.txt", "p\\u{430}y.txt"),
        ("a\u3164.txt", "a\\u{3164}.txt"),
        ("end .txt ", "end .txt\\u{20}"),
    ],
)
async def test_a_name_that_would_be_mistaken_is_marked_in_the_panes_and_in_the_question(face, name, shown):
    async with face() as it:
        (it.left / name).write_text("1")
        await it.press("ctrl+r")
        await it.until(lambda: shown in it.drawn)
        await it.commander.run(AGENT, "copy", {"paths": [str(it.left / name)]})
        await it.press("ctrl+y", "enter")
        assert it.window == "Confirm"
        assert shown in it.drawn
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: (it.right / name).exists())


async def test_a_name_in_letters_of_another_script_is_marked_beside_the_one_it_passes_for(face):
    async with face() as it:
        (it.left / "сор.txt").write_text("1")
        await it.press("ctrl+r")
        await it.until(lambda: "сор.txt" in it.drawn)
        (it.left / "cop.txt").write_text("1")
        await it.press("ctrl+r")
        await it.until(lambda: "\\u{441}\\u{43e}\\u{440}.txt" in it.drawn)


async def test_keys_of_the_first_moment_do_not_answer(face):
    async with face() as it:
        await propose(it)
        await it.press("ctrl+y", "enter", "y", "y", "y")
        assert it.window == "Confirm"
        assert not (it.right / "readme.md").exists()
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: (it.right / "readme.md").exists())


async def test_somebody_who_goes_on_pressing_a_key_decides_nothing(face):
    """Was: whoever pressed it every 0.2 s had approved after 0.6 s."""
    async with face() as it:
        await propose(it)
        await it.press("ctrl+y", "enter")
        for _ in range(20):
            it.clock.forward(0.2)
            await it.press("y")
        assert it.window == "Confirm"
        assert not (it.right / "readme.md").exists()
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: (it.right / "readme.md").exists())


async def test_escape_lets_an_agents_proposal_wait(face):
    async with face() as it:
        await propose(it)
        await it.press("ctrl+y", "enter", "escape")
        assert it.window == "InboxWindow"
        await it.press("escape")
        assert it.window == "MainScreen"
        assert len(it.commander.proposals.pending()) == 1


async def test_a_window_of_an_agents_is_told_as_waiting_until_the_person_looks(face):
    async with face() as it:
        answer = await it.commander.run(AGENT, "dialog", {"action": "open", "type": "about"})
        assert "waiting: it shows once the person asks for it" in answer
        assert "waiting: true" in await it.commander.run(AGENT, "state")
        await it.press("ctrl+y", "enter")
        state = await it.commander.run(AGENT, "state")
        assert "waiting: true" not in state and "type: about\n    focused: true" in state


async def test_several_proposals_are_a_list(face):
    async with face() as it:
        await propose(it)
        await propose(it, to=str(it.left / "docs"))
        await it.press("ctrl+y")
        assert it.window == "InboxWindow"
        assert "Waiting for you: 2" in it.drawn
        await it.press("enter")
        assert it.window == "Confirm"


async def test_a_proposal_that_is_withdrawn_closes_its_window(face):
    async with face() as it:
        await propose(it)
        await it.press("ctrl+y", "enter")
        await it.commander.run(AGENT, "dialog", {"action": "close", "type": "confirmation"})
        await it.until(lambda: it.window == "InboxWindow" and "ended: Copy 1 file" in it.drawn)


async def test_windows_an_agent_opens_wait_until_they_are_asked_for(face):
    async with face() as it:
        await it.commander.run(
            AGENT, "dialog", {"action": "open", "type": "file-viewer", "path": str(it.left / "main.py")}
        )
        await it.until(lambda: "1 window: Ctrl+Y" in it.status)
        assert it.window == "MainScreen"
        await it.press("ctrl+y", "enter")
        await it.until(lambda: "import os" in it.drawn)


async def test_an_agent_moves_its_window_and_the_cursor_but_not_the_persons_scroll(face, places):
    for number in range(200):
        (places[0] / f"n{number:03}").write_text("")
    async with face() as it:
        top = it.main.left.top
        await it.commander.run(AGENT, "scroll_to", {"pane": "left", "index": 150})
        await it.commander.run(AGENT, "move_cursor", {"pane": "left", "to": 180})
        await it.pilot.pause()
        assert it.main.left.top == top


async def test_the_switch_stops_every_call_at_once_and_a_second_press_allows_nothing(face):
    async with face() as it:
        waiting = asyncio.ensure_future(it.commander.run(AGENT, "await", {"rev": 10**9, "timeout": 60}))
        await it.until(lambda: it.commander.activity.running)
        await it.press("ctrl+k")
        with pytest.raises(NotAllowed):
            await waiting
        assert "agents stopped" in it.status
        await it.press("ctrl+k")
        with pytest.raises(NotAllowed):
            await it.commander.run(AGENT, "state", {})
        await it.press("alt+a", "s")
        await it.commander.run(AGENT, "state", {})


async def test_the_agents_window_lists_callers_and_calls(face):
    async with face() as it:
        await it.commander.run(AGENT, "state", {})
        await it.press("alt+a")
        assert "claude" in it.drawn
        assert "state" in it.drawn
        await it.press("s")
        assert it.commander.policy.agents_stopped


async def test_what_appears_while_an_agent_works_is_marked(face):
    async with face() as it:
        await it.commander.run(AGENT, "state", {})
        (it.left / "made-by-agent").write_text("")
        await it.press("ctrl+r")
        assert b"made-by-agent" in it.main.left.changes.names
        assert "•" in it.drawn


async def test_five_hundred_calls_a_second_leave_the_keys_working(face):
    async with face() as it:

        async def hammer():
            for number in range(300):
                await it.commander.run(AGENT, "move_cursor", {"pane": "right", "to": 0})
                if number % 10 == 0:
                    await asyncio.sleep(0)

        work = asyncio.ensure_future(hammer())
        await it.press("down", "down", "down")
        await work
        assert it.name == "file2.txt"


async def test_the_person_names_the_folder_an_agent_proposes(face):
    """There were only yes and no."""
    async with face() as it:
        await it.commander.run(AGENT, "mkdir", {"pane": "left"})
        proposal = it.commander.proposals.pending()[0].id
        await it.press("ctrl+y", "enter")
        it.clock.forward(1)
        assert "e  Another name" in it.drawn
        await it.press("e")
        assert it.window == "Ask" and "New folder" in it.drawn
        await it.type("notes")
        await it.press("enter")
        await it.until(lambda: (it.left / "notes").is_dir())
        assert not (it.left / "New folder").exists()
        told = await it.commander.run(AGENT, "await", {"proposal": proposal})
        assert told.splitlines()[-1] == f"named: {it.left / 'notes'}"


async def test_a_name_with_a_slash_is_refused_and_the_proposal_goes_on_waiting(face):
    async with face() as it:
        await it.commander.run(AGENT, "mkdir", {"pane": "left", "name": "new"})
        await it.press("ctrl+y", "enter")
        it.clock.forward(1)
        await it.press("e")
        await it.type("../x")
        await it.press("enter")
        await it.until(lambda: "A name holds no" in it.status)
        assert it.window == "Confirm"
        assert it.commander.proposals.pending()[0].state == "pending"
        assert not (it.left.parent / "x").exists()


async def test_of_a_risky_proposal_escape_means_one_thing_and_no_can_be_said(face):
    async with face() as it:
        await it.commander.run(AGENT, "delete", {"paths": [str(it.left / "readme.md")], "permanent": True})
        await it.press("ctrl+y", "enter")
        assert "Esc decides later" in it.drawn and "Esc: no" not in it.drawn and "Esc says no" not in it.drawn
        it.clock.forward(1)
        await it.type("no")
        await it.press("enter")
        await it.until(lambda: not it.commander.proposals.pending())
        assert (it.left / "readme.md").exists()


async def test_a_yes_is_about_what_was_drawn_and_not_about_what_came_in_its_place(face):
    async with face() as it:
        await it.commander.run(AGENT, "mkdir", {"pane": "left", "name": "seen"})
        await it.press("ctrl+y", "enter")
        proposal = it.commander.proposals.pending()[0].id
        elsewhere = {"proposal": proposal, "name": "unseen"}
        await it.commander.run(it.terminal.person, "proposal.name", elsewhere)
        it.clock.forward(1)
        await it.press("y")
        await it.until(lambda: "not the plan that was shown" in it.status)
        assert not (it.left / "unseen").exists() and not (it.left / "seen").exists()


async def propose_deletion(it):
    """Sixty pictures and, among them, a program."""
    for number in range(60):
        (it.left / f"img{number:02}.jpg").write_text("x")
    paths = [str(it.left / f"img{number:02}.jpg") for number in range(60)]
    paths.insert(40, str(it.left / "main.py"))
    await it.commander.run(AGENT, "delete", {"paths": paths, "permanent": True, "reason": "blurry pictures"})
    await it.press("ctrl+y", "enter")
    it.clock.forward(GRACE_S)


async def test_a_risky_question_scrolls_while_its_word_is_typed(face):
    """The field for the word took the keys."""
    async with face(size=(100, 24)) as it:
        await propose_deletion(it)
        facts = it.terminal.screen._facts
        assert len(facts.rows) > facts.size.height
        await it.press("down", "down")
        assert facts.top == 2
        await it.press("up")
        assert facts.top == 1
        await it.press("pagedown")
        assert facts.top == len(facts.rows) - facts.size.height
        await it.press("pageup")
        assert facts.top == 0
        assert it.window == "Confirm"


async def test_the_odd_one_out_is_named_in_the_question(face):
    async with face() as it:
        await propose_deletion(it)
        assert "main.py  (unlike most)" in it.drawn
        assert "F3 lists all" in it.drawn


async def test_all_of_a_plan_can_be_read_and_narrowed_before_one_answers(face):
    async with face() as it:
        await propose_deletion(it)
        await it.press("f3")
        assert it.window == "PlanList"
        assert "The whole plan: 61 steps" in it.drawn
        assert "/left/img00.jpg" in it.drawn
        await it.press("end")
        assert "/left/img59.jpg" in it.drawn
        await it.type("MAIN")
        await it.until(lambda: "(1 found)" in it.drawn)
        assert "/left/main.py" in it.drawn and "img00" not in it.drawn
        await it.press("backspace", "backspace", "backspace", "backspace")
        await it.until(lambda: "/left/img00.jpg" in it.drawn)
        await it.press("escape")
        assert it.window == "Confirm"


async def test_a_key_that_was_meant_for_the_list_does_not_answer(face):
    async with face() as it:
        await propose(it)
        await it.press("ctrl+y", "enter")
        it.clock.forward(GRACE_S)
        await it.press("l")
        assert it.window == "PlanList"
        await it.press("escape", "y")
        assert it.window == "Confirm"
        assert not (it.right / "readme.md").exists()
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: (it.right / "readme.md").exists())


async def test_proposals_that_expired_stay_on_the_screen_until_they_were_seen(face):
    """They were gone without a word."""
    async with face() as it:
        for name in ("one", "two"):
            await it.commander.run(AGENT, "mkdir", {"name": name})
        for proposal in it.commander.proposals.pending():
            it.commander.proposals._expire(proposal)
        await it.until(lambda: "2 wait: Ctrl+Y" in it.status)
        await it.press("down")
        assert "2 wait: Ctrl+Y" in it.status
        await it.press("ctrl+y")
        assert it.drawn.count("ended: Create folder") == 2
        for left in (1, 0):
            it.clock.forward(GRACE_S)
            await it.press("y")
            await it.until(lambda left=left: len(waiting_rows(it.commander)) == left)
        await it.until(lambda: "Nothing waits for you any more" in it.drawn)
        it.clock.forward(GRACE_S)
        await it.press("y")
        assert it.window == "MainScreen"
        assert "Ctrl+Y" not in it.status


async def test_a_damaged_journal_stays_on_the_screen_until_it_was_seen(face, tmp_path):
    """It was put aside without a word."""
    (tmp_path / "journal.db").write_bytes(b"this was a journal once" * 1000)
    async with face() as it:
        assert "1 waits: Ctrl+Y" in it.status
        await it.press("ctrl+y")
        assert "record: The journal was" in it.drawn and "The journal was damaged on" in it.window_text
        await it.press("enter")
        assert it.window == "TextWindow"
        assert "journal.db.damaged-" in it.window_text
        await it.press("escape")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: not it.commander.warnings.texts())
        await it.press("escape")
        assert it.window == "MainScreen"
        assert "Ctrl+Y" not in it.status
        await it.press("alt+z")
        await it.until(lambda: "The journal was damaged on" in it.drawn)
        assert "Nothing has been changed" not in it.drawn


async def test_an_audit_log_that_cannot_be_written_is_on_the_screen_while_that_lasts(face, monkeypatch):
    def full(*what):
        raise OSError(28, "No space left on device")

    async with face() as it:
        with monkeypatch.context() as disk:
            disk.setattr(it.commander.audit, "_append", full)
            await it.press("down")
            await it.until(lambda: "1 waits: Ctrl+Y" in it.status)
            await it.press("ctrl+y", "enter")
            assert "cannot be written (No space left on device)" in " ".join(it.drawn.split())
            await it.press("escape", "escape")
            assert "1 waits: Ctrl+Y" in it.status, "seen, and not over"
        await it.press("down")
        await it.until(lambda: "Ctrl+Y" not in it.status)


async def test_interrupted_work_is_in_the_list_of_what_waits(face):
    async with face() as it:
        job = Job(
            "j_interrupted_7", "Copy /a", "agent:a", frozenset(), JobState.FAILED, outcome="interrupted: 3 of 41 done"
        )
        it.commander.jobs._all[job.id] = job
        it.commander.jobs._interrupted.add(job, 7)
        await it.commander.run(AGENT, "mkdir", {"name": "one"})
        await it.press("ctrl+y")
        assert it.window == "InboxWindow"
        assert "cut short: Copy /a" in it.drawn
        await it.press("down", "enter")
        assert it.window == "JobsWindow"


async def test_two_renames_in_the_list_of_what_waits_are_told_apart(face):
    async with face() as it:
        for name, new, reason in (("readme.md", "start.md", "clearer"), ("notes.txt", "diary.txt", "a diary")):
            (it.left / name).touch()
            await it.commander.run(AGENT, "rename", {"path": str(it.left / name), "newName": new, "reason": reason})
        await it.press("ctrl+y")
        assert it.window == "InboxWindow"
        rows = it.lines(it.terminal.screen.query_one("EntryList"))
        assert "readme.md → start.md" in rows[0]
        assert "notes.txt → diary.txt" in rows[1]
        assert "clearer" not in "".join(rows)  # an agent's words stand in their frame, and a row has room for none


async def test_a_question_about_trust_is_answered_like_any_proposal(face):
    async with face() as it:
        folder = it.left / "docs"
        await it.commander.trusting.ask(bytes(folder), AGENT)
        await it.until(lambda: "1 waits: Ctrl+Y" in it.status)
        await it.press("ctrl+y", "enter")
        assert it.window == "Confirm"
        assert "Language servers may then run code of this folder, behind walls" in it.drawn
        assert str(folder)[-20:] in it.window_text
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: it.window == "MainScreen")
        while not await it.commander.trusting.is_trusted(bytes(folder)):
            await it.commander.events.beyond(it.commander.events.rev)


async def test_no_with_words_tells_the_agent_why(face):
    async with face() as it:
        await propose(it)
        (proposal,) = it.commander.proposals.pending()
        await it.press("ctrl+y", "enter")
        it.clock.forward(GRACE_S)
        await it.press("N")
        assert it.window == "Ask"
        await it.type("not there")
        await it.press("enter")
        await it.until(lambda: not it.commander.proposals.pending())
        assert "not there" in await it.commander.run(AGENT, "await", {"proposal": proposal.id})
