"""What steps answer in the corners: an item that lacks something, a folder that is away, nothing to recover."""

from types import SimpleNamespace

import pytest

from cmdr.engine.errors import Drifted
from cmdr.engine.journal.records import Backup
from cmdr.engine.run.operation import Finish
from cmdr.engine.run.undo import TakenBack, UndoPlan
from cmdr.engine.steps.link import Link
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.rename import Rename
from cmdr.engine.steps.swap import Swap
from cmdr.engine.steps.trash import Trash
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Root, StepName

HERE, THERE = Place(b"/a", b"x"), Place(b"/a", b"y")
MARK = Fingerprint(1, 2, 3, 4, Kind.FILE)


def away(_place):
    raise Drifted("its folder is gone")


def test_how_files_look_after_an_attempt_is_not_known_when_their_folder_is_away():
    step = Rename(SimpleNamespace(spot=away), 0, PlanItem(StepName.RENAME, Kind.FILE, HERE, THERE, MARK), b"temp")
    assert step.put_back() is None  # nothing was begun
    step.is_begun = True
    assert step.put_back() == (None, None)


def test_a_source_that_nobody_has_seen_counts_as_changed():
    step = Link(SimpleNamespace(by_now=lambda mark: mark), 0, PlanItem(StepName.LINK, Kind.FILE, HERE, THERE), b"temp")
    with pytest.raises(Drifted, match="changed since the plan"):
        step.expected()


def test_a_swap_that_did_not_take_place_has_nothing_to_tell():
    item = PlanItem(StepName.SWAP, Kind.FILE, HERE, THERE, MARK, MARK)
    assert Swap.recovered(item, None, SimpleNamespace()) is None
    assert Swap.stood_at(item) == THERE  # what an undo exchanges was brought there


def test_a_folder_on_its_way_to_the_trash_has_no_second_name_to_drop():
    dropped = []
    disk = SimpleNamespace(drop_second_name=lambda *places: dropped.append(places))
    root = Root(b"/t", 1, 2)
    found = SimpleNamespace(kept=Backup(root, root, b"x", b"x.trashinfo"), target=None)
    Trash.recover(PlanItem(StepName.TRASH, Kind.FOLDER, HERE), found, disk)
    assert dropped == []
    Trash.recover(PlanItem(StepName.TRASH, Kind.FILE, HERE), found, disk)
    assert dropped == [(HERE, Place(b"/t", b"x"))]


def test_what_stood_nowhere_was_not_taken_back():
    left = PlanItem(StepName.NOTHING, Kind.FILE, None, None)
    done = SimpleNamespace(index=0, state=SimpleNamespace(is_done=True))
    attempt = SimpleNamespace(items=[done], plan=SimpleNamespace(items=[left]))
    assert Nothing.stood_at(left) is None
    assert HERE not in TakenBack([attempt])


def test_a_place_that_cannot_be_reached_shows_nothing():
    undo = SimpleNamespace(spot=away)
    assert UndoPlan._shows(undo, HERE, MARK) is False


def test_a_source_stays_when_nobody_knows_where_its_copy_is():
    """The journal of another system may lack it."""
    operation = SimpleNamespace(_context=SimpleNamespace(folders=SimpleNamespace(must_be_there=lambda _: None)))
    result = SimpleNamespace(item=PlanItem(StepName.COPY, Kind.FILE, HERE, THERE), target=None, landed=MARK)
    with pytest.raises(Drifted, match="its copy is gone or has changed"):
        Finish._copied(operation, result, None, MARK)
