"""What somebody gets to read of a file that was found: lines, and lines around them."""

import os
import shutil
import subprocess

import pytest

from cmdr.index.contents.matching_lines import MatchingLines
from cmdr.index.errors import BadPattern, Cancelled
from cmdr.model.contents import MAX_LINE_BYTES, ContentPattern

LINES = [f"line {number}" + (" fox" if number in (1, 4, 5, 9, 20) else "") for number in range(1, 21)]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "file").write_text("\n".join(LINES))
    return os.fsencode(tmp_path / "file")


def told(found):
    """Lines as grep prints them, without a path."""
    lines, last = [], 0
    for one in found.lines:
        if last and one.line > last + 1:
            lines.append("--")
        lines.append(f"{one.line}{':' if one.is_match else '-'}{one.text}")
        last = one.line
    return lines


@pytest.mark.skipif(shutil.which("grep") is None, reason="grep is not installed")
@pytest.mark.parametrize("context", [1, 2, 3, 50])
def test_lines_around_a_match_are_those_of_grep(file, context):
    theirs = subprocess.run(["grep", "-n", f"-C{context}", "fox", file], capture_output=True, text=True, check=True)
    found = MatchingLines([ContentPattern("fox")], context).of(file, 100)
    assert told(found) == theirs.stdout.splitlines()
    assert found.count == 5


def test_so_many_lines_are_told_and_all_are_counted(file):
    found = MatchingLines([ContentPattern("fox")], 1).of(file, 2)
    assert told(found) == ["1:line 1 fox", "2-line 2", "3-line 3", "4:line 4 fox", "5-line 5 fox"]
    assert found.count == 5


def test_lines_of_several_patterns_are_told_once_and_in_order(file):
    patterns = [ContentPattern("fox"), ContentPattern("line [15]$|line 4", is_regex=True), ContentPattern("fox")]
    found = MatchingLines(patterns).of(file, 3)
    assert [one.line for one in found.lines] == [1, 4, 5]
    assert found.count == 5


def test_what_holds_nothing_or_cannot_be_read_has_no_lines(file, tmp_path):
    looked = MatchingLines([ContentPattern("wolf")])
    assert looked.of(file, 5) is None
    assert looked.of(os.fsencode(tmp_path / "nowhere"), 5) is None


def test_long_lines_are_cut_around_the_match_or_at_their_end(tmp_path):
    (tmp_path / "long").write_bytes(b"y" * 5000 + b"\n" + b"x" * 5000 + b"fox" + b"x" * 5000 + b"\r\n")
    beside, line = MatchingLines([ContentPattern("fox")], 1).of(os.fsencode(tmp_path / "long"), 5).lines
    assert (line.line, len(line.text), line.is_cut) == (2, MAX_LINE_BYTES, True)
    assert line.text[line.start : line.end] == "fox"
    assert (beside.line, beside.text, beside.is_match, beside.is_cut) == (1, "y" * MAX_LINE_BYTES, False, True)


def test_an_expression_that_is_none_is_refused_and_reading_can_be_stopped(file):
    with pytest.raises(BadPattern):
        MatchingLines([ContentPattern("(fox", is_regex=True)])
    with pytest.raises(Cancelled):
        MatchingLines([ContentPattern("fox")], stop=lambda: True).of(file, 5)
