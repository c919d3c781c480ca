"""Answers are true as of the call: what was told is listed first, what nobody told is looked at, the rest is marked."""

import os

import pytest
from tests.hostile.truth_ground import changers, moving
from tests.hostile.truth_questions import Asker, ask_while_files_move

from cmdr.index.library import Library
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=1, nice=0)


def write(path: bytes, size: int = 1) -> None:
    with open(path, "wb") as out:
        out.write(b"z" * size)


@pytest.fixture
def world(library, tmp_path):
    """A watched tree, and a way to ask it."""
    root = bytes(tmp_path / "world")
    os.makedirs(root + b"/a/inner")
    os.makedirs(root + b"/b")
    write(root + b"/a/file", 10)
    index = library.index(root, FEW).id
    library.get(index).indexed.watch()
    yield root, lambda text, place=root: library.get(index).as_of(None, place).ask(from_text(text), place)
    library.get(index).indexed.close()


def test_files_that_were_made_a_moment_ago_are_all_found(world):
    root, ask = world
    for made in range(1, 6):
        for number in range(100):
            write(root + b"/a/%d_%d.new" % (made, number))
        answer = ask("ext:new")
        assert (answer.count, answer.behind) == (100 * made, 0)


def test_a_folder_that_was_full_before_it_could_be_watched_is_known_whole(world):
    root, ask = world
    for made in range(5):
        os.makedirs(root + b"/b/%d/deep" % made)
        write(root + b"/b/%d/deep/one.new" % made)
        assert ask("ext:new", root + b"/b/%d" % made).count == 1
    assert ask("ext:new").count == 5


def test_what_is_written_to_a_file_that_stays_open_counts(world):
    root, ask = world
    with open(root + b"/a/file", "ab", buffering=0) as out:
        for more in range(1, 4):
            out.write(b"x" * 1000)
            assert ask("kind:file size>=1000").count == 1
            assert ask(f"kind:file size>={1000 * more}").bytes == 10 + 1000 * more


def test_a_file_that_was_edited_by_another_of_its_names_is_known_under_both(world):
    root, ask = world
    os.link(root + b"/a/file", root + b"/b/again")
    assert ask("kind:file").count == 2
    write(root + b"/b/again", 5000)
    assert ask("size>=5000", root + b"/a").count == 1
    assert ask("size>=5000").count == 2
    os.unlink(root + b"/b/again")
    assert ask("size>=5000").count == 1


def test_a_folder_that_took_the_place_of_another_is_the_one_that_is_answered(world):
    root, ask = world
    os.rename(root + b"/a", root + b"/gone")
    os.makedirs(root + b"/a/other")
    write(root + b"/a/other/x.new")
    assert ask("ext:new", root + b"/a").count == 1
    assert ask("name:file").count == 1


def test_an_edit_that_nobody_told_of_is_seen_when_a_tree_is_opened_again(tmp_path):
    root = bytes(tmp_path / "world")
    os.mkdir(root)
    write(root + b"/file", 10)
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(root, FEW).id
    with open(root + b"/file", "r+b") as out:  # no name comes or goes: the folder's time stays
        out.write(b"x" * 5000)
    with Library.open(str(tmp_path / "state")) as library:
        answer = library.get(index).as_of(None, root).ask(from_text("size>=5000"), root)
        assert (answer.count, answer.behind) == (1, 0)


def test_when_events_were_lost_the_answer_is_compared_with_the_disk(world, library):
    root, ask = world
    assert ask("kind:file").count == 1
    indexed = library.get(library.indexes()[0].id).indexed
    with indexed._lock:  # nothing is listed while events are lost
        indexed._live_updates._told(None, frozenset())
        with open(root + b"/a/file", "r+b") as out:
            out.write(b"x" * 5000)
    answer = ask("size>=5000")
    assert answer.count == 1 or answer.behind
    assert indexed.as_of(indexed.begin_moment(), root, 60).behind == 0
    assert ask("size>=5000").count == 1


def test_while_the_index_is_held_an_answer_says_how_many_folders_are_behind(world, library, monkeypatch):
    root, ask = world
    assert ask("kind:file").behind == 0
    monkeypatch.setattr("cmdr.index.delta.catching_up.LITTLE", -1)
    indexed = library.get(library.indexes()[0].id).indexed
    with indexed._lock:
        write(root + b"/a/late.new")
        write(root + b"/b/late.new")
        late = ask("ext:new")
        assert (late.count, late.behind) == (0, 2)
    assert indexed.as_of(indexed.begin_moment(), root, 60).behind == 0
    assert ask("ext:new").count == 2


def test_a_set_of_an_answer_that_was_behind_says_so_until_it_is_asked_again(world, library, monkeypatch):
    root, ask = world
    index = library.indexes()[0].id
    assert ask("kind:file").behind == 0
    with monkeypatch.context() as hasty:
        hasty.setattr("cmdr.index.delta.catching_up.LITTLE", -1)
        with library.get(index).indexed._lock:
            write(root + b"/a/late.new")
            late = ask("ext:new")
    made = library.sets.create_from(index, "late", late)
    assert library.sets.behind(made.id).folders == 1
    assert library.sets.behind(library.sets.rename(made.id, "later").id).folders == 1
    both = library.sets.combine("union", made.id, made.id, "both")
    assert library.sets.behind(both.id).filter is None
    answers = library.true_answers(index, root, 60)
    assert library.sets.ask_again(made.id, answers.ask(late.wanted, root)).count == 1
    assert library.sets.behind(made.id) is None
    library.sets.delete(both.id)
    assert library.sets.behind(both.id) is None


@pytest.mark.parametrize("watched", [True, False])
def test_whatever_several_processes_change_an_answer_is_true_or_marked(library, tmp_path, watched):
    root = tmp_path / "world"
    root.mkdir()
    with changers(str(root), seed=7, count=2) as some:
        some.change(30)
        asker = Asker(library, bytes(root), seed=7)
        if watched:
            asker.answers().indexed.watch()
        for _ in range(15):
            asker.round(some, 10)
    assert not asker.score.wrong, asker.score.text()
    assert asker.score.asked == 150


def test_while_files_move_an_answer_was_true_at_some_moment_or_is_marked(library, tmp_path):
    root = tmp_path / "world"
    with moving(str(root), seed=1) as files:
        score = ask_while_files_move(library, bytes(root), 40, files)
    assert not score.wrong, score.text()
