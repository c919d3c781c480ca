"""Panes on the disk: the last journey wins, nothing half-read is kept, and a dead mount holds up nobody else."""

import asyncio
import os
import threading

import pytest

from cmdr.core.events import Events
from cmdr.core.panes import browser, facts, folder_reader
from cmdr.core.panes.browser import Browser
from cmdr.core.panes.folder_reader import NoAnswer
from cmdr.files import scan as scanning
from cmdr.files.errors import NotAFolder, PathNotFound, ScanStopped
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.workspace import Workspace

BY_SIZE = SortOrder(SortKey.SIZE, Direction.DESC)


class Desk:
    """A browser over a left folder with files and folders, and an empty right one."""

    def __init__(self, root):
        self.root = root
        for name in ("left/sub", "left/other", "right"):
            (root / name).mkdir(parents=True)
        for name, size in {"b.txt": 10, "a.py": 30, ".hidden": 20}.items():
            (root / "left" / name).write_bytes(b"x" * size)
        self.workspace = Workspace.at(bytes(root / "left"), bytes(root / "right"))
        self.events = Events(self.workspace)
        self.browser = Browser(self.workspace, self.events, watch=False)
        self.pane = self.workspace.left

    @property
    def tab(self):
        return self.pane.tab

    def path(self, name=""):
        return bytes(self.root / "left" / name)

    def names(self):
        return [self.tab.listing.name(place) for place in range(len(self.tab.listing))]


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


class Gate:
    """Holds readings of some folders until they are let through, as a dead mount does."""

    def __init__(self, real):
        self.real = real
        self.held = {}
        self.reached = {}
        self.calls = []

    def hold(self, path):
        self.held[path] = threading.Event()
        self.reached[path] = threading.Event()
        return self.held[path]

    def __call__(self, path, *args, **kwargs):
        self.calls.append(path)
        if path in self.held:
            self.reached[path].set()
            self.held[path].wait()
        return self.real(path, *args, **kwargs)

    async def wait_until_reached(self, path):
        assert await asyncio.to_thread(self.reached[path].wait, 60)

    def let_all_through(self):
        for event in self.held.values():
            event.set()


@pytest.fixture
def gate(monkeypatch):
    held = Gate(folder_reader.scan)
    monkeypatch.setattr(folder_reader, "scan", held)
    yield held
    held.let_all_through()


async def test_a_start_reads_both_panes(desk):
    await desk.browser.start()
    assert desk.names() == [b"other", b"sub", b"a.py", b"b.txt"]
    assert desk.workspace.volumes
    assert desk.tab.rev == desk.workspace.right.tab.rev or desk.workspace.rev >= 2


async def test_a_start_in_a_folder_that_is_gone_gives_way_to_the_nearest(tmp_path):
    workspace = Workspace.at(bytes(tmp_path / "a" / "b" / "c"), bytes(tmp_path))
    await Browser(workspace, Events(workspace), watch=False).start()
    assert workspace.left.tab.path == bytes(tmp_path)
    assert [visit.path for visit in workspace.left.tab.history.visits] == [bytes(tmp_path)]


async def test_a_start_on_a_dead_mount_asks_it_only_once(desk, gate, monkeypatch):
    """It asked every folder above it in turn, each for as long as the first."""
    monkeypatch.setattr(folder_reader, "DISK_TIMEOUT_S", 2.0)  # the living folder must answer within it too
    for path in (desk.path("sub"), desk.path()):
        gate.hold(path)
    desk.tab.path = desk.path("sub")
    await asyncio.wait_for(desk.browser.start(), 60)
    assert desk.tab.path == b"/"
    assert gate.calls.count(desk.path()) == 0


async def test_of_two_journeys_the_last_wins_and_the_first_is_told(desk, gate):
    await desk.browser.start()
    gate.hold(desk.path("sub"))
    first = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    await desk.browser.open(desk.pane, desk.path("other"))
    # At once, although the first folder still does not answer.
    with pytest.raises(ScanStopped):
        await asyncio.wait_for(first, 60)
    assert desk.tab.path == desk.path("other")
    assert [visit.path for visit in desk.tab.history.visits] == [desk.path(), desk.path("other")]
    gate.let_all_through()


