"""Contents of a folder that no index knows: the same answers, from a walk that is always bounded."""

import os

import pytest
from tests.index.conftest import FEW

from cmdr.index.contents.content_query import ContentReading
from cmdr.index.contents.live_scan import live_scan
from cmdr.index.contents.python_scanner import PythonScanner
from cmdr.index.errors import BadPattern, BadQuestion, Cancelled
from cmdr.model.filters.filter_text import from_text


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "fox.py").write_text("import os\nfox = 1\nprint(fox)\n")
    (root / "src" / "deep" / "dog.PY").write_text("dog = 'a fox'\n")
    (root / "tale.tar.md").write_text("A FOX and a dog.\n")
    (root / "empty").write_text("")
    (root / "shut").mkdir()
    os.utime(root / "tale.tar.md", (1_000_000_000, 1_000_000_000))
    os.link(root / "src" / "fox.py", root / "again")
    os.symlink("src", root / "link")
    os.mkfifo(root / "pipe")
    return os.fsencode(root)


def look(root, line, stop=lambda: False, **how):
    return live_scan(root, from_text(line), ContentReading(PythonScanner(), **how), stop)


@pytest.mark.parametrize(
    "line",
    [
        "content:fox",
        'content:"FOX"c',
        "content:fox content:dog",
        "content:fox not content:dog",
        "content:fox ext:py",
        "content:fox ext:tar.md",
        "content:fox not ext:py kind:file",
        "content:fox kind:dir",
        "content:fox (name:tale or name:dog)",
        "content:fox path:deep",
        "content:fox size>20 depth<=2 allocated>0",
        "content:fox older:2020-01-01",
        "content:fox newer:2020-01-01 ctime>2020-01-01",
        "content:fox is:hardlinked",
        "content:fox not is:empty not is:brokenLink",
        "content:fox mode:0400 owner:0,nobody-at-all",
        "content:fox under:ROOT/src",
        "not content:fox name:e",
    ],
)
def test_answers_are_those_of_an_index(library, tree, line):
    line = line.replace("ROOT", os.fsdecode(tree))
    answers = library.get(library.index(tree, FEW).id)
    indexed = answers.ask(from_text(line), reading=ContentReading(PythonScanner()))
    files = set(indexed.view.paths(indexed.rows))
    found = look(tree, line)
    assert set(found.files) == {path for path in files if os.path.isfile(path) and not os.path.islink(path)}
    assert not found.is_partial


def test_lines_are_counted_by_file(tree):
    found = look(tree, "content:fox ext:py")
    assert found.files == {tree + b"/src/deep/dog.PY": 1, tree + b"/src/fox.py": 2}


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"total_bytes": 0}, {"files": 1}])
def test_what_there_is_no_time_for_makes_it_partial(tree, limits):
    found = look(tree, "not content:wolf", **limits)
    assert found.is_partial
    assert len(found.files) <= 1


def test_a_walk_can_be_stopped(tree):
    with pytest.raises(Cancelled):
        look(tree, "content:fox", lambda: True)


def test_what_only_an_index_can_answer_is_refused(tree):
    for line in ("content:fox or name:tale", "content:fox in:old", "content:fox duplicateof:x"):
        with pytest.raises(BadQuestion, match="indexed"):
            look(tree, line)
    with pytest.raises(BadPattern):
        look(tree, "content~(fox")
