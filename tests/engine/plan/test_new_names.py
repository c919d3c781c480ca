"""New names by pattern: groups and fields are filled in, and what means nothing is an error, never part of a name."""

import os

import pytest

from cmdr.engine.plan.new_names import WHOLE, new_names
from cmdr.engine.plan.refusals import BadPattern, NotThere, Unreadable

WHEN = 1715900000


@pytest.fixture
def photos(tmp_path):
    made = []
    for name in ("IMG_1.JPG", "IMG_2.jpg", "note", "a{n}.txt"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (WHEN, WHEN))
        made.append(os.fsencode(tmp_path / name))
    return made


def test_a_date_and_a_counter_make_new_names(photos):
    assert new_names(photos, WHOLE, "{year}_{n:03}.{ext}") == [
        b"2024_001.JPG",
        b"2024_002.jpg",
        b"2024_003",
        b"2024_004.txt",
    ]


@pytest.mark.parametrize(
    ("match", "replace", "new"),
    [
        (r"(IMG)_(\d)", r"\2-$1 ${2}", b"1-IMG 1.JPG"),
        (r"(?P<what>IMG)_(\d)", "$what$2${1}", b"IMG1IMG.JPG"),
        ("IMG", "<$0>", b"<IMG>_1.JPG"),
        ("IMG", r"$$1 \\1 a$ $ b\c", rb"$1 \1 a$ $ b\c_1.JPG"),
        ("IMG", "{{n}}", b"{n}_1.JPG"),
        (r"\d", "{n}{n:2}", b"IMG_1 1.JPG"),
    ],
)
def test_groups_and_signs(photos, match, replace, new):
    assert new_names(photos[:1], match, replace) == [new]


def test_what_a_name_itself_holds_is_no_field(photos):
    assert new_names(photos[3:], "a(.*)", "$1") == [b"{n}.txt"]
    assert new_names(photos[3:], "^", "{n} ") == [b"1 a{n}.txt"]


@pytest.mark.parametrize(
    ("match", "replace", "why"),
    [
        ("IMG", "{nonsense}", r'"{nonsense}" is no field. There are {name} {ext} {date}'),
        ("IMG", r"\1", "is no group of the pattern: it has none"),
        (r"IMG_(\d)", "$3", r'"\$3" is no group of the pattern: it has \$1'),
        ("IMG", "${nope}", "is no group"),
        ("IMG", "a\0b", "zero byte"),
        ("[", "x", "is not a regular expression: unclosed"),
    ],
)
def test_what_means_nothing_is_refused(photos, match, replace, why):
    with pytest.raises(BadPattern, match=why):
        new_names(photos, match, replace)


def test_files_are_looked_at_only_where_a_field_needs_it(tmp_path):
    gone = os.fsencode(tmp_path / "folder" / "gone.txt")
    assert new_names([gone], "gone", "{parent} {n}") == [b"folder 1.txt"]
    with pytest.raises(NotThere):
        new_names([gone], "gone", "{date}")
    (tmp_path / "folder").touch()
    with pytest.raises(Unreadable):
        new_names([gone], "gone", "{date}")


def test_a_name_that_is_no_text_stays(tmp_path):
    odd = os.fsencode(tmp_path) + b"/not\xfftext"
    assert new_names([odd], WHOLE, "{n}") == [b"not\xfftext"]


def test_a_date_that_no_calendar_has_is_an_error(photos, monkeypatch):
    def never(_seconds):
        raise OverflowError

    monkeypatch.setattr("time.localtime", never)
    with pytest.raises(BadPattern, match="has no date"):
        new_names(photos, WHOLE, "{date}")
