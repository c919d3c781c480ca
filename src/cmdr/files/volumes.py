"""Mounted volumes and their free space, read from the mount table and never by asking the mounts themselves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable

from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Volume

MOUNT_TABLE = "/proc/self/mountinfo"

# File systems that hold no files of the user's.
_PSEUDO = frozenset(
    """autofs binder binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fuse.gvfsd-fuse
    fuse.lxcfs fuse.portal fuse.snapfuse fusectl hugetlbfs mqueue nsfs overlay proc pstore ramfs rpc_pipefs securityfs
    selinuxfs squashfs sysfs tracefs""".split()
)
_REMOTE = ("nfs", "cifs", "smb", "fuse.", "9p", "afs", "ceph", "glusterfs", "davfs", "autofs")
_SYSTEM = re.compile(rb"/(proc|sys|dev|run(?!/media)|boot/efi|snap|var/lib/(docker|containers|snapd))(/|$)")
_OCTAL = re.compile(rb"\\([0-7]{3})")


def volumes() -> tuple[Volume, ...]:
    """The volumes a person would name, the root file system first."""
    return tuple(_named(mounts()))


def mounts() -> list[tuple[bytes, str]]:
    """Every mount point and its file system, in mount order."""
    if sys.platform == "darwin":
        return _mounts_of_macos()
    try:
        with open(MOUNT_TABLE, "rb") as table:
            return [mount for line in table if (mount := _parse(line)) is not None]
    except OSError:
        return [(b"/", "unknown")]


def is_remote(kind: str) -> bool:
    """Whether a file system answers from somewhere else, and may not answer at all."""
    return kind.startswith(_REMOTE)


def remote_mounts() -> list[bytes]:
    """The mount points that may never answer."""
    return [point for point, kind in mounts() if is_remote(kind)]


def _parse(line: bytes) -> tuple[bytes, str] | None:
    fields, separator, rest = line.partition(b" - ")
    parts = fields.split(b" ")
    if not separator or len(parts) < 5:
        return None
    point = _OCTAL.sub(lambda octal: bytes([int(octal[1], 8)]), parts[4])
    return point, rest.split(b" ", 1)[0].decode("ascii", "replace")


def _mounts_of_macos() -> list[tuple[bytes, str]]:
    answer = subprocess.run(["/sbin/mount"], capture_output=True, check=False).stdout
    found = re.findall(rb"^.+? on (/.*?) \(([a-z0-9]+)", answer, re.MULTILINE)
    return [(point, kind.decode()) for point, kind in found]


def _named(table: Iterable[tuple[bytes, str]]) -> Iterable[Volume]:
    shown: dict[bytes, str] = {}
    for point, kind in table:
        # A later mount on the same point covers the earlier one. The root is shown whatever it is made of.
        if point == b"/" or (kind not in _PSEUDO and not _SYSTEM.match(point)):
            shown[point] = kind
        else:
            shown.pop(point, None)
    taken: set[str] = set()
    for point, kind in sorted(shown.items()):
        name = "Root" if point == b"/" else to_wire(os.path.basename(point))
        if name in taken:
            name = to_wire(point)
        taken.add(name)
        yield Volume(name, point, kind, is_remote(kind))


def space_at(path: bytes) -> tuple[int, int] | None:
    """Free and total bytes of the volume a path lies on; blocks on a dead mount, so it runs in a thread."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
