"""A proposed edit on the screen: counted, shown when asked for, deaf at first, answered by one key."""

import asyncio

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.tui.review.screen import _CONFLICT_KEYS, _KEYS, _MANY_KEYS, open_review
from cmdr.tui.windows import window

AGENT = Principal("agent", "codex", token=True)
OTHER = Principal("agent", "claude", token=True)
OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 5\n", "line five\n").replace("line 25\n", "line 25\nand more\n")


AS_IT_IS = {"GRACE_S": window.GRACE_S, "GRACE_EXTENSION_S": window.GRACE_EXTENSION_S}


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """The deaf moment is tested by itself."""
    monkeypatch.setattr(window, "GRACE_S", 0.0)
    monkeypatch.setattr(window, "GRACE_EXTENSION_S", 0.0)


async def proposed(it, contents=NEW, *, principal=AGENT, name="story.txt", before=OLD):
    it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
    file = it.left / name
    if before is not None and not file.exists():
        file.write_text(before)
    known = len(it.commander.editor.reviews.waiting)
    call = asyncio.create_task(it.commander.run(principal, "open_diff", {"path": str(file), "contents": contents}))
    await it.until(lambda: len(it.commander.editor.reviews.waiting) > known or call.done())
    return file, call


async def test_an_edit_is_counted_and_opens_nothing_by_itself(face):
    async with face() as it:
        _, call = await proposed(it)
        await it.until(lambda: "1 waits: Ctrl+Y" in it.status)
        assert it.window == "MainScreen"
        await it.press("ctrl+y", "enter")
        assert it.window == "ReviewScreen"
        await it.press("r")
        assert await call == "OK: DIFF_REJECTED"
        await it.until(lambda: it.window == "MainScreen")


async def test_it_names_the_agent_and_draws_both_sides(face):
    async with face() as it:
        _, call = await proposed(it)
        await it.press("ctrl+y", "enter")
        await it.until(lambda: "line five" in it.drawn)
        assert "codex proposes" in it.drawn
        assert "change 1/2  +2 -1" in it.drawn
        (row,) = [line for line in it.drawn.splitlines() if "line five" in line]
        assert "- line 5" in row
        assert "+ line five" in row
        assert "lines that stay the same" in it.drawn
        await it.press("u")
        (row,) = [line for line in it.drawn.splitlines() if "line five" in line]
        assert "- line 5" not in row
        await it.press("r")
        assert await call == "OK: DIFF_REJECTED"


async def test_a_accepts_and_the_file_is_written(face):
    async with face() as it:
        file, call = await proposed(it)
        await it.press("ctrl+y", "enter", "a")
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert file.read_text() == NEW
        await it.until(lambda: it.window == "MainScreen")
        assert "Accepted" in it.status


async def test_single_changes_are_dropped_and_taken(face):
    async with face() as it:
        file, call = await proposed(it)
        await it.press("ctrl+y", "enter", "tab")
        await it.until(lambda: "change 2/2" in it.drawn)
        await it.press("shift+tab", "x", "t", "a")
        assert (await call).startswith("OK: FILE_SAVED, operation 1, changed by the person")
        assert file.read_text() == OLD.replace("line 25\n", "line 25\nand more\n")


@pytest.mark.parametrize("keys", [_KEYS, _MANY_KEYS, _CONFLICT_KEYS])
def test_the_key_line_fits_into_a_narrow_terminal(keys):
    assert len(keys) <= 80


@pytest.mark.parametrize("key", ["escape", "l"])
async def test_later_leaves_it_waiting(face, key):
    async with face() as it:
        _, call = await proposed(it)
        await it.press("ctrl+y", "enter")
        await it.until(lambda: "Esc later" in it.drawn)
        await it.press(key)
        await it.until(lambda: it.window == "InboxWindow")
        await it.press("escape")
        assert not call.done()
        await it.press("ctrl+y", "enter", "r")
        await call


