"""Diffs in a real Neovim: every way to accept and reject, and no way to get stuck."""

import asyncio
import contextlib
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.editor.neovim.connection import NeovimBusyError, NeovimGoneError, NeovimRefusedError, NeovimSlowError
from cmdr.editor.neovim.diffs import FREELY, Consent, from_lines, to_lines
from cmdr.editor.neovim.review_tab import review_in_neovim
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import read_text

TAB = "✻ [Claude Code] hello.py (8fda88) ⧉ 100%"


async def shown(neovim, old="one\ntwo\n", new="one\n2\n", id="d1", consent=FREELY):
    """A diff on the screen, and the task that waits for its answer."""
    how = {"label": TAB, "old": old, "new": new, "language_id": "python", "hint": "50% x", "consent": consent}
    task = asyncio.create_task(neovim.diffs.show(id, **how))
    await asyncio.sleep(0)
    await asyncio.wait_for(neovim.diffs.shown(id), 60)
    return task


async def keys(neovim, text):
    await neovim.connection.call("nvim_input", text)


async def tabs(neovim):
    return len(await neovim.connection.call("nvim_list_tabpages"))


async def settled(check, deadline=20.0):
    async with asyncio.timeout(deadline):
        while not await check():
            await asyncio.sleep(0.01)


@given(st.text(alphabet="ab\n\r é"))
def test_texts_and_neovims_lines_convert_both_ways(text):
    assert from_lines(*to_lines(text)) == text


@pytest.mark.parametrize("new", ["one\n2\n", "no newline", "", "\n", "a\r\nb\r\n", "é 😀\n\n"])
def test_writing_accepts_the_exact_text(with_neovim, new):
    async def story(neovim, _):
        task = await shown(neovim, new=new)
        await keys(neovim, ":w<CR>")
        return await task

    answer = with_neovim(story)
    assert (answer.kind, answer.text) == ("accepted", new)


def test_writing_accepts_what_the_person_made_of_it_and_the_view_stays_until_it_is_closed(with_neovim):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, "Gochanged<Esc>:w<CR>")
        answer = await task
        assert await tabs(neovim) == 2
        neovim.diffs.close("d1")

        async def gone():
            return await tabs(neovim) == 1

        await settled(gone)
        return answer

    assert with_neovim(story).text == "one\n2\nchanged\n"


@pytest.mark.parametrize(
    "how",
    [
        ":q<CR>",
        ":tabclose<CR>",
        "ZQ",
        "<C-w>c",
        ":bwipeout!<CR>",
        "<C-w>h:q<CR>",
        ":only<CR>",
        ":enew<CR>",
        "x:q!<CR>",
        "<C-w>o",
        ":tabonly | tabclose<CR>:q<CR>",
    ],
)
def test_closing_the_view_in_any_way_rejects(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, how)
        return await task, await neovim.connection.call("nvim_list_bufs")

    answer, buffers = with_neovim(story)
    assert answer.kind == "closed"
    assert len(buffers) <= 2


@pytest.mark.parametrize("how", [":wq<CR>", ":x<CR>", ":silent write<CR>", ":w | qall!<CR>", ":wqall<CR>", ":up<CR>"])
def test_writing_and_leaving_at_once_accepts(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, how)
        return await task

    assert with_neovim(story).kind == "accepted"


GUARDED = Consent("write", "This file runs with every shell.")


@pytest.mark.parametrize("how", [":w<CR>write<CR>", ":wq<CR> Write <CR>", ":x<CR>write<CR>"])
def test_a_protected_file_is_accepted_with_its_word(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim, consent=GUARDED)
        await keys(neovim, how)
        return await task

    assert with_neovim(story).kind == "accepted"


@pytest.mark.parametrize("how", [":w<CR>yes<CR>", ":w<CR><CR>", ":w<CR><Esc>", ":wq<CR>no<CR>", ":x<CR><C-c>"])
def test_a_protected_file_is_not_accepted_without_its_word(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim, consent=GUARDED)
        await keys(neovim, how)
        assert await tabs(neovim) == 2
        assert not task.done()
        await keys(neovim, ":q!<CR>")
        return await task

    assert with_neovim(story).kind == "closed"


@pytest.mark.parametrize("how", ["q", "<C-w>hq", ":Reject<CR>"])
def test_one_key_rejects_from_either_side(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, how)
        return await task

    assert with_neovim(story).kind == "closed"


HOUR_MS = 3_600_000


