"""The tabs of last time: opened again as they were, never trusted, never in the way of a start."""

import json
import os

import pytest

from cmdr.core.panes.saved_tabs import MAX_TABS, NAME, SavedTabs
from cmdr.model.panes.pane import Side
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.tab import FoundEntries, Tab, ViewMode
from cmdr.model.panes.workspace import Workspace

BY_SIZE = SortOrder(SortKey.SIZE, Direction.DESC)


@pytest.fixture
def kept(tmp_path):
    return SavedTabs(str(tmp_path))


def with_tabs():
    workspace = Workspace.at(b"/a", b"/b")
    workspace.left.tabs.append(Tab("t8", b"/a/caf\xc3\xa9 \xff\n", BY_SIZE, ViewMode.FULL, pinned=True))
    workspace.left.tabs.append(Tab("t9", b"/c"))
    workspace.left.active = 1
    workspace.focused = Side.RIGHT
    return workspace


def described(pane):
    return [(tab.path, tab.sort, tab.view, tab.pinned) for tab in pane.tabs], pane.active


def test_everything_about_the_tabs_comes_back(kept):
    before, after = with_tabs(), Workspace.at(b"/x", b"/y")
    kept.save(before)
    kept.restore(after)
    assert [described(pane) for pane in after.panes] == [described(pane) for pane in before.panes]
    assert after.focused is Side.RIGHT
    assert len({tab.id for tab in after.tabs}) == 4


def test_the_cursor_is_kept_by_name_with_its_place_and_the_way_up_is_kept_too(kept):
    before, after = Workspace.at(b"/a", b"/b"), Workspace.at(b"/x", b"/y")
    before.left.tab.saved_cursor, before.left.tab.cursor = b"caf\xc3\xa9 \xff", 7
    before.right.tab.on_parent_row = True
    kept.save(before)
    kept.restore(after)
    assert (after.left.tab.saved_cursor, after.left.tab.cursor, after.left.tab.on_parent_row) == (
        b"caf\xc3\xa9 \xff", 7, False,
    )  # fmt: skip
    assert after.right.tab.on_parent_row


def test_tabs_kept_by_an_earlier_version_come_back_without_a_cursor(kept, tmp_path):
    row = '{"tabs": [["/old", "name", "asc", "brief", false]], "active": 0}'
    (tmp_path / NAME).write_text(f'{{"left": {row}, "right": {row}, "focused": "left"}}')
    (tmp_path / NAME).chmod(0o600)
    after = Workspace.at(b"/x", b"/y")
    kept.restore(after)
    assert after.left.tab.path == b"/old"
    assert after.left.tab.saved_cursor is None


def test_a_named_folder_begins_at_its_top(kept, tmp_path):
    before, after = Workspace.at(b"/a", b"/b"), Workspace.at(b"/named", b"/y")
    before.left.tab.saved_cursor, before.left.tab.cursor = b"there", 3
    kept.save(before)
    SavedTabs(str(tmp_path), left=b"/named").restore(after)
    assert (after.left.tab.saved_cursor, after.left.tab.cursor) == (None, 0)


def test_a_named_folder_takes_the_place_of_the_tab_in_front(kept, tmp_path):
    workspace = with_tabs()
    workspace.left.active = 2
    kept.save(workspace)
    after = Workspace.at(b"/named", b"/y")
    SavedTabs(str(tmp_path), left=b"/named").restore(after)
    assert [tab.path for tab in after.left.tabs] == [b"/a", b"/a/caf\xc3\xa9 \xff\n", b"/named"]
    assert after.right.tab.path == b"/b"
    assert after.focused is Side.LEFT


def test_a_named_folder_opens_beside_a_pinned_tab(kept, tmp_path):
    kept.save(with_tabs())
    after = Workspace.at(b"/named", b"/y")
    SavedTabs(str(tmp_path), left=b"/named").restore(after)
    assert after.left.tab.path == b"/named"
    assert [tab.pinned for tab in after.left.tabs] == [False, True, False, False]


