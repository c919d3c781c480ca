"""Going places: answers as the seed prints them, history by name, pins, volumes, and clear refusals."""

import asyncio
import os
import threading

import pytest

from cmdr.core.panes import folder_reader
from cmdr.files import volumes as mounted


async def test_a_path_is_shown_and_the_answer_says_where_one_is(desk):
    async with desk() as at:
        answer = await at.agent("nav_to_path", pane="right", path=at.path("left"))
        tab = at.tab("right")
        assert answer == f"OK: Navigated to {at.path('left')}\ntotalFiles: 6 rev: {tab.rev}"
        assert at.workspace.focused == "left"


@pytest.mark.parametrize(
    ("given", "leads_to"),
    [
        ("docs", "left/docs"),
        ("docs/../src", "left/src"),
        ("./docs//deep/", "left/docs/deep"),
        ("..", ""),
        (".", "left"),
    ],
)
async def test_relative_paths_start_at_the_pane(desk, given, leads_to):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path=given)
        assert at.tab().path == bytes(at.root / leads_to)


async def test_a_tilde_is_the_home_folder(desk, monkeypatch):
    async with desk() as at:
        monkeypatch.setenv("HOME", at.path("right"))
        await at.agent("nav_to_path", pane="left", path="~")
        assert at.names() == ["other.txt"]


async def test_two_leading_slashes_are_one(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="/" + at.path("left/docs"))
        assert at.tab().path == os.fsencode(at.path("left/docs"))


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("gone", "Path not found: {left}/gone"),
        ("README.md", "Not a folder: {left}/README.md"),
        ("README.md/x", "Not a folder: {left}/README.md/x"),
        ("", '"" is not a path. Give an absolute path, or one relative to the pane.'),
        ("a\0b", '"a\\u{{0}}b" is not a path. Give an absolute path, or one relative to the pane.'),
        ("x" * 5000, "Path too long: 5000 bytes, at most 4096."),
        ("new\nline", "Path not found: {left}/new\\u{{a}}line"),
        ("half\ud800pair", "Path not found: {left}/half\\xed\\xa0\\x80pair"),
    ],
    ids=["gone", "file", "below a file", "empty", "nul", "long", "lines", "surrogate"],
)
async def test_where_one_cannot_go_is_told_and_nothing_moves(desk, path, told):
    async with desk() as at:
        answer = await at.agent("nav_to_path", pane="left", path=path)
        assert answer == "ERROR: " + told.format(left=at.path())
        assert at.tab().path == os.fsencode(at.path())


async def test_a_path_too_long_for_the_disk_is_told_short(desk):
    async with desk() as at:
        answer = await at.agent("nav_to_path", pane="left", path="y" * 300)
        assert answer.startswith("ERROR: Path too long")


@pytest.mark.usefixtures("like_anybody")
async def test_a_forbidden_folder_says_so(desk):
    async with desk() as at:
        (at.root / "left" / "docs").chmod(0)
        assert (
            await at.agent("nav_to_path", pane="left", path="docs")
            == f"ERROR: Permission denied: {at.path('left/docs')}"
        )


async def test_a_fifo_is_no_folder_and_hangs_nobody(desk):
    async with desk() as at:
        os.mkfifo(at.root / "left" / "pipe")
        assert "Not a folder" in await at.agent("nav_to_path", pane="left", path="pipe")


async def test_a_hostile_name_can_be_entered_by_what_is_shown_of_it(desk):
    async with desk() as at:
        folder = os.path.join(bytes(at.root / "left"), b"bad\xff\n\\dir")
        os.mkdir(folder)
        answer = await at.agent("nav_to_path", pane="left", path="bad\\xff\\u{a}\\\\dir")
        assert answer.startswith(f"OK: Navigated to {at.path()}/bad\\xff\\u{{a}}\\\\dir\n")
        assert at.tab().path == folder