async def untouched(neovim, task):
    """Whether a diff still stands unanswered with the text that was proposed, after all keys have been taken."""
    (buffer,) = await neovim.connection.lua(
        "return vim.tbl_filter(function(b) return vim.bo[b].buftype == 'acwrite' end, vim.api.nvim_list_bufs())"
    )
    lines = await neovim.connection.call("nvim_buf_get_lines", buffer, 0, -1, True)
    return not task.done() and lines == ["one", "2"] and await tabs(neovim) == 2


@pytest.mark.parametrize(
    "how", ["<CR>" * 20, "<C-w>h" + "<CR>" * 20, "ZZ", ":wincmd h | wincmd l<CR>", "y<CR>", "<Space>"]
)
def test_nothing_but_a_written_command_accepts(with_neovim, how):
    """Was: Enter accepted."""

    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, how)
        assert await untouched(neovim, task)
        await keys(neovim, "<C-w>l:w<CR>")
        return await task

    assert with_neovim(story).kind == "accepted"


@pytest.mark.parametrize(
    "by_itself",
    [
        "vim.api.nvim_create_autocmd('InsertLeave', { command = 'silent! write' })",
        "vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, { command = 'silent! wall' })",
        "vim.o.autowriteall = true",
    ],
)
def test_what_saves_by_itself_accepts_nothing(with_neovim, by_itself):
    async def story(neovim, _):
        await neovim.connection.lua(by_itself)
        task = await shown(neovim)
        await keys(neovim, "Gox<Esc>")
        await keys(neovim, ":wincmd h<CR>:tabprevious<CR>:tabnext<CR>")
        assert await tabs(neovim) == 2
        assert not task.done()
        await keys(neovim, ":wincmd l<CR>:w<CR>")
        return await task

    assert with_neovim(story).text == "one\n2\nx\n"


def test_saving_all_files_from_another_tab_accepts_nothing(with_neovim):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, ":tabprevious<CR>:silent! wall<CR>:silent! wa<CR>")
        assert await untouched(neovim, task)
        await keys(neovim, ":tabnext<CR>:w<CR>")
        return await task

    assert with_neovim(story).kind == "accepted"


@pytest.mark.parametrize("how", ["<CR>", "q", ":w<CR>", ":wq<CR>", "ddxxihello<Esc>", "ggdG:w<CR>", ":Reject<CR>"])
def test_keys_on_their_way_when_the_diff_came_up_neither_answer_nor_edit_it(with_neovim, how):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, how)
        assert await untouched(neovim, task)
        await keys(neovim, "<Esc>:q!<CR>")
        return await task

    assert with_neovim(story, deaf_ms=HOUR_MS).kind == "closed"


def test_a_diff_listens_after_a_pause(with_neovim):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, "q")
        await asyncio.wait_for(neovim.diffs.awake("d1"), 20)
        await keys(neovim, ":w<CR>")
        return await task

    assert with_neovim(story, deaf_ms=200).kind == "accepted"


async def waits(neovim, id="d1"):
    """A diff that is there and waits for the person to pause."""
    task = asyncio.create_task(neovim.diffs.show(id, label=TAB, old="one\ntwo\n", new="one\n2\n", waits="It waits."))

    async def is_waiting():
        return await neovim.connection.lua("return next(_G.cmdr_keys.tasks) ~= nil")

    await settled(is_waiting)
    return task


def test_nothing_opens_over_somebody_who_types(with_neovim):
    """Was: the diff came to the front by itself, and somebody who pressed Enter every 0.2 s accepted it."""

    async def story(neovim, _):
        await neovim.connection.call("nvim_buf_set_lines", 0, 0, -1, True, ["mine"] * 50)
        task = await waits(neovim)
        for _ in range(30):
            await keys(neovim, "<CR>")
        assert await tabs(neovim) == 1
        assert not task.done()
        assert await neovim.connection.call("nvim_win_get_cursor", 0) == [31, 0]  # all went where they were meant
        task.cancel()

    with_neovim(story, quiet_ms=HOUR_MS)


def test_it_opens_once_the_person_pauses(with_neovim):
    async def story(neovim, _):
        await keys(neovim, "<CR>")
        task = await waits(neovim)
        await asyncio.wait_for(neovim.diffs.shown("d1"), 20)
        await keys(neovim, ":w<CR>")
        return await task

    assert with_neovim(story, quiet_ms=300).kind == "accepted"


@pytest.mark.parametrize("half", ["ihello", ":echo 1", "Rabc", "d", "/one"])
def test_a_pause_in_the_middle_of_something_is_no_pause(with_neovim, half):
    async def story(neovim, _):
        await keys(neovim, half)
        task = asyncio.create_task(neovim.diffs.show("d1", label=TAB, old="a\n", new="b\n", waits="It waits."))
        mode = await neovim.connection._request("nvim_get_mode", (), 5)
        assert mode["mode"] != "n"
        assert not neovim.diffs._shown["d1"].is_set()
        await neovim.connection._request("nvim_input", ("<Esc>",), 5)
        await asyncio.wait_for(neovim.diffs.shown("d1"), 20)
        await keys(neovim, ":w<CR>")
        return await task

    assert with_neovim(story).text == "b\n"


