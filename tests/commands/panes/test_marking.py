"""Selecting in a folder too large to look through on the loop: others are not held up, giving up changes nothing."""

import asyncio
import threading
from array import array

import pytest

from cmdr.commands.panes import selection
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.panes import folder_reader
from cmdr.core.threads import in_thread
from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

MANY = 20_000
BACKWARDS = SortOrder(SortKey.NAME, Direction.DESC)


@pytest.fixture(scope="module")
def columns():
    names = [b"f%06d.%s" % (number, b"py" if number % 2 else b"md") for number in range(MANY)]
    return Columns(
        names=b"\0" + b"\0".join(names) + b"\0",
        starts=array("I", (1 + 11 * number for number in range(MANY + 1))),
        kinds=b"f" * MANY,
        inodes=array("Q", range(1, MANY + 1)),
        folder_count=0,
    )


def fill(at, columns, sort=BACKWARDS):
    at.tab().show(Listing.of(columns, sort, show_hidden=True), path=b"/many")


class Gate:
    """Stands before the work that is done beside the loop: it waits until it is let through."""

    def __init__(self, monkeypatch, module):
        self.reached, self._open = asyncio.Event(), threading.Event()
        monkeypatch.setattr(module, "in_thread", self._in_thread)

    async def _in_thread(self, work, *args):
        self.reached.set()
        await in_thread(self._open.wait)
        return await in_thread(work, *args)

    def open(self):
        self._open.set()


@pytest.fixture
def gate(monkeypatch):
    made = Gate(monkeypatch, selection)
    yield made
    made.open()


@pytest.mark.parametrize(
    ("command", "arguments", "count"),
    [
        ("selection.all", {}, MANY),
        ("selection.invert", {}, MANY),
        ("selection.mask", {"mask": "*.py"}, MANY // 2),
        ("select", {"pane": "left", "count": "all"}, MANY),
        ("select", {"pane": "left", "start": 5, "count": MANY - 10}, MANY - 10),
    ],
)
async def test_the_loop_goes_round_while_rows_are_looked_through(desk, columns, gate, command, arguments, count):
    async with desk() as at:
        fill(at, columns)
        call = asyncio.ensure_future(at.commander.run(PERSON, command, arguments))
        await gate.reached.wait()
        assert at.tab().selection.count == 0
        assert (await at.person("context_get_focused_pane")).startswith("OK: ")
        gate.open()
        await call
        assert at.tab().selection.count == count


async def test_giving_up_leaves_the_selection_as_it_was(desk, columns, gate):
    async with desk() as at:
        fill(at, columns)
        at.tab().selection.add([3, 5])
        call = asyncio.ensure_future(at.commander.run(PERSON, "selection.mask", {"mask": "*.py"}))
        await gate.reached.wait()
        call.cancel()
        await asyncio.wait({call})
        assert call.cancelled()
        assert list(at.tab().selection.rows()) == [3, 5]


async def test_what_is_toggled_meanwhile_is_not_lost(desk, columns, gate):
    async with desk() as at:
        fill(at, columns)
        call = asyncio.ensure_future(at.commander.run(PERSON, "selection.mask", {"mask": "*.py"}))
        await gate.reached.wait()
        at.tab().selection.toggle(2)
        gate.open()
        await call
        assert at.tab().selection.count == MANY // 2 + 1


async def test_a_folder_read_anew_meanwhile_is_looked_through_again(desk, columns, gate):
    async with desk() as at:
        fill(at, columns)
        call = asyncio.ensure_future(at.commander.run(PERSON, "selection.all", {}))
        await gate.reached.wait()
        gate.open()
        at.tab().show(Listing.of(columns, SortOrder(), show_hidden=True))
        await call
        assert at.tab().selection.count == MANY


async def test_thousands_selected_follow_a_refresh_without_holding_up_the_loop(desk, monkeypatch):
    async with desk() as at:
        folder = at.root / "left"
        for number in range(3000):
            (folder / f"n{number}").touch()
        await at.person("refresh", pane="left")
        await at.person("selection.all")
        (folder / "zz").touch()
        (folder / "n7").unlink()
        beside = []

        async def noted(work, *args, **kwargs):
            beside.append(getattr(work, "__name__", ""))
            return await in_thread(work, *args, **kwargs)

        monkeypatch.setattr(folder_reader, "in_thread", noted)
        await at.commander.run(PERSON, "refresh", {"pane": "left"})
        assert at.tab().selection.count == 3005
        assert "zz" not in at.selected()
        assert "carried" in beside