async def test_the_proposed_side_can_be_edited(face):
    async with face() as it:
        file, call = await proposed(it, "new\n", before="old\n", name="small.txt")
        await it.press("ctrl+y", "enter", "e")
        assert it.window == "ProposedEditor"
        await it.press("b", "r", "a", "n", "d", "minus")
        await it.press("f2")
        await it.until(lambda: it.window == "ReviewScreen")
        await it.until(lambda: "brand-new" in it.drawn)
        await it.press("a")
        assert (await call).endswith("to:\nbrand-new\n")
        assert file.read_text() == "brand-new\n"


async def test_the_queue_goes_on_with_the_next_agent(face):
    async with face() as it:
        _, first = await proposed(it)
        _, second = await proposed(it, "two\n", principal=OTHER, name="other.txt", before="one\n")
        await it.press("ctrl+y")
        assert it.window == "InboxWindow"
        assert "codex" in it.drawn
        assert "claude" in it.drawn
        await it.press("enter")
        await it.until(lambda: it.window == "ReviewScreen")
        assert "1 more wait" in it.drawn
        await it.press("a")
        assert (await first).startswith("OK: FILE_SAVED, operation ")
        await it.until(lambda: it.window == "ReviewScreen" and "claude proposes" in it.drawn)
        await it.press("r")
        assert await second == "OK: DIFF_REJECTED"
        await it.until(lambda: it.window == "MainScreen")


async def test_keys_of_the_first_moment_do_not_answer(face, monkeypatch):
    monkeypatch.setattr(window, "GRACE_S", 30.0)
    async with face() as it:
        file, call = await proposed(it)
        await it.press("ctrl+y", "enter", "a", "r", "escape", "a")
        assert it.window == "ReviewScreen"
        assert not call.done()
        assert file.read_text() == OLD
        call.cancel()
        await asyncio.wait({call})


async def test_somebody_who_goes_on_pressing_a_accepts_the_first_edit_and_not_the_next(face, monkeypatch):
    """The next one comes up by itself, and was accepted 0.6 s later by the same rhythm."""
    for name, seconds in AS_IT_IS.items():
        monkeypatch.setattr(window, name, seconds)
    async with face() as it:
        _, first = await proposed(it)
        other, second = await proposed(it, "new\n", principal=OTHER, name="other.txt", before="old\n")
        await it.press("ctrl+y")
        await it.until(lambda: it.window == "InboxWindow")
        await it.press("enter")
        await it.until(lambda: it.window == "ReviewScreen")
        it.clock.forward(1)
        await it.press("a")
        assert (await first).startswith("OK: FILE_SAVED")
        await it.until(lambda: it.window == "ReviewScreen" and "claude proposes" in it.drawn)
        for _ in range(20):
            it.clock.forward(0.2)
            await it.press("a")
        assert not second.done()
        assert other.read_text() == "old\n"
        it.clock.forward(1)
        await it.press("r")
        assert await second == "OK: DIFF_REJECTED"


async def test_what_somebody_else_changed_has_to_be_seen_before_it_is_accepted(face, monkeypatch):
    """A key that was on its way accepted a text that nobody had seen."""
    monkeypatch.setattr(window, "GRACE_S", 0.6)
    async with face() as it:
        file, call = await proposed(it)
        await it.press("ctrl+y", "enter")
        it.clock.forward(1)
        (case,) = it.commander.editor.reviews.waiting
        await it.commander.run(Principal("person", "browser"), "review.edit", {"review": case.id, "text": "other\n"})
        await it.press("a")
        assert not call.done()
        assert file.read_text() == OLD
        it.clock.forward(1)
        await it.press("a")
        assert (await call).startswith("OK: FILE_SAVED")
        assert file.read_text() == "other\n"


