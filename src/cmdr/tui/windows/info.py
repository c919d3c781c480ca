"""Facts about one entry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.model.dialog import Dialog
from cmdr.model.formats import mode_text, moment
from cmdr.model.names import to_wire
from cmdr.model.units import exact_size
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
        self.run_worker(self._look())

    async def _look(self) -> None:
        facts, target = await self._screen.commander.browser.row_facts.of(self._path)
        rows: list[tuple[str, str]] = [("Path", to_wire(self._path))]
        if facts is None:
            rows.append(("", "It is gone, or cannot be read."))
        else:
            rows += [
                ("Size", exact_size(facts.size)),
                ("Modified", moment(facts.modified_ns)),
                (
                    "Created",
                    moment(facts.created_ns) if facts.created_ns is not None else "not kept by this file system",
                ),
                ("Permissions", f"{mode_text(facts.mode)}  {facts.mode & 0o7777:04o}"),
                ("Inode", f"{facts.inode} on device {facts.device}"),
            ]
        if target is not None:
            rows.append(("Leads to", to_wire(target)))
        listed: list[Row] = [[(f" {name:<12}", "dim"), (value, "file")] for name, value in rows]
        self.show(listed)