async def test_going_up_puts_the_cursor_on_where_one_came_from(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        assert (await at.agent("nav_to_parent")).startswith(f"OK: Navigated to {at.path()}\n")
        assert at.tab().cursor_name() == b"src"


async def test_the_root_has_no_parent(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="/")
        assert await at.agent("nav_to_parent", pane="left") == "ERROR: / has no parent."


async def test_back_and_forward_restore_the_cursor_by_name(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="a10.txt")
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.agent("move_cursor", pane="left", to="guide.md")
        (at.root / "left" / "a-new-first-file").touch()
        await at.agent("nav_back")
        assert at.tab().cursor_name() == b"a10.txt"
        await at.agent("nav_forward")
        assert (at.tab().path, at.tab().cursor_name()) == (bytes(at.root / "left/docs"), b"guide.md")
        assert await at.agent("nav_forward") == "ERROR: Nothing to go forward to."


async def test_there_is_nothing_before_the_first_folder(desk):
    async with desk() as at:
        assert await at.agent("nav_back", pane="left") == "ERROR: Nothing to go back to."


async def test_a_folder_that_is_gone_does_not_block_the_way_back(desk):
    """Going back failed there for ever: there was no way past it."""
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        await at.agent("nav_to_path", pane="left", path=at.path("right"))
        os.rmdir(at.root / "left" / "src")
        answer = await at.agent("nav_back", pane="left")
        assert answer == (
            f"ERROR: Path not found: {at.path('left/src')}. It is out of the history now; repeat to go further."
        )
        await at.agent("nav_back", pane="left")
        assert at.tab().path == bytes(at.root / "left")


async def test_enter_goes_into_folders_and_views_files(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="docs")
        assert (await at.agent("open_under_cursor")).startswith(f"OK: Navigated to {at.path('left/docs')}\n")
        await at.agent("move_cursor", pane="left", to="guide.md")
        viewed = f"OK: Opened file viewer for {at.path('left/docs/guide.md')}"
        assert await at.agent("open_under_cursor") == viewed


async def test_viewing_the_same_file_twice_opens_one_viewer(desk):
    """Each Enter opened one more."""
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="README.md")
        for _ in range(3):
            await at.agent("open_under_cursor")
        assert len(at.workspace.dialogs) == 1


async def test_enter_follows_a_link_to_a_folder_by_its_own_name(desk):
    async with desk() as at:
        (at.root / "left" / "link").symlink_to("docs")
        await at.agent("refresh", pane="left")
        await at.agent("move_cursor", pane="left", to="link")
        await at.agent("open_under_cursor")
        assert at.tab().path == bytes(at.root / "left/link")


