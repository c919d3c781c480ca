"""Selecting: one by one, by mask, all, none, the difference of the panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.tui.actions import action
from cmdr.tui.actions.cursor import LAST, move

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def _mark(screen: MainScreen, step: int) -> None:
    """Turn the selection of the entry under the cursor over and move on by a step."""
    if screen.view.on_parent_row:
        move(screen, screen.view.cursor + step)  # it is never selected, only passed
        return
    screen.enqueue("selection.toggle", lambda: {"step": step} if len(screen.tab.listing) else None)


action("mark")(lambda screen: _mark(screen, 1))
action("mark_stay")(lambda screen: _mark(screen, 0))
action("mark_up")(lambda screen: _mark(screen, -1))
action("mark_down")(lambda screen: _mark(screen, 1))


def _mark_to(screen: MainScreen, place: int) -> None:
    """Select from the cursor to a place; from a selected row on, deselect. A page ends before the row it leads to."""
    view, tab = screen.view, screen.tab
    above, last = view.geometry.above, view.geometry.total(len(tab.listing)) - 1
    if not len(tab.listing):
        return
    here, there = view.cursor, max(0, min(place, last))
    rows = range(min(here, there), max(here, there) + 1)
    if there not in (0, last):
        rows = rows[1:] if there < here else rows[:-1]
    first = max(0, rows.start - above)
    count = rows.stop - above - first
    was = not view.on_parent_row and tab.listing.order[tab.cursor] in tab.selection
    mode = "subtract" if was else "add"
    if count > 0:
        screen.enqueue("select", {"pane": "focused", "start": first, "count": count, "mode": mode})
    move(screen, there)


action("mark_page_up")(lambda screen: _mark_to(screen, screen.view.page_from(screen.view.cursor, -1)))
action("mark_page_down")(lambda screen: _mark_to(screen, screen.view.page_from(screen.view.cursor, 1)))
action("mark_first")(lambda screen: _mark_to(screen, 0))
action("mark_last")(lambda screen: _mark_to(screen, LAST))
action("select_mask")(lambda screen: _by_mask(screen, "Select", "add"))
action("deselect_mask")(lambda screen: _by_mask(screen, "Deselect", "subtract"))


def _by_mask(screen: MainScreen, heading: str, mode: str) -> None:
    from cmdr.tui.windows.ask import Ask

    screen.terminal.ask(
        Ask(
            heading,
            "*",
            above=[[("Masks like *.py;*.md. Small letters match capitals too.", "dim")]],
            select=(0, 1),
            past=screen.prompt_history["mask"],
        ),
        lambda mask: screen.enqueue("selection.mask", {"mask": mask or "*", "mode": mode}, show_answer=True),
    )


@action("compare")
def compare(screen: MainScreen) -> None:
    """Select in both panes what differs from the other one."""
    from cmdr.tui.windows.choose import Choice, Choose

    ways = [
        Choice("newer", "Newer or missing", "select what is newer here or missing there"),
        Choice("size", "Different size", "select what differs in size, or is missing"),
        Choice("names", "Missing only", "select what the other pane does not have"),
        Choice("contents", "Different contents", "compare every byte; slow for large files"),
    ]
    screen.terminal.ask(
        Choose("Compare the panes", ways), lambda by: screen.enqueue("compare_panes", {"by": by}, show_answer=True)
    )
