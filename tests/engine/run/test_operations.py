"""Running plans: what lands, what asks, what stops, what is taken back."""

import os
import stat
import subprocess
from dataclasses import replace

import pytest
from ops_ground import FaultySyscalls, Plain, Stops, World, devices, mounted, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import home_trash, read_note
from cmdr.engine.journal.records import Intent, ItemState, ItemUpdate, NoRecord
from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run import fsync_pool
from cmdr.engine.run.control import Answer, Cancelled, Unattended
from cmdr.engine.run.operation import Operation
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy, Decision, StepName, Totals


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/a", b"new a")
    made.write(made.here + b"/tree/b", b"b")
    made.write(made.here + b"/tree/sub/c", b"c")
    return made


@pytest.fixture
def apart():
    with devices() as found:
        if found.two is None:
            pytest.skip("mounting a second file system is not allowed here")
        made = World(found.one, found.two)
        made.reset()
        made.write(made.here + b"/a", b"new a")
        made.write(made.here + b"/tree/b", b"b")
        made.write(made.here + b"/tree/sub/c", b"c")
        yield made


class Person(Unattended):
    """Answers questions and remembers them."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []
        self.seen = []

    def ask(self, conflict):
        self.questions.append(conflict)
        answer = self.answers.pop(0)
        if answer is None:
            raise Cancelled
        return answer

    def progress(self, progress):
        self.seen.append(progress)


def undo(world, journal, outcome):
    return world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)


def test_progress_counts_up_to_the_whole(world):
    world.write(world.here + b"/large", b"x" * (3 << 20))
    person = Person()
    plan = plan_copy([world.here + b"/a", world.here + b"/large", world.here + b"/tree"], world.there)
    outcome = world.run(plan, control=person)
    counts = [(seen.items_done, seen.bytes_done) for seen in person.seen]
    assert counts == sorted(counts)
    last = person.seen[-1]
    assert (last.items_done, last.bytes_done) == (last.items_total, last.bytes_total) == (6, plan.totals.bytes), last
    assert outcome.totals == plan.totals
    assert outcome.is_clean


def test_a_file_from_a_far_year_is_copied_moved_trashed_and_brought_back(world, journal):
    """A wrong clock writes such dates; each of these stopped half-way, with the file in both places."""
    os.utime(world.here + b"/a", (0, 13_569_465_600))  # the year 2400
    assert world.run(plan_copy([world.here + b"/a"], world.there)).is_clean
    assert world.run(plan_trash([world.there + b"/a"])).is_clean
    moved = world.run(plan_move([world.here + b"/a"], world.there), recorder=journal)
    assert moved.is_clean
    assert undo(world, journal, moved).is_clean
    assert os.stat(world.here + b"/a").st_mtime_ns == 13_569_465_600 * 10**9


def test_what_is_copied_is_verified_when_asked(world):
    class Rotten(Syscalls):
        """A disk on which a byte of every copy changes."""

        def sync_data(self, fd):
            super().sync_data(fd)
            os.pwrite(fd, b"?", 0)

    plan = plan_copy([world.here + b"/a"], world.there)
    outcome = Operation(plan, Rotten(), NoRecord(), verify=True, trash_home=world.home).run(Unattended())
    assert [item.reason for item in outcome.failed] == ["the copy does not read back the same"]
    assert tree(world.there) == {}
    outcome = Operation(plan, Syscalls(), NoRecord(), verify=True, trash_home=world.home).run(Unattended())
    assert outcome.is_clean
    assert not outcome.can_retry
    with pytest.raises(NothingToDo):
        outcome.retry()


def test_a_kernel_that_does_not_copy_by_itself_is_no_obstacle(world):
    world.write(world.here + b"/large", b"xyz" * (1 << 20))
    world.run(plan_copy([world.here + b"/large"], world.there), Plain(kernel=False))
    assert tree(world.there)[world.there + b"/large"] == b"xyz" * (1 << 20)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(ConflictPolicy.OVERWRITE), {b"a": b"new a"}),
        (Answer(ConflictPolicy.SKIP), {b"a": b"old"}),
        (Answer(ConflictPolicy.ASK), {b"a": b"old"}),
        (Answer(ConflictPolicy.RENAME), {b"a": b"old", b"a (1)": b"new a"}),
        (Answer(ConflictPolicy.LARGER), {b"a": b"new a"}),
        (Answer(ConflictPolicy.NEWER), {b"a": b"old"}),
        (None, {b"a": b"old"}),
    ],
)
def test_a_question_is_answered_for_exactly_the_file_it_shows(world, answer, expected):
    standing = world.write(world.there + b"/a", b"old")
    os.utime(standing, (2**33, 2**33))
    person = Person(answer)
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), control=person)
    assert {os.path.basename(path): text for path, text in tree(world.there).items()} == expected
    assert person.questions[0].existing.size == 3
    assert person.questions[0].id
    assert (outcome.state is OperationState.CANCELLED) == (answer is None)
    assert world.leftovers() == []
    if expected == {b"a": b"new a"}:
        assert list(world.trashed().values()) == [b"old"]


def test_an_answer_for_all_is_asked_once(world):
    for number in range(3):
        world.write(world.here + b"/many/%d" % number, b"new")
        world.write(world.there + b"/many/%d" % number, b"old")
    person = Person(Answer(ConflictPolicy.OVERWRITE, for_all=True))
    outcome = world.run(plan_copy([world.here + b"/many"], world.there), control=person)
    assert len(person.questions) == 1
    assert len(world.trashed()) == 3
    assert outcome.is_clean


def test_answers_for_all_keep_their_meaning(world):
    for number in range(3):
        world.write(world.here + b"/many/%d" % number, b"new")
        world.write(world.there + b"/many/%d" % number, b"old")
    person = Person(Answer(ConflictPolicy.LARGER, for_all=True))
    outcome = world.run(plan_copy([world.here + b"/many"], world.there), control=person)
    assert len(outcome.skipped) == 3
    assert world.leftovers() == []


def test_a_person_who_stops_in_the_middle_keeps_what_is_finished(world):
    for number in range(5):
        world.write(world.here + b"/many/%d" % number, b"text")
    plan = plan_copy([world.here + b"/many"], world.there)
    outcome = world.run(plan, control=Stops(6))
    assert outcome.state is OperationState.CANCELLED
    assert len(outcome.done) == 3
    assert len(outcome.pending) == 3
    assert all(text in (b"text", b"/") for text in tree(world.there).values())
    assert world.leftovers() == []
    assert len(outcome.retry().items) == 4, "with the folder they go to"
    assert world.run(outcome.retry()).is_clean
    assert len(tree(world.there)) == 6


def test_one_bad_item_never_stops_the_rest(world):
    for number in range(5):
        world.write(world.here + b"/%d" % number, b"text")
    chosen = [world.here + b"/%d" % number for number in range(5)]
    plan = plan_copy(chosen, world.there)
    os.unlink(chosen[2])
    os.unlink(chosen[3])
    os.symlink(b"a", chosen[3])
    outcome = world.run(plan)
    assert len(outcome.done) == 3
    assert len(outcome.drifted) == 2


def test_folders_merge_and_keep_what_only_the_destination_has(world):
    world.write(world.there + b"/tree/own", b"own")
    before = os.stat(world.there + b"/tree").st_mode
    world.run(plan_copy([world.here + b"/tree"], world.there))
    assert tree(world.there)[world.there + b"/tree/own"] == b"own"
    assert tree(world.there)[world.there + b"/tree/sub/c"] == b"c"
    assert os.stat(world.there + b"/tree").st_mode == before


def test_a_merged_folder_that_was_exchanged_gets_nothing(world):
    os.mkdir(world.there + b"/tree")
    plan = plan_copy([world.here + b"/tree"], world.there)
    os.rename(world.there + b"/tree", world.there + b"/was")
    os.mkdir(world.there + b"/tree")
    outcome = world.run(plan)
    assert outcome.drifted
    assert os.listdir(world.there + b"/tree") == []


def test_a_folder_that_appeared_meanwhile_is_joined_and_a_file_is_not(world):
    plan = plan_copy([world.here + b"/tree"], world.there)
    os.mkdir(world.there + b"/tree")
    assert world.run(plan).is_clean
    again = plan_copy([world.here + b"/tree"], world.there, Choices(as_name=b"other"))
    world.write(world.there + b"/other", b"a file")
    outcome = world.run(again)
    assert outcome.skipped[0].reason == "a file has that name"
    assert tree(world.there)[world.there + b"/other"] == b"a file"


def test_a_root_that_was_exchanged_is_not_entered(world):
    plan = plan_copy([world.here + b"/a"], world.there)
    os.rename(world.there, world.far + b"/was")
    os.mkdir(world.there)
    outcome = world.run(plan)
    assert "is not the one that was planned" in outcome.drifted[0].reason
    assert os.listdir(world.there) == []


def test_a_move_on_one_volume_keeps_identity(world):
    before = os.stat(world.here + b"/tree/b").st_ino
    outcome = world.run(plan_move([world.here + b"/tree", world.here + b"/a"], world.there))
    assert outcome.is_clean
    assert os.stat(world.there + b"/tree/b").st_ino == before
    assert os.listdir(world.here) == []


def test_a_moved_tree_merges_and_the_rest_stays(world):
    world.write(world.there + b"/tree/b", b"old b")
    outcome = world.run(plan_move([world.here + b"/tree"], world.there, Choices(policy=ConflictPolicy.SKIP)))
    assert tree(world.here) == {
        world.here + b"/a": b"new a",
        world.here + b"/tree": b"/",
        world.here + b"/tree/b": b"b",
    }
    assert tree(world.there)[world.there + b"/tree/sub/c"] == b"c"
    assert outcome.items[0].state is ItemState.LANDED


def test_a_move_across_volumes_leaves_new_files_where_they_are(apart):
    plan = plan_move([apart.here + b"/tree", apart.here + b"/a"], apart.there)
    apart.write(apart.here + b"/tree/late", b"came late")
    outcome = apart.run(plan)
    assert tree(apart.here) == {apart.here + b"/tree": b"/", apart.here + b"/tree/late": b"came late"}
    assert len(outcome.done) == 5
    assert "not empty" in outcome.items[0].reason


def test_a_source_whose_copy_is_gone_again_is_kept(apart):
    class Thief(Syscalls):
        def set_times(self, fd, atime_ns, mtime_ns):
            super().set_times(fd, atime_ns, mtime_ns)
            if os.path.exists(apart.there + b"/tree/b"):
                os.unlink(apart.there + b"/tree/b")

    outcome = apart.run(plan_move([apart.here + b"/tree"], apart.there), Thief())
    assert apart.here + b"/tree/b" in tree(apart.here)
    assert "its other copy is gone or has changed" in "".join(item.reason for item in outcome.items)


def test_cancelling_while_sources_are_removed_loses_nothing(apart):
    outcome = apart.run(plan_move([apart.here + b"/tree", apart.here + b"/a"], apart.there), control=Stops(9))
    assert outcome.state is OperationState.CANCELLED
    assert {*tree(apart.here).values(), *tree(apart.there).values()} == {b"/", b"b", b"c", b"new a"}


def test_hard_links_stay_hard_links_or_it_is_said(apart):
    os.link(apart.here + b"/a", apart.here + b"/tree/also a")
    chosen = [apart.here + b"/a", apart.here + b"/tree"]
    assert apart.run(plan_copy(chosen, apart.there)).is_clean
    assert os.stat(apart.there + b"/a").st_ino == os.stat(apart.there + b"/tree/also a").st_ino
    os.mkdir(apart.far + b"/second")
    outcome = apart.run(plan_copy(chosen, apart.far + b"/second"), Plain(links=False, noreplace=True, exchange=True))
    assert [text for _, text in outcome.warnings] == ["hard link"]
    os.mkdir(apart.far + b"/third")

    class NoFirst(Syscalls):
        def create(self, name, folder, mode=0o600):
            if not getattr(self, "failed", False):
                self.failed = True
                raise PermissionError(13, "no")
            return super().create(name, folder, mode)

        def link(self, *args):
            raise OSError(5, "Input/output error")

    outcome = apart.run(plan_copy(chosen, apart.far + b"/third"), NoFirst())
    assert len(outcome.failed) == 1
    assert [text for _, text in outcome.warnings] == ["hard link"]
    os.mkdir(apart.far + b"/fourth")

    class Broken(Syscalls):
        def link(self, *args):
            raise OSError(5, "Input/output error")

    assert len(apart.run(plan_copy(chosen, apart.far + b"/fourth"), Broken()).failed) == 1


@pytest.mark.parametrize("able", [Syscalls, Plain, lambda: Plain(links=False)])
def test_swaps_rings_and_chains_of_names_work(world, journal, able):
    for name in b"abcdef":
        world.write(world.there + b"/%c" % name, b"contents %c" % name)
    base = world.there + b"/"
    pairs = [(b"a", b"b"), (b"b", b"a"), (b"c", b"d"), (b"d", b"e"), (b"e", b"c"), (b"f", b"g")]
    outcome = world.run(plan_rename([(base + old, new) for old, new in pairs]), able(), journal)
    assert outcome.is_clean
    assert tree(world.there) == {base + new: b"contents " + old for old, new in pairs}
    assert undo(world, journal, outcome).is_clean
    assert tree(world.there) == {base + old: b"contents " + old for old, _ in pairs}


def test_a_chain_of_names_runs_from_its_free_end(world):
    for name in (b"1", b"2", b"3"):
        world.write(world.there + b"/" + name, name)
    pairs = [(world.there + b"/1", b"2"), (world.there + b"/2", b"3"), (world.there + b"/3", b"4")]
    assert world.run(plan_rename(pairs)).is_clean
    assert tree(world.there) == {world.there + b"/%d" % (n + 1): b"%d" % n for n in (1, 2, 3)}


def test_a_swap_whose_file_changed_is_left_alone(world):
    world.write(world.there + b"/x", b"x")
    world.write(world.there + b"/y", b"y")
    plan = plan_rename([(world.there + b"/x", b"y"), (world.there + b"/y", b"x")])
    world.write(world.there + b"/x", b"changed")
    assert len(world.run(plan).drifted) == 1

    class Late(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            if not getattr(self, "done", False):
                self.done = True
                os.rename(world.there + b"/x", world.there + b"/x2")
                world.write(world.there + b"/x", b"stranger")
            super().rename(name, folder, new_name, new_folder, flags)

    plan = plan_rename([(world.there + b"/x", b"y"), (world.there + b"/y", b"x")])
    assert len(world.run(plan, Late()).drifted) == 1
    assert tree(world.there)[world.there + b"/x"] == b"stranger"
    assert tree(world.there)[world.there + b"/y"] == b"y"


class Caseless(Syscalls):
    """Renaming as on a file system that ignores case: the other spelling counts as taken."""

    def __init__(self, fail=False):
        self.fail = fail

    def rename(self, name, folder, new_name, new_folder, flags=0):
        if self.fail and name.startswith(b".cmdr") and new_name == b"README":
            raise OSError(5, "Input/output error")
        super().rename(name, folder, new_name, new_folder, flags)


@pytest.mark.parametrize("fail", [False, True])
def test_a_name_may_change_only_its_case_where_case_is_ignored(world, monkeypatch, fail):
    world.write(world.there + b"/readme", b"text")
    real = os.stat

    def caseless(path, **more):
        return real(b"readme" if path == b"README" and b"readme" in os.listdir(world.there) else path, **more)

    monkeypatch.setattr(os, "stat", caseless)
    plan = plan_rename([(world.there + b"/readme", b"README")])
    outcome = world.run(plan, Caseless(fail))
    monkeypatch.undo()
    assert outcome.is_clean is not fail
    assert os.listdir(world.there) == [b"readme" if fail else b"README"]


def test_hard_links_in_two_spellings_are_two_files(world):
    world.write(world.there + b"/x", b"text")
    os.link(world.there + b"/x", world.there + b"/X")
    plan = plan_copy([world.there + b"/x"], world.here)
    outcome = world.run(plan_rename([(world.there + b"/x", b"X2")]))
    assert outcome.is_clean
    assert world.run(plan).drifted
    plan = plan_rename([(world.there + b"/X2", b"x2")])
    os.link(world.there + b"/X2", world.there + b"/x2")
    assert [item.reason for item in world.run(plan).drifted] == ["it has changed since the plan"]
    (item,) = plan.items
    plan = replace(plan, items=(replace(item, fingerprint=item.fingerprint._replace(stamp_ns=None)),))
    assert [item.reason for item in world.run(plan).skipped] == ["it is the same file already"]


def test_a_moved_file_replaces_and_the_old_one_is_in_the_trash(world, journal):
    world.write(world.there + b"/a", b"old a")
    outcome = world.run(
        plan_move([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE)), recorder=journal
    )
    assert tree(world.there) == {world.there + b"/a": b"new a"}
    assert list(world.trashed().values()) == [b"old a"]
    assert undo(world, journal, outcome).is_clean
    assert tree(world.there) == {world.there + b"/a": b"old a"}
    assert tree(world.here)[world.here + b"/a"] == b"new a"
    assert world.leftovers() == []


def test_a_replaced_file_comes_back_and_goes_again(world, journal):
    world.write(world.there + b"/a", b"old a")
    outcome = world.run(
        plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE)), recorder=journal
    )
    back = undo(world, journal, outcome)
    assert tree(world.there) == {world.there + b"/a": b"old a"}
    assert list(world.trashed().values()) == [b"new a"]
    assert undo(world, journal, back).is_clean
    assert tree(world.there) == {world.there + b"/a": b"new a"}


def test_what_changed_since_is_not_undone(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a", world.here + b"/tree"], world.there), recorder=journal)
    world.write(world.there + b"/a", b"edited since")
    plan = plan_undo(journal.operation(outcome.operation))
    assert [item.reason for item in plan.items if item.step is StepName.NOTHING] == [
        "it has changed since, so it is left alone"
    ]
    world.run(plan, recorder=journal)
    assert tree(world.there) == {world.there + b"/a": b"edited since"}


def test_undoing_a_copy_whose_source_is_gone_keeps_the_copy_in_the_trash(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    os.unlink(world.here + b"/a")
    undo(world, journal, outcome)
    assert list(world.trashed().values()) == [b"new a"]


def test_undoing_a_copy_keeps_it_in_the_trash_when_the_source_goes_at_the_last_moment(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    plan = plan_undo(journal.operation(outcome.operation))
    os.unlink(world.here + b"/a")
    assert world.run(plan).is_clean
    assert list(world.trashed().values()) == [b"new a"]


def test_a_move_never_goes_back_over_a_new_file(world, journal):
    outcome = world.run(plan_move([world.here + b"/a"], world.there), recorder=journal)
    world.write(world.here + b"/a", b"a new file in the old place")
    assert undo(world, journal, outcome).skipped
    assert tree(world.here)[world.here + b"/a"] == b"a new file in the old place"
    assert tree(world.there)[world.there + b"/a"] == b"new a"


def test_a_moved_file_that_changed_is_not_moved_back(world, journal):
    outcome = world.run(plan_move([world.here + b"/a"], world.there), recorder=journal)
    world.write(world.there + b"/a", b"edited")
    with pytest.raises(NothingToDo, match="has changed since"):
        undo(world, journal, outcome)


def test_trash_that_was_emptied_cannot_be_undone(world, journal):
    outcome = world.run(plan_trash([world.here + b"/a"], Choices(trash_home=world.home)), recorder=journal)
    kept = outcome.items[0].kept
    os.unlink(kept.place.path)
    with pytest.raises(NothingToDo, match="not in the trash any more"):
        undo(world, journal, outcome)


def test_what_was_deleted_for_good_cannot_be_undone(world, journal):
    outcome = world.run(plan_delete([world.here + b"/tree"]), recorder=journal)
    assert outcome.is_clean
    assert b"tree" not in os.listdir(world.here)
    outcome = world.run(plan_delete([world.here + b"/a"]), recorder=journal)
    with pytest.raises(NothingToDo, match="deleted for good"):
        undo(world, journal, outcome)
    nothing = world.run(plan_mkdir(world.there + b"/n").only([]), recorder=journal)
    with pytest.raises(NothingToDo, match="changed nothing"):
        undo(world, journal, nothing)


def test_deleting_keeps_what_came_later(world):
    plan = plan_delete([world.here + b"/tree"])
    world.write(world.here + b"/tree/sub/late", b"late")
    outcome = world.run(plan)
    assert {item.reason for item in outcome.drifted} == {"the folder is not empty, so it was kept"}
    assert world.here + b"/tree/sub/late" in tree(world.here)


def test_new_things_are_made_and_unmade(world, journal):
    made = [
        world.run(plan_mkdir(world.there + b"/folder"), recorder=journal),
        world.run(plan_mkfile(world.there + b"/file", b"text"), recorder=journal),
        world.run(plan_link(world.there + b"/soft", b"file"), recorder=journal),
        world.run(plan_link(world.there + b"/hard", world.there + b"/file", hard=True), recorder=journal),
    ]
    assert all(outcome.is_clean for outcome in made)
    assert os.readlink(world.there + b"/soft") == b"file"
    assert os.stat(world.there + b"/hard").st_nlink == 2
    assert tree(world.there)[world.there + b"/file"] == b"text"
    for outcome in reversed(made):
        undo(world, journal, outcome)
    assert os.listdir(world.there) == []


def test_new_things_give_way_to_what_appeared_meanwhile(world):
    plans = [
        plan_mkdir(world.there + b"/n"),
        plan_mkfile(world.there + b"/n", b""),
        plan_link(world.there + b"/n", b"x"),
    ]
    os.mkdir(world.there + b"/n")
    for plan in plans:
        assert world.run(plan).skipped
    hard = plan_link(world.there + b"/h", world.here + b"/a", hard=True)
    world.write(world.here + b"/a", b"other")
    assert world.run(hard).drifted


def test_writing_keeps_the_mode_and_the_old_contents_for_undo(world, journal):
    path = world.here + b"/a"
    os.chmod(path, 0o640)
    outcome = world.run(plan_write(path, b"rewritten", fingerprint.of_path(path)), recorder=journal)
    assert tree(world.here)[path] == b"rewritten"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    assert undo(world, journal, outcome).is_clean
    assert tree(world.here)[path] == b"new a"


def test_writing_over_a_file_that_changed_is_refused_at_the_last_moment(world):
    path = world.here + b"/a"
    plan = plan_write(path, b"rewritten")
    world.write(path, b"edited by somebody")
    assert world.run(plan).drifted
    assert tree(world.here)[path] == b"edited by somebody"


def test_a_plan_read_back_from_the_journal_has_no_contents_to_write(world):
    plan = plan_write(world.there + b"/n", b"text")
    forgotten = type(plan).decode(plan.encoded)
    assert world.run(forgotten).drifted[0].reason == "its contents are not known any more"


def test_trash_keeps_a_note_that_other_desktops_can_read(world):
    name = "späce %".encode()
    world.write(world.here + b"/" + name, b"text")
    outcome = world.run(plan_trash([world.here + b"/" + name], Choices(trash_home=world.home)))
    kept = outcome.items[0].kept
    with open(kept.note_place.path, "rb") as file:
        text = file.read()
    assert text.startswith(b"[Trash Info]\nPath=/")
    assert b"sp%C3%A4ce%20%25" in text
    assert read_note(text, b"") == world.here + b"/" + name


def test_two_files_of_one_name_find_room_in_the_trash(world):
    for _ in range(3):
        world.write(world.here + b"/same", b"x")
        assert world.run(plan_trash([world.here + b"/same"], Choices(trash_home=world.home))).is_clean
    assert len(world.trashed()) == 3
    world.write(world.here + b"/x/same", b"1")
    world.write(world.here + b"/y/same", b"2")
    assert world.run(
        plan_trash([world.here + b"/x/same", world.here + b"/y/same"], Choices(trash_home=world.home))
    ).is_clean
    assert len(world.trashed()) == 5


def test_restoring_makes_the_missing_folders_again(world):
    outcome = world.run(plan_trash([world.here + b"/tree/sub/c"], Choices(trash_home=world.home)))
    world.run(plan_trash([world.here + b"/tree"], Choices(trash_home=world.home)))
    restored = world.run(plan_restore([outcome.items[0].kept.place.path]))
    assert restored.is_clean
    assert tree(world.here)[world.here + b"/tree/sub/c"] == b"c"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (ConflictPolicy.SKIP, {b"a": b"newer"}),
        (ConflictPolicy.ASK, {b"a": b"newer"}),
        (ConflictPolicy.OVERWRITE, {b"a": b"new a"}),
        (ConflictPolicy.RENAME, {b"a": b"newer", b"a (1)": b"new a"}),
    ],
)
def test_restoring_over_a_new_file_follows_the_policy(world, policy, expected):
    outcome = world.run(plan_trash([world.here + b"/a", world.here + b"/tree"], Choices(trash_home=world.home)))
    world.write(world.here + b"/a", b"newer")
    world.run(plan_restore([outcome.items[0].kept.place.path], policy=policy))
    assert {os.path.basename(path): text for path, text in tree(world.here).items()} == expected
    assert world.leftovers() == []


def test_a_name_that_is_chosen_while_it_runs_is_part_of_the_outcome(world):
    plan = plan_copy([world.here + b"/a"], world.there)
    world.write(world.there + b"/a", b"came meanwhile")
    outcome = world.run(plan, control=Person(Answer(ConflictPolicy.RENAME)))
    assert [(item.place.name, at.path) for item, at in outcome.elsewhere] == [(b"a", world.there + b"/a (1)")]


def test_other_volumes_have_their_own_trash(apart):
    top = apart.far
    path = apart.write(apart.there + b"/x", b"x")
    outcome = apart.run(plan_trash([path], Choices(trash_home=apart.home)))
    kept = outcome.items[0].kept
    assert kept.place.path == top + b"/.Trash-%d/files/x" % os.getuid()
    assert apart.run(plan_restore([kept.place.path])).is_clean
    os.mkdir(top + b"/.Trash")
    os.chmod(top + b"/.Trash", 0o1777)
    outcome = apart.run(plan_trash([path], Choices(trash_home=apart.home)))
    kept = outcome.items[0].kept
    assert kept.place.path == top + b"/.Trash/%d/files/x" % os.getuid()
    assert apart.run(plan_restore([kept.place.path])).is_clean
    assert tree(apart.there) == {path: b"x"}


def test_the_home_trash_is_where_the_desktop_looks(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert home_trash() == b"/data/Trash"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/u")
    assert home_trash() == b"/home/u/.local/share/Trash"


def test_an_interrupted_operation_is_resumed_to_the_end(world):
    scenario = plan_copy([world.here + b"/tree", world.here + b"/a"], world.there)
    counting = FaultySyscalls()
    world.run(scenario, counting)
    world.run(plan_delete([world.there + b"/tree", world.there + b"/a"]))

    class Dies(Exception):
        pass

    class Dying(FaultySyscalls):
        def _step(self, name):
            if super()._step(name):
                raise Dies
            return False

    journal = world.journal()
    with pytest.raises(Dies):
        world.run(
            plan_copy([world.here + b"/tree", world.here + b"/a"], world.there), Dying(counting.count // 2), journal
        )
    journal.close()
    report = world.recover()
    assert report.interrupted == [1]
    journal = world.journal()
    record = journal.operation(1)
    assert record.state is OperationState.INTERRUPTED
    assert world.run(plan_resume(record), recorder=journal).is_clean
    assert tree(world.there)[world.there + b"/tree/sub/c"] == b"c"
    with pytest.raises(NothingToDo):
        plan_resume(journal.operation(2))
    journal.close()


def test_many_folders_do_not_run_out_of_descriptors(world, nothing_left_open):
    for number in range(150):
        world.write(world.here + b"/wide/%d/file" % number, b"%d" % number)
    with nothing_left_open():
        assert world.run(plan_copy([world.here + b"/wide"], world.there)).is_clean
        plan = plan_move([world.here + b"/wide"], world.there, Choices(policy=ConflictPolicy.RENAME))
        assert world.run(plan).is_clean
    assert len(tree(world.there)) == 1 + 150 * 3


def test_groups_end_when_they_hold_enough_data(world, monkeypatch):
    monkeypatch.setattr("cmdr.engine.run.executor.GROUP_BYTES", 1)
    assert world.run(plan_copy([world.here + b"/tree"], world.there)).is_clean


def test_a_disk_that_does_not_confirm_is_believed_not_to_have_done_it(world, journal):
    class Unsure(Syscalls):
        def sync_folder(self, fd):
            raise OSError(5, "Input/output error")

    outcome = world.run(plan_copy([world.here + b"/a"], world.there), Unsure(), journal)
    assert outcome.failed[0].reason.startswith("it was carried out, but the disk did not confirm it")
    assert undo(world, journal, outcome).is_clean
    assert os.listdir(world.there) == []


def test_a_failing_journal_lets_nothing_land(world):
    class Forgetful(NoRecord):
        def note(self, operation, notes):
            raise RuntimeError("journal is gone")

    with pytest.raises(RuntimeError, match="journal is gone"):
        world.run(plan_copy([world.here + b"/a"], world.there), recorder=Forgetful())
    assert os.listdir(world.there) == []


def test_one_sync_needs_no_threads(world):
    commit = fsync_pool.FsyncPool(Syscalls())
    assert commit.sync([]) == []
    commit.close()
    fds = [os.open(world.here + b"/a", os.O_RDONLY) for _ in range(3)]
    assert commit.sync(fds) == [None] * 3
    for fd in fds:
        os.close(fd)
    errors = commit.sync(fds)
    assert all(isinstance(error, OSError) for error in errors)
    commit.close()


def test_a_hard_limit_is_a_limit_on_leaves_too(world):
    with pytest.raises(Exception, match="Do it in parts"):
        plan_trash([world.here + b"/tree"], Choices(trash_home=world.home, limits=Limits(leaves=1)))


def test_bind_mounts_count_as_volumes():
    with mounted("1m", 1) as found:
        if not found:
            pytest.skip("mounting is not allowed here")
        import subprocess

        inside, shown = found[0] + b"/inside", found[0] + b"/shown"
        os.mkdir(inside)
        os.mkdir(shown)
        if subprocess.run(["mount", "--bind", inside, shown], capture_output=True).returncode:
            pytest.skip("bind mounts are not allowed here")
        try:
            world = World(found[0], found[0])
            path = world.write(shown + b"/x", b"x")
            os.mkdir(found[0] + b"/to")
            plan = plan_move([path], found[0] + b"/to")
            assert plan.items[0].step is StepName.COPY
            assert world.run(plan).is_clean
            assert tree(found[0] + b"/to") == {found[0] + b"/to/x": b"x"}
            assert plan.totals == Totals(1, 0, 1)
            assert plan.items[0].decision is Decision.LAND
        finally:
            subprocess.run(["umount", shown], check=True)


@pytest.mark.parametrize("plan", [plan_copy, plan_move])
def test_a_volume_that_is_unmounted_under_an_operation_is_noticed_and_costs_no_source(plan):
    with mounted("16m", 2) as found:
        if not found:
            pytest.skip("mounting a file system is not allowed here")
        world = World(*found)
        world.reset()
        for name in (b"a", b"b", b"c"):
            world.write(world.here + b"/" + name, name)

        class Unplugged(Syscalls):
            def create(self, name, folder, mode=0o600):
                subprocess.run(["umount", "-l", world.far], capture_output=True)
                return super().create(name, folder, mode)

        before = tree(world.here)
        chosen = plan([world.here + b"/" + name for name in (b"a", b"b", b"c")], world.there)
        outcome = world.run(chosen, Unplugged())
        assert tree(world.here) == before
        assert not outcome.done
        assert all("is not there any more" in item.reason for item in (*outcome.failed, *outcome.drifted))
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", world.far], check=True)


def test_a_move_keeps_its_sources_when_the_destination_went_away_after_the_copies_landed(apart):
    plan = plan_move([apart.here + b"/a"], apart.there)
    before = tree(apart.here)

    class Late(Person):
        def checkpoint(self):
            if os.path.exists(apart.there + b"/a"):
                os.rename(apart.there, apart.far + b"/elsewhere")
                os.mkdir(apart.there)

    outcome = apart.run(plan, control=Late())
    assert tree(apart.here) == before
    assert "was its volume taken away?" in outcome.items[0].reason


def test_a_destination_that_goes_away_between_landing_and_the_disks_word_is_not_called_done(world):
    class Late(Syscalls):
        def sync_folder(self, fd):
            super().sync_folder(fd)
            if os.path.exists(world.there + b"/a"):
                os.rename(world.there, world.far + b"/elsewhere")
                os.mkdir(world.there)

    outcome = world.run(plan_copy([world.here + b"/a"], world.there), Late())
    assert "was its volume taken away?" in outcome.failed[0].reason


def test_an_item_whose_volume_was_away_at_the_start_is_done_again_when_resuming(world, journal):
    plan = plan_copy([world.here + b"/a", world.here + b"/tree"], world.there)
    operation = journal.begin(plan, "me")
    journal.intend(operation, [Intent(0, b".cmdr-tmp-0000000000000000", plan.items[0].target)])
    staged = fingerprint.of_path(world.here + b"/tree/b")
    journal.note(operation, [ItemUpdate(0, ItemState.STAGED, staged=staged, temp_gone=False)])
    os.rename(world.there, world.far + b"/away")
    assert world.recover().unreachable == [world.here + b"/a"]
    os.rename(world.far + b"/away", world.there)
    resumed = plan_resume(journal.operation(operation))
    assert resumed.items[0] == plan.items[0]
    assert world.run(resumed, recorder=journal).is_clean
    assert tree(world.there)[world.there + b"/a"] == b"new a"


def test_a_sweep_takes_what_lay_in_a_lost_folder_for_not_done(world, journal):
    plan = plan_copy([world.here + b"/tree"], world.there)
    operation = journal.begin(plan, "me")
    inside = next(index for index, item in enumerate(plan.items) if item.place.name == b"b")
    journal.intend(operation, [Intent(inside, b".cmdr-tmp-0000000000000000", plan.items[inside].target)])
    journal.note(
        operation,
        [ItemUpdate(inside, ItemState.STAGED, staged=fingerprint.of_path(world.here + b"/a"), temp_gone=False)],
    )
    for made in (None, b"a file where the folder was"):
        if made is not None:
            world.write(world.there + b"/tree", made)
        world.recover()
        assert journal.operation(operation).items[0].state is ItemState.PLANNED
        assert journal.operation(operation).items[0].temp is None