async def test_an_empty_pane_has_nothing_to_open(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        assert await at.agent("open_under_cursor", pane="left") == "ERROR: The left pane is empty."


async def test_a_pinned_tab_opens_a_new_tab_instead(desk):
    async with desk() as at:
        first = at.tab()
        await at.agent("pin_tab", pane="left", tab=first.id)
        answer = await at.agent("nav_to_path", pane="left", path="docs")
        assert answer.splitlines()[-1] == f"new tab: {at.tab().id} ({first.id} is pinned and stays)"
        assert (first.path, len(at.workspace.left.tabs)) == (bytes(at.root / "left"), 2)
        assert at.tab().path == bytes(at.root / "left/docs")


async def test_of_two_navigations_at_once_the_last_wins_and_the_first_is_told(desk, monkeypatch):
    async with desk() as at:
        go, reached = threading.Event(), threading.Event()
        real = folder_reader.scan

        def slow(path, *args, **kwargs):
            if path.endswith(b"docs"):
                reached.set()
                go.wait()
            return real(path, *args, **kwargs)

        monkeypatch.setattr(folder_reader, "scan", slow)
        first = asyncio.ensure_future(at.agent("nav_to_path", pane="left", path="docs"))
        assert await asyncio.to_thread(reached.wait, 60)
        second = await at.person("nav_to_path", pane="left", path="src")
        assert await asyncio.wait_for(first, 60) == "ERROR: The folder was left before it was read."
        assert second.startswith("OK: Navigated to")
        assert at.tab().path == bytes(at.root / "left/src")
        go.set()


async def test_a_dead_mount_holds_up_nobody_but_its_caller(desk, monkeypatch):
    monkeypatch.setattr(folder_reader, "DISK_TIMEOUT_S", 2.0)
    async with desk() as at:
        hang, reached = threading.Event(), threading.Event()
        real = folder_reader.scan

        def dead(path, *args, **kwargs):
            if path.endswith(b"docs"):
                reached.set()
                hang.wait()
            return real(path, *args, **kwargs)

        monkeypatch.setattr(folder_reader, "scan", dead)
        stuck = asyncio.ensure_future(at.agent("nav_to_path", pane="left", path="docs"))
        assert await asyncio.to_thread(reached.wait, 60)
        assert (await at.state())["left"]["totalFiles"] == 6
        assert (await at.agent("refresh", pane="right")).startswith("OK: Refreshed right pane")
        answer = await stuck
        assert answer.startswith(f"ERROR: No answer from {at.path('left/docs')} within")
        hang.set()


async def test_a_refresh_reads_the_folder_again(desk):
    async with desk() as at:
        (at.root / "left" / "new").touch()
        answer = await at.agent("refresh")
        assert answer == f"OK: Refreshed left pane\ntotalFiles: 7 rev: {at.tab().rev}"


async def test_a_refresh_of_a_vanished_folder_says_so_in_answer_and_state(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        os.rmdir(at.root / "left" / "src")
        assert await at.agent("refresh", pane="left") == f"ERROR: Path not found: {at.path('left/src')}"
        state = await at.state(pane="left")
        assert state["left"]["problem"] == f"Path not found: {at.path('left/src')}"
        assert state["left"]["totalFiles"] == 0


class TestVolumes:
    @pytest.fixture(autouse=True)
    def table(self, small_tree, tmp_path, monkeypatch):
        path = tmp_path / "mountinfo"
        stick = os.fsencode(small_tree / "left" / "docs")
        path.write_bytes(
            b"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / " + stick + b" rw - vfat /dev/sdb1 rw\n"
            b"3 1 0:3 / /proc rw - proc proc rw\n4 1 8:3 / /mnt/My\\040Disk rw - ext4 /dev/sdc1 rw\n"
        )
        monkeypatch.setattr(mounted, "MOUNT_TABLE", str(path))
        return path

    async def test_the_state_lists_them_and_a_pane_can_show_one(self, desk):
        async with desk() as at:
            assert (await at.state())["volumes"] == ["Root", "My Disk", "docs"]
            answer = await at.agent("select_volume", pane="left", name="docs")
            assert answer == (
                f"OK: Selected volume docs\npath: {at.path('left/docs')} totalFiles: 2 rev: {at.tab().rev}"
            )
            assert (await at.state())["left"]["volume"] == "docs"

    async def test_the_volume_one_is_on_is_not_left(self, desk):
        async with desk() as at:
            answer = await at.agent("select_volume", pane="left", name="Root")
            assert answer == "OK: Volume Root is already shown in the left pane"
            assert at.tab().path == bytes(at.root / "left")

    async def test_an_unknown_volume_is_told_with_the_known_ones(self, desk):
        async with desk() as at:
            answer = await at.agent("select_volume", pane="left", name="External\nSSD")
            assert answer == 'ERROR: No volume "External\\u{a}SSD". There are: Root, My Disk, docs.'

    async def test_a_volume_mounted_meanwhile_is_there(self, desk, table):
        async with desk() as at:
            with open(table, "ab") as file:
                file.write(b"9 1 8:9 / " + os.fsencode(at.path("left/src")) + b" rw - ext4 /dev/sdz rw\n")
            assert (await at.agent("select_volume", pane="right", name="src")).startswith("OK: Selected volume src")

    async def test_a_picker_opens_for_one_pane_at_a_time(self, desk):
        async with desk() as at:
            assert await at.agent("pane.leftVolumeChooser") == "OK: Opened volume picker for the left pane"
            assert await at.agent("pane.rightVolumeChooser") == "OK: Opened volume picker for the right pane"
            assert [dialog.pane for dialog in at.workspace.dialogs] == ["right"]
