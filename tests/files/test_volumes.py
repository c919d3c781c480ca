"""Volumes come from the mount table alone, and only those a person would name."""

import pytest

from cmdr.files import volumes as mounted
from cmdr.files.volumes import is_remote, mounts, remote_mounts, volumes

TABLE = rb"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
24 22 0:22 / /sys rw - sysfs sysfs rw
25 22 0:5 / /dev rw - devtmpfs udev rw
26 25 0:23 / /dev/shm rw - tmpfs tmpfs rw
27 22 0:24 / /run rw - tmpfs tmpfs rw
28 27 8:17 / /run/media/ann/My\040Stick rw - vfat /dev/sdb1 rw
29 22 8:2 / /home rw,relatime shared:2 master:3 - btrfs /dev/sda2 rw
30 22 0:40 / /mnt/nas rw - nfs4 server:/export rw
31 22 0:41 / /media/back\134slash\011tab rw - ext4 /dev/sdc1 rw
32 22 0:42 / /srv/home rw - xfs /dev/sdd1 rw
33 22 0:43 / /snap/core/1 ro - squashfs /dev/loop0 ro
34 22 0:44 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw
35 22 0:45 / /home/ann/phone rw - fuse.sshfs ann@phone: rw
36 22 0:46 / /mnt/new\012line rw - ext4 /dev/sde1 rw
37 22 8:33 / /mnt/twice rw - ext4 /dev/sdf1 rw
38 22 0:47 / /mnt/twice rw - tmpfs none rw
39 22 8:34 / /mnt/covered rw - ext4 /dev/sdg1 rw
40 22 0:48 / /mnt/covered rw - autofs systemd-1 rw
garbage
41 22 8:35 / /mnt/nodash rw ext4
"""


@pytest.fixture
def table(tmp_path, monkeypatch):
    path = tmp_path / "mountinfo"
    path.write_bytes(TABLE)
    monkeypatch.setattr(mounted, "MOUNT_TABLE", str(path))
    return path


def test_the_volumes_are_those_a_person_would_name(table):
    assert {volume.name: volume.path for volume in volumes()} == {
        "Root": b"/",
        "home": b"/home",
        "phone": b"/home/ann/phone",
        "back\\\\slash\\u{9}tab": b"/media/back\\slash\ttab",
        "nas": b"/mnt/nas",
        "new\\u{a}line": b"/mnt/new\nline",
        "twice": b"/mnt/twice",
        "My Stick": b"/run/media/ann/My Stick",
        "/srv/home": b"/srv/home",
    }


def test_the_root_comes_first_and_names_are_unique(table):
    names = [volume.name for volume in volumes()]
    assert names[0] == "Root"
    assert len(set(names)) == len(names)


def test_a_later_mount_on_the_same_point_covers_the_earlier_one(table):
    kinds = {volume.path: volume.kind for volume in volumes()}
    assert kinds[b"/mnt/twice"] == "tmpfs"
    assert b"/mnt/covered" not in kinds


def test_mounts_that_may_never_answer_are_marked(table):
    assert {volume.path for volume in volumes() if volume.remote} == {b"/mnt/nas", b"/home/ann/phone"}
    assert b"/mnt/covered" in remote_mounts()


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ceph", "davfs", "autofs"])
def test_network_file_systems_count_as_remote(kind):
    assert is_remote(kind)


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "tmpfs", "fuseblk", "vfat", "zfs", "overlay"])
def test_disks_in_the_machine_do_not(kind):
    assert not is_remote(kind)


def test_an_overlay_root_is_still_the_root(table):
    table.write_bytes(b"1 0 0:1 / / rw - overlay overlay rw\n")
    assert [(volume.name, volume.kind) for volume in volumes()] == [("Root", "overlay")]


def test_without_a_mount_table_there_is_the_root(tmp_path, monkeypatch):
    monkeypatch.setattr(mounted, "MOUNT_TABLE", str(tmp_path / "none"))
    assert mounts() == [(b"/", "unknown")]
    assert [volume.name for volume in volumes()] == ["Root"]


def test_the_real_table_can_be_read():
    assert any(volume.path == b"/" for volume in volumes())
