"""A small tree with one of everything, and a library to index it in."""

import os

import pytest

from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def fill(root: str) -> None:
    """Files of several kinds, sizes and names below `root`."""
    for folder in ("docs/deep/er", "src", "empty", "bad"):
        os.makedirs(f"{root}/{folder}")
    sizes = {
        "docs/report.txt": 5000,
        "docs/Report Final.PDF": 120_000,
        "docs/deep/notes.md": 10,
        "docs/deep/er/zero": 0,
        "src/main.py": 2048,
        "src/util.py": 300,
        "src/Übersicht.PY": 77,
        "src/.hidden": 1,
        "archive.tar.gz": 9999,
        "settings.properties": 12,
    }
    for name, size in sizes.items():
        with open(f"{root}/{name}", "wb") as out:
            out.write(b"x" * size)
    with open(os.fsencode(root) + b"/bad/caf\xe9 \xff\n.bin", "wb") as out:
        out.write(b"y" * 33)
    os.symlink("nowhere", f"{root}/bad/broken")
    os.symlink("../docs", f"{root}/src/docs-link")
    os.link(f"{root}/src/main.py", f"{root}/docs/main-again.py")
    os.mkfifo(f"{root}/bad/pipe")


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    fill(str(root))
    return os.fsencode(str(root))


@pytest.fixture
def library(tmp_path):
    with Library.open(str(tmp_path / "state")) as opened:
        yield opened


@pytest.fixture
def indexed(library, tree):
    """The answers of the small tree, scanned."""
    return library.get(library.index(tree, FEW).id)
