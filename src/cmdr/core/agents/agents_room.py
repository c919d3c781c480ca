"""How much of the workspace agents may fill: tabs and windows beyond that are the person's alone."""

from cmdr.core.acting import person_acts
from cmdr.core.errors import CommandError
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.workspace import DialogType, Workspace

TABS = 30
"""Tabs in a pane to which an agent adds no more."""
WINDOWS = 20
"""Windows that one agent may have open; questions about proposals are counted elsewhere."""
_AGENT = "agent:"


def check_tabs(pane: Pane) -> None:
    """Refuse an agent another tab in a pane that has many."""
    if len(pane.tabs) >= TABS and not person_acts():
        raise CommandError(f"The {pane.side} pane has {len(pane.tabs)} tabs. Close one, or use one that is there.")


def check_windows(workspace: Workspace, by: str) -> None:
    """Refuse an agent another window when it has opened many."""
    own = [each for each in workspace.dialogs if each.opened_by == by and each.type is not DialogType.CONFIRMATION]
    if by.startswith(_AGENT) and len(own) >= WINDOWS:
        raise CommandError(f"{len(own)} windows that you opened are open. Close some first: dialog with action close.")
