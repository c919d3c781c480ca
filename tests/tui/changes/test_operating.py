"""Changing files from the panes: what is asked, what happens, and the way back."""

import asyncio
import contextlib
import os
import resource

import flow_cases
import pytest

from cmdr.model.panes.tab import SelectedEntries
from cmdr.tui.windows.window import GRACE_S


async def test_every_change_of_the_table(flow_case, face, places):
    left, right = places
    flow_cases.plant(left, right)
    async with face(size=(160, 30)) as it:
        tab = it.tab
        if flow_case.selected:
            await it.commander.run(it.terminal.person, "select", {"pane": "left", "names": [*flow_case.selected]})
        it.terminal.operate(
            flow_case.command,
            flow_cases.arguments_in(flow_case, left, right),
            sure=flow_case.sure,
            then=flow_case.then,
            chosen=SelectedEntries.of(tab) if flow_case.acts_on_selection else None,
        )
        if flow_case.answer:
            await it.until(lambda: it.window == "Confirm")
            if flow_case.lost:
                (left / flow_case.lost).unlink()
            it.clock.forward(GRACE_S)
            await it.press(flow_case.answer)
        if flow_case.question:
            await it.until(lambda: it.window == "Progress")
            await it.press(flow_case.question)
        await it.until(lambda: flow_case.said in it.status)
        assert sorted(it.selected) == sorted(flow_case.left_selected)
        if flow_case.cursor:
            assert it.name == flow_case.cursor
        flow_cases.check_files(flow_case, left, right)


async def test_copying_asks_where_and_a_taken_name_is_asked_about(face):
    async with face() as it:
        await it.press("down", "down", "f5")
        assert it.window == "Ask"
        await it.press("enter")
        await it.until(lambda: it.window == "Progress")
        assert "file1.txt is taken" in it.drawn
        assert (it.right / "file1.txt").read_text() == "other\n"
        await it.press("o")
        await it.until(lambda: it.window == "MainScreen")
        await it.until(lambda: (it.right / "file1.txt").read_text() == "hello 1\n")


async def test_giving_up_at_a_taken_name_says_that_nothing_was_done_and_the_keys_are_all_told(face):
    """It said "cancelled after nothing", and the last keys were cut off."""
    async with face(size=(120, 30)) as it:
        await it.press("down", "down", "f5", "enter")
        await it.until(lambda: it.window == "Progress" and "is taken" in it.drawn)
        assert "capital: all  ─╯" in it.drawn
        await it.press("c")
        await it.until(lambda: "cancelled; nothing was done" in it.status)


async def test_a_question_left_for_later_says_where_it_went_and_holds_up_nothing_else(face):
    """Esc cancelled the copy; Enter sent the question away without a word, and F7 after that did nothing for ever."""
    async with face(size=(160, 30)) as it:
        await it.press("down", "down", "f5", "enter")
        await it.until(lambda: it.window == "Progress" and "is taken" in it.drawn)
        assert "Esc: later" in it.drawn
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        assert it.main.status.message == "The copy asks about file1.txt: Ctrl+Y"
        await it.press("f7")
        await it.type("new")
        await it.press("enter")
        await it.until((it.left / "new").is_dir)
        it.main.status._message = ""
        assert "The copy asks about file1.txt  1 waits: Ctrl+Y" in it.status
        assert "▶" not in it.status
        await it.press("ctrl+y")
        await it.until(lambda: it.window == "InboxWindow")
        it.clock.forward(GRACE_S)
        await it.press("o")
        await it.until(lambda: (it.right / "file1.txt").read_text() == "hello 1\n")
        await it.until(lambda: "asks about" not in it.status)


