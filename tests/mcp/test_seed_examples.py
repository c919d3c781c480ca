"""Every example call and answer of the first design note, sections 3 to 9, as printed there; only paths differ."""

import re

import pytest
import yaml

from cmdr.files import volumes


@pytest.fixture
def david(tree):
    """The home of the examples: `package.json` at index 5, a `projects` folder, a read-me."""
    home = tree.root / "Users" / "david"
    (home / "projects").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.txt", "notes.md", "package.json", "readme.md"):
        (home / name).write_text(name)
    return home


@pytest.fixture
def external(tree, monkeypatch):
    """A mount table that names a volume `External SSD`."""
    point = tree.root / "Volumes" / "External SSD"
    point.mkdir(parents=True)
    table = tree.root / "mountinfo"
    escaped = str(point).replace(" ", "\\040")
    table.write_text(
        "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "21 20 0:5 / /proc rw - proc proc rw\n"
        f"22 20 8:17 / {escaped} rw - exfat /dev/sdb1 rw\n"
    )
    monkeypatch.setattr(volumes, "MOUNT_TABLE", str(table))
    return point


@pytest.fixture
def at_david(inside, david):
    """The left pane shows the home of the examples."""
    inside.call("nav_to_path", pane="left", path=str(david))
    return inside


def numbered(folder, count):
    """A folder with so many files."""
    folder.mkdir()
    for number in range(count):
        (folder / f"file{number}").touch()
    return folder


def test_section_3_select_volume(inside, external):
    answer = inside.call("select_volume", pane="left", name="External SSD")
    assert answer.first == "OK: Selected volume External SSD"
    state = yaml.safe_load(inside.call("state"))
    assert state["left"]["volume"] == "External SSD"
    assert state["left"]["path"] == str(external)
    assert state["volumes"] == ["Root", "External SSD"]


def test_section_3_and_9_nav_to_path(inside, david):
    assert inside.call("nav_to_path", pane="left", path=str(david)).first == f"OK: Navigated to {david}"
    assert inside.call("nav_to_path", pane="left", path=f"{david}/projects").first == (
        f"OK: Navigated to {david}/projects"
    )
    assert inside.call("nav_to_path", pane="left", path=f"{david}/nonexistent").first == (
        f"ERROR: Path not found: {david}/nonexistent"
    )


@pytest.mark.parametrize("to", [5, "package.json"])
def test_section_3_and_9_move_cursor(at_david, to):
    assert at_david.call("move_cursor", pane="left", to=to) == "OK: Cursor moved to index 5 (package.json)"


def test_section_3_scroll_to(inside, tree):
    inside.call("set_view_mode", pane="left", mode="brief")
    inside.call("nav_to_path", pane="left", path=str(numbered(tree.root / "many", 25_100)))
    assert inside.call("scroll_to", pane="left", index=25000) == "OK: Scrolled to index 25000"
    left = yaml.safe_load(inside.call("state", pane="left"))["left"]
    assert left["totalFiles"] == 25_100
    assert left["loadedRange"] == [25000, 25050]
    assert left["files"][0] == "i:25000 f file25000"


def test_section_3_kept_tools(at_david, david):
    at_david.call("move_cursor", pane="left", to="projects")
    assert at_david.call("open_under_cursor").first == f"OK: Navigated to {david}/projects"
    assert at_david.call("nav_to_parent").first == f"OK: Navigated to {david}"
    assert at_david.call("nav_back").first == f"OK: Navigated to {david}/projects"
    assert at_david.call("nav_forward").first == f"OK: Navigated to {david}"
    at_david.call("move_cursor", pane="left", to="readme.md")
    assert at_david.call("open_under_cursor") == f"OK: Opened file viewer for {david}/readme.md"


def selected(agent):
    """Which indices of the left pane are selected."""
    left = yaml.safe_load(agent.call("state", pane="left"))["left"]
    rows = [int(re.match(r"i:(\d+) ", row)[1]) for row in left["files"] if row.endswith("[sel]")]
    assert left["selected"] == len(rows)
    return rows