def test_what_was_found_together_is_not_kept(kept):
    workspace = with_tabs()
    workspace.right.open_tab(Tab("t7", b"/b", found=FoundEntries("set", (b"x",))))
    kept.save(workspace)
    after = Workspace.at(b"/x", b"/y")
    kept.restore(after)
    assert described(after.right) == ([(b"/b", SortOrder(), ViewMode.BRIEF, False)], 0)


def test_a_thousand_tabs_are_kept_around_the_one_in_front(kept):
    workspace = Workspace.at(b"/0", b"/b")
    workspace.left.tabs += [Tab(f"n{number}", b"/%d" % number) for number in range(1, 1000)]
    workspace.left.active = 700
    kept.save(workspace)
    after = Workspace.at(b"/x", b"/y")
    kept.restore(after)
    assert len(after.left.tabs) == MAX_TABS
    assert after.left.tab.path == b"/700"


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "7", '{"left": 3}', '{"left": {"tabs": [], "active": 0}}', "[" * 5000,
        '{"left": {"tabs": [["/a", "name", "asc", "brief", false]], "active": 5}}',
        '{"left": {"tabs": [["a", "name", "asc", "brief", false]], "active": 0}}',
        '{"left": {"tabs": [["/a", "colour", "asc", "brief", false]], "active": 0}}',
        '{"left": {"tabs": [["/a"]], "active": 0}}', '{"left": {"tabs": "/abcd", "active": 0}}',
        '{"left": {"tabs": [[7, "name", "asc", "brief", 0]], "active": 0}}',
        '{"left": {"tabs": {"a": 1}, "active": 0}}',
        '{"left": {"tabs": [["/a", "name", "asc", "brief", false, 7, 7]], "active": 0}}',
        '{"left": {"tabs": [["/a", "name", "asc", "brief", false, "n", "0"]], "active": 0}}',
        '{"left": {"tabs": [["/a", "name", "asc", "brief", false, "n"]], "active": 0}}',
    ],
)  # fmt: skip
def test_a_damaged_file_costs_the_tabs_and_nothing_else(kept, tmp_path, text):
    (tmp_path / NAME).write_text(text)
    (tmp_path / NAME).chmod(0o600)
    workspace = Workspace.at(b"/x", b"/y")
    kept.restore(workspace)
    assert [pane.tab.path for pane in workspace.panes] == [b"/x", b"/y"]
    assert [len(pane.tabs) for pane in workspace.panes] == [1, 1]


def test_a_file_that_others_could_have_written_is_not_read(kept, tmp_path):
    kept.save(with_tabs())
    (tmp_path / NAME).chmod(0o666)
    workspace = Workspace.at(b"/x", b"/y")
    kept.restore(workspace)
    assert workspace.left.tab.path == b"/x"


def test_a_folder_that_cannot_be_written_does_not_keep_the_program_from_ending(tmp_path):
    SavedTabs(str(tmp_path / "gone")).save(with_tabs())


def test_the_file_is_replaced_in_one_step_and_private(kept, tmp_path):
    kept.save(with_tabs())
    kept.save(Workspace.at(b"/1", b"/2"))
    assert os.listdir(tmp_path) == [NAME]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / NAME).read_text())["left"]["tabs"][0][0] == "/1"


def test_where_an_agent_led_a_tab_is_remembered_until_the_person_names_a_folder(kept, tmp_path):
    before, after = Workspace.at(b"/a", b"/b"), Workspace.at(b"/x", b"/y")
    before.left.tab.opened_by_agent = True
    kept.save(before)
    kept.restore(after)
    assert (after.left.tab.opened_by_agent, after.right.tab.opened_by_agent) == (True, False)
    named = Workspace.at(b"/n", b"/y")
    SavedTabs(str(tmp_path), left=b"/n").restore(named)
    assert (named.left.tab.path, named.left.tab.opened_by_agent) == (b"/n", False)
