"""The members of a set: which nodes, what each was when it was put in, and their file on the disk.

A set holds stable ids (as a bitmap while it is worked with) and, frozen for every member, its path, size and time.
A member is `ok` when nothing changed, `changed` when its size or time did or another file took its place, `moved` when
its path did, `gone` when nothing is there any more.

New members are staged beside the old ones, then the catalogue is told, then they take their place: whoever is killed
when, the next start finishes what the catalogue knows of and drops the rest.
"""

import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Corrupt, NotIndexed
from cmdr.index.snapshots.columns import NO_ROW, Column
from cmdr.index.snapshots.name_blobs import PackedNames, joined_names, packed, take_names
from cmdr.index.snapshots.view import View
from cmdr.index.store.catalogue import SetRecord
from cmdr.index.store.handles import node_handle
from cmdr.model.panes.sorting import path_order
from cmdr.model.trees.sets import MemberState, SetMember

_MAGIC = b"cmdrset1"
_STAGED = ".new"


@dataclass(frozen=True, eq=False)
class SetMembers:
    """The members of a set, by ascending id. Paths are kept as a folder (shared by many) and a name."""

    ids: Column
    size: Column
    mtime: Column
    folder: Column  # number into `folders`
    folders: tuple[bytes, ...]
    names: PackedNames

    def __len__(self) -> int:
        return len(self.ids)

    def path(self, at: int) -> bytes:
        """The path that a member had when it was put in."""
        above, name = self.folders[int(self.folder[at])], self.names[at]
        return name if not above else above + name if above.endswith(b"/") else above + b"/" + name

    def bitmap(self) -> BitMap:
        return BitMap(self.ids)


EMPTY_SET = SetMembers(
    np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32), (), packed(b"")
)


def freeze(view: View, rows: Column) -> SetMembers:
    """Members for these rows as they are now."""
    if not len(rows):
        return EMPTY_SET
    ids = view.gather("nid", rows)
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids, kind="stable")
        rows, ids = rows[order], ids[order]
    parents = view.gather("pdir", rows)
    has_members = np.zeros(len(view.dirs["dpar"]), bool)
    has_members[parents] = True
    folder = (np.cumsum(has_members, dtype=np.uint32) - np.uint32(1))[parents]
    folders = view.paths_of_directories(np.flatnonzero(has_members))
    names = view.packed_names(rows)
    size = view.gather("size", rows).copy()
    at, numbers = view.directories_among(rows)
    size[at] = view.dirs["dbytes"][numbers]  # a directory counts with what is below it
    if rows[0] == 0:  # the root stands in no folder: its name is its whole path
        folders.append(b"")
        folder[0] = len(folders) - 1
        names = joined_names(packed(view.root + b"\0"), take_names(names.blob, names.offsets, np.arange(1, len(rows))))
    return SetMembers(ids, size, view.gather("mtime", rows), folder, tuple(folders), names)


def pick(members: SetMembers, wanted: BitMap) -> SetMembers:
    """Only those members whose id is wanted."""
    keep = np.isin(members.ids, np.asarray(wanted.to_array() if len(wanted) else [], np.uint32))
    names = take_names(members.names.blob, members.names.offsets, np.flatnonzero(keep))
    return SetMembers(
        members.ids[keep], members.size[keep], members.mtime[keep], members.folder[keep], members.folders, names
    )


def combine(left: SetMembers, right: SetMembers) -> SetMembers:
    """All members of both; one that is in both stays as the left set froze it."""
    right = pick(right, right.bitmap() - left.bitmap())
    ids = np.concatenate([left.ids, right.ids])
    order = np.argsort(ids, kind="stable")
    folder = np.concatenate([left.folder, right.folder + len(left.folders)]).astype(np.uint32)
    names = joined_names(left.names, right.names)
    return SetMembers(
        ids[order],
        np.concatenate([left.size, right.size])[order],
        np.concatenate([left.mtime, right.mtime])[order],
        folder[order],
        left.folders + right.folders,
        take_names(names.blob, names.offsets, order),
    )


def in_natural_order(members: SetMembers) -> Column:
    """The places of the members in natural path order."""
    return np.array(path_order([members.path(at) for at in range(len(members))]), np.int64)


