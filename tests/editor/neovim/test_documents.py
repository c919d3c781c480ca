"""Files, selections and diagnostics of a real Neovim."""

import asyncio
import os
import socket
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.editor.neovim.connection import (
    NeovimBusyError,
    NeovimMissingError,
    NeovimRefusedError,
    NeovimUnreachableError,
)
from cmdr.editor.neovim.documents import Neovim, byte_of_position, index_of_byte, position_of_byte
from cmdr.model.texts.text_selection import Position, TextSelection

TEXT = "def a():\n    return 'é😀'\n\ndef b():\n    pass\n"


@pytest.fixture
def path(tmp_path):
    """A file with a name that must be escaped in every command language."""
    name = os.fsencode(tmp_path) + b"/we ird%#|'\"`$x*[\xff].py"
    with open(name, "wb") as file:
        file.write(TEXT.encode())
    return name


async def keys(neovim, text):
    await neovim.connection.call("nvim_input", text)


async def settled(check, deadline=20.0):
    async with asyncio.timeout(deadline):
        while not (answer := await check()):
            await asyncio.sleep(0.01)
        return answer


def test_a_file_opens_with_its_range_selected(with_neovim, path):
    async def story(neovim, _):
        opened = await neovim.documents.open_file(path, start_text="return", end_text="def b")
        return opened, await neovim.documents.selection()

    opened, selection = with_neovim(story)
    assert (opened.language_id, opened.line_count) == ("python", 5)
    assert selection.path == path
    assert selection.text == "return 'é😀'\n\ndef b"
    assert selection.selection == TextSelection(Position(1, 4), Position(3, 5))


@pytest.mark.parametrize("end", ["def b", "b():\n", "pass"])
def test_a_range_is_selected_whole_also_where_the_last_character_does_not_count(with_neovim, path, end):
    """With `selection=exclusive` one character too few was selected."""

    async def story(neovim, _):
        await neovim.connection.lua("vim.o.selection = 'exclusive'")
        await neovim.documents.open_file(path, start_text="return", end_text=end)
        return await neovim.documents.selection()

    assert with_neovim(story).text.endswith(end)


def test_what_is_selected_does_not_depend_on_how_neovim_counts_it(with_neovim, path):
    """With `selection=exclusive` the character under the cursor is not part of it."""

    async def story(neovim, _):
        await neovim.connection.call("nvim_set_option", "selection", "exclusive")
        await neovim.documents.open_file(path)
        await keys(neovim, "ggjwvll")
        return await neovim.documents.selection()

    selection = with_neovim(story)
    assert selection.text == "re"
    assert selection.selection == TextSelection(Position(1, 4), Position(1, 6))


def test_a_text_that_is_not_there_opens_the_file_and_says_so(with_neovim, path):
    async def story(neovim, _):
        opened = await neovim.documents.open_file(path, start_text="nowhere")
        return opened, await neovim.documents.selection()

    opened, selection = with_neovim(story)
    assert opened.message == "startText was not found in the file."
    assert (selection.path, selection.selection.is_empty) == (path, True)


@pytest.mark.parametrize(("typed", "quiet_ms"), [("ihello", 0), ("j", 3_600_000)])
def test_a_file_that_an_agent_opens_does_not_come_over_somebody_who_types(with_neovim, path, typed, quiet_ms):
    """Was: Insert mode ended, and what was typed went on as commands in the agent's file."""

    async def story(neovim, _):
        await keys(neovim, typed)
        before = await neovim.connection.call("nvim_get_mode")
        opened = await neovim.documents.open_file(path, start_text="return")
        assert await neovim.connection.call("nvim_get_mode") == before
        assert await neovim.documents.selection() is None
        return opened, await neovim.documents.shown()

    opened, editors = with_neovim(story, quiet_ms=quiet_ms)
    assert opened.line_count == 5
    assert [(each.path, each.active) for each in editors] == [(path, False)]


def test_one_file_after_another_comes_to_the_front(with_neovim, path, tmp_path):
    """What an agent selected in the first is nothing that somebody types."""
    other = bytes(tmp_path / "other.py")
    (tmp_path / "other.py").write_text("x\n")

    async def story(neovim, _):
        await neovim.documents.open_file(path, start_text="return", end_text="def b")
        await neovim.documents.open_file(other)
        return await neovim.documents.selection()

    assert with_neovim(story).path == other


