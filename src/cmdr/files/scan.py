"""Lists entries: a folder of any size, scattered ones together, or names to complete a path with.

A folder of ordinary size is read right here, in the worker thread that called. A very large one is handed to a helper
process: sorting a million names would hold the interpreter's lock for a second and leave its memory in pieces.
"""

import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from cmdr.files.errors import disk_error
from cmdr.files.file_stat import folder_mtime_ns, stat_entry, storable_ns
from cmdr.files.folder_reader import FolderReader, OnProgress, Stopped, ignore_progress, kind_of_mode, never
from cmdr.files.large_folder import scan_in_process
from cmdr.model.panes.entry import FolderSize
from cmdr.model.panes.listing import Columns, FactColumns, Listing
from cmdr.model.panes.sorting import SortOrder

LARGE_FOLDER_ENTRIES = 60_000
"""From so many entries on, a helper process reads and sorts the folder."""
MAX_COMPLETED_ENTRIES = 50_000
_NO_SIZES: Mapping[bytes, int] = MappingProxyType({})


def scan(
    path: bytes,
    sort: SortOrder,
    *,
    show_hidden: bool,
    stopped: Stopped = never,
    alive: OnProgress = ignore_progress,
    first_part: Callable[[Listing], None] | None = None,
) -> Listing:
    """Read and sort one folder; blocks, so it runs in a thread.

    `first_part` gets the beginning of a very large folder while the rest is still being read.
    """
    reader = FolderReader(path, stopped, alive)
    mark = folder_mtime_ns(path)
    try:
        with os.scandir(path) as entries:
            reader.take(islice(entries, LARGE_FOLDER_ENTRIES))
            more = next(entries, None) is not None
        if not more:
            listing = reader.listing(sort, show_hidden=show_hidden)
            listing.mark = mark
            return listing
    except (OSError, ValueError) as error:
        raise disk_error(path, error) from error
    if first_part is not None and not sort.needs_facts:
        first_part(reader.listing(sort, show_hidden=show_hidden, complete=False))
    listing = scan_in_process(path, sort, show_hidden=show_hidden, stopped=stopped, alive=alive)
    listing.mark = mark
    return listing


def list_entries(
    root: bytes,
    names: Sequence[bytes],
    sort: SortOrder,
    folder_sizes: Mapping[bytes, int] = _NO_SIZES,
    changes: Mapping[bytes, int] = _NO_SIZES,
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
            facts = stat_entry(folder, name)
            if facts is None:
                continue
            there.append(name)
            kinds.append(kind_of_mode(facts.mode))
            inodes.append(facts.inode)
            sizes.append(abs(changes[name]) if name in changes else folder_sizes.get(name, facts.size))
            modified.append(storable_ns(facts.modified_ns))
            created.append(storable_ns(facts.created_ns))
    finally:
        os.close(folder)
    columns = FactColumns(
        sizes, modified, created, folders_sized=bool(folder_sizes or changes), are_changes=bool(changes)
    )
    listing = Listing.of(Columns.pack(there, kinds, inodes, columns), sort, show_hidden=True)
    for name, held in folder_sizes.items():
        if (row := listing.columns.find(name)) is not None:
            listing.folder_sizes[row] = FolderSize(held, complete=True, fresh=True)
    for name, change in changes.items():
        if (row := listing.columns.find(name)) is not None:
            listing.changes[row] = change
    return listing


def names_starting_with(folder: bytes, start: bytes, *, folders_only: bool) -> list[bytes]:
    """Names in a folder that begin so, folders with a slash behind; blocks, so it runs in a thread."""
    found = []
    try:
        with os.scandir(folder or b"/") as entries:
            for entry in islice(entries, MAX_COMPLETED_ENTRIES):
                if not entry.name.startswith(start) or (entry.name.startswith(b".") and not start.startswith(b".")):
                    continue
                is_folder = entry.is_dir()
                if is_folder or not folders_only:
                    found.append(entry.name + b"/" if is_folder else entry.name)
    except OSError:
        return []
    return sorted(found)
