"""Dialogs are part of the workspace: faces draw them, closing one anywhere closes it everywhere."""

from dataclasses import dataclass
from enum import StrEnum

from cmdr.model.panes.pane import Side


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