async def test_what_waits_behind_a_question_says_so(face):
    async with face(size=(160, 30)) as it:
        await it.press("down", "down", "f5", "enter")
        await it.until(lambda: it.window == "Progress" and "is taken" in it.drawn)
        await it.press("escape")
        await it.press("f8")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: it.window == "Progress" and "waits behind operation 1 (copy 1 file" in it.window_text)
        assert "which asks you" in it.window_text
        (asking,) = [job for job in it.commander.jobs.running() if job.question]
        it.commander.jobs.cancel(asking)
        await it.until(lambda: not (it.left / "file1.txt").exists())


LIMIT = 32 << 20


@contextlib.contextmanager
def files_no_longer_than(size):
    """A real failure in the middle: the system refuses to write more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_after_a_failure_only_what_failed_stays_selected_and_it_is_told_until_looked_at(face):
    """It said "copy done: 4 files; 1 failed" for a moment, then nothing, and all five stayed selected."""
    async with face(size=(160, 30)) as it:
        os.truncate(it.left / "file3.txt", LIMIT + 1)
        await it.press("ctrl+r", "down", "down", *("insert",) * 5)
        assert len(it.selected) == 5
        await it.press("f5")
        await it.until(lambda: it.window == "Ask")
        (it.right / "file1.txt").unlink()
        with files_no_longer_than(LIMIT):
            await it.press("enter")
            await it.until(lambda: it.selected == ["file3.txt"])
        assert it.main.status.message.startswith("copy: 4 done, 1 failed")
        it.main.status._message = ""
        assert "copy: 4 done, 1 failed  1 waits: Ctrl+Y" in it.status
        await it.press("alt+z")
        assert "1 failed" in it.drawn
        await it.press("escape", "ctrl+y")
        await it.until(lambda: it.window == "InboxWindow")
        assert "file3.txt" in it.drawn
        it.clock.forward(GRACE_S)
        await it.press("a")
        await it.until((it.right / "file3.txt").exists)
        await it.press("escape")
        await it.until(lambda: "failed" not in it.status)


async def test_a_folder_that_holds_more_than_was_shown_is_asked_about(face):
    async with face(size=(120, 30)) as it:
        (it.left / "docs" / "seen").write_text("1")
        assert it.name == "docs"
        await it.press("f8")
        await it.until(lambda: it.window == "Confirm")
        (it.left / "docs" / "unseen").write_text("22")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: it.window == "Progress" and "holds something else than was shown" in it.drawn)
        assert "shown: 1 folder, 1 file, 1 B" in it.drawn and "now:   1 folder, 2 files, 3 B" in it.drawn
        assert "s leave it · o take all of it · capital: all" in it.drawn
        await it.press("r")
        assert (it.left / "docs" / "unseen").exists()
        await it.press("o")
        await it.until(lambda: "trash done: 2 files, 1 folder" in it.status)
        assert not (it.left / "docs").exists()


async def test_keep_both_gives_a_new_name(face):
    async with face() as it:
        await it.press("down", "down", "f5", "enter")
        await it.until(lambda: it.window == "Progress")
        await it.press("r")
        await it.until(lambda: len(list(it.right.iterdir())) == 2)
        assert (it.right / "file1.txt").read_text() == "other\n"


async def test_a_key_typed_right_behind_f5_answers_its_window(face):
    async with face() as it:
        await it.press("end")
        await it.press("f5", "enter")
        await it.until(lambda: (it.right / "readme.md").exists())


async def test_a_finished_operation_clears_what_was_selected_for_it(face):
    async with face() as it:
        await it.press("end", "insert", "f5", "enter")
        await it.until(lambda: (it.right / "readme.md").exists())
        await it.until(lambda: it.selected == [])
        assert "copy done" in it.status


async def test_what_does_not_act_on_the_selection_leaves_it(face):
    async with face() as it:
        await it.press("end", "insert", "f7")
        await it.type("new")
        await it.press("enter")
        await it.until(lambda: it.name == "new")
        assert it.selected == ["readme.md"]
        await it.press("end", "shift+f5")
        await it.type("copy")
        await it.press("enter")
        await it.until(lambda: "copy done" in it.status)
        await it.until(lambda: it.name == "copy.md")
        assert it.selected == ["readme.md"]


async def test_escape_leaves_everything_as_it_was(face):
    async with face() as it:
        await it.press("end", "f6", "escape")
        assert it.window == "MainScreen"
        assert (it.left / "readme.md").exists()
        assert not (it.right / "readme.md").exists()


async def test_moving_and_undoing(face):
    async with face() as it:
        await it.press("end", "f6", "enter")
        await it.until(lambda: (it.right / "readme.md").exists() and not (it.left / "readme.md").exists())
        await it.until(lambda: "move done" in it.status)
        await it.press("ctrl+z")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: (it.left / "readme.md").exists())


async def test_a_new_folder_gets_the_cursor(face):
    async with face() as it:
        await it.press("f7")
        await it.type("new")
        await it.press("enter")
        await it.until(lambda: (it.left / "new").is_dir())
        await it.until(lambda: it.name == "new")


async def test_renaming_offers_the_name_without_its_extension(face):
    async with face() as it:
        await it.press("end", "f2")
        await it.type("hello")
        await it.press("enter")
        await it.until(lambda: (it.left / "hello.md").exists())


async def test_the_trash_is_asked_about_and_no_is_the_answer_of_enter_and_escape(face):
    async with face() as it:
        await it.press("end", "f8")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("enter")
        assert it.window == "Confirm"
        await it.press("n")
        await it.until(lambda: it.window == "MainScreen")
        assert (it.left / "readme.md").exists()


async def test_enter_out_of_habit_is_told_which_keys_answer(face):
    async with face() as it:
        await it.press("end", "f8")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("enter")
        assert "Press:  y  Yes, do it    n  No, leave everything as it is" in it.drawn
        await it.press("y")
        await it.until(lambda: not (it.left / "readme.md").exists())


async def test_a_wrong_word_is_told_which_word_does_it(face):
    async with face() as it:
        await it.press("end", "shift+f8")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("y", "e", "s", "enter")
        assert 'Only "delete" does it.' in it.drawn
        await it.press("f10")
        await it.until(lambda: it.window == "MainScreen")
        assert (it.left / "readme.md").exists()


@pytest.mark.parametrize("key", ["f8", "shift+f8"])
async def test_the_answers_are_seen_on_the_smallest_screen(face, key):
    async with face(size=(40, 12)) as it:
        await it.press("end", key)
        await it.until(lambda: it.window == "Confirm")
        assert ("n  No" in it.drawn and "y  Yes" in it.drawn) or 'type "delete"' in it.drawn
        await it.pilot.resize_terminal(100, 30)
        await it.until(lambda: "leave everything" in it.drawn or 'type "delete" and Enter' in it.drawn)


async def test_deleting_for_good_needs_the_word(face):
    async with face() as it:
        await it.press("end", "shift+f8")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("y", "enter")
        assert it.window == "Confirm"
        await it.type("delete")
        await it.press("enter")
        await it.until(lambda: not (it.left / "readme.md").exists())


async def test_history_lists_what_was_done_and_takes_it_back(face):
    async with face() as it:
        await it.press("f7")
        await it.type("made")
        await it.press("enter")
        await it.until(lambda: (it.left / "made").is_dir() and "done" in it.status)
        await it.press("alt+z")
        await it.until(lambda: "mkdir" in it.drawn)
        await it.press("enter")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: not (it.left / "made").exists())


async def test_enter_typed_before_the_history_was_read_acts_on_its_newest_line(face):
    async with face() as it:
        await it.press("f7")
        await it.type("made")
        await it.press("enter")
        await it.until(lambda: (it.left / "made").is_dir() and "done" in it.status)
        journal = it.commander.engine.history
        may_read = asyncio.Event()

        async def late(count):
            await may_read.wait()
            return await journal(count)

        it.commander.engine.history = late
        it.burst("alt+z", "enter")
        await it.until(lambda: it.window == "History")
        may_read.set()
        await it.until(lambda: it.window == "Confirm")


async def test_many_are_renamed_in_a_table_and_clashes_stop_it(face):
    async with face() as it:
        await it.press("plus", "backspace")
        await it.type("*.txt")
        await it.press("enter", "f2")
        assert it.window == "BulkRename"
        await it.type("file")
        await it.press("tab")
        await it.type("note")
        await it.until(lambda: "5 names would change" in it.drawn)
        await it.press("f2")
        await it.until(lambda: (it.left / "note5.txt").exists())
        assert not (it.left / "file1.txt").exists()


async def test_a_clash_in_the_table_is_marked_and_nothing_happens(face):
    async with face() as it:
        await it.press("plus", "backspace")
        await it.type("*.txt")
        await it.press("enter", "f2", "ctrl+r")
        await it.type("file.")
        await it.press("tab")
        await it.type("same")
        await it.until(lambda: "two files would get this name" in it.drawn)
        await it.press("f2")
        assert it.window == "BulkRename"
        assert (it.left / "file1.txt").exists()


async def test_comparing_selects_what_differs(face):
    async with face() as it:
        await it.press("alt+d", "down", "enter")
        await it.until(lambda: "Selected" in it.status)
        left = it.commander.workspace.left.tab
        names = {left.listing.columns.name(row) for row in left.selection.rows()}
        assert b"file1.txt" in names  # other size
        assert b"file2.txt" in names  # missing there


async def test_a_single_file_may_be_copied_under_another_name(face):
    """Whoever typed a name instead of a folder was told that it does not exist."""
    async with face() as it:
        await it.press("end", "f5")
        it.terminal.screen._input.value = str(it.right / "other.md")
        await it.press("enter")
        await it.until(lambda: (it.right / "other.md").exists())


async def test_shift_f5_copies_beside_the_file_itself(face):
    async with face() as it:
        await it.press("end", "shift+f5")
        assert it.window == "Ask"
        await it.type("copy")
        await it.press("enter")
        await it.until(lambda: (it.left / "copy.md").exists())
        assert (it.left / "copy.md").read_text() == (it.left / "readme.md").read_text()


async def test_escape_gives_up_planning_and_nothing_is_asked(face, monkeypatch):
    import threading

    from cmdr.commands.changes import planning

    begun, over = threading.Event(), threading.Event()

    def forever(verb, paths, destination, choices):
        begun.set()
        try:
            while True:
                choices.check()
        finally:
            over.set()

    async with face() as it:
        monkeypatch.setattr(planning, "make_plan", forever)
        monkeypatch.setattr(planning, "LARGE", float("inf"))
        await it.pilot.press("end", "f8")
        await it.until(lambda: begun.is_set() and "Planning delete of 1" in it.status)
        assert "Esc gives up" in it.status
        await it.pilot.press("escape")
        await it.until(lambda: over.is_set() and "Gave up" in it.status)
        assert it.window == "MainScreen"
        assert not it.commander.proposals.pending()


async def test_what_is_selected_while_the_window_is_open_is_not_copied(face):
    """The files are chosen when the key is pressed, whatever an agent does to the selection meanwhile."""
    async with face() as it:
        await it.press("end", "f5")
        await it.commander.run(it.terminal.person, "selection.all", {"pane": "left"})
        await it.press("enter")
        await it.until(lambda: (it.right / "readme.md").exists())
        await it.until(lambda: "copy done" in it.status)
        assert sorted(path.name for path in it.right.iterdir()) == ["file1.txt", "readme.md"]


async def test_a_new_file_is_edited_at_once(face):
    async with face() as it:
        await it.press("shift+f4")
        await it.type("fresh.txt")
        await it.press("enter")
        await it.until(lambda: it.window == "Editor")
        await it.type("hello")
        await it.press("f2")
        await it.until(lambda: (it.left / "fresh.txt").read_text() == "hello")
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        assert it.name == "fresh.txt"