def test_a_file_can_open_behind_the_others(with_neovim, path):
    async def story(neovim, _):
        opened = await neovim.documents.open_file(path, front=False)
        assert await neovim.documents.selection() is None
        return opened, await neovim.documents.shown()

    opened, editors = with_neovim(story)
    assert opened.line_count == 5
    assert [(each.path, each.active, each.dirty) for each in editors] == [(path, False, False)]


@pytest.mark.parametrize(
    ("typed", "text", "start", "end"),
    [
        ("ggjwvl", "re", (1, 4), (1, 6)),
        ("ggj0f'lvl", "é😀", (1, 12), (1, 15)),
        ("ggVj", "def a():\n    return 'é😀'", (0, 0), (1, 16)),
        ("Gvgg0", TEXT[:-1].rsplit("\n", 1)[0] + "\n ", (0, 0), (4, 1)),
        ("ggj$", "", (1, 15), (1, 15)),
    ],
)
def test_what_a_person_selects_is_known_in_utf16_columns(with_neovim, path, typed, text, start, end):
    async def story(neovim, _):
        await neovim.documents.open_file(path)
        await keys(neovim, typed)
        return await neovim.documents.selection()

    found = with_neovim(story)
    assert (found.text, found.selection) == (text, TextSelection(Position(*start), Position(*end)))


def test_moves_of_the_cursor_are_told(with_neovim, path):
    async def story(neovim, _):
        await neovim.documents.open_file(path)
        moved = asyncio.Event()
        await neovim.documents.on_selection(moved.set)
        moved.clear()
        await keys(neovim, "j")
        await asyncio.wait_for(moved.wait(), 60)

    with_neovim(story, terminal=True)


def test_unsaved_changes_are_known_saved_and_protected(with_neovim, path):
    async def story(neovim, _):
        documents = neovim.documents
        assert await documents.is_dirty(path) is None
        assert not await documents.save(path)
        await documents.open_file(path)
        assert await documents.is_dirty(path) is False
        await keys(neovim, "ggdd")
        await settled(lambda: documents.is_dirty(path))
        with pytest.raises(NeovimRefusedError):
            await documents.close(path)
        assert not await documents.reload(path)
        await documents.open_file(path)
        assert await documents.is_dirty(path)
        assert await documents.save(path)
        assert await documents.is_dirty(path) is False
        assert await documents.close(path)
        assert not await documents.close(path)
        assert await documents.shown() == []

    with_neovim(story)
    with open(path, "rb") as file:
        assert file.read() == TEXT.split("\n", 1)[1].encode()


def test_a_file_that_changed_on_disk_is_taken_again(with_neovim, path):
    async def story(neovim, _):
        await neovim.documents.open_file(path)
        with open(path, "wb") as file:
            file.write(b"new text, surely longer than before: " + b"x" * 100)
        assert await neovim.documents.reload(path)
        opened = await neovim.documents.open_file(path, start_text="new text")
        return opened, await neovim.documents.selection()

    opened, selected = with_neovim(story)
    assert (opened.message, selected.text) == ("", "new text")


DIAGNOSE = """
local buf = vim.api.nvim_get_current_buf()
vim.diagnostic.set(vim.api.nvim_create_namespace('t'), buf, {
  { lnum = 1, col = 14, end_lnum = 1, end_col = 18, message = 'odd', severity = 2, source = 'lint', code = 'E1' },
  { lnum = 0, col = 0, message = 'bare', severity = 1 },
})
"""


def test_diagnostics_are_read_and_an_unopened_file_has_none(with_neovim, path):
    async def story(neovim, _):
        await neovim.documents.open_file(path)
        await neovim.connection.lua(DIAGNOSE)
        assert await neovim.documents.diagnostics(b"/not/open.py") == {}
        assert await neovim.documents.diagnostics() == await neovim.documents.diagnostics(path)
        return (await neovim.documents.diagnostics(path))[path]

    found = sorted(with_neovim(story), key=lambda each: each.message)
    assert [(each.message, each.severity, each.source, each.code) for each in found] == [
        ("bare", "Error", None, None),
        ("odd", "Warning", "lint", "E1"),
    ]
    assert found[1].range == TextSelection(Position(1, 13), Position(1, 15))


