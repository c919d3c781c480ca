"""Looking back into the journal: what a file held before, and what must be undone first."""

import os
from types import SimpleNamespace

import pytest

from cmdr.engine.journal.lookback import earlier_version, undo_dependency
from cmdr.engine.journal.reading import NoSuchOperation
from cmdr.engine.journal.records import Backup
from cmdr.model.plans.plan import Kind, Place, PlanItem, Root, StepName

TARGET = Place(b"/home/me", b"file")


class Remembered:
    """A journal of some operations, the newest first; each replaced the file and kept what stood there."""

    def __init__(self, *entries, kept=None):
        self._entries = entries
        self._kept = kept

    def history(self, _most, before=None):
        return [entry for entry in self._entries if before is None or entry.id < before]

    def operation(self, number):
        if number == 9:
            raise NoSuchOperation(number)
        item = PlanItem(StepName.COPY, Kind.FILE, Place(b"/", b"x"), TARGET)
        return SimpleNamespace(
            items=[SimpleNamespace(index=0, target=None, kept=self._kept)], plan=SimpleNamespace(items=[item])
        )


def entry(number, **more):
    return SimpleNamespace(**{"id": number, "undone_by": None, "undoes": None, "done": 1, "total": 1, **more})


@pytest.fixture
def kept(tmp_path):
    (tmp_path / "file").write_bytes(b"before")
    found = os.stat(tmp_path)
    root = Root(os.fsencode(tmp_path), found.st_dev, found.st_ino)
    return Backup(root, root, b"file", b"file.trashinfo")


def test_the_version_before_the_last_operation_that_stands_is_found(kept):
    journal = Remembered(entry(9), entry(8, undone_by=9), entry(7, done=0), entry(6), kept=kept)
    assert earlier_version(journal, TARGET.path, None, 100).operation == 6
    assert earlier_version(journal, TARGET.path, 6, 100).content == b"before"
    assert earlier_version(journal, TARGET.path, 5, 100) is None
    assert earlier_version(Remembered(entry(3), kept=kept), TARGET.path, 4, 100) is None


def test_a_trash_that_is_gone_or_another_one_gives_nothing(kept, tmp_path):
    gone = Backup(Root(b"/nowhere/at all", 1, 2), kept.info, kept.name, kept.note)
    other = Backup(Root(os.fsencode(tmp_path), 1, 2), kept.info, kept.name, kept.note)
    empty = Backup(kept.files, kept.info, b"another", kept.note)
    for found in (gone, other, empty):
        assert earlier_version(Remembered(entry(1), kept=found), TARGET.path, None, 100) is None


def test_the_newest_operation_that_changed_a_path_and_stands_comes_first():
    journal = Remembered(entry(5, total=10**9), entry(4, undone_by=5), entry(3), entry(2), entry(1))
    assert undo_dependency(journal, 1, TARGET.path) == 3
    assert undo_dependency(journal, 1, b"/elsewhere") is None
    assert undo_dependency(journal, 5, TARGET.path) is None
    assert undo_dependency(Remembered(entry(2, done=0)), 1, TARGET.path) is None
