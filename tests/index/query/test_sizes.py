"""One meaning of size: what entries hold together, whoever asks."""

import os
import shutil

import numpy as np
import pytest

from cmdr.index.query.sizes import total_bytes
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions


def rows_of(answers, tree, *names):
    return np.array(sorted(answers.row(tree + b"/" + name) for name in names), np.int64)


def naive(tree, *names):
    """What `du --apparent-size` would say of the files: every inode once."""
    seen = {}
    for name in names:
        path = tree + b"/" + name
        walked = [path] if not os.path.isdir(path) else []
        walked += [os.path.join(folder, file) for folder, _, files in os.walk(path) for file in files]
        for file in walked:
            facts = os.lstat(file)
            if os.path.isfile(file) and not os.path.islink(file):
                seen[facts.st_ino] = facts.st_size
    return sum(seen.values())


@pytest.mark.parametrize(
    "names",
    [
        [b"bad"],
        [b"docs/deep", b"docs/deep/er", b"docs/deep/notes.md"],
        [b"docs/report.txt", b"docs/deep"],
        [b"src/main.py", b"docs/main-again.py"],
        [b"docs/main-again.py"],
        [b"src/main.py"],
        [b"empty", b"bad/broken"],
        [b"archive.tar.gz", b"settings.properties"],
        [],
    ],
)
def test_a_folder_counts_with_all_below_it_and_nothing_counts_twice(indexed, tree, names):
    assert total_bytes(indexed.view, rows_of(indexed, tree, *names)) == naive(tree, *names)


def test_what_came_after_the_scan_counts_too(library, indexed, tree):
    os.makedirs(tree + b"/docs/deep/newer/newest")
    for name, size in ((b"docs/deep/newer/a", 1000), (b"docs/deep/newer/newest/b", 200), (b"bad/c", 30)):
        with open(tree + b"/" + name, "wb") as out:
            out.write(b"x" * size)
    shutil.rmtree(tree + b"/docs/deep/er")
    library.refresh(indexed.indexed.record.id)
    for names in (
        [b"docs/deep"],
        [b"docs/deep/newer", b"docs/deep/newer/newest/b"],
        [b"docs/deep/newer/newest", b"bad/c"],
        [b"bad", b"bad/c", b"docs/deep/newer/newest", b"docs/deep/newer/newest/b"],
    ):
        assert total_bytes(indexed.view, rows_of(indexed, tree, *names)) == naive(tree, *names)


def test_a_file_below_a_followed_link_counts_once_with_its_other_name(library, tree):
    answers = library.get(library.index(tree, WalkOptions(follow_symlinks=True, workers=1)).id)
    rows = rows_of(answers, tree, b"src/docs-link/report.txt", b"docs/report.txt")
    assert total_bytes(answers.view, rows) == 5000


def test_a_question_and_the_set_of_its_answer_tell_the_same_size(library, indexed, tree):
    index = indexed.indexed.record.id
    for text in ("kind:dir", "ext:py", "size>1"):
        answer = indexed.ask(from_text(text))
        made = library.sets.create_from(index, "found", answer)
        assert made.bytes == answer.bytes > 0
        whole = library.sets.combine("union", made.id, made.id, "same")
        assert whole.bytes == answer.bytes
    assert indexed.ask(from_text("kind:dir")).bytes == naive(tree, b"docs", b"src", b"bad", b"empty")
