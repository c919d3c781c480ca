"""Damage on the disk: whatever file of an index it hits, nothing wrong is told, and what was lost is made anew."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from cmdr.index import library as libraries
from cmdr.index import tree_state
from cmdr.index.errors import BadHandle, CatalogueFailed, Corrupt, NoSuchIndex, NoSuchQuery
from cmdr.index.library import Library
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import stored_view
from cmdr.index.store.catalogue import Catalogue
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


@pytest.fixture
def kept(tmp_path, tree):
    """A library with an index, a set and a query, closed."""
    with Library.open(str(tmp_path / "state")) as library:
        info = library.index(tree, FEW)
        answers = library.get(info.id)
        chosen = library.sets.create_from(info.id, "mine", answers.ask(from_text("ext:py")))
        library.queries.save("q", Question(from_text("size>100")))
        return Kept(str(tmp_path / "state"), info.id, chosen.id, answers.view.stored.folder)


class Kept:
    """Where everything is."""

    def __init__(self, state, index, chosen, epoch):
        self.state, self.index, self.chosen, self.epoch = state, index, chosen, epoch
        self.catalogue = f"{state}/indexes/catalogue.sqlite"

    def open(self):
        return Library.open(self.state)

    def change(self, sql):
        """Change the catalogue as damage would."""
        with closing(sqlite3.connect(self.catalogue)) as db, db:
            db.execute(sql)


def answering_at_once(monkeypatch):
    """As if the index were too big to be compared with its checksums first."""
    for module in (libraries, tree_state):
        monkeypatch.setattr(module, "VERIFY_AT_OPEN_BYTES", 0)


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 0x10]))


def test_a_flipped_bit_in_any_column_is_seen_before_the_index_answers(kept, tree):
    names = [name for name in sorted(os.listdir(kept.epoch)) if os.path.getsize(f"{kept.epoch}/{name}")]
    pristine = f"{kept.state}.pristine"
    shutil.copytree(kept.state, pristine)
    for name in names:
        shutil.rmtree(kept.state)
        shutil.copytree(pristine, kept.state)
        flip(f"{kept.epoch}/{name}", os.path.getsize(f"{kept.epoch}/{name}") // 2)
        with kept.open() as library:
            answers = library.get(kept.index)
            assert not answers.indexed.scanned, name
            assert len(answers.indexed.set_aside) == 1
            with pytest.raises(NoSuchIndex, match="damaged and set aside"):
                answers.node(tree)
    with kept.open() as library:
        assert library.index(tree, FEW).id == kept.index
        assert library.get(kept.index).node(tree + b"/src/main.py").size == 2048


def test_a_big_index_answers_at_once_and_damage_is_found_behind(kept, tree, monkeypatch):
    answering_at_once(monkeypatch)
    flip(f"{kept.epoch}/size", 9)
    with kept.open() as library:
        answers = library.get(kept.index)
        library._background.submit(lambda: None).result()
        assert not answers.indexed.scanned


def test_folders_that_damage_put_into_a_circle_are_refused_instead_of_followed_for_ever(kept):
    with open(f"{kept.epoch}/dpar", "r+b") as file:
        file.write(b"\2\0\0\0" * (os.path.getsize(f"{kept.epoch}/dpar") // 4))
    with pytest.raises(Corrupt, match="scan it again"):
        stored_view(StoredColumns(kept.epoch)).directory_path(3)


@pytest.mark.parametrize("harm", ["nothing", "no database", "cut", "page"])
def test_a_damaged_catalogue_is_put_aside_and_its_indexes_answer_again(kept, tree, harm):
    size = os.path.getsize(kept.catalogue)
    if harm == "no database":
        with open(kept.catalogue, "wb") as file:
            file.write(b"not a database" * 1000)
    elif harm == "cut":
        os.truncate(kept.catalogue, size // 2)
    elif harm == "page":
        with open(kept.catalogue, "r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096)
    with kept.open() as library:
        assert library.catalogue.was_damaged == (harm != "nothing")
        assert library.get(kept.index).node(tree + b"/src/main.py").size == 2048
        assert library.covering(tree).indexed.record.id == kept.index
        assert library.index(tree, FEW).id == kept.index
    aside = [name for name in os.listdir(os.path.dirname(kept.catalogue)) if ".damaged-" in name]
    assert bool(aside) == (harm != "nothing")
    with kept.open() as library:
        assert not library.catalogue.was_damaged


def test_handles_from_before_the_damage_stand_for_nothing_else(kept, tree):
    with kept.open() as library:
        handle = library.get(kept.index).node(tree + b"/src").id
    os.truncate(kept.catalogue, 0)
    with open(kept.catalogue, "wb") as file:
        file.write(b"x" * 100)
    with kept.open() as library, pytest.raises(BadHandle):
        library.get(kept.index).node(handle)


@pytest.mark.parametrize(
    "damage",
    ["update indexes set options = '[nonsense'", "update indexes set root = cast(x'ff' as text)"],
)
def test_an_index_whose_row_makes_no_sense_is_taken_up_again_from_its_folder(kept, tree, damage):
    kept.change(damage)
    with kept.open() as library:
        assert library.catalogue.was_damaged
        assert [record.root for record in library.catalogue.indexes()] == [tree]
        assert library.get(kept.index).node(tree + b"/src/main.py").size == 2048
        assert library.sets.info(kept.chosen).count == 4
        assert len(library.sets.page(kept.chosen).members) == 4
        assert library.queries.get("q")[1] == Question(from_text("size>100"))


def test_an_index_does_not_answer_from_the_snapshot_of_another_folder(kept, tree):
    kept.change("update indexes set root = cast(x'2f746d70' as blob)")
    with kept.open() as library:
        with pytest.raises(NoSuchIndex, match="damaged and set aside"):
            library.get(kept.index).node(tree + b"/src/main.py")
        assert library.index(tree, FEW).id != kept.index
        assert library.covering(tree).node(tree + b"/src/main.py").size == 2048


def test_ids_that_damage_made_the_catalogue_forget_are_not_given_out_twice(kept, tree):
    with kept.open() as library:
        known = library.get(kept.index).view.next_id
    kept.change("update indexes set next_id = 1")
    with open(tree + b"/src/new.py", "wb") as out:
        out.write(b"new")
    with kept.open() as library:
        library.refresh(kept.index)
        view = library.get(kept.index).view
        assert view.id_of(view.find(tree + b"/src/new.py")) >= known


def test_a_damaged_query_is_left_out_and_all_others_stay(kept):
    with kept.open() as library:
        library.queries.save("stays", Question(from_text("ext:py")))
    kept.change("update saved_queries set filter = cast(x'ff7b' as text) where name = 'q'")
    with kept.open() as library:
        with pytest.raises(NoSuchQuery):
            library.queries.get("q")
        assert [one.name for one in library.queries.all()] == ["stays"]


def test_a_catalogue_with_checksums_of_its_rows_is_read(kept):
    kept.change("create table seals (place text, key text, sum integer, primary key (place, key)) without rowid")
    with kept.open() as library:
        assert not library.catalogue.was_damaged
        assert library.sets.info(kept.chosen).name == "mine"
    with closing(sqlite3.connect(kept.catalogue)) as db:
        assert db.execute("select name from sqlite_master where name = 'seals'").fetchone() is None


def test_a_catalogue_that_cannot_be_opened_is_not_taken_for_a_damaged_one(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    path.mkdir()
    with pytest.raises(CatalogueFailed):
        Catalogue(str(path))
    assert path.is_dir()


def test_the_folder_of_an_index_that_was_forgotten_is_removed(kept):
    left = f"{kept.state}/indexes/i_forgotten"
    os.makedirs(f"{left}/epoch-00000001")
    with kept.open() as library:
        assert not os.path.exists(left)
        assert library.get(kept.index).indexed.scanned


def test_a_folder_without_a_whole_snapshot_is_not_adopted(kept, tree):
    flip(f"{kept.epoch}/manifest.json", 30)
    with open(kept.catalogue, "wb") as file:
        file.write(b"x" * 100)
    with kept.open() as library:
        assert library.indexes() == ()
        library.index(tree, FEW)
        assert library.covering(tree) is not None


def test_a_delta_that_cannot_be_applied_to_a_damaged_snapshot_sets_it_aside(kept, tree, monkeypatch):
    with kept.open() as library:
        with open(tree + b"/src/new.py", "wb") as out:
            out.write(b"new")
        library.refresh(kept.index)
    with open(f"{kept.epoch}/dorder", "r+b") as file:
        file.write(b"\xff" * os.path.getsize(f"{kept.epoch}/dorder"))
    answering_at_once(monkeypatch)
    with kept.open() as library:
        assert not library.get(kept.index).indexed.scanned
        library.index(tree, FEW)
        assert library.get(kept.index).node(tree + b"/src/new.py").size == 3
