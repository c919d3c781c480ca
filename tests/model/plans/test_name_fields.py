"""Fields in names and folders are filled in from the file, and a field that does not exist is an error."""

import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.plans.name_fields import _FIELDS, BadField, Field, FolderPattern, NamedFile, filled, parts_of

NOON = 1715947200


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


PHOTO = NamedFile("IMG 1.JPG", "Trip", NOON * 10**9)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{name}.{ext}", "IMG 1.JPG"),
        ("{date} {time}", "2024-05-17 12-00-00"),
        ("{year}{month}{day}", "20240517"),
        ("{parent} {n} {n:3} {n:03}", "Trip 7   7 007"),
        ("plain", "plain"),
        ("{{{n}}} }", "{7} }"),
        ("", ""),
    ],
)
def test_each_field_says_what_it_is_called(text, told):
    assert filled(parts_of(text), PHOTO, 7) == told


@pytest.mark.parametrize("name", ["folder.d", ".profile", "README", "trailing."])
def test_what_has_no_extension_keeps_its_whole_name(name):
    file = NamedFile(name, is_folder=name == "folder.d")
    assert (file.stem, file.ext) == (name, "")
    assert filled(parts_of("x {n}.{ext}"), file, 1) == "x 1"


@pytest.mark.parametrize("text", ["{nme}", "{}", "{n:}", "{n:0003}", "{Date}", "a {date:x} b"])
def test_an_unknown_field_is_refused_and_the_known_ones_are_told(text):
    with pytest.raises(BadField, match=r"is no field. There are {name} {ext} {date} .* {n} {n:03}; a brace itself"):
        parts_of(text)


def test_folders_have_no_counter():
    with pytest.raises(BadField, match=r"There are .* {parent}; a brace"):
        FolderPattern.of("/there/{n}")


def test_a_time_that_no_calendar_has_is_refused():
    with pytest.raises(BadField, match=r"far\.txt has no date"):
        Field.of("date").value(NamedFile("far.txt", mtime_ns=2**90))


def test_a_path_is_split_where_its_fields_begin():
    start, pattern = FolderPattern.of("/home/me/{{x}}/Photos/{year}/{month}-{ext}/raw")
    assert start == "/home/me/{x}/Photos"
    assert pattern.folders(PHOTO) == ("2024", "05-jpg", "raw")
    assert pattern.folders(NamedFile("note", "", NOON * 10**9)) == ("2024", "05-", "raw")
    assert FolderPattern.of("/plain/{{x}}") == ("/plain/{x}", None)
    assert FolderPattern.of("/{ext}/{parent}")[1].folders(NamedFile("x")) == ()


@given(st.text().filter(lambda text: "\0" not in text))
def test_a_text_with_doubled_braces_means_itself(text):
    assert filled(parts_of(text.replace("{", "{{").replace("}", "}}")), PHOTO) == text


@given(st.binary(min_size=1, max_size=60).filter(lambda name: not {0, 47} & set(name)))
def test_every_name_is_its_stem_and_extension(name):
    file = NamedFile(os.fsdecode(name))
    assert filled(parts_of("{name}.{ext}"), file) in (file.name, file.name.removesuffix("."))


def test_the_page_about_fields_tells_of_every_one():
    page = (Path(__file__).parents[3] / "docs" / "names.md").read_text()
    told = set(re.findall(r"^\| (.*?) \|", page, re.MULTILINE)[1:])
    assert {field for row in told for field in re.findall(r"\{\w+\}", row)} == {
        f"{{{name}}}" for name in (*_FIELDS, "n")
    }
