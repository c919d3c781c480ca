"""The tabs of both panes as they were last time: saved in a file when cmdr ends, restored when it starts.

Which folders were open is a convenience: a file that is missing, damaged or from elsewhere costs the tabs, not the
start. Tabs that show scattered entries together are not saved, because what they show was true only then, nor are
those of agents.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass

from cmdr.core import places
from cmdr.core.settings import Settings
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.tab import Tab, ViewMode
from cmdr.model.panes.workspace import Workspace

NAME = "tabs.json"
MAX_TABS = 30
"""Saved of one pane."""
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SavedTabs:
    """Where the tabs are saved, and the folders that were named at this start: they win over saved ones."""

    folder: str
    left: bytes | None = None
    right: bytes | None = None

    @property
    def _path(self) -> str:
        return os.path.join(self.folder, NAME)

    def restore(self, workspace: Workspace) -> None:
        """Put the saved tabs into a new workspace, unread; a named folder takes the place of the tab in front."""
        try:
            data = places.read(self._path, MAX_BYTES)
            saved = json.loads(data) if data else None
        except (places.UnsafePlace, OSError, ValueError, RecursionError):
            return
        if not isinstance(saved, dict):
            return
        for pane, named in ((workspace.left, self.left), (workspace.right, self.right)):
            _fill(workspace, pane, saved.get(pane.side.value), named)
        if saved.get("focused") == Side.RIGHT and self.left is None:
            workspace.focused = Side.RIGHT

    def save(self, workspace: Workspace) -> None:
        """Write down what is open; a disk that refuses is no reason not to end."""
        saved: dict[str, object] = {"focused": workspace.focused.value}
        for pane in workspace.panes:
            saved[pane.side.value] = _saved_pane(pane)
        data = json.dumps(saved, ensure_ascii=False).encode()
        if len(data) < MAX_BYTES:
            with suppress(OSError, places.UnsafePlace):
                places.write(self._path, data)


def _saved_pane(pane: Pane) -> dict[str, object]:
    folders = [tab for tab in pane.tabs if tab.found is None and not tab.agent]
    active = folders.index(pane.person_tab) if pane.person_tab in folders else 0
    first = max(0, min(active - MAX_TABS // 2, len(folders) - MAX_TABS))
    rows = [
        [to_wire(tab.path), tab.sort.by, tab.sort.direction, tab.view, tab.pinned, *_cursor(tab), tab.opened_by_agent]
        for tab in folders[first : first + MAX_TABS]
    ]
    return {"tabs": rows, "active": active - first}


def _cursor(tab: Tab) -> tuple[str, int]:
    """The name the cursor stands on, and its place for the case that the name is gone; -1 is the way up."""
    name = tab.saved_cursor or tab.cursor_name() or b""
    return to_wire(name), -1 if tab.on_parent_row else tab.cursor


def _fill(workspace: Workspace, pane: Pane, saved: object, named: bytes | None) -> None:
    if not isinstance(saved, dict):
        return
    try:
        tabs = [_tab(workspace, row) for row in saved["tabs"][:MAX_TABS]]
        active = int(saved["active"])
    except (KeyError, ValueError, TypeError):
        return
    if not 0 <= active < len(tabs):
        return
    pane.tabs, fresh = tabs, pane.tabs
    pane.active = active
    if named is not None and pane.tab.path != named:
        if pane.tab.pinned:
            pane.open_tab(fresh[0])
        else:
            tab = pane.tab
            tab.path, tab.saved_cursor, tab.cursor, tab.on_parent_row, tab.opened_by_agent = (
                named,
                None,
                0,
                False,
                False,
            )


def _tab(workspace: Workspace, row: list[object]) -> Tab:
    path, by, direction, view, pinned, *cursor = row
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        raise ValueError(path)
    sort = SortOrder(SortKey(str(by)), Direction(str(direction)))
    tab = Tab(workspace.new_id("t"), from_wire(path), sort, ViewMode(str(view)), bool(pinned))
    if cursor:  # a file of an earlier version has none
        name, place, *led = cursor
        if not isinstance(name, str) or not isinstance(place, int):
            raise ValueError(name)
        tab.saved_cursor, tab.cursor, tab.on_parent_row = from_wire(name) or None, max(0, place), place < 0
        tab.opened_by_agent = any(led)
    return tab


def prepare_workspace(workspace: Workspace, settings: Settings, saved_tabs: SavedTabs | None) -> None:
    """Put the person's choices into a workspace nothing was read into yet."""
    workspace.show_hidden = settings.flag("general.show_hidden")
    for tab in workspace.tabs:
        tab.view = ViewMode(settings.text("general.view"))
    if saved_tabs is not None and settings.flag("general.restore_tabs"):
        saved_tabs.restore(workspace)
