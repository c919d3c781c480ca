"""A folder that goes as a whole holds what was shown, or it is asked about: nothing is taken along unseen."""

import os

import pytest
from ops_ground import Stops, tree

from cmdr.engine.fs import finder_trash
from cmdr.engine.fs.folder_digest import MAX_DEPTH
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_move, plan_trash
from cmdr.engine.run.control import Answer, Cancelled, Unattended
from cmdr.model.plans.plan import ConflictPolicy, Totals


class Person(Unattended):
    """Answers what they are asked, and sees what they are shown."""

    def __init__(self, *answers, meanwhile=None):
        self.answers = list(answers)
        self.questions = []
        self.meanwhile = meanwhile

    def ask(self, conflict):
        self.questions.append((conflict.item.place.name, conflict.item.totals, conflict.inside))
        if self.meanwhile is not None:
            self.meanwhile()
            self.meanwhile = None
        answer = self.answers.pop(0)
        if answer is None:
            raise Cancelled
        return Answer(*answer)


YES, NO = (ConflictPolicy.OVERWRITE,), (ConflictPolicy.SKIP,)


def trashing(world, *names):
    return plan_trash([world.here + name for name in names], Choices(trash_home=world.home))


def moving(world, *names):
    return plan_move([world.here + name for name in names], world.there)


def fill(world, count=500, at=b"/tree/sub"):
    for number in range(count):
        world.write(world.here + at + b"/unseen %d" % number, b"12")


@pytest.mark.parametrize("way", [trashing, moving])
def test_what_nobody_was_shown_stays_when_nobody_can_be_asked(world, way):
    plan = way(world, b"/tree")
    assert plan.totals == Totals(2, 2, 4)
    fill(world)
    outcome = world.run(plan)
    assert [item.reason for item in outcome.skipped] == [
        "it holds something else than was shown, so it was left alone"
        " (shown: 2 folders, 2 files, 4 B; now: 2 folders, 502 files, 1004 B)"
    ]
    assert len(os.listdir(world.here + b"/tree/sub")) == 501
    assert (tree(world.there), world.trashed(), world.leftovers()) == ({}, {}, [])


@pytest.mark.parametrize("way", [trashing, moving])
def test_the_person_is_asked_and_told_what_really_went(world, journal, way):
    plan = way(world, b"/tree")
    fill(world)
    person = Person(YES)
    outcome = world.run(plan, recorder=journal, control=person)
    assert person.questions == [(b"tree", Totals(2, 2, 4), Totals(502, 2, 1004))]
    assert outcome.is_clean
    assert outcome.totals == Totals(502, 2, 1004)
    assert not os.path.exists(world.here + b"/tree")


@pytest.mark.parametrize("way", [trashing, moving])
def test_a_no_leaves_the_folder_and_a_stop_stops(world, way):
    plan = way(world, b"/tree")
    fill(world, 1)
    assert world.run(plan, control=Person(NO)).skipped
    assert world.run(plan, control=Person(None)).pending
    assert os.path.exists(world.here + b"/tree/sub/unseen 0")
    assert world.leftovers() == []


def test_what_comes_while_the_person_thinks_is_asked_about_too(world):
    plan = trashing(world, b"/tree")
    fill(world, 1)
    person = Person(YES, NO, meanwhile=lambda: fill(world, 3))
    assert world.run(plan, control=person).skipped
    assert [inside.files for _, _, inside in person.questions] == [3, 5]


@pytest.mark.parametrize(("answer", "skipped"), [(ConflictPolicy.SKIP, 2), (ConflictPolicy.OVERWRITE, 0)])
def test_one_answer_can_be_given_for_all(world, answer, skipped):
    world.write(world.here + b"/other/x", b"1")
    plan = trashing(world, b"/tree", b"/other")
    fill(world, 1)
    fill(world, 1, b"/other")
    person = Person((answer, True))
    assert len(world.run(plan, control=person).skipped) == skipped
    assert len(person.questions) == 1


def test_a_name_in_the_stead_of_another_is_noticed(world):
    plan = trashing(world, b"/tree")
    os.unlink(world.here + b"/tree/b")
    world.write(world.here + b"/tree/unseen", b"123")
    assert world.run(plan).skipped
    assert tree(world.here)[world.here + b"/tree/unseen"] == b"123"


def test_what_is_written_to_files_that_were_shown_is_no_question(world):
    plan = trashing(world, b"/tree")
    world.write(world.here + b"/tree/b", b"some more than before")
    assert world.run(plan, control=Person()).is_clean


def test_what_is_restored_is_what_was_shown(world):
    world.run(trashing(world, b"/tree"))
    plan = plan_restore([world.home + b"/files/tree"])
    world.write(world.home + b"/files/tree/unseen", b"1")
    assert world.run(plan).skipped
    assert world.run(plan, control=Person(YES)).totals == Totals(3, 2, 5)


def test_a_new_name_in_the_same_place_takes_nothing_along(world):
    plan = plan_rename([(world.here + b"/tree", b"wood")])
    fill(world, 1)
    assert world.run(plan, control=Person()).is_clean


def test_a_stop_is_heard_while_a_large_folder_is_looked_through(world):
    for number in range(20):
        os.mkdir(world.here + b"/tree/%d" % number)
    plan = trashing(world, b"/tree")
    assert world.run(plan, control=Stops(5)).pending
    assert os.path.exists(world.here + b"/tree/b")
    assert world.leftovers() == []


def test_a_pit_dug_into_a_folder_meanwhile_is_not_climbed_down_to_its_ground(world):
    plan = trashing(world, b"/tree")
    here = os.getcwdb()
    os.chdir(world.here + b"/tree")
    try:
        for _ in range(MAX_DEPTH + 1):
            os.mkdir(b"d")
            os.chdir(b"d")
    finally:
        os.chdir(here)
    outcome = world.run(plan)
    assert [item.reason for item in outcome.drifted] == ["it holds more folders inside each other than any plan has"]


def test_the_finder_is_not_handed_more_than_was_shown(world, monkeypatch):
    sent = []

    class Mac(Syscalls):
        def send_to_trash(self, path):
            sent.append(path)
            os.rename(path, world.there + b"/sent")

    monkeypatch.setattr(finder_trash, "is_the_trash", lambda *_: True)
    plan = trashing(world, b"/tree")
    fill(world, 1)
    assert world.run(plan, Mac()).skipped
    assert sent == []
    assert world.run(plan, Mac(), control=Person(YES)).totals.files == 3