def states(view: View, tag: int, members: SetMembers, places: Column) -> list[SetMember]:
    """The members at some places with what has become of them."""
    rows = view.rows_of(members.ids[places])
    found: list[SetMember] = []
    for at, row in zip(places.tolist(), rows.tolist(), strict=True):
        path, size, mtime = members.path(at), int(members.size[at]), int(members.mtime[at])
        state: MemberState = "gone"
        now = None
        if row != NO_ROW:
            now = view.path(row)
            same = view.value("size", row) == size and view.value("mtime", row) == mtime
            state = "moved" if now != path else "ok" if same or view.is_directory(row) else "changed"
        elif _is_there(view, path):  # whoever saves a file anew gives the name to another one
            state, now = "changed", path
        found.append(SetMember(node_handle(tag, int(members.ids[at])), path, size, mtime, state, now))
    return found


def _is_there(view: View, path: bytes) -> bool:
    try:
        view.find(path)
    except NotIndexed:
        return False
    return True


def save(path: str, members: SetMembers) -> None:
    """Write a set's members; whoever reads sees the old file or the new one."""
    folders = b"".join(name + b"\0" for name in members.folders)
    head = np.array([len(members), len(members.names.blob), len(folders)], np.int64).tobytes()
    columns = (
        members.ids.astype("<u4"),
        members.size.astype("<i8"),
        members.mtime.astype("<i8"),
        members.folder.astype("<u4"),
        members.names.blob,
    )
    parts = [head, *(column.tobytes() for column in columns), folders]
    check = 0
    for part in parts:
        check = zlib.crc32(part, check)
    with open(path + ".tmp", "wb") as out:
        out.writelines((_MAGIC, check.to_bytes(4, "little"), *parts))
        out.flush()
        os.fsync(out.fileno())
    os.replace(path + ".tmp", path)


def load(path: str) -> SetMembers:
    """Read a set's members; a damaged file is not believed."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Corrupt("The members of this set are missing.") from trouble
    body = memoryview(data)[12:]
    if data[:8] != _MAGIC or len(data) < 36 or zlib.crc32(body) != int.from_bytes(data[8:12], "little"):
        raise Corrupt("The members of this set are damaged.")
    count, name_bytes, folder_bytes = np.frombuffer(body, np.int64, 3).tolist()
    at = 24
    columns: list[Column] = []
    for dtype, width in (("<u4", 4), ("<i8", 8), ("<i8", 8), ("<u4", 4)):
        columns.append(np.frombuffer(body, dtype, count, at))
        at += count * width
    names = packed(body[at : at + name_bytes])
    folders = tuple(bytes(body[at + name_bytes : at + name_bytes + folder_bytes]).split(b"\0")[:-1])
    return SetMembers(columns[0], columns[1], columns[2], columns[3], folders, names)


class SetFiles:
    """The folder of the sets."""

    def __init__(self, folder: str, known: Iterable[SetRecord]) -> None:
        self.folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._recover({record.id: record for record in known})

    def load(self, set_id: str) -> SetMembers:
        """The members of a set."""
        return load(self._path(set_id))

    def stage(self, set_id: str, members: SetMembers) -> None:
        """Write members beside those in use; nothing is left of a failure."""
        try:
            with disk_full_as_error("this set; it stays as it was"):
                save(self._path(set_id) + _STAGED, members)
        except BaseException:
            self.discard(set_id)
            raise

    def discard(self, set_id: str) -> None:
        """Drop what was staged."""
        for end in (_STAGED, _STAGED + ".tmp"):
            with suppress(FileNotFoundError):
                os.unlink(self._path(set_id) + end)

    def commit(self, set_id: str) -> None:
        """What was staged takes its place."""
        os.replace(self._path(set_id) + _STAGED, self._path(set_id))

    def remove(self, set_id: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path(set_id))

    def _path(self, set_id: str) -> str:
        return os.path.join(self.folder, set_id)

    def _recover(self, known: dict[str, SetRecord]) -> None:
        for name in sorted(os.listdir(self.folder)):
            set_id = name.partition(".")[0]
            record = known.get(set_id)
            if name == set_id and record is not None:
                continue
            if name == set_id + _STAGED and record is not None and self._matches(name, record):
                self.commit(set_id)
            else:
                with suppress(OSError):
                    os.unlink(self._path(name))

    def _matches(self, name: str, record: SetRecord) -> bool:
        try:
            members = self.load(name)
        except Corrupt:
            return False
        return (len(members), int(members.size.sum())) == (record.count, record.bytes)
