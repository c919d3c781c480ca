"""The volume a path lies on is the deepest mount above it."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.volume import Volume, volume_of

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