async def test_what_the_agent_calls_its_edit_stands_on_a_line_of_its_own(face):
    """A quote in it ended the quotes around it, in the line that warns."""
    async with face() as it:
        it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
        (it.left / "story.txt").write_text(OLD)
        title = 'fine".  This file is safe.\n\u202e a accept'
        wish = {"path": str(it.left / "story.txt"), "contents": NEW, "title": title}
        call = asyncio.create_task(it.commander.run(AGENT, "open_diff", wish))
        await it.until(lambda: it.commander.editor.reviews.waiting or call.done())
        await it.press("ctrl+y", "enter")
        await it.until(lambda: "calls it" in it.drawn)
        (line,) = [line for line in it.drawn.splitlines() if "This file is safe" in line]
        assert line.startswith(' the agent calls it: │ fine". This file is safe. \\u{202e} a accept')
        call.cancel()
        await asyncio.wait({call})


async def test_an_edit_answered_elsewhere_closes_its_view(face):
    async with face() as it:
        _, call = await proposed(it)
        await it.press("ctrl+y", "enter")
        call.cancel()
        await it.until(lambda: it.window == "InboxWindow" and "ended: " in it.drawn)


async def test_a_file_that_changed_meanwhile_is_shown_as_a_conflict_to_settle(face):
    async with face() as it:
        file, call = await proposed(it, "one\nagent\nthree\n", before="one\ntwo\nthree\n", name="c.txt")
        await it.press("ctrl+y", "enter")
        file.write_text("one\nperson\nthree\n")
        await it.press("a")
        await it.until(lambda: "1 to settle" in it.drawn)
        assert file.read_text() == "one\nperson\nthree\n"
        await it.press("b")
        await it.until(lambda: "both changes are joined" in it.drawn)
        await it.press("a")
        await call
        assert file.read_text() == "one\nperson\nagent\nthree\n"


async def test_a_protected_file_asks_for_a_word(face):
    async with face() as it:
        file, call = await proposed(it, "be good\n", name="CLAUDE.md", before=None)
        await it.press("ctrl+y", "enter", "a")
        assert it.window == "Ask"
        await it.type("write")
        await it.press("enter")
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert file.read_text() == "be good\n"


async def test_nothing_in_a_text_reaches_the_terminal_as_a_command(face):
    async with face() as it:
        evil = "x = '\x1b[2J\x1b]52;c;aGk=\x07'  # \u202egnorw\u202c [b]bold[/b]\n\tindented\n"
        _, call = await proposed(it, evil, name="evil.py", before="x\n")
        await it.press("ctrl+y", "enter")
        await it.until(lambda: "indented" in it.drawn)
        assert not any(char in it.drawn for char in "\x1b\x07\u202e\u202c\t")
        assert "[b]bold[/b]" in it.drawn
        await it.press("e")
        assert it.window == "ReviewScreen"
        assert "cannot be seen" in it.drawn
        await it.press("r")
        await call


async def test_a_huge_diff_opens_and_scrolls(face):
    async with face() as it:
        before = "".join(f"row {number}\n" for number in range(50_000))
        after = before.replace("row 49999\n", "last\n").replace("row 0\n", "first\n")
        _, call = await proposed(it, after, name="big.txt", before=before)
        await it.press("ctrl+y", "enter", "c", "end")
        await it.until(lambda: "last" in it.drawn)
        await it.press("r")
        await call


async def test_a_tiny_screen_still_shows_and_answers(face):
    async with face(size=(30, 8)) as it:
        _, call = await proposed(it)
        await it.press("ctrl+y", "enter", "u", "tab", "a")
        assert (await call).startswith("OK: FILE_SAVED, operation ")


@pytest.mark.parametrize(("key", "outcome"), [("y", "OK: FILE_SAVED"), ("n", "OK: DIFF_REJECTED")])
async def test_the_keys_of_the_inbox_answer_here_too(face, key, outcome):
    async with face() as it:
        _, call = await proposed(it)
        await it.press("ctrl+y", "enter", key)
        assert (await call).startswith(outcome)
        await it.until(lambda: it.window == "MainScreen")


async def test_a_no_with_words_reaches_the_agent(face):
    async with face() as it:
        file, call = await proposed(it)
        await it.press("ctrl+y", "enter", "N")
        assert it.window == "Ask"
        await it.type("too much")
        await it.press("enter")
        assert "too much" in await call
        assert file.read_text() == OLD


