"""The first thing the person sees: both folders, read and drawn before anything heavy is loaded.

The application that is loaded then finds the same workspace and draws the same picture, so nothing jumps. A folder
that does not answer at once, or is very large, is left to it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING

from cmdr.core import places
from cmdr.core.panes.saved_tabs import SavedTabs, prepare_workspace
from cmdr.core.settings import Settings
from cmdr.files.errors import DiskError
from cmdr.files.file_stat import folder_mtime_ns, stat_entries
from cmdr.files.folder_reader import FolderReader
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace
from cmdr.tui.terminal.first_frame import first_frame
from cmdr.tui.terminal.startup_terminal import StartupTerminal

if TYPE_CHECKING:
    from cmdr.cli.launcher import Start

READ_TIMEOUT_S = 0.1
"""Seconds the first frame waits for the disk; without an answer it shows the panes empty."""
MAX_ENTRIES = 5000
"""Entries that are read and sorted in no time."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What the person found at the start, for the application to go on with."""

    workspace: Workspace
    settings: Settings
    saved_tabs: SavedTabs
    startup: StartupTerminal | None = None


@contextmanager
def opened(start: Start) -> Iterator[Opening]:
    """The workspace as the person left it, on the screen if there is one; the terminal is given back at the end."""
    workspace = Workspace.at(start.left or os.getcwdb(), start.right or os.path.expanduser(b"~"))
    with places.needed():
        settings = Settings(places.config())
        saved_tabs = SavedTabs(places.state(), start.left, start.right)
    startup = StartupTerminal.current()
    if startup is None:
        yield Opening(workspace, settings, saved_tabs)
        return
    with startup:
        prepare_workspace(workspace, settings, saved_tabs)
        width, height = startup.size
        read_at_once(workspace, height)
        startup.show(first_frame(workspace, settings, width, height))
        yield Opening(workspace, settings, saved_tabs, startup)


def read_at_once(workspace: Workspace, rows: int) -> None:
    """Put the folders into the panes as far as they can be read at once, with the facts of their first rows."""
    readers = [_Reader(pane.tab, rows, show_hidden=workspace.show_hidden) for pane in workspace.panes]
    ends = time.monotonic() + READ_TIMEOUT_S
    for reader in readers:
        reader.thread.join(max(0.0, ends - time.monotonic()))
    for reader in readers:
        if reader.listing is not None:
            reader.tab.show(reader.listing)


class _Reader:
    """Reads one folder in a thread that nobody waits for when its mount is dead."""

    def __init__(self, tab: Tab, rows: int, *, show_hidden: bool) -> None:
        self.tab = tab
        self.listing: Listing | None = None
        self._rows = rows
        self._show_hidden = show_hidden
        self.thread = Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        try:
            reading, mark = FolderReader(self.tab.path), folder_mtime_ns(self.tab.path)
            with os.scandir(self.tab.path) as entries:
                reading.take(islice(entries, MAX_ENTRIES))
                if next(entries, None) is not None:
                    return
            listing = reading.listing(self.tab.sort, show_hidden=self._show_hidden)
            listing.mark = mark
            cursor = self.tab.first_cursor(listing, self.tab.saved_cursor) or 0
            shown = listing.order[max(0, cursor - self._rows) : cursor + self._rows]
            listing.looked_up.update(
                zip(shown, stat_entries(self.tab.path, [listing.columns.name(row) for row in shown]), strict=True)
            )
        except (OSError, ValueError, DiskError):
            return  # the application tells what is wrong, and shows the nearest folder that can be read
        self.listing = listing