def test_a_diff_closed_before_it_stood_never_comes_up(with_neovim):
    async def story(neovim, _):
        task = await waits(neovim)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

        async def forgotten():
            return await neovim.connection.lua("return next(_G.cmdr_keys.tasks) == nil and next(_G.cmdr_diffs) == nil")

        await settled(forgotten)
        assert await tabs(neovim) == 1

    with_neovim(story, quiet_ms=HOUR_MS)


def test_what_waits_is_told_in_one_line_that_asks_for_nothing(with_neovim):
    async def story(neovim, _):
        await settled(_drawn(neovim))
        show = neovim.diffs.show("d1", label=TAB, old="a\n", new="b\n", waits="wide 宽 " * 100)
        task = asyncio.create_task(show)

        async def told():
            return "wide 宽" in await neovim.connection.lua(
                "local row = ''; for i = 1, vim.o.columns do row = row .. vim.fn.screenstring(vim.o.lines, i) end; "
                "return row"
            )

        await settled(told)
        mode = await neovim.connection._request("nvim_get_mode", (), 5)
        assert (mode["mode"], mode["blocking"]) == ("n", False)
        task.cancel()

    with_neovim(story, quiet_ms=HOUR_MS, terminal=True)


def test_a_copy_written_elsewhere_is_no_answer(with_neovim, tmp_path):
    copy = tmp_path / "copy.txt"

    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, f":w {copy}<CR>")

        async def written():
            return copy.exists()

        await settled(written)
        assert not task.done()
        await keys(neovim, ":q!<CR>")
        return await task

    assert with_neovim(story).kind == "closed"


def test_undo_never_empties_the_proposed_side(with_neovim):
    async def story(neovim, _):
        task = await shown(neovim)
        await keys(neovim, "uuu:w<CR>")
        return await task

    assert with_neovim(story).text == "one\n2\n"


def test_a_killed_neovim_ends_the_wait(with_neovim):
    async def story(neovim, running):
        task = await shown(neovim)
        running.process.kill()
        with pytest.raises(NeovimGoneError):
            await task
        with pytest.raises(NeovimGoneError):
            await neovim.documents.selection()
        assert not neovim.running

    with_neovim(story)


def test_a_cancelled_wait_closes_the_view(with_neovim):
    async def story(neovim, _):
        task = await shown(neovim)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

        async def gone():
            return await tabs(neovim) == 1

        await settled(gone)

    with_neovim(story)


def test_two_diffs_of_one_name_are_answered_apart(with_neovim):
    async def story(neovim, _):
        first = await shown(neovim, id="d1", new="1\n")
        second = await shown(neovim, id="d2", new="2\n")
        await keys(neovim, ":w<CR>")
        answer = await second
        assert not first.done()
        neovim.diffs.close("d2")
        first.cancel()
        return answer

    assert with_neovim(story).text == "2\n"


@pytest.mark.parametrize(
    ("wait", "go_on"),
    [("g", "<Esc>"), (":call getchar()<CR>", "x"), ("qa:normal! i<CR>i", "<Esc>")],
    ids=["pending key", "getchar", "insert"],
)
def test_a_diff_sent_while_neovim_waits_for_a_key_appears_after_it(with_neovim, wait, go_on):
    async def story(neovim, _):
        await keys(neovim, wait)
        task = asyncio.create_task(neovim.diffs.show("d1", label=TAB, old="a\n", new="b\n"))
        await asyncio.sleep(0)
        await neovim.connection._request("nvim_input", (go_on,), 5)
        await asyncio.wait_for(neovim.diffs.shown("d1"), 60)
        await keys(neovim, "<Esc>:w<CR>")
        return await task

    assert with_neovim(story).text == "b\n"


def test_questions_to_a_neovim_that_waits_for_a_key_are_refused_at_once(with_neovim):
    async def story(neovim, _):
        await keys(neovim, "g")

        async def blocking():
            return (await neovim.connection._request("nvim_get_mode", (), 5))["blocking"]

        await settled(blocking)
        with pytest.raises(NeovimBusyError, match="waiting for a key"):
            await neovim.documents.selection()
        await neovim.connection._request("nvim_input", ("<Esc>",), 5)

        async def free():
            return not await blocking()

        await settled(free)
        assert await neovim.documents.shown() == []

    with_neovim(story)


