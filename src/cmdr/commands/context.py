"""What the person is looking at, in one line each."""

import json
import os

from cmdr.commands.file import under_cursor
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Workspace

SHOWN = 50


@command("context_get_selection", access=Access.READ, toolset="fs", idempotent=True)
def context_get_selection(workspace: Workspace) -> str:
    """The selected files of the focused pane, else the one under the cursor."""
    pane = workspace.pane(workspace.focused)
    tab = pane.tab
    columns = tab.listing.columns
    names = [os.path.join(tab.path, columns.name(row)) for row in tab.selection.rows()]
    if not names:
        try:
            names = [under_cursor(pane)]
        except CommandError:
            return "nothing; the pane is empty"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return json.dumps([to_wire(name) for name in names[:SHOWN]], ensure_ascii=False) + more


@command("context_get_current_paths", access=Access.READ, toolset="fs", idempotent=True)
def context_get_current_paths(workspace: Workspace) -> str:
    """The folders both panes show."""
    return json.dumps({pane.side.value: to_wire(pane.tab.path) for pane in workspace.panes}, ensure_ascii=False)


@command("context_get_focused_pane", access=Access.READ, toolset="fs", idempotent=True)
def context_get_focused_pane(workspace: Workspace) -> str:
    """Which pane has the focus."""
    return workspace.focused.value
