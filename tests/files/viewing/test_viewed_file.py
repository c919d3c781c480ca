"""Files of any size are looked into at once, counted behind, searched and followed."""

import os
import threading

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.files.contents import differing_contents, same_contents
from cmdr.files.errors import DiskError
from cmdr.files.scan import names_starting_with
from cmdr.files.viewing.viewed_file import CHUNK_BYTES, NotViewable, ViewedFile, guess_encoding


def viewed(path, data):
    path.write_bytes(data)
    file = ViewedFile(os.fsencode(path))
    while file.count_more(1):
        pass
    return file


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="ab \t", max_size=30), max_size=40), st.booleans())
def test_lines_are_what_split_says(tmp_path, lines, ends):
    text = "\n".join(lines) + ("\n" if ends and lines else "")
    file = viewed(tmp_path / "f", text.encode())
    wanted = text.split("\n")
    if wanted and wanted[-1] == "":
        wanted.pop()
    assert file.lines == len(wanted)
    assert file.text(0, 100) == wanted
    file.close()


def test_a_line_far_behind_is_found_without_reading_the_rest(tmp_path):
    file = viewed(tmp_path / "f", b"".join(b"line %d\n" % number for number in range(200_000)))
    assert file.lines == 200_000
    assert file.text(150_000, 2) == ["line 150000", "line 150001"]
    assert file.line_at(file.offset_of(123_456)) == 123_456
    file.close()


def test_one_endless_line_is_cut_and_the_next_is_still_found(tmp_path):
    file = viewed(tmp_path / "f", b"x" * (3 * CHUNK_BYTES) + b"\nnext\n")
    first, second = file.text(0, 2)
    assert first.endswith(" …")
    assert second == "next"
    file.close()


def test_search_goes_both_ways_and_over_the_borders_of_pieces(tmp_path):
    data = b"a" * ((1 << 20) - 3) + b"NEEDLE" + b"b" * 100 + b"needle"
    file = viewed(tmp_path / "f", data)
    first = file.find("needle", 0)
    assert first == ((1 << 20) - 3, (1 << 20) + 3)
    second = file.find("needle", first[1])
    assert second[0] == len(data) - 6
    assert file.find("needle", second[0], backwards=True) == first
    assert file.find("NEEDLE", first[1]) is None  # capitals typed: case counts
    assert file.find("ne+dle$", first[1], regex=True)[0] == len(data) - 6
    file.close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_expressions_find_what_they_mean_in_files_and_in_memory(tmp_path, encoding):
    file = viewed(tmp_path / "f", "one\nzwölf\ndrei\nzwölf\n".encode(encoding))
    first = file.find("zw.+f$", 0, regex=True)
    assert first == (4, 10)
    assert file.find("zw.+f$", first[1], regex=True) == (16, 22)
    assert file.find("zw.+f$", 16, regex=True, backwards=True) == first
    assert file.find("^f", 0, regex=True) is None
    file.close()


def test_an_expression_that_takes_for_ever_holds_nobody_up_and_ends_when_nobody_waits(tmp_path):
    file = viewed(tmp_path / "f", b"a" * 60 + b"!\n")
    nobody_waits = threading.Event()
    found: list[object] = ["nothing yet"]

    def search() -> None:
        found[0] = file.find("(a+)+$", 0, regex=True, stopped=nobody_waits.is_set)

    searching = threading.Thread(target=search)
    searching.start()
    assert sum(range(1000)) == 499_500  # other threads go on working
    nobody_waits.set()
    searching.join(60)
    assert not searching.is_alive()
    assert found == [None]
    assert not [child for child in psutil.Process().children() if "text_search" in " ".join(child.cmdline())]
    file.close()


def test_a_bad_expression_is_told(tmp_path):
    file = viewed(tmp_path / "f", b"x")
    with pytest.raises(NotViewable, match="regular expression"):
        file.find("(", 0, regex=True)
    file.close()


def test_growing_and_shrinking_files_are_noticed(tmp_path):
    file = viewed(tmp_path / "f", b"one\n")
    with (tmp_path / "f").open("ab") as more:
        more.write(b"two\n")
    assert file.grow()
    file.count_more()
    assert file.text(0, 9) == ["one", "two"]
    (tmp_path / "f").write_bytes(b"x")
    assert file.grow()
    file.count_more()
    assert file.text(0, 9) == ["x"]
    file.close()


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "utf-8"),
        ("grün".encode(), "utf-8"),
        ("grün".encode("cp1252"), "cp1252"),
        ("x".encode("utf-16"), "utf-16"),
    ],
)
def test_encodings_are_guessed(data, encoding):
    assert guess_encoding(data) == encoding


def test_two_byte_text_is_read(tmp_path):
    file = viewed(tmp_path / "f", "eins\nzwei\n".encode("utf-16"))
    assert file.text(0, 5) == ["eins", "zwei"]
    file.close()


def test_what_is_no_file_is_refused_and_nothing_hangs(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotViewable):
        ViewedFile(os.fsencode(tmp_path / "pipe"))
    with pytest.raises(NotViewable, match="folder"):
        ViewedFile(os.fsencode(tmp_path))
    with pytest.raises(DiskError):
        ViewedFile(os.fsencode(tmp_path / "none"))


def test_files_that_claim_to_be_empty_are_read():
    file = ViewedFile(b"/proc/self/status")
    file.count_more()
    assert file.text(0, 1)[0].startswith("Name:")
    file.close()


def test_contents_are_compared_byte_by_byte(tmp_path):
    for folder, data in (("a", b"1"), ("b", b"2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same").write_bytes(b"x" * 10)
        (tmp_path / folder / "other").write_bytes(data)
    a, b = os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b")
    assert differing_contents(a, b, [b"same", b"other"]) == {b"other"}
    assert not same_contents(a + b"/same", a + b"/none")


def test_completion_offers_folders_and_hides_dots(tmp_path):
    for name in ("alpha", "also", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "alfile").write_text("")
    here = os.fsencode(tmp_path)
    assert names_starting_with(here, b"al", folders_only=True) == [b"alpha/", b"also/"]
    assert names_starting_with(here, b"", folders_only=True) == [b"alpha/", b"also/"]
    assert names_starting_with(here, b".", folders_only=True) == [b".hidden/"]
    assert names_starting_with(here + b"/none", b"", folders_only=True) == []


def test_a_file_that_opens_and_cannot_be_read_is_told_and_not_left_open():
    """Each look at one left a descriptor behind."""
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("no /proc here")
    with pytest.raises(NotViewable, match="Cannot be read here"):
        ViewedFile(b"/proc/self/mem")
    assert f"/proc/{os.getpid()}/mem" not in {file.path for file in psutil.Process().open_files()}