async def test_a_refresh_does_not_overtake_a_journey(desk, gate):
    """A live folder that changed while it was being left made the journey fail."""
    await desk.browser.start()
    gate.hold(desk.path("sub"))
    navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    await desk.browser.refresh(desk.tab)
    gate.let_all_through()
    assert (await navigation).path == desk.path("sub")


async def test_a_journey_ends_a_refresh_that_hangs(desk, gate):
    await desk.browser.start()
    gate.hold(desk.path())
    refresh = asyncio.ensure_future(desk.browser.refresh(desk.tab))
    await gate.wait_until_reached(desk.path())
    await desk.browser.open(desk.pane, desk.path("sub"))
    with pytest.raises(ScanStopped):
        await asyncio.wait_for(refresh, 60)
    assert desk.tab.path == desk.path("sub")


async def test_an_older_refresh_never_puts_back_an_older_state(desk, gate):
    await desk.browser.start()
    held = gate.hold(desk.path())
    real = gate.real
    gate.real = lambda path, *args, **kwargs: old
    old = real(desk.path(), SortOrder(), show_hidden=False)
    slow = asyncio.ensure_future(desk.browser.refresh(desk.tab))
    await gate.wait_until_reached(desk.path())
    del gate.held[desk.path()]
    gate.real = real
    (desk.root / "left" / "new").touch()
    await desk.browser.refresh(desk.tab)
    assert b"new" in desk.names()
    gate.real = lambda path, *args, **kwargs: real(path, *args, **kwargs) if gate.calls.count(path) > 3 else old
    held.set()
    await slow
    assert b"new" in desk.names()


async def test_a_sort_while_a_refresh_reads_is_kept(desk, gate):
    """The refresh put its rows in the old order under the new sort mark."""
    await desk.browser.start()
    held = gate.hold(desk.path())
    refresh = asyncio.ensure_future(desk.browser.refresh(desk.tab))
    await gate.wait_until_reached(desk.path())
    await desk.browser.sort(desk.tab, SortOrder(SortKey.NAME, Direction.DESC))
    held.set()
    await refresh
    assert desk.tab.sort == desk.tab.listing.sort
    assert desk.names() == [b"sub", b"other", b"b.txt", b"a.py"]


async def test_a_refresh_while_sorting_does_not_fail_the_sort(desk, monkeypatch):
    """It answered that the folder had changed, and that the call had to be repeated."""
    await desk.browser.start()
    listing = desk.tab.listing
    real, entered, go = type(listing).arranged, threading.Event(), threading.Event()

    def arranged(self, *args, **kwargs):
        if self is listing:
            entered.set()
            go.wait()
        return real(self, *args, **kwargs)

    monkeypatch.setattr(type(listing), "arranged", arranged)
    sorting = asyncio.ensure_future(desk.browser.sort(desk.tab, SortOrder(SortKey.EXT)))
    assert await asyncio.to_thread(entered.wait, 60)
    (desk.root / "left" / "c.a").touch()
    await desk.browser.refresh(desk.tab)
    go.set()
    await sorting
    assert desk.names() == [b"other", b"sub", b"c.a", b"a.py", b"b.txt"]


async def test_hidden_files_toggled_while_a_folder_is_read_are_right_in_the_end(desk, gate):
    await desk.browser.start()
    (desk.root / "left" / "sub" / ".dot").touch()
    held = gate.hold(desk.path("sub"))
    navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    await desk.browser.show_hidden(True)
    held.set()
    await navigation
    assert desk.names() == [b".dot"]


async def test_one_tab_that_cannot_be_read_does_not_fail_the_toggle_for_all(desk):
    """A background tab on a vanished folder, sorted by size, made toggle_hidden fail half-way."""
    await desk.browser.start()
    await desk.browser.open(desk.pane, desk.path("sub"), new_tab=True)
    await desk.browser.sort(desk.tab, BY_SIZE)
    os.rmdir(desk.path("sub"))
    with pytest.raises(PathNotFound):
        await desk.browser.refresh(desk.tab)
    await desk.browser.show_hidden(True)
    assert "Path not found" in desk.tab.problem
    assert b".hidden" in [desk.pane.tabs[0].listing.name(place) for place in range(5)]