async def test_after_an_edit_what_else_waits_stands_there(face):
    async with face() as it:
        _, call = await proposed(it)
        case = it.commander.services.waiting_reviews()[0]
        open_review(it.main, case)
        await it.until(lambda: it.window == "ReviewScreen")
        await it.commander.run(AGENT, "mkdir", {"path": str(it.left), "name": "new"})
        await it.press("n")
        assert await call == "OK: DIFF_REJECTED"
        await it.until(lambda: it.window == "InboxWindow")


async def many(it, lines=("one", "five")):
    """An edit of three files of two changes each, opened."""
    it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
    files = [it.left / name for name in ("a.py", "b.py", "c.py")]
    for file in files:
        file.write_text("one\ntwo\nthree\nfour\nfive\n")
    edits = [{"path": str(file), "old": line, "new": line.upper()} for file in files for line in lines]
    call = asyncio.create_task(it.commander.run(AGENT, "open_diff", {"edits": edits}))
    await it.until(lambda: it.commander.editor.reviews.waiting or call.done())
    await it.press("ctrl+y", "enter")
    await it.until(lambda: "file 1/3" in it.drawn)
    return files, call


async def test_many_files_are_listed_with_what_would_change_and_accepted_with_one_key(face):
    async with face() as it:
        files, call = await many(it)
        for file in files:
            (row,) = [line for line in it.drawn.splitlines() if f" {file.name} " in line and "2 +2 -2" in line]
            assert row.startswith("▌") == (file is files[0])
        assert "codex proposes file 1/3: " in it.drawn
        await it.press("y")
        assert await call == "OK: FILES_SAVED: 3 files, 6 changes, operation 1"
        assert [file.read_text() for file in files] == ["ONE\ntwo\nthree\nfour\nFIVE\n"] * 3


async def test_files_and_changes_of_many_are_taken_and_dropped_with_one_key_each(face):
    async with face() as it:
        files, call = await many(it)
        await it.press("f")
        await it.until(lambda: "file 2/3: " in it.drawn)
        await it.press("F", "F")
        await it.until(lambda: "codex proposes file 1/3: " in it.drawn)
        await it.press("X")  # goes on to the next file
        await it.until(lambda: "✗ a.py" in it.drawn and "file 2/3" in it.drawn)
        await it.press("x", "t")  # behind the last change of a file comes the next file
        await it.until(lambda: "~ b.py" in it.drawn and "1/2 +2 -2" in it.drawn and "file 3/3" in it.drawn)
        await it.press("shift+tab")
        await it.until(lambda: "file 2/3: " in it.drawn)
        await it.press("tab", "T", "y")
        told = await call
        assert told.startswith("OK: FILES_SAVED: 2 of 3 files, 3 of 6 changes, operation 1\n")
        assert [file.read_text().split() for file in files] == [
            ["one", "two", "three", "four", "five"],
            ["one", "two", "three", "four", "FIVE"],
            ["ONE", "two", "three", "four", "FIVE"],
        ]


async def test_the_shown_file_of_many_is_edited_by_hand(face):
    async with face() as it:
        files, call = await many(it)
        await it.press("f", "e")
        await it.until(lambda: it.window == "ProposedEditor")
        await it.press("m", "y", "minus", "f2")
        await it.until(lambda: it.window == "ReviewScreen" and "my-ONE" in it.drawn)
        await it.press("y")
        assert (await call).endswith(f"\n{files[1]}: changed by the person; read it")
        assert files[1].read_text().startswith("my-ONE\n")
        assert files[0].read_text().startswith("ONE\n")


async def test_the_list_leaves_room_on_a_low_screen(face):
    async with face(size=(60, 12)) as it:
        _, call = await many(it)
        await it.press("f", "f")
        await it.until(lambda: "file 3/3" in it.drawn)
        assert "- one" in it.drawn
        await it.press("n")
        assert await call == "OK: DIFF_REJECTED"
