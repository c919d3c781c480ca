"""Facts about one entry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.panes.entry_info import info_of
from cmdr.model.names import to_wire
from cmdr.model.panes.dialog import Dialog
from cmdr.tui.windows.line_list import Row
from cmdr.tui.windows.reading import Reading

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


class Info(Reading):
    """What the disk says about an entry."""

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        self._path = dialog.path or b"/"
        self._screen = screen
        super().__init__(
            f"Info: {to_wire(os.path.basename(self._path) or b'/')}", [[("…", "dim")]] * 6, dialog=dialog.id
        )

    def opened(self) -> None:
        """Look it up in a thread: a dead mount must not hold the window up."""
        self.catch_up(self._look)

    async def _look(self) -> None:
        rows = await info_of(self._screen.commander, self._path)
        listed: list[Row] = [[(f" {name:<12}", "dim"), (value, "file")] for name, value in rows]
        self.show(listed)