def test_the_hit_enter_prompt_of_a_real_terminal_stops_nothing_but_neovim(with_neovim):
    async def story(neovim, _):
        async def prompted():
            mode = await neovim.connection._request("nvim_get_mode", (), 5)
            return mode["mode"].startswith("r")

        await settled(_drawn(neovim))
        await keys(neovim, ':echo "a\\nb\\nc"<CR>')
        await settled(prompted)
        task = asyncio.create_task(neovim.diffs.show("d1", label=TAB, old="a\n", new="b\n"))
        with pytest.raises(NeovimBusyError):
            await neovim.documents.shown()
        await neovim.connection._request("nvim_input", ("<CR>",), 5)
        await asyncio.wait_for(neovim.diffs.shown("d1"), 60)
        await keys(neovim, ":q<CR>")
        return await task

    assert with_neovim(story, terminal=True).kind == "closed"


def _drawn(neovim):
    async def has_screen():
        return bool(await neovim.connection._request("nvim_list_uis", (), 5))

    return has_screen


def test_a_stopped_neovim_is_slow_not_a_hang(with_neovim):
    async def story(neovim, running):
        os.killpg(running.process.pid, signal.SIGSTOP)
        try:
            with pytest.raises(NeovimSlowError, match=r"within 0\.2 s"):
                await neovim.connection.call("nvim_list_bufs", deadline=0.2)
        finally:
            os.killpg(running.process.pid, signal.SIGCONT)
        return await neovim.connection.call("nvim_list_bufs", deadline=20)

    assert with_neovim(story)


def test_a_diff_that_neovim_cannot_show_is_refused_and_its_review_stays_open(with_neovim):
    async def story(neovim, _):
        await keys(neovim, "q:")

        async def in_command_window():
            return await neovim.connection.lua("return vim.fn.getcmdwintype() ~= ''")

        await settled(in_command_window)
        edit = review()
        with pytest.raises(NeovimRefusedError):
            await review_in_neovim(neovim.diffs, edit)
        return edit.state

    assert with_neovim(story) is ReviewState.PENDING


def review(proposed="one\n2\n", base=b"one\ntwo\n"):
    return Review(
        "r1",
        connection="c",
        agent="agent:claude",
        tab=TAB,
        path=b"/w/hello.py",
        base=read_text(base),
        proposed=proposed,
    )


def test_a_review_in_neovim_gives_its_outcome(with_neovim):
    async def story(neovim, _):
        edit = review()
        task = asyncio.create_task(review_in_neovim(neovim.diffs, edit))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(neovim.diffs.shown("r1"), 60)
        await keys(neovim, "Goedited<Esc>:w<CR>")
        return await task

    outcome = with_neovim(story)
    assert (outcome.state, outcome.text, outcome.edited) == (ReviewState.ACCEPTED, "one\n2\nedited\n", True)


def test_a_review_answered_elsewhere_leaves_neovim(with_neovim):
    async def story(neovim, _):
        edit = review()
        task = asyncio.create_task(review_in_neovim(neovim.diffs, edit))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(neovim.diffs.shown("r1"), 60)
        edit.accept()
        outcome = await task

        async def gone():
            return await tabs(neovim) == 1

        await settled(gone)
        return outcome

    assert with_neovim(story).state is ReviewState.ACCEPTED


def test_a_killed_neovim_rejects_its_review(with_neovim):
    async def story(neovim, running):
        edit = review()
        task = asyncio.create_task(review_in_neovim(neovim.diffs, edit))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(neovim.diffs.shown("r1"), 60)
        running.process.kill()
        return await task

    outcome = with_neovim(story)
    assert (outcome.state, outcome.reason) == (ReviewState.REJECTED, "editor gone")


def test_a_file_that_changed_meanwhile_is_shown_again_before_it_is_accepted(with_neovim):
    changed = read_text(b"zero\none\ntwo\nthree\nfour\n")

    async def accept(edit):
        before = edit.base_changes
        edit.base_changed(changed)
        return edit.accept() if edit.base_changes == before else None

    async def story(neovim, _):
        edit = review(base=b"one\ntwo\nthree\nfour\n", proposed="one\ntwo\nthree\n4\n")
        task = asyncio.create_task(review_in_neovim(neovim.diffs, edit, accept))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(neovim.diffs.shown("r1"), 60)
        await keys(neovim, ":w<CR>")

        async def again():
            return edit.base_changes == 1 and neovim.diffs._shown.get("r1") is not None

        await settled(again)
        await asyncio.wait_for(neovim.diffs.shown("r1"), 60)
        await keys(neovim, ":w<CR>")
        return await task

    assert with_neovim(story).text == "zero\none\ntwo\nthree\n4\n"
