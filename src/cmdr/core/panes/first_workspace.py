"""The workspace as the person wants to find it at the start: their view, hidden files or not, the tabs of last time."""

from cmdr.core.panes.open_tabs import OpenTabs
from cmdr.core.settings import Settings
from cmdr.model.panes.tab import ViewMode
from cmdr.model.panes.workspace import Workspace


def furnish(workspace: Workspace, settings: Settings, open_tabs: OpenTabs | None) -> None:
    """Put the person's choices into a workspace nothing was read into yet."""
    workspace.show_hidden = settings.flag("general.show_hidden")
    for tab in workspace.tabs:
        tab.view = ViewMode(settings.text("general.view"))
    if open_tabs is not None and settings.flag("general.restore_tabs"):
        open_tabs.restore(workspace)