async def test_a_tab_closed_while_it_travels_stays_closed(desk, gate):
    """Arriving opened it again."""
    await desk.browser.start()
    await desk.browser.open(desk.pane, desk.path("other"), new_tab=True)
    held = gate.hold(desk.path("sub"))
    navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    desk.pane.close_tab(desk.pane.active)
    held.set()
    with pytest.raises(ScanStopped):
        await navigation
    assert len(desk.pane.tabs) == 1


async def test_panes_swapped_during_a_journey_do_not_share_a_tab(desk, gate):
    """The arriving tab was opened once more on the side it had left."""
    await desk.browser.start()
    held = gate.hold(desk.path("sub"))
    navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    left, right = desk.workspace.panes
    left.tabs, right.tabs = right.tabs, left.tabs
    held.set()
    tab = await navigation
    assert right.tabs == [tab]
    assert len(left.tabs) == 1
    assert tab not in left.tabs


async def test_a_pinned_tab_stays_and_the_folder_opens_beside_it(desk):
    await desk.browser.start()
    pinned = desk.tab
    pinned.pinned = True
    tab = await desk.browser.open(desk.pane, desk.path("sub"))
    assert (pinned.path, desk.pane.tabs) == (desk.path(), [pinned, tab])
    assert desk.tab is tab
    assert not tab.pinned


async def test_going_back_from_a_pinned_tab_gives_the_new_tab_a_sound_history(desk):
    """Its empty history was moved below its beginning."""
    await desk.browser.start()
    await desk.browser.open(desk.pane, desk.path("sub"))
    desk.tab.pinned = True
    tab = await desk.browser.open(desk.pane, desk.path(), step=-1)
    assert [visit.path for visit in tab.history.visits] == [desk.path()]
    assert tab.history.here == 0


async def test_a_folder_that_cannot_be_opened_leaves_everything_as_it_was(desk):
    await desk.browser.start()
    before = (desk.tab, desk.names(), desk.tab.rev, desk.tab.history.here)
    with pytest.raises(PathNotFound):
        await desk.browser.open(desk.pane, desk.path("gone"))
    with pytest.raises(NotAFolder):
        await desk.browser.open(desk.pane, desk.path("a.py"), new_tab=True)
    assert (desk.tab, desk.names(), desk.tab.rev, desk.tab.history.here) == before
    assert len(desk.pane.tabs) == 1


async def test_a_folder_that_vanishes_while_shown_says_so_and_comes_back(desk):
    await desk.browser.open(desk.pane, desk.path("sub"))
    os.rmdir(desk.path("sub"))
    with pytest.raises(PathNotFound):
        await desk.browser.refresh(desk.tab)
    assert (desk.tab.problem, len(desk.tab.listing)) == (f"Path not found: {desk.root}/left/sub", 0)
    os.mkdir(desk.path("sub"))
    await desk.browser.refresh(desk.tab)
    assert desk.tab.problem is None


async def test_a_dead_mount_is_given_up_and_others_are_not_held_up(desk, gate, monkeypatch):
    monkeypatch.setattr(folder_reader, "DISK_TIMEOUT_S", 2.0)
    await desk.browser.start()
    gate.hold(desk.path("sub"))
    stuck = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
    await gate.wait_until_reached(desk.path("sub"))
    await desk.browser.open(desk.workspace.right, desk.path("other"))
    assert desk.workspace.right.tab.path == desk.path("other")
    with pytest.raises(
        NoAnswer, match=r"No answer from .*/left/sub within 2 s\. Its mount may be dead; go elsewhere\."
    ):
        await stuck
    assert desk.tab.path == desk.path()


