"""The filter AST: both written forms bring back the same tree, and nonsense is refused with its place."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.filters import filter as f
from cmdr.model.filters.filter_json import KNOWN, from_json, to_json
from cmdr.model.filters.filter_text import from_text, to_text

texts = st.text(min_size=1, max_size=12)
lines = texts.filter(lambda text: "\n" not in text)
words = st.text(min_size=1, max_size=8)
plain = st.text("abcXYZ019-_", min_size=1, max_size=8)
moments = st.sampled_from(["30d", "1h", "2w", "1y", "2026-01-31", "2026-01-31T10:00", "2025-12-01T08:30:15Z"])
numbers = st.integers(0, 2**63 - 1)
leaves = st.one_of(
    st.builds(
        f.Text, st.sampled_from(get_args(f.TextField)), st.sampled_from(get_args(f.TextOp)), texts, st.booleans()
    ),
    st.builds(f.Ext, st.lists(plain, min_size=1, max_size=3).map(tuple)),
    st.builds(f.KindIs, st.lists(st.sampled_from(get_args(f.Kind)), min_size=1, max_size=3).map(tuple)),
    st.builds(f.Owner, st.lists(words, min_size=1, max_size=3).map(tuple)),
    st.builds(f.Number, st.sampled_from(get_args(f.NumberField)), numbers, st.none() | numbers),
    st.builds(f.Number, st.sampled_from(get_args(f.NumberField)), st.none(), numbers),
    st.builds(f.Time, st.sampled_from(get_args(f.TimeField)), moments, st.none() | moments),
    st.builds(f.Time, st.sampled_from(get_args(f.TimeField)), st.none(), moments),
    st.builds(f.Under, texts),
    st.builds(f.Mode, st.integers(1, 0o7777)),
    st.builds(f.Is, st.sampled_from(get_args(f.Trait))),
    st.builds(f.InSet, texts),
    st.builds(f.DuplicateOf, texts),
    st.builds(f.Content, st.sampled_from(get_args(f.ContentOp)), lines, st.booleans()),
)
filters = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(f.Not, inner),
        st.builds(f.And, st.lists(inner, max_size=4).map(tuple)),
        st.builds(f.Or, st.lists(inner, max_size=4).map(tuple)),
    ),
    max_leaves=12,
)


@given(filters)
def test_the_json_form_brings_back_the_same_filter(node):
    assert from_json(json.loads(json.dumps(to_json(node)))) == node


@given(filters)
def test_the_text_form_brings_back_the_same_filter(node):
    assert from_text(to_text(node)) == node


@given(filters)
def test_the_normal_form_is_its_own_normal_form(node):
    assert f.normal(f.normal(node)) == f.normal(node)


@given(st.text(max_size=60))
def test_any_line_is_read_or_refused_with_a_place_inside_it(line):
    try:
        from_text(line)
    except f.FilterError as refused:
        assert isinstance(refused.position, int)
        assert 0 <= refused.position <= len(line)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KNOWN), x, max_size=2),
        max_leaves=8,
    )
)
def test_any_json_is_read_or_refused_with_a_place(data):
    try:
        from_json(data)
    except f.FilterError as refused:
        assert str(refused.position).startswith("$")


def test_a_line_as_people_write_it():
    found = from_text("report ext:py,md size>=10M mtime>30d not (kind:dir or name:*old?)")
    assert found == f.And(
        (
            f.Text("name", "contains", "report"),
            f.Ext(("py", "md")),
            f.Number("size", 10 << 20, None),
            f.Time("mtime", "30d", None),
            f.Not(f.Or((f.KindIs(("dir",)), f.Text("name", "glob", "*old?")))),
        )
    )


def test_words_of_the_grammar_can_be_looked_for_in_quotes():
    assert from_text('"or" and "not"') == f.And((f.Text("name", "contains", "or"), f.Text("name", "contains", "not")))


def test_words_that_only_begin_like_the_grammar_are_words():
    assert from_text("order notes android") == f.And(
        tuple(f.Text("name", "contains", w) for w in ("order", "notes", "android"))
    )


def test_a_single_text_is_taken_where_a_list_is_meant():
    assert from_json({"ext": "py"}) == f.Ext(("py",))


@pytest.mark.parametrize(
    ("line", "position"),
    [
        ("size>x", 5),
        ("(a", 2),
        ("a)", 1),
        ('name:"x', 5),
        ("colour:red", 0),
        ("a or", 4),
        ("mtime>someday", 0),
        ("kind:pipe", 0),
    ],
)
def test_errors_in_a_line_say_where(line, position):
    with pytest.raises(f.FilterError) as refused:
        from_text(line)
    assert refused.value.position == position


@pytest.mark.parametrize(
    ("data", "position"),
    [
        ({"and": [{"ext": ["a"]}, {"colour": "red"}]}, "$.and[1].colour"),
        ({"not": {"size": {"min": -1}}}, "$.not.size"),
        ({"or": {}}, "$.or"),
        ({"name": {"like": "x"}}, "$.name"),
        ([], "$"),
    ],
)
def test_errors_in_json_say_where(data, position):
    with pytest.raises(f.FilterError) as refused:
        from_json(data)
    assert refused.value.position == position


def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack():
    data: object = {"ext": ["a"]}
    for _ in range(f.MAX_DEPTH * 20):
        data = {"not": data}
    with pytest.raises(f.FilterError, match="nested"):
        from_json(data)
    with pytest.raises(f.FilterError, match="nested"):
        from_text("(" * 5000 + "a" + ")" * 5000)
    with pytest.raises(f.FilterError, match="nested"):
        from_text("not " * 5000 + "a")


def test_huge_filters_are_refused():
    with pytest.raises(f.FilterError, match="parts"):
        from_json({"or": [{"ext": ["a"]}] * 1000})
    with pytest.raises(f.FilterError, match="parts"):
        from_text("a " * 1000)
    with pytest.raises(f.FilterError, match="characters long"):
        from_text("a" * 100_000)


@pytest.mark.parametrize("line", ["name~(a+)$", 'name~"(a+)$"', "(name~(a+)$)", "name =~ (a+)$"])
def test_a_tilde_stands_before_a_regular_expression_as_in_other_programs(line):
    assert from_text(line) == f.Text("name", "regex", "(a+)$")


def test_a_pattern_ends_at_a_blank_and_may_hold_escaped_parentheses():
    wanted = f.Or((f.Text("name", "regex", r"\("), f.Text("path", "regex", "b/c")))
    assert from_text(r"(name~\( or path~b/c)") == wanted
    with pytest.raises(f.FilterError, match="missing"):
        from_text("name~ ")


def test_a_name_with_a_tilde_is_a_name():
    assert from_text("notes~ a.txt~") == f.And(
        (f.Text("name", "contains", "notes~"), f.Text("name", "contains", "a.txt~"))
    )


def test_braces_in_a_glob_stand_for_each_that_they_hold():
    assert from_text("*.{iso,bin}") == f.Or((f.Text("name", "glob", "*.iso"), f.Text("name", "glob", "*.bin")))
    assert from_text("{guid}*") == f.Text("name", "glob", "{guid}*")
    assert from_text("{a*,}") == f.Text("name", "glob", "a*")
    many = "{" + "a," * 99 + "a}"
    assert from_text(f"*{many}{many}{many}") == f.Text("name", "glob", f"*{many}{many}{many}")
    with pytest.raises(f.FilterError, match="parts"):
        from_text(f"*{many} " * 6)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Huge/*.iso", f.Text("path", "glob", "*/Huge/*.iso")),
        ("./Huge/*.iso", f.Text("path", "glob", "*/Huge/*.iso")),
        ("/srv/*.iso", f.Text("path", "glob", "/srv/*.iso")),
        ("Huge/disk", f.Text("path", "contains", "Huge/disk")),
        ("name:a/b", f.Text("path", "contains", "a/b")),
        ("path:src/*.py", f.Text("path", "glob", "*/src/*.py")),
    ],
)
def test_a_word_with_a_slash_is_a_part_of_the_path_because_no_name_holds_one(line, wanted):
    assert from_text(line) == wanted


def test_folders_and_symlinks_are_understood_and_unknown_fields_name_the_known_ones():
    assert from_text("kind:folder,symlink") == from_text("type:dir,link") == f.KindIs(("dir", "link"))
    assert from_json({"type": "directory"}) == f.KindIs(("dir",))
    with pytest.raises(f.FilterError, match=r"Known: name, path, ext, kind, size, .*duplicateof"):
        from_text("colour:red")


def test_a_field_that_does_not_exist_is_told_as_such_whatever_it_is_compared_with():
    for text in ("siez>1M", "siez:1M"):
        with pytest.raises(f.FilterError, match="There is no filter called `siez`"):
            from_text(text)
    with pytest.raises(f.FilterError, match="`ext` cannot be compared with >"):
        from_text("ext>pdf")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("content:fox", f.Content("contains", "fox")),
        ('content:"the fox"c', f.Content("contains", "the fox", True)),
        ("content:a*b?", f.Content("contains", "a*b?")),
        (r"content~fo+\b(x|y)", f.Content("regex", r"fo+\b(x|y)")),
        ('content~"the fo+"c', f.Content("regex", "the fo+", True)),
        ('content:regex"fo+"', f.Content("regex", "fo+")),
        ('content:contains"fo+"', f.Content("contains", "fo+")),
        ("ext:md (content:a or not content:b)", None),
    ],
)
def test_contents_are_asked_for_as_a_text_or_an_expression(line, wanted):
    found = from_text(line)
    assert wanted is None or found == wanted
    assert from_text(to_text(found)) == from_json(to_json(found)) == found


def test_contents_are_asked_for_in_json_as_names_are():
    assert from_json({"content": "fox"}) == f.Content("contains", "fox")
    assert from_json({"content": {"regex": "fo+", "case": True}}) == f.Content("regex", "fo+", True)
    with pytest.raises(f.FilterError, match="`glob` is not known here; use contains, regex, case"):
        from_json({"content": {"glob": "*"}})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("", "1 to 1,000 characters"),
        ("x" * 10_000, "1 to 1,000 characters"),
        ("two\nlines", "line by line"),
        ("half \ud83d", "half of a character"),
    ],
)
def test_what_no_line_can_hold_is_refused_with_its_place(value, why):
    with pytest.raises(f.FilterError, match=why) as refused:
        from_json({"content": value})
    assert refused.value.position == "$.content"


def test_contents_are_not_compared():
    for sign in (">", "=", "<="):
        with pytest.raises(f.FilterError, match=f"`content` cannot be compared with {sign}; write content:word"):
            from_text(f"content{sign}fox")


def test_the_questions_about_contents_in_a_filter_are_found():
    wanted = from_text("ext:md (content:a or not content~b) name:c")
    assert f.content_leaves(wanted) == (f.Content("contains", "a"), f.Content("regex", "b"))


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("size>1 MiB", "size>1M"),
        ("size<1.5 GB report", "size<1536M report"),
        ("size>=5 (a or b)", "size>=5 (a or b)"),
        ('size>5 "old copy"', 'size>5 name:"old copy"'),
        ("older:2 weeks report", "older:2w report"),
        ("newer:last week", "newer:1w"),
        ('older:"a month" ext:pdf', "older:30d ext:pdf"),
        ("mtime > 2026-01-31 10:00", "mtime>2026-01-31T10:00"),
        ("older>30d", "older:30d"),
        ("size:1 KB", "size:1024"),
    ],
)
def test_sizes_and_times_are_read_as_people_write_them(line, same):
    assert from_text(line) == from_text(same)


def test_older_with_the_wrong_sign_says_what_to_write():
    with pytest.raises(f.FilterError, match="write older:30d or newer:30d"):
        from_text("older<30d")


def test_json_bounds_take_sizes_as_people_write_them():
    assert from_json({"size": {"min": "1 MB"}}) == from_json({"size": {"min": 1 << 20}})
    with pytest.raises(f.FilterError, match=r"That is no size.*\$\.size"):
        from_json({"size": {"min": "big"}})
