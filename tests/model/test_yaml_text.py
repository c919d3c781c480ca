"""Whatever is written, a YAML reader gets back; and no name can pass itself off as a marker."""

import json
import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from cmdr.model.names import from_wire, to_wire
from cmdr.model.yaml_text import Plain, document, quoted_name, scalar

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LOOKALIKES = st.one_of(
    st.from_regex(r"[-+]?[0-9_.,:eExXoObB+-]{1,12}", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9:.]{1,9}(Z|[-+][0-9]{1,2})?)?", fullmatch=True),
    st.sampled_from(
        "true no Off NULL ~ .inf -.INF .NaN y N = << ? - : | > % @ ` & * ! 0x1F 0b11 0o7 1_000 12:30".split()
    ),
    st.sampled_from(["a: b", "a #b", "- a", "[a]", "{a: b}", "'a'", '"a"', " a", "a ", "", "a:", "\u2028", "\x85"]),
)


@given(TEXT | LOOKALIKES)
@example("2001-12-14T21:59:43Z")
@example("a\u2028b c")
@example("tab\there")
@example("\x7f\x80\x9f")
def test_any_text_comes_back_as_the_same_text(text):
    assert yaml.safe_load(f"k: {scalar(text)}\n") == {"k": text}
    assert yaml.safe_load(f"- {scalar(text)}\n") == [text]
    assert "\n" not in scalar(text)


@given(st.none() | st.booleans() | st.integers())
def test_other_values_come_back_in_their_own_type(value):
    loaded = yaml.safe_load(f"k: {scalar(value)}")["k"]
    assert (loaded, type(loaded)) == (value, type(value))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | TEXT | LOOKALIKES,
    lambda inner: st.dictionaries(
        st.from_regex(r"[a-z][a-zA-Z]{0,8}", fullmatch=True), inner, min_size=1, max_size=4
    ).filter(lambda mapping: not {"y", "n", "no", "on", "yes", "off", "null", "true", "false"} & set(mapping)),
    max_leaves=8,
)
KEY = st.sampled_from(["focused", "left", "files", "path", "cursor"])


@given(
    st.dictionaries(
        KEY,
        VALUES
        | st.lists(TEXT | LOOKALIKES, max_size=4)
        | st.lists(st.integers(), max_size=3)
        | st.lists(st.booleans(), max_size=3)
        | st.lists(st.dictionaries(KEY, TEXT | st.booleans(), min_size=1, max_size=3), max_size=3),
        max_size=5,
    )
)
def test_a_whole_document_is_what_a_yaml_reader_makes_of_it(values):
    assert (yaml.safe_load(document(values)) or {}) == values


def test_a_document_looks_as_the_seed_draws_it():
    told = document(
        {
            "focused": "left",
            "showHidden": False,
            "left": {
                "path": "/Users/david/projects",
                "sort": "name:asc",
                "loadedRange": [0, 2],
                "files": ["i:0 d .git"],
            },
            "created": Plain("2025-01-01"),
            "dialogs": [{"type": "settings", "section": "general", "focused": True}],
            "none": {},
            "empty": [],
        }
    )
    assert told == (
        "focused: left\nshowHidden: false\nleft:\n  path: /Users/david/projects\n  sort: name:asc\n"
        "  loadedRange: [0, 2]\n  files:\n    - i:0 d .git\ncreated: 2025-01-01\n"
        "dialogs:\n  - type: settings\n    section: general\n    focused: true\nnone: {}\nempty: []\n"
    )


ROW = re.compile(r'i:(\d+) ([dflpsbc?]) ("(?:[^"\\]|\\.)*"|\S+)((?: \S+)*)')
FORGED = st.sampled_from(
    [
        b"x [sel]",
        b"[cur]",
        b"i:5 f other",
        b"a\n    - i:9 f b",
        b'"x" [sel]',
        b"name 5b [cur]",
        b"\xff[sel]",
        b"'q'",
        b"#c",
    ]
)


@given(st.binary(min_size=1, max_size=20) | TEXT.map(str.encode).filter(bool) | FORGED)
@example("a\u00a0[sel]".encode())
@example("\u3000".encode())
def test_no_name_can_forge_a_marker_or_another_row(name):
    row = f"i:3 f {quoted_name(to_wire(name))} [cur]"
    (read,) = yaml.safe_load(document({"files": [row]}))["files"]
    found = ROW.fullmatch(read)
    shown = found[3]
    assert from_wire(json.loads(shown) if shown.startswith('"') else shown) == name
    assert (found[1], found[4]) == ("3", " [cur]")


@pytest.mark.parametrize("name", ["README.md", "package.json", "2025-01", "ünïcode", "a-b_c+d=e", "~backup"])
def test_ordinary_names_stand_bare(name):
    assert quoted_name(name) == name
