"""Choose a report on the folder of the pane; it opens as a pane of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.report_kinds import REPORT_KINDS
from cmdr.tui.pane_frame import tilde
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def report_window(screen: MainScreen) -> Choose:
    """The reports there are on the folder that is shown."""
    where = tilde(screen.tab.path, screen.terminal.appearance.home)
    reports = [Choice(*kind) for kind in REPORT_KINDS]
    return Choose(f"Report on {where}", reports, hint="Enter opens it in a new tab · Esc closes")
