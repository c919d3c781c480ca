"""List scattered entries together, as a folder is listed; those that are gone are left out."""

import os
import stat
from array import array
from collections.abc import Sequence

from cmdr.files.facts import facts_of
from cmdr.model.entry import Kind
from cmdr.model.listing import Columns, FactColumns, Listing
from cmdr.model.sorting import SortOrder

_KINDS = {
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.PIPE,
    stat.S_IFSOCK: Kind.SOCKET,
    stat.S_IFBLK: Kind.BLOCK,
    stat.S_IFCHR: Kind.CHARACTER,
}


def list_found(root: bytes, names: Sequence[bytes], sort: SortOrder) -> Listing:
    """The entries at these paths below a folder, dot files too; blocks."""
    there: list[bytes] = []
    kinds: list[str] = []
    inodes, sizes, modified, created = array("Q"), array("q"), array("q"), array("q")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            facts = facts_of(folder, name)
            if facts is None:
                continue
            there.append(name)
            kinds.append(_KINDS.get(stat.S_IFMT(facts.mode), Kind.UNKNOWN))
            inodes.append(facts.inode)
            sizes.append(facts.size)
            modified.append(facts.modified_ns)
            created.append(-1 if facts.created_ns is None else facts.created_ns)
    finally:
        os.close(folder)
    return Listing.of(Columns.pack(there, kinds, inodes, FactColumns(sizes, modified, created)), sort, show_hidden=True)
