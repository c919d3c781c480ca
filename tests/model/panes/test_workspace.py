"""One workspace: panes, ids that are used once, and dialogs in the order they were brought to the front."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.pane import Side
from cmdr.model.panes.workspace import DialogType, Volume, Workspace, volume_of


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


PATH = st.lists(st.sampled_from([b"a", b"ab", b"mnt"]), max_size=4).map(lambda parts: b"/" + b"/".join(parts))


@given(PATH, st.lists(PATH, unique=True, max_size=5))
def test_it_is_found_as_by_walking_up(path, mounts):
    volumes = tuple(Volume(str(number), mount, "ext4") for number, mount in enumerate(mounts))
    above = path
    while above not in mounts and above != b"/":
        above = above.rpartition(b"/")[0] or b"/"
    found = volume_of(path, volumes)
    assert (found.path if found else None) == (above if above in mounts else None)


def test_a_name_that_only_begins_like_a_mount_is_not_on_it():
    volumes = (Volume("Root", b"/", "ext4"), Volume("usb", b"/mnt/usb", "vfat"))
    assert volume_of(b"/mnt/usbstick", volumes).name == "Root"
    assert volume_of(b"/mnt/usb", volumes).name == "usb"
