"""Scans of files: every scanner there is gives the same answers, and they are those of ripgrep."""

import os
import random
import re
import shutil
import subprocess

import pytest

from cmdr.index.contents import scanners
from cmdr.index.contents.searching import ScanLimits
from cmdr.index.errors import BadPattern, Cancelled
from cmdr.model.contents import MAX_FILE_BYTES, MAX_LINE_BYTES, ContentPattern, SearchCoverage

EVERY = ScanLimits(lines_per_file=1 << 20)
PROSE = b"The quick brown fox\njumps over\r\nthe lazy DOG, the_fox = 12\n\n\tfoxes: 3\nlast line without an end"
THIRD = PROSE.index(b"the lazy")
FILES = {
    "prose.txt": PROSE,
    "empty": b"",
    "breaks": b"\n\n\n",
    "crlf.txt": b"alpha fox\r\nbeta\r\nfox\r\n",
    "bom.txt": b"\xef\xbb\xbffox first\nsecond\n",
    "wide-le.txt": b"\xff\xfe" + "fox in a wide file\nsn\u00f6w fox \U0001f98a\n".encode("utf-16-le"),
    "wide-be.txt": b"\xfe\xff" + "no\nfox\n".encode("utf-16-be"),
    "latin.txt": b"caf\xe9 fox\nna\xefve\n\xff\xfe\xfd fox\n",
    "accents.txt": "Übergröße\nübergröße FOX\nсправка\n漢字 fox 漢字\n".encode(),
    "kelvin.txt": "300 \u212a and \u017fea foxe\u017f\nks\n".encode(),
    "binary.bin": b"fox\0fox\n",
    "late.bin": b"fox\n" * 20_000 + b"\0fox",
    "long.txt": b"x" * 30_000 + b" fox " + b"y" * 30_000 + b"\nfox\n",
    "sub/deep.py": b"def fox():\n    return 'fox'\n" * 300,
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("contents")
    for name, data in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
    return os.fsencode(root)


@pytest.fixture(params=scanners.available(), ids=lambda one: type(one).__name__)
def scanner(request):
    return request.param


def paths_in(tree, names=FILES):
    return [os.path.join(tree, name.encode()) for name in names]


def search(scanner, paths, text, *, regex=False, case=False, limits=EVERY, coverage=None, opener=None):
    pattern = ContentPattern(text, regex, case)
    coverage = SearchCoverage() if coverage is None else coverage
    return list(scanner.scan(paths, pattern, limits, coverage, lambda: False, opener))


def found_in(scanner, tree, text, **how):
    """Line, offset and column of every match, by name."""
    names = list(FILES)
    return {
        names[one.file]: [(line.line, line.offset, line.start) for line in one.lines]
        for one in search(scanner, paths_in(tree), text, **how)
    }


def test_a_text_is_found_with_its_line_and_its_place(scanner, tree):
    (found,) = search(scanner, paths_in(tree, ["empty", "prose.txt"]), "the", case=True)
    assert (found.file, found.count) == (1, 1)
    (line,) = found.lines
    assert (line.line, line.offset, line.start, line.end) == (3, THIRD, 0, 3)
    assert line.text == b"the lazy DOG, the_fox = 12"


def test_case_matters_only_when_it_is_asked_for(scanner, tree):
    assert found_in(scanner, tree, "dog") == {"prose.txt": [(3, THIRD, 9)]}
    assert found_in(scanner, tree, "dog", case=True) == {}
    assert found_in(scanner, tree, "ÜBERGRÖSSE") == {}
    assert [line for line, _, _ in found_in(scanner, tree, "übergröße")["accents.txt"]] == [1, 2]


def test_the_kelvin_sign_is_a_k_and_the_long_s_an_s_in_any_case(scanner, tree):
    assert found_in(scanner, tree, "foxes")["kelvin.txt"] == [(1, 0, 17)]
    assert found_in(scanner, tree, "300 k")["kelvin.txt"] == [(1, 0, 0)]
    assert found_in(scanner, tree, "300 [a-z]+ and s", regex=True)["kelvin.txt"] == [(1, 0, 0)]
    assert found_in(scanner, tree, "foxes", case=True) == {"prose.txt": [(5, PROSE.index(b"\tfoxes"), 1)]}


def test_wide_files_are_searched_as_text_and_marks_are_no_part_of_it(scanner, tree):
    found = found_in(scanner, tree, "fox", case=True)
    assert found["wide-le.txt"] == [(1, 0, 0), (2, 19, 6)]
    assert found["wide-be.txt"] == [(2, 3, 0)]
    assert found["bom.txt"] == [(1, 0, 0)]
    assert found_in(scanner, tree, "^fox first$", regex=True) == {"bom.txt": [(1, 0, 0)]}


def test_what_is_no_utf_8_is_searched_as_it_is(scanner, tree):
    assert found_in(scanner, tree, "fox")["latin.txt"] == [(1, 0, 5), (3, 15, 4)]
    assert found_in(scanner, tree, "^caf. fox", regex=True) == {}  # a point is a character, and this is none
    assert found_in(scanner, tree, "^n.*ve", regex=True) == {}
    assert found_in(scanner, tree, "ve$", regex=True)["latin.txt"] == [(2, 9, 3)]


def test_binary_files_are_counted_and_a_zero_far_behind_is_part_of_the_text(scanner, tree):
    coverage = SearchCoverage()
    found = search(scanner, paths_in(tree), "fox", coverage=coverage)
    assert "binary.bin" not in {list(FILES)[one.file] for one in found}
    assert coverage.binary == 1
    assert (coverage.files, coverage.unread) == (len(FILES) - 1, 0)
    late = next(one for one in found if list(FILES)[one.file] == "late.bin")
    assert late.count == 20_001


def test_of_a_long_line_the_part_around_the_match_is_kept(scanner, tmp_path):
    (tmp_path / "long").write_bytes(b"x" * 1_000_000 + b" fox " + b"y" * 1_000_000)
    for how in ({}, {"regex": True}):
        (found,) = search(scanner, [os.fsencode(tmp_path / "long")], " fox ", **how)
        (line,) = found.lines
        assert len(line.text) == MAX_LINE_BYTES
        assert line.text[line.start : line.end] == b" fox "


def test_lines_are_counted_beyond_those_that_are_kept_unless_one_is_enough(scanner, tree):
    paths = paths_in(tree, ["sub/deep.py"])
    (found,) = search(scanner, paths, "fox", limits=ScanLimits(lines_per_file=3))
    assert ([line.line for line in found.lines], found.count) == ([1, 2, 3], 600)
    (found,) = search(scanner, paths, "fox", limits=ScanLimits(lines_per_file=3, count_lines=False))
    assert (len(found.lines), found.count) == (1, 1)


def test_so_many_files_are_enough_and_the_others_are_unread(scanner, tree):
    coverage = SearchCoverage(unknown=[])
    found = search(scanner, paths_in(tree), "fox", limits=ScanLimits(files=2), coverage=coverage)
    assert len(found) == 2
    assert coverage.is_partial
    assert coverage.unread == len(coverage.unknown) == len(FILES) - 1 - found[-1].file


@pytest.mark.parametrize("limits", [ScanLimits(seconds=0.0), ScanLimits(total_bytes=0)])
def test_no_time_and_no_bytes_leave_everything_unread(scanner, tree, limits):
    coverage = SearchCoverage()
    assert search(scanner, paths_in(tree), "fox", limits=limits, coverage=coverage) == []
    assert coverage.unread == len(FILES)


def test_a_search_can_be_stopped(scanner, tree):
    with pytest.raises(Cancelled):
        list(scanner.scan(paths_in(tree), ContentPattern("fox"), EVERY, SearchCoverage(), lambda: True))


def test_what_is_no_file_is_counted_and_never_waited_for(scanner, tmp_path):
    home = os.fsencode(tmp_path)
    os.mkfifo(home + b"/pipe")
    os.symlink("there", home + b"/link")
    (tmp_path / "there").write_text("fox")
    (tmp_path / "shut").write_text("fox")
    with open(home + b"/big", "wb") as big:
        big.write(b"fox\n" * 50_000)
        big.truncate(MAX_FILE_BYTES + 1)
    coverage = SearchCoverage(unknown=[])
    names = [b"pipe", b"link", b"nowhere", b"big", b"there"]
    found = search(scanner, [os.path.join(home, name) for name in names], "fox", coverage=coverage)
    assert [one.file for one in found] == [4]
    assert (coverage.special, coverage.gone, coverage.too_big, coverage.files) == (2, 1, 1, 1)
    assert coverage.unknown == [2, 3]


def test_a_caller_that_may_not_read_everything_opens_the_files_itself(scanner, tree):
    asked = []

    def opener(path):
        asked.append(path)
        if path.endswith(b".py"):
            raise PermissionError(13, "no")
        return os.open(path, os.O_RDONLY)

    coverage = SearchCoverage(unknown=[])
    found = search(scanner, paths_in(tree, ["prose.txt", "sub/deep.py"]), "fox", coverage=coverage, opener=opener)
    assert [one.file for one in found] == [0]
    assert (coverage.denied, coverage.unknown) == (1, [1])
    assert asked == paths_in(tree, ["prose.txt", "sub/deep.py"])


@pytest.mark.parametrize("text", ["(fox", "[z-a]", r"\1", "(?=a)", "a{1000000}", r"(\w{1,30}\s*){1,30}q9z"])
def test_an_expression_that_the_engine_refuses_is_told(scanner, tree, text):
    with pytest.raises(BadPattern, match="cannot be used"):
        search(scanner, paths_in(tree), text, regex=True)


@pytest.mark.parametrize(
    "text", [r"(a+)+$", r"(x?){60}x{60}", r"\b{1000}", r"(?:[a-z]+[0-9]+)+z$", ".*.*.*=.*zz", "^$"]
)
def test_hostile_expressions_are_answered(scanner, tree, text):
    for one in search(scanner, paths_in(tree), text, regex=True):
        assert one.count == len(one.lines) > 0


RG = shutil.which("rg")


def ripgrep(tree, text, regex, case):
    """Line, offset and column by name, as ripgrep has it."""
    command = [RG, "-uu", "-nb0", "--column", "--no-heading", "--color=never", "--sort=path", "-s" if case else "-i"]
    done = subprocess.run(
        [*command, *([] if regex else ["-F"]), "-e", text, "."], cwd=tree, capture_output=True, check=False
    )
    assert done.returncode < 2, done.stderr
    found = {}
    for name, line, column, offset in re.findall(rb"(?m)^\./([^\0\n]+)\0(\d+):(\d+):(\d+):", done.stdout):
        if name.decode() not in ("binary.bin", "late.bin"):  # a zero after the beginning is told otherwise there
            column = 200 if int(column) > 20_000 else int(column) - 1  # of a long line a part is kept
            found.setdefault(name.decode(), []).append((int(line), int(offset), column))
    return found


@pytest.mark.skipif(RG is None, reason="ripgrep is not installed")
def test_answers_are_those_of_ripgrep(scanner, tree):
    chosen = random.Random(7)
    words = "fox the caf na ve x alpha ü ß справка 漢字 k s = 12 \t DOG def return".split(" ")
    shapes = [
        "{a}", "{a}.{b}", "{a}|{b}", "^{a}", "{a}$", r"\b{a}", "[{c}]+{a}", "{a}{{1,2}}", r"\w+ {a}", r"{a}\s",
        "(?:{a}){b}?", r"[^{c}]{a}", "{a}.*{b}", r"\d+{b}?", r"^\s*{a}", "(?-u:{c})", r"{a}\S*$", ".{c}.",
    ]  # fmt: skip
    for number in range(60):
        a, b = chosen.choice(words), chosen.choice(words)
        regex, case = number % 2 == 0, number % 3 == 0
        ascii_letter = chosen.choice("aefknorstxy ")
        text = chosen.choice(shapes).format(a=a, b=b, c=ascii_letter) if regex else a + b
        theirs = ripgrep(tree, text, regex, case)
        ours = found_in(scanner, tree, text, regex=regex, case=case)
        for name in ("late.bin", "latin.txt") if "[^" in text else ("late.bin",):
            ours.pop(name, None)  # a class of others also takes what is no text; ripgrep's does not
            theirs.pop(name, None)
        assert ours == theirs, text
