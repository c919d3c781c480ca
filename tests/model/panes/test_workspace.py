"""One workspace: panes, ids that are used once, and dialogs in the order they were brought to the front."""

from cmdr.model.panes.dialog import DialogType
from cmdr.model.panes.pane import Side
from cmdr.model.panes.workspace import Workspace


def test_a_new_workspace_has_one_tab_a_side():
    workspace = Workspace.at(b"/a", b"/b")
    assert [tab.path for tab in workspace.tabs] == [b"/a", b"/b"]
    assert workspace.pane(Side.RIGHT).tab.path == b"/b"
    assert workspace.panes == (workspace.left, workspace.right)


def test_ids_are_never_used_twice():
    workspace = Workspace.at(b"/", b"/")
    ids = {workspace.new_id("t") for _ in range(100)}
    assert len(ids | {tab.id for tab in workspace.tabs}) == 102


def test_the_last_dialog_is_in_front_and_closing_twice_does_nothing():
    workspace = Workspace.at(b"/", b"/")
    first = workspace.open_dialog(DialogType.ABOUT, "person:terminal")
    second = workspace.open_dialog(DialogType.FILE_VIEWER, "agent:x", path=b"/f")
    workspace.focus_dialog(first)
    assert workspace.dialogs == [second, first]
    workspace.close_dialog(first)
    workspace.close_dialog(first)
    assert workspace.dialogs == [second]
    assert workspace.dialogs_of(DialogType.FILE_VIEWER) == [second]
