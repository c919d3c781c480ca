"""Everything that is open: one workspace, owned by one event loop, changed in short synchronous steps."""

from dataclasses import dataclass, field
from itertools import count

from cmdr.model.panes.dialog import Dialog, DialogType, SettingsSection
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.volume import Volume


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
