"""The workspace: panes, dialogs and volumes, owned by one event loop, changed in short synchronous steps."""

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

from cmdr.model.names import is_within
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab


@dataclass(frozen=True, slots=True)
class Volume:
    """One mounted file system that holds a person's files."""

    name: str
    """What people call it; unique, already printable."""
    path: bytes
    kind: str
    """The file system, as in `ext4` or `nfs4`."""
    remote: bool = False
    """Whether asking it something may take for ever."""


def volume_of(path: bytes, volumes: tuple[Volume, ...]) -> Volume | None:
    """The volume a path lies on: the deepest mount above it."""
    best: Volume | None = None
    for volume in volumes:
        inside = is_within(path, volume.path)
        if inside and (best is None or len(volume.path) > len(best.path)):
            best = volume
    return best


class DialogType(StrEnum):
    """Every kind of dialog there is."""

    SETTINGS = "settings"
    VOLUME_PICKER = "volume-picker"
    FILE_VIEWER = "file-viewer"
    INFO = "info"
    ABOUT = "about"
    CONFIRMATION = "confirmation"


class SettingsSection(StrEnum):
    """The sections of the settings dialog."""

    GENERAL = "general"
    APPEARANCE = "appearance"
    SHORTCUTS = "shortcuts"
    AGENTS = "agents"
    ADVANCED = "advanced"


DESCRIPTIONS = {
    DialogType.VOLUME_PICKER: "Only one can be open at a time",
    DialogType.FILE_VIEWER: "Opens for file under cursor, or specify path. Multiple can be open.",
    DialogType.INFO: "Facts about the file under cursor, or specify path.",
    DialogType.CONFIRMATION: "A proposed change that waits for the user. Opened by copy, mkdir …; can only be closed.",
}


@dataclass(slots=True, eq=False)
class Dialog:
    """An open dialog. The last one of the workspace's list is in front."""

    id: str
    type: DialogType
    opened_by: str
    section: SettingsSection | None = None
    path: bytes | None = None
    pane: Side | None = None
    proposal: str | None = None
    """The id of the proposal a confirmation asks about."""
    opening: int = 0
    """Counts openings: of two dialogs, the one with the higher number was opened later, whichever is in front."""


@dataclass(slots=True, eq=False)
class Workspace:
    """Panes, focus, dialogs and volumes. `rev` rises with every change anybody could see."""

    left: Pane
    right: Pane
    focused: Side = Side.LEFT
    show_hidden: bool = False
    dialogs: list[Dialog] = field(default_factory=list)
    volumes: tuple[Volume, ...] = ()
    rev: int = 0
    _ids: "count[int]" = field(default_factory=lambda: count(1))

    @classmethod
    def at(cls, left: bytes, right: bytes) -> "Workspace":
        """A new workspace with one tab a side."""
        workspace = cls(Pane(Side.LEFT, []), Pane(Side.RIGHT, []))
        workspace.left.tabs.append(Tab(workspace.new_id("t"), left))
        workspace.right.tabs.append(Tab(workspace.new_id("t"), right))
        return workspace

    def new_id(self, letter: str) -> str:
        """A short id that is used once, as in `t3`. It names things; it never proves anything."""
        return f"{letter}{next(self._ids)}"

    def pane(self, side: Side) -> Pane:
        """The pane on a side."""
        return self.left if side is Side.LEFT else self.right

    @property
    def panes(self) -> tuple[Pane, Pane]:
        """Both panes, left first."""
        return self.left, self.right

    def focus(self, side: Side) -> None:
        """Move the focus."""
        self.focused = side

    def swap(self) -> None:
        """Exchange what the panes show; tabs of agents stay where they are."""
        fronts = [pane.person_tab for pane in self.panes]
        own = [pane.person_tabs for pane in self.panes]
        for pane, tabs, front in zip(self.panes, reversed(own), reversed(fronts), strict=True):
            pane.tabs = [*tabs, *(tab for tab in pane.tabs if tab.agent)]
            pane.active = pane.tabs.index(front)
        self.left.closed, self.right.closed = self.right.closed, self.left.closed

    def first_row(self, tab: Tab) -> int:
        """The first row that agents are shown of a tab."""
        return tab.window

    def scroll(self, tab: Tab, row: int) -> None:
        """Choose the first row that agents are shown of a tab."""
        tab.window = row

    @property
    def tabs(self) -> list[Tab]:
        """All tabs of both panes."""
        return [*self.left.tabs, *self.right.tabs]

    def open_dialog(
        self,
        type: DialogType,
        opened_by: str,
        *,
        section: SettingsSection | None = None,
        path: bytes | None = None,
        pane: Side | None = None,
        proposal: str | None = None,
    ) -> Dialog:
        """Open a dialog in front of the others."""
        opening = max((present.opening for present in self.dialogs), default=0) + 1
        dialog = Dialog(self.new_id("d"), type, opened_by, section, path, pane, proposal, opening)
        self.dialogs.append(dialog)
        return dialog

    def focus_dialog(self, dialog: Dialog) -> None:
        """Bring a dialog to the front."""
        self.dialogs.remove(dialog)
        self.dialogs.append(dialog)

    def close_dialog(self, dialog: Dialog) -> None:
        """Close a dialog, if it is still open."""
        if dialog in self.dialogs:
            self.dialogs.remove(dialog)

    def dialogs_of(self, type: DialogType) -> list[Dialog]:
        """The open dialogs of one type, the most recent last."""
        return [dialog for dialog in self.dialogs if dialog.type is type]