async def test_a_slow_folder_that_answers_bit_by_bit_is_no_dead_mount(desk, monkeypatch):
    """A million files on a busy machine took more than the patience, and the pane went elsewhere."""
    await desk.browser.start()
    real = folder_reader.scan

    def slow(path, *args, alive, **kwargs):
        for _ in range(8):
            threading.Event().wait(0.1)
            alive()
        return real(path, *args, alive=alive, **kwargs)

    monkeypatch.setattr(folder_reader, "scan", slow)
    monkeypatch.setattr(folder_reader, "DISK_TIMEOUT_S", 2.0)
    await desk.browser.open(desk.pane, desk.path("sub"))
    assert desk.tab.path == desk.path("sub")
    monkeypatch.setattr(folder_reader, "MAX_READ_S", 0.3)
    with pytest.raises(NoAnswer):
        await desk.browser.open(desk.pane, desk.path("other"))


async def test_a_path_that_does_not_answer_is_an_error_one_can_act_on(desk, monkeypatch):
    """The bare TimeoutError counted as a fault of the program."""
    monkeypatch.setattr(facts, "DISK_TIMEOUT_S", 0.05)
    hang = threading.Event()
    monkeypatch.setattr(facts, "check_exists", lambda path: hang.wait())
    with pytest.raises(NoAnswer):
        await desk.browser.facts.check_exists(b"/dead")
    hang.set()


async def test_facts_that_do_not_come_are_not_waited_for_and_asked_only_once(desk, monkeypatch):
    """Every look at a pane on a dead mount hung for ever, and left one more thread behind."""
    monkeypatch.setattr(facts, "ROWS_TIMEOUT_S", 0.05)
    await desk.browser.start()
    hang, asked = threading.Event(), []

    def look(path, names):
        asked.append(path)
        hang.wait()
        return [None] * len(names)

    monkeypatch.setattr(facts, "stat_entries", look)
    for _ in range(3):
        await asyncio.wait_for(desk.browser.facts.look_up(desk.tab, 0, 4), 60)
    assert len(asked) == 1
    assert desk.tab.listing.looked_up == {}
    hang.set()
    while desk.browser.facts._pending:
        await asyncio.sleep(0)


async def test_facts_are_looked_up_once_for_the_rows_that_are_shown(desk):
    await desk.browser.start()
    await desk.browser.facts.look_up(desk.tab, 2, 3)
    assert {desk.tab.listing.columns.name(row): facts.size for row, facts in desk.tab.listing.looked_up.items()} == {
        b"a.py": 30
    }
    assert (await desk.browser.facts.at(desk.tab, 3)).size == 10


async def test_the_facts_of_any_path_and_where_a_link_leads(desk):
    os.symlink("nowhere", desk.path("link"))
    facts, target = await desk.browser.facts.of(desk.path("link"))
    assert (facts.size, target) == (7, b"nowhere")
    assert await desk.browser.facts.of(desk.path("gone")) == (None, None)
    assert (await desk.browser.facts.of(b"/"))[0].inode == os.lstat("/").st_ino


async def test_sorting_by_facts_reads_them_and_sorting_back_does_not(desk, gate):
    await desk.browser.start()
    reads = len(gate.calls)
    await desk.browser.sort(desk.tab, BY_SIZE)
    assert desk.names()[2:] == [b"a.py", b"b.txt"]
    await desk.browser.sort(desk.tab, SortOrder(SortKey.MODIFIED))
    await desk.browser.sort(desk.tab, SortOrder())
    assert len(gate.calls) == reads + 1


