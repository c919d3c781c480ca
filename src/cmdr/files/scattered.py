"""List scattered entries together, as a folder is listed; those that are gone are left out."""

import os
import stat
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cmdr.files.errors import disk_error
from cmdr.files.facts import facts_of, storable
from cmdr.model.panes.entry import FolderSize, Kind
from cmdr.model.panes.listing import Columns, FactColumns, Listing
from cmdr.model.panes.sorting import SortOrder

_KINDS = {
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.PIPE,
    stat.S_IFSOCK: Kind.SOCKET,
    stat.S_IFBLK: Kind.BLOCK,
    stat.S_IFCHR: Kind.CHARACTER,
}
NOTHING: Mapping[bytes, int] = MappingProxyType({})


def list_found(
    root: bytes,
    names: Sequence[bytes],
    sort: SortOrder,
    folder_sizes: Mapping[bytes, int] = NOTHING,
    changes: Mapping[bytes, int] = NOTHING,
) -> Listing:
    """The entries at these paths below a folder, dot files too; blocks.

    Some folders may come with what they hold; all of them may come with how they changed, which is then their size.
    """
    there: list[bytes] = []
    kinds: list[str] = []
    inodes, sizes, modified, created = array("Q"), array("q"), array("q"), array("q")
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise disk_error(root, error) from error
    try:
        for name in names:
            facts = facts_of(folder, name)
            if facts is None:
                continue
            there.append(name)
            kinds.append(_KINDS.get(stat.S_IFMT(facts.mode), Kind.UNKNOWN))
            inodes.append(facts.inode)
            sizes.append(abs(changes[name]) if name in changes else folder_sizes.get(name, facts.size))
            modified.append(storable(facts.modified_ns))
            created.append(storable(facts.created_ns))
    finally:
        os.close(folder)
    facts_of_all = FactColumns(
        sizes, modified, created, folders_sized=bool(folder_sizes or changes), are_changes=bool(changes)
    )
    listing = Listing.of(Columns.pack(there, kinds, inodes, facts_of_all), sort, show_hidden=True)
    for name, held in folder_sizes.items():
        if (row := listing.columns.find(name)) is not None:
            listing.folder_sizes[row] = FolderSize(held, complete=True, fresh=True)
    for name, change in changes.items():
        if (row := listing.columns.find(name)) is not None:
            listing.changes[row] = change
    return listing
