"""Looking whether folders are still as the index has them, file by file, and telling apart those that are not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cmdr.index.delta.delta import Entry, read_listing
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import DirState

_FACTS = ("ino", "mode", "size", "allocated", "mtime", "ctime")


@dataclass
class Verified:
    """Which folders were looked at, and which of them are no longer as the index has them."""

    seen: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)


def verify(view: View, numbers: Iterable[int], enough: Callable[[int], bool]) -> Verified:
    """Compare folders with what the index knows of them until there is `enough`, asked with how many entries were
    looked at."""
    found = Verified()
    entries = 0
    for number in numbers:
        found.seen.append(number)
        if not _is_as_known(view, number):
            found.changed.append(number)
        entries += 4 + int(view.dirs["dcn"][number])
        if enough(entries):
            break
    return found


def _is_as_known(view: View, number: int) -> bool:
    listing = read_listing(view.directory_path(number))
    if int(listing.state) != int(view.dirs["dstate"][number]) or listing.instead_of is not None:
        return False
    if listing.state is not DirState.LISTED:
        return True
    rows = view.child_rows(number)
    own = int(view.dirs["drow"][number])
    if len(rows) != len(listing.entries) or listing.own != (view.value("mtime", own), view.value("ctime", own)):
        return False
    known = dict(zip(view.names(rows), rows, strict=True))
    columns = {name: view.gather(name, rows) for name in _FACTS}
    return all(_is_same(entry, known.get(entry.name), rows.start, columns) for entry in listing.entries)


def _is_same(entry: Entry, row: int | None, first: int, columns: dict[str, Column]) -> bool:
    if row is None:
        return False
    names = _FACTS[:2] if entry.is_dir else _FACTS  # a folder's own listing tells its times
    return all(columns[name].item(row - first) == getattr(entry, name) for name in names)