class TestLargeFolders:
    """Folders above the limit show their first part while a helper reads the rest."""

    @pytest.fixture(autouse=True)
    def small_limit(self, desk, monkeypatch):
        monkeypatch.setattr(scanning, "LARGE_FOLDER_ENTRIES", 20)
        monkeypatch.setattr(browser, "LARGE_FOLDER_ENTRIES", 20)
        for number in range(50):
            (desk.root / "left" / "sub" / f"f{number:02}").touch()
        self.go, self.helping = threading.Event(), threading.Event()
        real = scanning.scan_in_process

        def held(*args, stopped, **kwargs):
            self.helping.set()
            while not self.go.wait(0.01):
                if stopped():
                    raise ScanStopped
            return real(*args, stopped=stopped, **kwargs)

        monkeypatch.setattr(scanning, "scan_in_process", held)
        yield
        self.go.set()

    async def first_part(self, desk):
        while desk.tab.listing.complete:
            await asyncio.wait_for(desk.events.beyond(desk.events.rev), 60)

    async def test_the_first_part_is_shown_and_then_the_whole(self, desk):
        await desk.browser.start()
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        assert (desk.tab.path, len(desk.tab.listing)) == (desk.path("sub"), 20)
        self.go.set()
        await navigation
        assert (len(desk.tab.listing), desk.tab.listing.complete) == (50, True)

    async def test_going_back_into_a_large_folder_keeps_the_way_forward(self, desk):
        """Showing the first part counted as a new visit: the way forward was lost and the place wrong."""
        self.go.set()
        await desk.browser.start()
        await desk.browser.open(desk.pane, desk.path("sub"))
        desk.tab.put_cursor(45)
        name = desk.tab.cursor_name()
        await desk.browser.open(desk.pane, desk.path("other"))
        self.go.clear()
        visit = desk.tab.history.peek(-1)
        back = asyncio.ensure_future(desk.browser.open(desk.pane, visit.path, cursor=visit.cursor, step=-1))
        await self.first_part(desk)
        self.go.set()
        await back
        assert desk.tab.history.peek(1).path == desk.path("other")
        assert desk.tab.history.peek(-1).path == desk.path()
        assert desk.tab.cursor_name() == name

    async def test_a_cursor_moved_in_the_first_part_stays_on_its_entry(self, desk):
        await desk.browser.start()
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        desk.tab.put_cursor(7)
        name = desk.tab.cursor_name()
        self.go.set()
        await navigation
        assert desk.tab.cursor_name() == name

    async def test_a_cursor_at_the_top_stays_at_the_top(self, desk):
        """It stood on whatever the first part began with, somewhere among a million names."""
        await desk.browser.start()
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        (desk.root / "left" / "sub" / "a").touch()
        self.go.set()
        await navigation
        assert (desk.tab.cursor, desk.tab.cursor_name()) == (0, b"a")

    async def test_leaving_stops_the_helper(self, desk):
        await desk.browser.start()
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        await desk.browser.open(desk.pane, desk.path("other"))
        with pytest.raises(ScanStopped):
            await navigation
        assert desk.tab.path == desk.path("other")

    async def test_giving_up_after_the_first_part_leads_back(self, desk):
        """The first part stayed as if it were the folder, loading for ever."""
        await desk.browser.start()
        desk.tab.put_cursor(2)
        desk.tab.selection.add([3])
        before = desk.tab.listing, desk.tab.cursor_name(), list(desk.tab.selection.rows())
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        navigation.cancel()
        with pytest.raises(asyncio.CancelledError):
            await navigation
        assert desk.tab.path == desk.path()
        assert (desk.tab.listing, desk.tab.cursor_name(), list(desk.tab.selection.rows())) == before
        assert desk.tab.history.peek(-1) is None
        assert desk.tab.history.peek(1) is None

    async def test_giving_up_closes_a_tab_that_was_opened_for_it(self, desk):
        await desk.browser.start()
        here = desk.tab
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub"), new_tab=True))
        await self.first_part(desk)
        navigation.cancel()
        with pytest.raises(asyncio.CancelledError):
            await navigation
        assert desk.pane.tabs == [here]
        assert desk.tab is here

    async def test_a_large_folder_that_fails_after_its_first_part_says_so(self, desk, monkeypatch):
        """Its first part stayed, loading for ever."""
        monkeypatch.setattr(folder_reader, "DISK_TIMEOUT_S", 2.0)
        await desk.browser.start()
        with pytest.raises(NoAnswer):
            await desk.browser.open(desk.pane, desk.path("sub"))
        assert "No answer" in desk.tab.problem
        assert desk.tab.listing.complete

    async def test_sorting_the_first_part_leaves_it_a_first_part(self, desk):
        await desk.browser.start()
        navigation = asyncio.ensure_future(desk.browser.open(desk.pane, desk.path("sub")))
        await self.first_part(desk)
        await desk.browser.sort(desk.tab, SortOrder(SortKey.NAME, Direction.DESC))
        assert not desk.tab.listing.complete
        self.go.set()
        await navigation
        assert desk.names()[0] == b"f49"
        assert desk.tab.listing.complete
