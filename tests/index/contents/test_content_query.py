"""Questions about contents over an index: composed with everything else, read from the files, and honest."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from tests.index.conftest import FEW

from cmdr.index.contents.content_query import ContentReading
from cmdr.index.contents.python_scanner import PythonScanner
from cmdr.index.errors import BadPattern, BadQuestion, Cancelled
from cmdr.model.contents import MAX_FILE_BYTES
from cmdr.model.filters.filter_text import from_text


class CountedScanner(PythonScanner):
    """The scanner, and which files it was asked to read."""

    def __init__(self):
        self.asked = []

    def scan(self, paths, *rest):
        self.asked += paths
        return super().scan(paths, *rest)


@pytest.fixture
def tree(tmp_path):
    """Texts in a few folders, and things that are no texts."""
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "src" / "fox.py").write_text("import os\nfox = 1\nprint(fox)\n")
    (root / "src" / "dog.py").write_text("dog = 'a fox'\n")
    (root / "src" / "cat.md").write_text("The cat.\n")
    (root / "docs" / "tale.md").write_text("A FOX and a dog.\n")
    (root / "docs" / "picture").write_bytes(b"fox\0")
    (root / "docs" / "none").write_text("")
    os.mkfifo(root / "docs" / "pipe")
    os.symlink("tale.md", root / "docs" / "link.md")
    return os.fsencode(root)


@pytest.fixture
def answers(library, tree):
    return library.get(library.index(tree, FEW).id)


def ask(answers, line, **how):
    how.setdefault("scanner", PythonScanner())
    return answers.ask(from_text(line), reading=ContentReading(**how))


def names(found):
    return sorted(os.path.basename(path).decode() for path in found.view.paths(found.rows))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("content:fox", ["dog.py", "fox.py", "tale.md"]),
        ('content:"fox"c', ["dog.py", "fox.py"]),
        ("content:fox ext:md", ["tale.md"]),
        ("content:fox content:dog", ["dog.py", "tale.md"]),
        ("content:fox not content:dog", ["fox.py"]),
        ("ext:md not content:fox", ["cat.md"]),
        ("not content:fox", ["cat.md", "none", "picture"]),
        ("content:cat or content:import", ["cat.md", "fox.py"]),
        ("name:tale or content~^dog", ["dog.py", "tale.md"]),
        ("not (content:fox or ext:md)", ["none", "picture"]),
        ("not (content:fox ext:py)", ["cat.md", "docs", "link.md", "none", "picture", "pipe", "src", "tale.md"]),
        (r"content~fox\s*=\s*\d under:src", ["fox.py"]),
        ("content:fox kind:dir", []),
    ],
)
def test_contents_are_one_condition_among_others(answers, tree, line, wanted):
    line = line.replace("under:src", f"under:{os.fsdecode(tree)}/src")
    assert names(ask(answers, line)) == wanted


def test_only_what_the_other_conditions_leave_is_read(answers, tree):
    scanner = CountedScanner()
    ask(answers, "content:fox ext:md docs", scanner=scanner)
    assert scanner.asked == []
    ask(answers, "content:fox ext:md tale", scanner=scanner)
    assert scanner.asked == [tree + b"/docs/tale.md"]
    scanner.asked.clear()
    ask(answers, "name:tale or (content:fox ext:md)", scanner=scanner)
    assert scanner.asked == [tree + b"/src/cat.md"]  # what the name decides is not read


def test_a_file_is_read_once_for_a_question_that_is_asked_twice(answers):
    scanner = CountedScanner()
    found = ask(answers, "(content:fox ext:py) or (content:fox name:fox) or (content:fox ext:md)", scanner=scanner)
    assert names(found) == ["dog.py", "fox.py", "tale.md"]
    assert len(scanner.asked) == len(set(scanner.asked))


def test_lines_are_counted_by_file_and_those_of_what_is_denied_are_not(answers):
    found = ask(answers, "content:fox not content:cat")
    hits = found.contents
    counts = {os.path.basename(found.view.path(row)): count for row, count in hits.counts.items()}
    assert counts == {b"fox.py": 2, b"dog.py": 1, b"tale.md": 1}
    assert hits.line_count(found.rows) == 4
    assert hits.coverage.binary == 1


def test_a_file_with_two_names_is_read_once_and_found_by_both(library, tree):
    os.link(tree + b"/src/fox.py", tree + b"/docs/again.py")
    answers = library.get(library.index(tree, FEW).id)
    scanner = CountedScanner()
    found = ask(answers, "content:fox ext:py", scanner=scanner)
    assert names(found) == ["again.py", "dog.py", "fox.py"]
    assert len(scanner.asked) == 2
    assert found.contents.line_count(found.rows) == 3
    none = ask(answers, "not content:fox ext:py", files=0)
    assert names(none) == []  # nor is the second name taken for a file without it


def test_what_was_changed_since_the_index_was_made_is_read_as_it_is(answers, tree):
    assert names(ask(answers, "content:wolf")) == []
    with open(tree + b"/src/cat.md", "w") as out:
        out.write("wolf")
    os.remove(tree + b"/src/fox.py")
    assert names(ask(answers, "content:wolf")) == ["cat.md"]
    found = ask(answers, "content:fox")
    assert names(found) == ["dog.py", "tale.md"]
    assert found.contents.coverage.gone == 1


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"total_bytes": 0}, {"files": 0}])
def test_what_there_is_no_time_for_is_neither_found_nor_taken_for_the_opposite(answers, limits):
    for line in ("content:fox", "not content:fox"):
        found = ask(answers, line, **limits)
        assert names(found) == []
        assert found.contents.coverage.is_partial
        assert not found.explanation.complete
        assert found.explanation.not_covered == ("6 files not read in time",)


def test_some_files_are_enough_for_a_part_of_the_answer(answers):
    found = ask(answers, "content:fox", files=2)
    assert found.contents.coverage.unread == 4
    assert len(found.rows) <= 2


def test_what_cannot_be_read_is_neither_found_nor_taken_for_the_opposite(library, tree):
    with open(tree + b"/docs/huge.log", "wb") as huge:
        huge.write(b"fox\n" * 20_000)
        huge.truncate(MAX_FILE_BYTES + 1)
    answers = library.get(library.index(tree, FEW).id)

    def opener(path):
        if path.endswith(b"cat.md"):
            raise PermissionError(13, "no")
        return os.open(path, os.O_RDONLY)

    found = ask(answers, "not content:fox", opener=opener)
    assert names(found) == ["none", "picture"]
    assert found.explanation.not_covered == ("1 file over 64 MiB", "1 file not to be opened")


def test_how_it_was_answered_is_explained(answers):
    explained = ask(answers, "content:fox ext:md").explanation
    assert explained.steps == ("ext:md", 'content:"fox": 2 files read of 2 left by the rest')
    assert explained.complete


class OnlyPython:
    """An index of contents that knows what Python files hold and rules everything else out."""

    def candidates(self, view, pattern, rows):
        return np.array([row for row in rows.tolist() if view.path(row).endswith(b".py")], np.int64)


def test_an_index_of_contents_says_what_may_match_and_the_files_decide(answers):
    answers.indexed.contents_kept = SimpleNamespace(index=OnlyPython())
    scanner = CountedScanner()
    found = ask(answers, "content:fox", scanner=scanner)
    assert names(found) == ["dog.py", "fox.py"]
    assert len(scanner.asked) == 2
    assert found.contents.is_indexed
    assert found.explanation.steps[-1] == ('content:"fox": 2 files read of 2 that may match, by the index of contents')
    assert names(ask(answers, "not content:fox name:*.md")) == ["cat.md", "tale.md"]
    assert not ask(answers, "content:fox", files=0, total_bytes=0).contents.coverage.is_partial


def test_without_a_reader_contents_are_not_asked_about(answers):
    with pytest.raises(BadQuestion, match="cannot be asked about here"):
        answers.ask(from_text("content:fox"))


def test_an_expression_that_the_engine_refuses_is_refused_before_anything_is_read(answers):
    for line in ("content~(fox name:nothing", "not content~[z-a]"):
        with pytest.raises(BadPattern, match=r"cannot be used: .* \(at character [12]\)\.$"):
            ask(answers, line)


def test_a_search_can_be_stopped(answers):
    with pytest.raises(Cancelled):
        answers.ask(from_text("content:fox"), None, lambda: True, ContentReading(PythonScanner()))
