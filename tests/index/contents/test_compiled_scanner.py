"""The compiled scan of files: at every level of the processor, in any case, with any limit, the answers of Python's."""

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.compiled_scanner import CompiledScanner
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.python_scanner import PythonScanner
from cmdr.index.contents.searching import ScanLimits
from cmdr.model.contents import ContentPattern, SearchCoverage

pytestmark = pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here")
LEVELS = (0, 1, 2)
EVERY = ScanLimits(lines_per_file=1 << 20)
PIECES = st.sampled_from(
    [
        b"fox",
        b"FOX",
        b"Ke",
        "Ke".encode(),
        "ſ".encode(),
        b"s",
        "É".encode(),
        "é".encode(),
        b"\xe9",
        b" ",
        b"\r",
        b"\n",
        b"\n\n",
        b"x" * 37,
        b"ab",
        b"aab",
        b"\xff\xfe",
        "漢字".encode(),
        b"\xc5",
        b"\xe2\x84",
        b"12",
        b"\t",
        b"=",
    ]
)
TEXTS = st.sampled_from(
    ["fox", "k", "ke", "s", "é", "xx", "aab", "漢", "f", "ox\tab", "=12", "KeS", "fo\u017f", "x" * 37, "a b", "ÉS"]
)
EXPRESSIONS = st.sampled_from(
    [
        r"fo.",
        r"\bke",
        r"^\s*$",
        r"[ab]{2,3}",
        "k|s",
        r"\d+$",
        r"é+",
        r"x{5,}f?",
        "(?:fox|ab)+=",
        r"\w+ \w+",
        "z",
        ".",
        r"s$",
    ]
)


@pytest.fixture
def scanner():
    library = contents_library()
    yield CompiledScanner(library)
    library.cmdr_contents_level(2)


def told(scanner, paths, pattern, limits=EVERY):
    coverage = SearchCoverage(unknown=[])
    found = list(scanner.scan(paths, pattern, limits, coverage, lambda: False))
    return found, coverage


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(st.lists(PIECES, max_size=60).map(b"".join), min_size=1, max_size=4),
    text=st.one_of(TEXTS, EXPRESSIONS),
    regex=st.booleans(),
    case=st.booleans(),
    level=st.sampled_from(LEVELS),
)
def test_every_level_finds_what_the_scan_in_python_finds(tmp_path, scanner, files, text, regex, case, level):
    contents_library().cmdr_contents_level(level)
    paths = []
    for number, data in enumerate(files):
        paths.append(os.fsencode(tmp_path / str(number)))
        with open(paths[-1], "wb") as out:
            out.write(data)
    pattern = ContentPattern(text, regex, case)
    ours, theirs = told(scanner, paths, pattern), told(PythonScanner(), paths, pattern)
    assert ours == theirs
    assert scanner.matching(paths, pattern, EVERY, SearchCoverage(), lambda: False).tolist() == [
        one.file for one in theirs[0]
    ]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Files enough for several threads and many portions, some of them large."""
    root = os.fsencode(tmp_path_factory.mktemp("many"))
    paths = []
    for number in range(700):
        folder = root + b"/%d" % (number % 7)
        os.makedirs(folder, exist_ok=True)
        paths.append(folder + b"/%d.txt" % number)
        with open(paths[-1], "wb") as out:
            out.write(b"line of nothing\n" * (number % 50 if number != 300 else 60_000))
            out.write(b"" if number % 3 else b"the needle %d\n" % number)
    return paths


@pytest.mark.parametrize("text", ["needle", r"needle \d+", r"\d$"])
@pytest.mark.parametrize(
    "limits",
    [
        ScanLimits(),
        ScanLimits(files=10),
        ScanLimits(files=234),
        ScanLimits(total_bytes=200_000),
        ScanLimits(files=60, total_bytes=20_000),
        ScanLimits(lines_per_file=0, count_lines=False),
        ScanLimits(files=0),
    ],
)
def test_limits_end_at_the_same_file_whatever_the_threads_did(scanner, many, text, limits):
    pattern = ContentPattern(text, text != "needle")
    ours, theirs = told(scanner, many, pattern, limits), told(PythonScanner(), many, pattern, limits)
    assert ours == theirs
    numbers = scanner.matching(many, pattern, limits, SearchCoverage(), lambda: False)
    assert numbers.tolist() == [one.file for one in theirs[0]]


def test_a_scan_that_is_left_half_way_leaves_nothing_open(scanner, many):
    before = len(os.listdir("/proc/self/fd"))
    opener = lambda path: os.open(path, os.O_RDONLY)  # noqa: E731
    for _ in range(20):
        for text in ("needle", r"\d$"):
            found = scanner.scan(many, ContentPattern(text, text != "needle"), EVERY, SearchCoverage(), bool, opener)
            assert next(found).count == 1
            found.close()
    while len(os.listdir("/proc/self/fd")) > before:  # threads of the library end in their own time
        os.sched_yield()


def test_a_list_of_files_has_their_paths(many):
    files = FileList.of_paths(many)
    assert list(files) == many
    assert files[3:5] == many[3:5]
    assert len(files.folders) == 7
    assert list(FileList.of_paths([b"/a", b"b", b"c/d"])) == [b"/a", b"./b", b"c/d"]
    for path in (b"a/", b"", b"a\0b"):
        with pytest.raises(ValueError, match="No file"):
            FileList.of_paths([path])
    with pytest.raises(IndexError):
        files[700]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("text", ["needle", r"needle \d*7\b", r"^$", r"g$"])
def test_many_files_are_those_of_ripgrep(scanner, many, text):
    command = ["rg", "-uu", "-s", "-c", "-0", "-e", text, os.path.dirname(os.path.dirname(many[0]))]
    told = subprocess.run(command, capture_output=True, check=False).stdout
    theirs = dict(line.split(b"\0") for line in told.splitlines())
    pattern = ContentPattern(text, True, True)
    ours = {
        many[one.file]: b"%d" % one.count for one in scanner.scan(many, pattern, ScanLimits(), SearchCoverage(), bool)
    }
    assert ours == theirs
