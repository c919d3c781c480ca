"""Sets of nodes: which, and what each was when it was put in.

A set holds stable ids (as a bitmap while it is worked with) and, frozen for every member, its path, size and time.
A member is `ok` when nothing changed, `changed` when its size or time did, `moved` when its path did, `gone` when it
is no longer there.
"""

import os
import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pyroaring import BitMap

from cmdr.index.columns import NO_ROW, Column
from cmdr.index.errors import Corrupt
from cmdr.index.view import View

MemberState = Literal["ok", "changed", "moved", "gone"]
_MAGIC = b"cmdrset1"


@dataclass(frozen=True, eq=False)
class Members:
    """The members of a set, by ascending id. Paths are kept as a folder (shared by many) and a name."""

    ids: Column
    size: Column
    mtime: Column
    folder: Column  # number into `folders`
    folders: tuple[bytes, ...]
    names: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def path(self, at: int) -> bytes:
        """The path that a member had when it was put in."""
        above, name = self.folders[int(self.folder[at])], self.names[at]
        return name if not above else above + name if above.endswith(b"/") else above + b"/" + name

    def bitmap(self) -> BitMap:
        return BitMap(self.ids)


@dataclass(frozen=True)
class Member:
    """One member: what it was, and what has become of it."""

    nid: int
    path: bytes
    size: int
    mtime_ns: int
    state: MemberState
    path_now: bytes | None


NOBODY = Members(np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32), (), ())


def freeze(view: View, rows: Column) -> Members:
    """Members for these rows as they are now."""
    if not len(rows):
        return NOBODY
    ids = view.gather("nid", rows)
    order = np.argsort(ids, kind="stable")
    rows, ids = rows[order], ids[order]
    above, folder = np.unique(view.gather("pdir", rows), return_inverse=True)
    folders = [view.directory_path(number) for number in above.tolist()]
    names = view.names(rows)
    size = view.gather("size", rows)
    numbers = view.directories(rows)
    size[numbers >= 0] = view.dirs["dbytes"][numbers[numbers >= 0]]  # a directory counts with what is below it
    if rows[0] == 0:  # the root stands in no folder: its name is its whole path
        folders.append(b"")
        folder = folder.copy()
        folder[0] = len(folders) - 1
        names[0] = view.root
    return Members(
        ids,
        size,
        view.gather("mtime", rows),
        folder.astype(np.uint32),
        tuple(folders),
        tuple(names),
    )


def pick(members: Members, wanted: BitMap) -> Members:
    """Only those members whose id is wanted."""
    keep = np.isin(members.ids, np.asarray(wanted.to_array() if len(wanted) else [], np.uint32))
    names = tuple(name for name, kept in zip(members.names, keep.tolist(), strict=True) if kept)
    return Members(
        members.ids[keep], members.size[keep], members.mtime[keep], members.folder[keep], members.folders, names
    )


def combine(left: Members, right: Members) -> Members:
    """All members of both; one that is in both stays as the left set froze it."""
    right = pick(right, right.bitmap() - left.bitmap())
    ids = np.concatenate([left.ids, right.ids])
    order = np.argsort(ids, kind="stable")
    folder = np.concatenate([left.folder, right.folder + len(left.folders)]).astype(np.uint32)
    names = left.names + right.names
    return Members(
        ids[order],
        np.concatenate([left.size, right.size])[order],
        np.concatenate([left.mtime, right.mtime])[order],
        folder[order],
        left.folders + right.folders,
        tuple(names[at] for at in order.tolist()),
    )


def states(view: View, members: Members, first: int, count: int) -> list[Member]:
    """Some members with what has become of them."""
    piece = slice(first, first + count)
    rows = view.rows_of(members.ids[piece])
    found: list[Member] = []
    for at, row in enumerate(rows.tolist(), first):
        path, size, mtime = members.path(at), int(members.size[at]), int(members.mtime[at])
        state: MemberState = "gone"
        now = None
        if row != NO_ROW:
            now = view.path(row)
            same = view.value("size", row) == size and view.value("mtime", row) == mtime
            state = "moved" if now != path else "ok" if same or view.is_directory(row) else "changed"
        found.append(Member(int(members.ids[at]), path, size, mtime, state, now))
    return found


def save(path: str, members: Members) -> None:
    """Write a set's members; whoever reads sees the old file or the new one."""
    names = b"".join(name + b"\0" for name in members.names)
    folders = b"".join(name + b"\0" for name in members.folders)
    head = np.array([len(members), len(names), len(folders)], np.int64).tobytes()
    columns = (
        members.ids.astype("<u4"),
        members.size.astype("<i8"),
        members.mtime.astype("<i8"),
        members.folder.astype("<u4"),
    )
    body = head + b"".join(column.tobytes() for column in columns) + names + folders
    with open(path + ".tmp", "wb") as out:
        out.write(_MAGIC + zlib.crc32(body).to_bytes(4, "little") + body)
        out.flush()
        os.fsync(out.fileno())
    os.replace(path + ".tmp", path)


def load(path: str) -> Members:
    """Read a set's members; a damaged file is not believed."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Corrupt("The members of this set are missing.") from trouble
    body = data[12:]
    if data[:8] != _MAGIC or len(data) < 36 or zlib.crc32(body) != int.from_bytes(data[8:12], "little"):
        raise Corrupt("The members of this set are damaged.")
    count, name_bytes, folder_bytes = np.frombuffer(body, np.int64, 3).tolist()
    at = 24
    columns: list[Column] = []
    for dtype, width in (("<u4", 4), ("<i8", 8), ("<i8", 8), ("<u4", 4)):
        columns.append(np.frombuffer(body, dtype, count, at))
        at += count * width
    names = tuple(body[at : at + name_bytes].split(b"\0")[:-1])
    folders = tuple(body[at + name_bytes : at + name_bytes + folder_bytes].split(b"\0")[:-1])
    return Members(columns[0], columns[1], columns[2], columns[3], folders, names)