def test_section_4_and_9_select(inside, tree):
    inside.call("nav_to_path", pane="left", path=str(numbered(tree.root / "many", 40)))
    for arguments, answer, rows in [
        ({"start": 5, "count": 6}, "OK: Selected 6 files", range(5, 11)),
        ({"start": 0, "count": "all"}, "OK: Selected 40 files", range(40)),
        ({"start": 0, "count": 0}, "OK: Selected 0 files", []),
        ({"start": 0, "count": 10}, "OK: Selected 10 files", range(10)),
        ({"start": 20, "count": 5, "mode": "add"}, "OK: Selected 15 files", [*range(10), *range(20, 25)]),
        (
            {"start": 3, "count": 3, "mode": "subtract"},
            "OK: Selected 12 files",
            [0, 1, 2, *range(6, 10), *range(20, 25)],
        ),
        ({"start": 7, "count": 1, "mode": "replace"}, "OK: Selected 1 file", [7]),
    ]:
        assert inside.call("select", pane="left", **arguments) == answer
        assert selected(inside) == list(rows)


def test_section_5_settings(inside):
    opened = inside.call("dialog", action="open", type="settings", section="shortcuts")
    assert opened == "OK: Opened settings"
    (shown,) = yaml.safe_load(inside.call("state"))["dialogs"]
    assert shown.pop("shortcuts")["help"] == "f1"
    assert shown == {"type": "settings", "section": "shortcuts", "focused": True}


def test_section_5_file_viewers(at_david, david):
    readme, package = f"{david}/readme.md", f"{david}/package.json"
    at_david.call("move_cursor", pane="left", to="package.json")
    assert at_david.call("dialog", action="open", type="file-viewer") == f"OK: Opened file viewer for {package}"
    opened = at_david.call("dialog", action="open", type="file-viewer", path=readme)
    assert opened == f"OK: Opened file viewer for {readme}"
    focused = at_david.call("dialog", action="focus", type="file-viewer", path=package)
    assert focused == f"OK: Focused file viewer for {package}"
    # Without a path the most recent one comes to the front, and closing means all of them.
    assert not at_david.call("dialog", action="focus", type="file-viewer").is_error
    at_david.call("dialog", action="open", type="file-viewer", path=f"{david}/notes.md")
    closed = at_david.call("dialog", action="close", type="file-viewer", path=readme)
    assert closed == f"OK: Closed file viewer for {readme}"
    assert at_david.call("dialog", action="close", type="file-viewer") == "OK: Closed 2 file viewer dialogs"


@pytest.mark.parametrize("type", ["volume-picker", "about"])
def test_section_5_other_dialogs(inside, type):
    assert inside.call("dialog", action="open", type=type).first == f"OK: Opened {type.replace('-', ' ')}"
    assert not inside.call("dialog", action="focus", type=type).is_error
    assert inside.call("dialog", action="close", type=type).first == f"OK: Closed {type.replace('-', ' ')}"


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("by", ["name", "ext", "size", "modified", "created"])
def test_section_6_sort(inside, by, order):
    answer = inside.call("sort", pane="left", by=by, order=order)
    assert answer.first == f"OK: Sorted left pane by {by} ({order})"
    assert yaml.safe_load(inside.call("state", pane="left"))["left"]["sort"] == f"{by}:{order}"


def test_section_5_7_and_9_copy_waits_for_the_user_and_can_be_cancelled(at_david, david, tree):
    at_david.call("select", pane="left", start=1, count=3)
    answer = at_david.call("copy")
    first, second, *_ = answer.splitlines()
    assert first == "OK: Copy dialog opened. Waiting for user confirmation."
    proposal = re.match(r"proposal: (p_[\w-]{12})(?![\w-])", second)[1]
    (dialog,) = yaml.safe_load(at_david.call("state"))["dialogs"]
    assert dialog == {"type": "confirmation", "proposal": proposal, "focused": True}
    assert at_david.call("await", proposal=proposal, timeout=0).first.startswith("OK: still waiting")
    assert at_david.call("dialog", action="close", type="confirmation") == "OK: Cancelled confirmation dialog"
    assert at_david.call("await", proposal=proposal).first == "OK: Proposal cancelled. Nothing was changed."
    assert [path.name for path in tree.right.iterdir()] == ["backup.tar"]


def test_section_7_mkdir_waits_for_the_user_and_can_be_cancelled(at_david, david):
    first, second, *_ = at_david.call("mkdir", name="new folder").splitlines()
    assert first == "OK: Create folder dialog opened. Waiting for user confirmation."
    assert re.match(r"proposal: p_[\w-]{12}(?![\w-])", second)
    assert at_david.call("dialog", action="close", type="confirmation") == "OK: Cancelled confirmation dialog"
    assert not (david / "new folder").exists()


def test_section_7_refresh(inside, tree):
    (tree.left / "brand-new").touch()
    assert inside.call("refresh").first == "OK: Refreshed left pane"
    assert "brand-new" in inside.call("state", pane="left")


