"""What a line of the history says."""

from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Verb
from cmdr.tui.changes.history import _row


def test_a_rename_is_told_with_its_new_name():
    entry = HistoryEntry(
        7, Verb.RENAME, OperationState.DONE, "person:terminal", 0.0, 1.0, 3, 3, b"/h/old", b"new", None, None, None
    )
    told = "".join(text for text, _ in _row(entry, b"/h", 90))
    assert "~/old → new and 2 more  by terminal" in told


async def test_the_history_names_a_destination_only_where_it_says_something(face):
    async with face() as it:
        await it.type("readme")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.press("x", "ctrl+s")
        await it.until(lambda: "Saved" in it.drawn)
        await it.press("escape", "alt+z")
        await it.until(lambda: "write" in it.drawn)
        (row,) = [line for line in it.drawn.splitlines() if "write" in line]
        assert "readme.md  by" in row
        assert "→" not in row
