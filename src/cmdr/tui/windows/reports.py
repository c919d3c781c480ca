"""Choose a report on the folder of the pane; it opens as a pane of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.tui.pane_frame import tilde
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

REPORTS = (
    Choice("largest-files", "Largest files", "what takes the room"),
    Choice("largest-dirs", "Largest folders", "with all they hold"),
    Choice("recent", "Changed last", "the newest first"),
    Choice("growth", "Grown and shrunk", "what has changed in size in the last week"),
    Choice("duplicates", "Equal files", "the same contents more than once"),
    Choice("empty", "Empty", "files and folders with nothing in them"),
    Choice("broken-links", "Broken links", "they lead nowhere"),
)


def report_window(screen: MainScreen) -> Choose:
    """The reports there are on the folder that is shown."""
    where = tilde(screen.tab.path, screen.terminal.appearance.home)
    return Choose(f"Report on {where}", REPORTS, hint="Enter opens it in a new tab · Esc closes")
