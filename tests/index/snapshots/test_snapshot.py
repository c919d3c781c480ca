"""The stored snapshot: whole or refused, whatever was done to its files."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.index.errors import BadHandle, Corrupt, LibraryBusy, NoSuchIndex
from cmdr.index.library import Library
from cmdr.index.snapshots.name_blobs import fold, fold_names
from cmdr.index.snapshots.snapshot import SnapshotWriter, StoredColumns
from cmdr.index.store.handles import node_handle, node_number
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def reopened(library, index_id):
    home = os.path.dirname(library.home)
    library.close()
    again = Library.open(home)
    return again, again.get(index_id)


def columns_of(folder):
    return [name for name in sorted(os.listdir(folder)) if os.path.getsize(f"{folder}/{name}")]


def test_an_index_is_there_again_after_a_restart(library, tree):
    info = library.index(tree, FEW)
    before = library.get(info.id).node(tree + b"/src/main.py")
    again, answers = reopened(library, info.id)
    with again:
        assert answers.node(tree + b"/src/main.py") == before
        assert answers.node(before.id).path == tree + b"/src/main.py"
        assert answers.indexed.freshness.state == "stale"
        again.refresh(info.id)
        assert answers.indexed.freshness.state == "fresh"


@pytest.mark.parametrize("harm", ["truncate", "lengthen", "remove", "manifest"])
def test_a_damaged_snapshot_is_set_aside_when_it_is_opened_and_a_scan_replaces_it(library, tree, harm):
    info = library.index(tree, FEW)
    old_id = library.get(info.id).node(tree + b"/src").id
    folder = library.get(info.id).view.stored.folder
    victim = f"{folder}/{'manifest.json' if harm == 'manifest' else 'size'}"
    if harm == "remove":
        os.unlink(victim)
    elif harm == "lengthen":
        os.truncate(victim, os.path.getsize(victim) + 8)
    else:
        os.truncate(victim, os.path.getsize(victim) - 3)
    again, answers = reopened(library, info.id)
    with again:
        assert not answers.indexed.scanned
        assert len(answers.indexed.set_aside) == 1
        with pytest.raises(NoSuchIndex):
            answers.node(tree)
        again.index(tree, FEW)
        assert answers.node(tree + b"/src/main.py").size == 2048
        with pytest.raises(BadHandle):  # its number was not given out again
            answers.node(node_handle(answers.tag, node_number(answers.tag, old_id) + 10**6))
        assert answers.node(tree + b"/src").id != old_id


def test_one_flipped_bit_is_found_by_verifying(library, tree):
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    assert answers.indexed.verify()
    folder = answers.view.stored.folder
    for name in columns_of(folder):
        if name == "manifest.json":
            continue
        with open(f"{folder}/{name}", "r+b") as file:
            first = file.read(1)
            file.seek(0)
            file.write(bytes([first[0] ^ 1]))
        with pytest.raises(Corrupt):
            StoredColumns(folder).verify()
        with open(f"{folder}/{name}", "r+b") as file:
            file.write(first)
    with open(f"{folder}/names", "r+b") as file:
        file.write(b"!")
    assert not answers.indexed.verify()
    assert not answers.indexed.scanned
    assert library.index(tree, FEW).epoch is not None


KILLED = """
import os, sys
from cmdr.index.snapshots.snapshot import SnapshotWriter
from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions
moment = int(sys.argv[3])
seen = 0
def count(*args):
    global seen
    seen += 1
    if seen == moment:
        os._exit(9)
real_write, real_commit = SnapshotWriter._write, SnapshotWriter.commit
SnapshotWriter._write = lambda self, *rest: (count(), real_write(self, *rest))
rename, replace = os.rename, os.replace
os.rename = lambda a, b: (count(), rename(a, b), count())
library = Library.open(sys.argv[1])
library.index(os.fsencode(sys.argv[2]), WalkOptions(workers=1))
"""


@pytest.mark.parametrize("moment", [1, 12, 33, 34, 35])
def test_killed_at_any_moment_leaves_a_valid_snapshot(library, tree, moment):
    info = library.index(tree, FEW)
    state = os.path.dirname(library.home)
    library.close()
    subprocess.run([sys.executable, "-c", KILLED, state, tree, str(moment)], check=False, capture_output=True)
    with Library.open(state) as again:
        answers = again.get(info.id)
        assert answers.view.epoch in (1, 2)
        assert answers.node(tree + b"/src/main.py").size == 2048
        assert answers.indexed.verify()
        assert not [name for name in os.listdir(answers.indexed.home) if name.endswith(".tmp") or "scratch" in name]


def test_only_one_process_works_with_a_library(library):
    with pytest.raises(LibraryBusy):
        Library.open(os.path.dirname(library.home))


def test_a_writer_that_is_abandoned_leaves_nothing(tmp_path):
    writer = SnapshotWriter(str(tmp_path), "epoch")
    writer.put("a", np.arange(5), "<i8")
    writer.abandon()
    assert os.listdir(tmp_path) == []


def test_importing_the_library_does_not_import_polars():
    code = "import sys, cmdr.index.library; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**32 - 1))
def test_node_handles_bring_back_their_number(tag, nid):
    assert node_number(tag, node_handle(tag, nid)) == nid


@given(st.integers(0, 2**31 - 1), st.text(max_size=20) | st.from_regex(r"n_[0-9a-g]{8,17}", fullmatch=True))
def test_other_texts_are_no_node_handles(tag, text):
    with pytest.raises(BadHandle):
        node_number(tag, text)


names = st.lists(
    st.binary(min_size=1, max_size=12).filter(lambda b: 0 not in b)
    | st.text(min_size=1, max_size=8).filter(lambda t: "\0" not in t).map(lambda t: t.encode("utf-8", "surrogatepass")),
    min_size=1,
)


@given(names)
def test_folding_many_names_is_folding_each(many):
    blob = b"".join(name + b"\0" for name in many)
    ends = np.cumsum([len(name) + 1 for name in many])
    low, low_ends = fold_names(blob, ends)
    assert low == b"".join(fold(name) + b"\0" for name in many)
    assert low_ends.tolist() == np.cumsum([len(fold(name)) + 1 for name in many]).tolist()


@given(st.binary(max_size=20))
def test_folding_twice_changes_nothing_more(name):
    assert fold(fold(name)) == fold(name)
