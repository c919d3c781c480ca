"""What the person is looking at, in one line each."""

import json
import os

from cmdr.commands.panes.file import under_cursor
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Workspace
from cmdr.model.results.result import Said

MAX_NAMES = 50


@command("context_get_selection", access=Access.READ, toolset="panes", idempotent=True)
def context_get_selection(workspace: Workspace) -> Said:
    """The selected files of the focused pane, else the one under the cursor."""
    pane = workspace.pane(workspace.focused)
    tab = pane.tab
    columns = tab.listing.columns
    names = [os.path.join(tab.path, columns.name(row)) for row in tab.selection.rows()]
    if not names:
        try:
            names = [under_cursor(pane)]
        except CommandError:
            return Said("nothing; the pane is empty")
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return Said(json.dumps([to_wire(name) for name in names[:MAX_NAMES]], ensure_ascii=False) + more)


@command("context_get_current_paths", access=Access.READ, toolset="panes", idempotent=True)
def context_get_current_paths(workspace: Workspace) -> Said:
    """The folders both panes show."""
    return Said(json.dumps({pane.side.value: to_wire(pane.tab.path) for pane in workspace.panes}, ensure_ascii=False))


@command("context_get_focused_pane", access=Access.READ, toolset="panes", idempotent=True)
def context_get_focused_pane(workspace: Workspace) -> Said:
    """Which pane has the focus."""
    return Said(workspace.focused.value)