def test_a_file_that_another_neovim_has_open_asks_nothing(with_neovim, path, tmp_path):
    async def story(neovim, _):
        swap = tmp_path / "swap"
        swap.mkdir()
        await neovim.connection.lua("vim.o.directory = ...; vim.o.swapfile = true", f"{swap}//")
        await neovim.documents.open_file(path)
        (made,) = swap.iterdir()
        content = made.read_bytes()
        await neovim.documents.close(path)
        made.write_bytes(content)
        return await neovim.documents.open_file(path)

    assert with_neovim(story).line_count == 5


def test_opening_a_file_never_lands_in_a_diff(with_neovim, path):
    async def story(neovim, _):
        task = asyncio.create_task(neovim.diffs.show("d", label="t", old="a\n", new="b\n"))
        await asyncio.sleep(0)
        await asyncio.wait_for(neovim.diffs.shown("d"), 60)
        await neovim.documents.open_file(path)
        assert not task.done()
        editors = await neovim.documents.shown()
        task.cancel()
        return editors

    assert [each.active for each in with_neovim(story)] == [True]


def test_a_directory_is_refused_or_opened_but_never_hangs(with_neovim, tmp_path):
    async def story(neovim, _):
        return await neovim.documents.open_file(os.fsencode(tmp_path))

    with_neovim(story)


def test_an_address_without_a_neovim_is_named(tmp_path):
    with pytest.raises(NeovimUnreachableError, match="No Neovim answers"):
        asyncio.run(Neovim.attach(str(tmp_path / "none.sock")))


@pytest.mark.parametrize("hangs_up", [True, False])
def test_something_else_at_the_address_is_left_after_a_moment(tmp_path, hangs_up):
    address = str(tmp_path / "other.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(address)
        other.listen()

        def serve():
            with other.accept()[0] as caller:
                caller.recv(65536)
                if not hangs_up:
                    caller.recv(65536)  # until the caller gives up

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(NeovimUnreachableError):
            asyncio.run(Neovim.attach(address, deadline=5 if hangs_up else 0.3))
        thread.join(60)
        assert not thread.is_alive()
    assert not [each for each in threading.enumerate() if each.name == "cmdr-neovim"]


def test_connecting_works_while_neovim_waits_for_a_key(with_neovim):
    async def story(neovim, running):
        await keys(neovim, "g")

        async def blocking():
            return (await neovim.connection._request("nvim_get_mode", (), 5))["blocking"]

        await settled(blocking)
        second = await running.attach()
        try:
            with pytest.raises(NeovimBusyError):
                await second.documents.shown()
        finally:
            await second.close()

    with_neovim(story)


def test_two_clients_share_one_neovim(with_neovim, path):
    async def story(neovim, running):
        second = await running.attach()
        second.connection.quiet_ms = 0
        try:
            await second.documents.open_file(path)
            return await neovim.documents.selection()
        finally:
            await second.close()

    assert with_neovim(story).path == path


def test_a_neovim_reached_over_tcp_works_as_well(with_neovim):
    async def story(neovim, _):
        address = await neovim.connection.lua("return vim.fn.serverstart('127.0.0.1:0')")
        second = await Neovim.attach(address)
        try:
            return await second.documents.shown()
        finally:
            await second.close()

    assert with_neovim(story) == []


def test_without_pynvim_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvim", None)
    with pytest.raises(NeovimMissingError, match="pip install pynvim"):
        asyncio.run(Neovim.attach("/nowhere"))


@given(st.text(alphabet="aé😀日\udcff"), st.integers(0, 40))
def test_byte_columns_convert_both_ways(line, column):
    index = index_of_byte(line, column)
    assert 0 <= index <= len(line)
    assert byte_of_position(position_of_byte(0, column, line), [line])[1] <= column
    for at in range(len(line) + 1):
        byte = len(line[:at].encode("utf-8", "surrogateescape"))
        assert index_of_byte(line, byte) == at