def test_section_8_switch_pane(inside):
    assert inside.call("switch_pane").first == "OK: Switched focus to right pane"
    assert inside.call("switch_pane").first == "OK: Switched focus to left pane"


def test_section_8_toggle_hidden(inside):
    assert inside.call("toggle_hidden").first == "OK: Hidden files shown"
    assert "d .git" in inside.call("state", pane="left")
    assert inside.call("toggle_hidden").first == "OK: Hidden files hidden"
    assert "d .git" not in inside.call("state", pane="left")


@pytest.mark.parametrize("mode", ["brief", "full"])
def test_section_8_set_view_mode(inside, mode):
    assert inside.call("set_view_mode", pane="left", mode=mode).first == f"OK: Left pane set to {mode} view"
    assert yaml.safe_load(inside.call("state", pane="left"))["left"]["view"] == mode


def test_section_8_quit(inside):
    assert inside.call("quit") == "OK: Quitting"
    assert inside.commander.quitting.is_set()


def test_section_9_errors(inside, tree, david):
    inside.call("nav_to_path", pane="left", path=str(numbered(tree.root / "many", 128)))
    for tool, arguments, error in [
        ("nav_to_path", {"pane": "left", "path": f"{david}/nonexistent"}, f"Path not found: {david}/nonexistent"),
        ("move_cursor", {"pane": "left", "to": 500}, "Index 500 out of range (max: 127)"),
        ("scroll_to", {"pane": "left", "index": 500}, "Index 500 out of range (max: 127)"),
        ("select", {"pane": "left", "start": 500, "count": 1}, "Index 500 out of range (max: 127)"),
        (
            "dialog",
            {"action": "close", "type": "file-viewer", "path": f"{david}/unknown.md"},
            f"No file-viewer open for {david}/unknown.md",
        ),
        ("dialog", {"action": "close", "type": "confirmation"}, "No confirmation dialog open"),
    ]:
        answer = inside.call(tool, **arguments)
        assert answer == f"ERROR: {error}"
        assert answer.is_error


def test_section_1_the_state_tells_everything_at_once(at_david, david, external):
    at_david.call("set_view_mode", pane="left", mode="full")
    at_david.call("set_view_mode", pane="right", mode="brief")
    at_david.call("select", pane="left", start=0, count=1)
    at_david.call("move_cursor", pane="left", to="package.json")
    at_david.call("sort", pane="right", by="modified", order="desc")
    at_david.call("dialog", action="open", type="settings")
    at_david.call("dialog", action="open", type="file-viewer", path=f"{david}/readme.md")
    state = yaml.safe_load(at_david.read("cmdr://state"))
    assert state["focused"] == "left"
    assert state["showHidden"] is False
    left, right = state["left"], state["right"]
    assert {**left, "files": None, "rev": None, "tab": None} == {
        "volume": "Root",
        "path": str(david),
        "view": "full",
        "sort": "name:asc",
        "rev": None,
        "totalFiles": 7,
        "loadedRange": [0, 7],
        "cursor": {"index": 5},
        "selected": 1,
        "tab": None,
        "files": None,
    }
    assert left["files"][0] == "i:0 d projects [sel]"
    dated = r"( cr:\d{4}-\d\d-\d\d)? lm:\d{4}-\d\d-\d\d"
    assert re.fullmatch(rf"i:4 f notes\.md 8b{dated}", left["files"][4])
    assert re.fullmatch(rf"i:5 f package\.json 12b{dated} \[cur\]", left["files"][5])
    # Brief mode tells the facts of the cursor's entry alone.
    assert right["sort"] == "modified:desc"
    assert {**right["cursor"], "created": None, "lastModified": None} == {
        "index": 0,
        "name": "backup.tar",
        "size": 100,
        "created": None,
        "lastModified": None,
    }
    assert right["files"] == ["i:0 f backup.tar [cur]"]
    assert state["dialogs"][0].pop("settings")["general.show_hidden"] is False
    assert state["dialogs"] == [
        {"type": "settings", "section": "general"},
        {"type": "file-viewer", "path": f"{david}/readme.md", "focused": True},
    ]


def test_section_2_the_available_dialogs(inside):
    available = yaml.safe_load(inside.read("cmdr://dialogs/available"))["dialogs"]
    assert {"settings", "volume-picker", "file-viewer", "about", "confirmation"} <= {row["type"] for row in available}
    (settings,) = [row for row in available if row["type"] == "settings"]
    assert {"general", "appearance", "shortcuts", "advanced"} <= set(settings["sections"])
