"""A folder comes into being as a file does: under a temporary name that the journal knows, and then under its own."""

import errno
import os

import pytest

from cmdr.engine.fs.names import is_temp_name
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.records import ItemRecord, ItemState, OperationRecord
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.control import Unattended
from cmdr.engine.run.crash_recovery import recover
from cmdr.engine.run.operation import Operation
from cmdr.engine.run.undo import Continuations, plan_undo
from cmdr.engine.steps.registry import STEPS
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy, Kind, Place, Plan, PlanItem, StepName, Verb


@pytest.fixture
def ground(tmp_path):
    (tmp_path / "from" / "sub").mkdir(parents=True)
    (tmp_path / "from" / "sub" / "file").write_text("x")
    (tmp_path / "to").mkdir()
    return tmp_path


@pytest.fixture
def journal(tmp_path):
    made = Journal(os.fsencode(tmp_path / "journal.db"))
    yield made
    made.close()


def run(ground, journal, syscalls):
    plan = plan_copy([os.fsencode(ground / "from")], os.fsencode(ground / "to"), Choices(ConflictPolicy.SKIP))
    return Operation(plan, syscalls, journal).run(Unattended())


class Overtaken(Syscalls):
    """Another program makes the folder right before ours gets its name."""

    def rename(self, name, folder, new_name, new_folder, flags=0):
        if new_name == b"from":
            os.mkdir(new_name, dir_fd=new_folder)
        super().rename(name, folder, new_name, new_folder, flags)


def test_a_folder_that_another_program_made_at_the_last_moment_is_joined_and_stays_theirs(ground, journal):
    outcome = run(ground, journal, Overtaken())
    assert outcome.is_clean
    assert os.listdir(ground / "to") == ["from"]
    assert (ground / "to" / "from" / "sub" / "file").read_text() == "x"
    assert list(journal.unrecovered()) == []
    back = plan_undo(journal.operation(outcome.operation))
    Operation(back, Syscalls(), journal).run(Unattended())
    assert os.listdir(ground / "to" / "from") == []


class Failing(Syscalls):
    """A disk that gives a folder no name and does not remove it either."""

    def rename(self, name, folder, new_name, new_folder, flags=0):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def rmdir(self, name, folder):
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_folder_that_could_not_be_cleared_away_is_swept_at_the_next_start(ground, journal):
    outcome = run(ground, journal, Failing())
    assert not outcome.is_clean
    (left,) = os.listdir(ground / "to")
    assert is_temp_name(os.fsencode(left))
    report = recover(journal, Syscalls())
    assert report.removed == [os.fsencode(ground / "to" / left)]
    assert os.listdir(ground / "to") == []


def test_what_a_later_run_did_not_come_to_changes_nothing_about_the_earlier_one():
    folder = PlanItem(StepName.MAKE, Kind.FOLDER, Place(b"/a", b"x"), Place(b"/b", b"x"))
    source = PlanItem(StepName.REMOVE, Kind.FILE, Place(b"/a", b"y"), Place(b"/b", b"y"), remove_source=True)

    def record(index, state):
        return ItemRecord(index, state, "", None, None, None, None, None, None)

    plan = Plan(Verb.MOVE, (folder, source), continues=1)
    later = OperationRecord(2, plan, OperationState.INTERRUPTED, "", 0.0, None, ())
    earlier = OperationRecord(1, Plan(Verb.MOVE, (folder,)), OperationState.CONTINUED, "", 0.0, None, ())
    runs = Continuations()
    for index, item in enumerate(plan.items):
        assert STEPS[item.step].merge(runs, later, item, record(index, ItemState.PLANNED)) is None
    landed = record(0, ItemState.LANDED)
    assert STEPS[folder.step].merge(runs, earlier, folder, landed) is landed
    assert runs.folders == {}


def test_a_folder_that_an_outage_left_without_its_name_gets_it_when_things_are_in_it(ground, journal):
    run(ground, journal, Failing())
    (left,) = os.listdir(ground / "to")
    (ground / "to" / left / "file").write_text("x")
    report = recover(journal, Syscalls())
    assert report.removed == []
    assert (ground / "to" / "from" / "file").read_text() == "x"


def test_a_folder_that_cannot_be_cleared_away_at_the_start_is_tried_again_later(ground, journal):
    run(ground, journal, Failing())
    report = recover(journal, Failing())
    assert report.unreachable == [os.fsencode(ground / "from")]
    assert len(recover(journal, Syscalls()).removed) == 1
