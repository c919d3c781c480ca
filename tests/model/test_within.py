"""Paths and folders: whole names are compared, whatever they are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.within import is_within

NAMES = st.binary(min_size=1, max_size=6).filter(lambda name: b"/" not in name and b"\0" not in name)
WAYS = st.lists(NAMES, max_size=5)
SLASHES = st.integers(0, 3).map(lambda count: b"/" * count)


def path_of(names):
    return b"/" + b"/".join(names)


@given(WAYS, WAYS, SLASHES, SLASHES)
def test_what_begins_with_all_names_of_a_folder_is_within_it(folder, way, after_folder, after_path):
    whole = [*folder, *way]
    assert is_within(path_of(whole) + after_path, path_of(folder) + after_folder)


@given(WAYS, WAYS, SLASHES, SLASHES)
def test_nothing_else_is(folder, path, after_folder, after_path):
    expected = path[: len(folder)] == folder
    assert is_within(path_of(path) + after_path, path_of(folder) + after_folder) == expected


@given(WAYS, NAMES, NAMES)
def test_a_name_that_only_begins_alike_is_another_name(folder, name, more):
    assert not is_within(path_of([*folder, name + more]), path_of([*folder, name]))


@pytest.mark.parametrize(
    ("path", "folder", "within"),
    [
        (b"/a/b", b"/a", True),
        (b"/a/bc", b"/a/b", False),
        (b"/a/b", b"/a/b/", True),
        (b"/a/b/", b"/a/b", True),
        (b"/a", b"/a/b", False),
        (b"/", b"/", True),
        (b"/a", b"/", True),
        (b"", b"/", False),
        (b"/a", b"", False),
    ],
)
def test_roots_prefixes_and_nothing_at_all(path, folder, within):
    assert is_within(path, folder) is within
