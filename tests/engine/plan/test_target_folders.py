"""Files that go to folders named by their date, extension and the like: one plan, shown whole and undone whole."""

import os

import pytest
from ops_ground import World, devices, tree

from cmdr.engine.plan import target_folders
from cmdr.engine.plan.large_plan import plan_in_process
from cmdr.engine.plan.refusals import (
    BadName,
    BadPattern,
    InsideItself,
    NotAFolder,
    NotEnoughSpace,
    SameTarget,
    TooMany,
    Unreadable,
)
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.name_fields import FolderPattern
from cmdr.model.plans.plan import ConflictPolicy, StepName, Totals, Verb
from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.plan_text import summary_of

SUMMER, WINTER = 1720000000, 1705300000


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    for name, when in ((b"a.jpg", SUMMER), (b"b.JPG", SUMMER), (b"c.txt", WINTER), (b"plain", WINTER)):
        made.write(made.here + b"/" + name, name)
        os.utime(made.here + b"/" + name, (when, when))
    return made


def into(text, **more):
    return Choices(into=FolderPattern.of(text)[1], **more)


def chosen(world, *names):
    return [world.here + b"/" + name for name in names or (b"a.jpg", b"b.JPG", b"c.txt", b"plain")]


def names_in(folder):
    return sorted(path[len(folder) + 1 :] for path in tree(folder))


@pytest.mark.parametrize("make", [plan_copy, plan_move])
def test_one_plan_sorts_files_into_folders_that_it_makes_and_undo_takes_all_of_it_back(world, journal, make):
    before = tree(world.here), tree(world.there)
    plan = make(chosen(world), world.there, into("{year}/{month}"))
    assert [item.target.rel for item in plan.made_folders] == [b"2024", b"2024/07", b"2024/01"]
    outcome = world.run(plan, recorder=journal)
    assert outcome.is_clean
    assert names_in(world.there) == [
        b"2024",
        b"2024/01",
        b"2024/01/c.txt",
        b"2024/01/plain",
        b"2024/07",
        b"2024/07/a.jpg",
        b"2024/07/b.JPG",
    ]
    assert world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal).is_clean
    assert (tree(world.here), tree(world.there)) == before


def test_the_person_sees_every_folder_and_where_each_file_goes(world):
    os.mkdir(world.there + b"/jpg")
    plan = plan_move(chosen(world), world.there, into("{ext}"))
    here, there = os.fsdecode(world.here), os.fsdecode(world.there)
    assert summary_of(plan) == [
        f"Move 4 files, 20 B to {there}",
        f"from {here}",
        "       5 B  a.jpg → jpg/a.jpg",
        "       5 B  b.JPG → jpg/b.JPG",
        "       5 B  c.txt → txt/c.txt",
        "       5 B  plain",
        f"into {there}: 1",
        "into jpg: 2",
        "into txt: 1",
        f"creates folder: {there}/txt",
    ]
    assert [line.strip() for line in page_of(plan, 0, 9).lines] == [
        f"{there}/txt/ (created: it is missing)",
        f"5 B  {here}/a.jpg → jpg/a.jpg",
        f"5 B  {here}/b.JPG → jpg/b.JPG",
        f"5 B  {here}/c.txt → txt/c.txt",
        f"5 B  {here}/plain",
    ]
    assert world.run(plan).is_clean
    assert names_in(world.there) == [b"jpg", b"jpg/a.jpg", b"jpg/b.JPG", b"plain", b"txt", b"txt/c.txt"]


def test_many_folders_are_counted_when_not_all_can_be_named(world):
    made = [world.write(world.here + b"/f.e%02d" % number, b"") for number in range(12)]
    told = summary_of(plan_copy(made, world.there, into("{ext}")))
    assert [line for line in told if line.startswith("into ")][-2:] == ["into e09: 1", "into 2 more folders: 2"]


def test_equal_names_get_numbers_where_that_is_wished_and_are_all_told_otherwise(world):
    made = [world.write(world.here + b"/%d/%s" % (n, name), b"%d" % n) for n in range(4) for name in (b"x.pdf", b"y")]
    with pytest.raises(SameTarget) as refused:
        plan_copy(made, world.there)
    assert str(refused.value).count("would both become") == 5
    assert '; and 1 more pairs. Let taken names get a number (onConflict "rename")' in str(refused.value)
    world.write(world.there + b"/x (2).pdf", b"taken")
    for goal in (world.there, world.there + b"/new"):
        plan = plan_copy(made, goal, Choices(policy=ConflictPolicy.RENAME))
        assert world.run(plan).is_clean
    assert names_in(world.there)[:4] == [b"new", b"new/x (1).pdf", b"new/x (2).pdf", b"new/x (3).pdf"]
    told = {name for name in names_in(world.there) if b"/" not in name}
    assert told >= {b"x.pdf", b"x (1).pdf", b"x (2).pdf", b"x (3).pdf", b"x (4).pdf", b"y", b"y (1)", b"y (3)"}


def test_folders_of_one_name_get_numbers_too(world):
    for n in (b"1", b"2"):
        world.write(world.here + b"/" + n + b"/src/f", n)
    plan = plan_copy([world.here + b"/1/src", world.here + b"/2/src"], world.there, Choices(ConflictPolicy.RENAME))
    assert world.run(plan).is_clean
    assert names_in(world.there) == [b"src", b"src (1)", b"src (1)/f", b"src/f"]


