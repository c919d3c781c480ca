"""Looking back through the journal: what a file held before, and which later change must be undone first."""

import os
from dataclasses import dataclass

from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.reading import NoSuchOperation
from cmdr.engine.journal.records import Backup
from cmdr.files.file_stat import regular_file
from cmdr.model.names import is_within
from cmdr.model.plans.plan import PlanItem

MAX_OPERATIONS = 50
"""Operations that are looked through."""
MAX_ITEMS = 10_000
"""Items of one that is looked into."""


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """The bytes from before, and the operation that replaced them."""

    operation: int
    content: bytes


def earlier_version(journal: Journal, path: bytes, operation: int | None, most: int) -> EarlierVersion | None:
    """The version before an operation, or before the last one that replaced the file and still stands."""
    for entry in journal.history(MAX_OPERATIONS, None if operation is None else operation + 1):
        if operation is not None and entry.id != operation:
            break
        if entry.undone_by is not None or entry.done == 0 or entry.total > MAX_ITEMS:
            continue
        kept = _kept(journal, entry.id, path)
        content = None if kept is None else _read(kept, most)
        if content is not None:
            return EarlierVersion(entry.id, content)
    return None


def _kept(journal: Journal, number: int, path: bytes) -> Backup | None:
    try:
        record = journal.operation(number)
    except NoSuchOperation:  # forgotten in this moment
        return None
    for found in record.items:
        item = record.plan.items[found.index]
        target = found.target or item.target
        if found.kept is not None and target is not None and target.path == path:
            return found.kept
    return None


def _read(kept: Backup, most: int) -> bytes | None:
    """What lies in the trash, if that is the trash it was put into and it is a file."""
    try:
        folder = os.open(kept.files.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        seen = os.fstat(folder)
        if (seen.st_dev, seen.st_ino) != (kept.files.dev, kept.files.ino):
            return None
        with regular_file(kept.name, folder) as file:
            return file.read(most + 1)
    except OSError:
        return None
    finally:
        os.close(folder)


def undo_dependency(journal: Journal, number: int, path: bytes) -> int | None:
    """The newest operation after `number` that changed a path and still stands, or None."""
    for entry in journal.history(MAX_OPERATIONS):
        if entry.id <= number:
            break
        stands = entry.undone_by is None and entry.undoes is None and entry.done > 0
        if stands and entry.total <= MAX_ITEMS:
            items = journal.operation(entry.id).plan.items
            if any(_changes(item, path) for item in items):
                return entry.id
    return None


def _changes(item: PlanItem, path: bytes) -> bool:
    places = [place.path for place in (item.source, item.target) if place is not None]
    return any(is_within(path, place) for place in places)
