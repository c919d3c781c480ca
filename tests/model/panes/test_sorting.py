"""Natural order: what a reader expects, the same for every folder, whatever its names hold."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.panes.sorting import Direction, SortKey, SortOrder, extension, name_order, natural_keys, order_by

NAMES = st.lists(
    st.binary(min_size=1, max_size=12).map(lambda b: b.replace(b"\0", b"0").replace(b"/", b"1"))
    | st.from_regex(rb"[aAbB._ -]{0,3}[0-9]{0,12}[aA.]{0,2}0{0,3}[0-9]{0,3}x?", fullmatch=True).filter(bool)
    | st.text("aAbßẞéÉ019.", min_size=1, max_size=8).map(str.encode),
    unique=True,
    max_size=30,
)


def naive_key(name):
    """Tokens of folded text: numbers by value, everything else by its bytes; the name's bytes settle ties."""
    folded = name.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")
    key = []
    for token in re.findall(rb"[0-9]+|[^0-9]", folded):
        # A digit stands where digits stand among bytes; among numbers the value counts.
        key.append((0x30, int(token)) if token.isdigit() else (token[0], 0))
    return key, name


@given(NAMES)
def test_the_fast_keys_order_names_as_the_plain_definition_does(names):
    ordered = [names[row] for row in name_order(names, [False] * len(names))]
    expected = sorted(names, key=naive_key)
    # Bytes between the digits' own (0x31 to 0x39) never stand alone, so one first byte for numbers is exact.
    assert ordered == expected


@given(NAMES, st.data())
def test_folders_come_first_and_each_group_is_in_name_order(names, data):
    folders = data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    order = name_order(names, folders)
    assert sorted(order) == list(range(len(names)))
    expected = sorted(range(len(names)), key=lambda row: (not folders[row], naive_key(names[row])))
    assert order == expected


@settings(max_examples=50)
@given(NAMES, NAMES)
def test_the_order_of_two_names_does_not_depend_on_the_others(names, others):
    together = list(dict.fromkeys([*names, *others]))
    alone = [names[row] for row in name_order(names, [False] * len(names))]
    among = [together[row] for row in name_order(together, [False] * len(together))]
    assert [name for name in among if name in set(names)] == alone


def test_numbers_count_by_value_and_case_does_not_matter():
    names = [b"img10.png", b"IMG9.png", b"img010.png", b"img1.png", b"Img2.png"]
    assert [names[row] for row in name_order(names, [False] * 5)] == [
        b"img1.png",
        b"Img2.png",
        b"IMG9.png",
        b"img010.png",
        b"img10.png",
    ]


def test_a_number_as_long_as_a_name_can_be_is_still_a_number():
    names = [b"9" * 255, b"1" + b"0" * 254, b"9" * 254, b"0" * 255]
    assert name_order(names, [False] * 4) == [3, 2, 1, 0]


def test_no_names_have_no_keys():
    assert natural_keys([]) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"a.TXT", b"txt"),
        (b"archive.tar.gz", b"gz"),
        (b".bashrc", b""),
        (b"README", b""),
        (b"a.", b""),
        (b".a.b", b"b"),
    ],
)
def test_the_extension_is_what_follows_the_last_dot(name, expected):
    assert extension(name) == expected


@given(
    st.lists(st.none() | st.integers(-5, 5), max_size=20),
    st.integers(0, 20),
    st.booleans(),
    st.booleans(),
)
def test_sorting_by_a_value_is_stable_with_the_unknown_last_in_both_directions(values, folders, descending, too):
    folders = min(folders, len(values))
    rows = range(len(values))
    ordered = list(order_by(values.__getitem__, rows, folders, descending=descending, folders_too=too))

    def place(row):
        group = row >= folders
        value = values[row] if group or too else 0
        return (group, value is None, 0 if value is None else -value if descending else value, row)

    assert ordered == sorted(rows, key=place)


def test_a_sort_mark_reads_like_the_state_tells_it():
    order = SortOrder(SortKey.MODIFIED, Direction.DESC)
    assert str(order) == "modified:desc"
    assert order.needs_facts
    assert not SortOrder(SortKey.EXT).needs_facts