def test_a_file_does_not_take_the_name_of_a_folder_that_is_made(world):
    world.write(world.here + b"/txt", b"a file without an extension")
    with pytest.raises(SameTarget):
        plan_copy(chosen(world, b"txt", b"c.txt"), world.there, into("{ext}"))
    plan = plan_copy(chosen(world, b"txt", b"c.txt"), world.there, into("{ext}", policy=ConflictPolicy.RENAME))
    assert world.run(plan).is_clean
    assert names_in(world.there) == [b"txt", b"txt (1)", b"txt/c.txt"]


def test_sorting_a_folder_within_itself_again_changes_nothing(world):
    assert world.run(plan_move(chosen(world), world.here, into("{ext}"))).is_clean
    again = plan_move([world.here + b"/" + name for name in os.listdir(world.here)], world.here, into("{ext}"))
    assert {item.step for item in again.items} == {StepName.NOTHING}
    assert "3 will be skipped: it is there already" in summary_of(again)


def test_a_folder_never_goes_into_itself_nor_away_from_under_others(world):
    os.mkdir(world.here + b"/2024")
    os.utime(world.here + b"/2024", (SUMMER, SUMMER))
    with pytest.raises(InsideItself):
        plan_move(chosen(world, b"2024"), world.here, into("{year}"))
    os.utime(world.here + b"/2024", (0, 0))
    with pytest.raises(InsideItself):
        plan_move(chosen(world, b"a.jpg", b"2024"), world.here, into("{year}"))
    assert plan_move(chosen(world, b"2024"), world.here, into("{year}")).items[-1].target.rel == b"1970/2024"


def test_what_cannot_be_a_folder_is_refused(world, monkeypatch):
    world.write(world.there + b"/txt", b"a file")
    with pytest.raises(NotAFolder):
        plan_copy(chosen(world), world.there, into("{ext}"))
    with pytest.raises(BadName):
        plan_copy(chosen(world), world.there, into("{name}" * 100))
    os.utime(world.here + b"/a.jpg", ns=(0, 2**62))
    monkeypatch.setattr("time.localtime", lambda _: (_ for _ in ()).throw(OverflowError))
    with pytest.raises(BadPattern, match=r"a\.jpg has no date"):
        plan_copy(chosen(world), world.there, into("{date}"))
    monkeypatch.setattr(target_folders, "MAX_TARGET_FOLDERS", 2)
    with pytest.raises(TooMany, match="target folders"):
        plan_copy(chosen(world), world.here, into("{ext}"))


def test_folders_above_need_only_let_one_pass(world, like_anybody):
    """A target below a folder that may be entered and not be listed, as /home often is, failed inside."""
    target = world.there + b"/closed/mine"
    os.makedirs(target)
    os.chmod(world.there + b"/closed", 0o311)
    assert plan_copy(chosen(world, b"a.jpg"), target).items[0].target.path == target + b"/a.jpg"
    os.chmod(world.there + b"/closed", 0o755)


def test_a_target_that_may_be_listed_and_not_be_entered_is_refused_in_words(world, like_anybody):
    target = world.there + b"/listed"
    os.mkdir(target)
    os.chmod(target, 0o444)
    with pytest.raises(Unreadable, match="listed could not be read"):
        plan_copy(chosen(world, b"a.jpg"), target)


def test_links_to_one_folder_are_one_target(world):
    os.mkdir(world.there + b"/txt")
    os.symlink(b"txt", world.there + b"/text")
    two = [world.write(world.here + b"/%s/same.%s" % (ext, ext), b"") for ext in (b"txt", b"text")]
    os.rename(two[1], os.path.dirname(two[1]) + b"/same.txt")
    moved = [two[0], os.path.dirname(two[1]) + b"/same.txt"]
    with pytest.raises(SameTarget):
        plan_copy(moved, world.there, into("{parent}"))


def test_room_is_counted_on_every_volume(world, monkeypatch):
    with devices() as found:
        places = [two for _, one, two in found.places() if os.stat(one).st_dev != os.stat(two).st_dev]
        if not places:
            pytest.skip("mounting a second file system is not allowed here")
        os.symlink(places[0], world.there + b"/jpg")
        plan = plan_copy(chosen(world), world.there, into("{ext}"))
        assert plan.need_bytes == 10
        free = target_folders.free_bytes
        far = os.stat(places[0]).st_dev
        monkeypatch.setattr(target_folders, "free_bytes", lambda to: 3 if os.fstat(to).st_dev == far else free(to))
        with pytest.raises(NotEnoughSpace, match="jpg"):
            plan_copy(chosen(world), world.there, into("{ext}"))


def test_a_helper_process_plans_the_same(world):
    choices = into("{year}/{ext}")
    here = plan_move(chosen(world), world.there, choices)
    made = plan_in_process(Verb.MOVE, chosen(world), world.there, choices, lambda _: None)
    assert (list(made.items), made.roots, made.target_folders) == (list(here.items), here.roots, here.target_folders)


@pytest.mark.parametrize("policy", [ConflictPolicy.SKIP, ConflictPolicy.NEWER, ConflictPolicy.LARGER])
def test_what_a_policy_will_skip_is_counted_before_and_nothing_is_claimed_to_be_copied(world, policy):
    for top in (world.here, world.there):
        for n in range(3):
            os.utime(world.write(top + b"/tree/%d" % n, b"same"), (SUMMER, SUMMER))
    plan = plan_copy([world.here + b"/tree"], world.there, Choices(policy))
    assert plan.totals == Totals()
    told = summary_of(plan)
    assert told[0] == f"Copy 0 files to {os.fsdecode(world.there)}"
    assert [line for line in told if "will be skipped" in line] == [f"3 will be skipped: {plan.items[1].reason}"]
    assert world.run(plan).totals == Totals()
