"""A parameter takes what its schema says, forgives what models get wrong, and says in one line how to mend the rest."""

from enum import StrEnum

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.dispatch.parameter import Parameter, Whole
from cmdr.core.errors import CommandError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def make(*accepts, **how):
    return Parameter("value", "value", accepts, **how)


KINDS = {
    "text": make(str),
    "number": make(int),
    "bounded": make(int, whole=Whole(0, 500)),
    "flag": make(bool),
    "choice": make(str, choices=("left", "right")),
    "enum": make(str, choices=tuple(Colour), enum=Colour),
    "names": make(list),
    "object": make(dict),
    "index or name": make(int, str),
    "count": make(int, str, choices=("all",), whole=Whole()),
    "flag or text": make(bool, str),
    "names or text": make(list, str),
}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["left", "red", "all", "5", " 7 ", "-3", "true", "False", "lefft", "\ud800", "a\nb"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(params=KINDS, ids=KINDS)
def parameter(request):
    return KINDS[request.param]


VALID = {
    str: st.text(max_size=20),
    int: st.integers(0, 500) | st.integers(0, 500).map(float),
    bool: st.booleans(),
    list: st.lists(st.text(max_size=5), max_size=3),
    dict: st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
}


@given(kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_whatever_the_schema_allows_is_taken(kind, data):
    parameter = KINDS[kind]
    accepted = [VALID[type] for type in parameter.accepts if not (type is str and parameter.choices)]
    if parameter.choices:
        accepted.append(st.sampled_from([str(choice) for choice in parameter.choices]))
    value = data.draw(st.one_of(accepted))
    assert jsonschema.Draft202012Validator(parameter.schema()).is_valid(value)
    parameter.check(value)


@given(kind=st.sampled_from(sorted(KINDS)), value=JSON | st.integers() | st.text(max_size=500))
def test_a_value_is_taken_or_refused_in_one_short_printable_line(kind, value):
    parameter = KINDS[kind]
    try:
        parameter.check(value)
    except CommandError as error:
        told = str(error)
        assert len(told.splitlines()) == 1
        assert len(told) < 200
        assert told.startswith(f'"value" must be {parameter.wanted()}, not ')


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        ("number", "5", 5),
        ("number", " 7 ", 7),
        ("number", 5.0, 5),
        ("flag", "TRUE", True),
        ("flag", "false", False),
        ("names", "one", ["one"]),
        ("count", "all", "all"),
        ("count", "12", 12),
        ("index or name", "5", "5"),
        ("index or name", 5, 5),
        ("enum", "red", Colour.RED),
    ],
)
def test_what_models_often_send_instead_is_understood(kind, value, taken):
    found = KINDS[kind].check(value)
    assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("choice", "lefft", '"value" must be one of left, right, not "lefft". Did you mean "left"?'),
        ("bounded", 501, '"value" must be a whole number from 0 to 500, not 501.'),
        ("bounded", -1, '"value" must be a whole number from 0 to 500, not -1.'),
        ("number", True, '"value" must be a whole number, not true.'),
        ("number", 1.5, '"value" must be a whole number, not 1.5.'),
        ("number", float("inf"), '"value" must be a whole number, not inf.'),
        ("number", 1e300, '"value" must be a whole number, not a number of that size.'),
        ("text", None, '"value" must be text, not null.'),
        ("text", [["a"]], '"value" must be text, not a list of other things.'),
        ("names", ["a", 1], '"value" must be a list of text, not a list of other things.'),
        ("choice", "a\nb\x1b", '"value" must be one of left, right, not "a\\u{a}b\\u{1b}".'),
        ("choice", "\ud800", '"value" must be one of left, right, not "\\xed\\xa0\\x80".'),
        ("choice", "x" * 100, '"value" must be one of left, right, not "' + "x" * 39 + '…".'),
        ("object", "text", '"value" must be an object, not "text".'),
        ("count", "some", '"value" must be a whole number from 0 or "all", not "some".'),
    ],
)
def test_a_refusal_names_what_it_takes(kind, value, told):
    with pytest.raises(CommandError) as refused:
        KINDS[kind].check(value)
    assert str(refused.value) == told


def test_a_deeply_nested_value_is_refused_like_any_other():
    """Spelling it out for the message ran out of stack."""
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(CommandError, match="not a list of other things"):
        KINDS["text"].check(deep)
    while deep:
        deep = deep[0]


def test_every_schema_is_a_valid_schema(parameter):
    jsonschema.Draft202012Validator.check_schema(parameter.schema())


def test_more_than_the_most_is_cut_where_that_is_meant_and_less_than_the_least_is_not():
    rows = make(int, whole=Whole(1, 20, cut=True))
    assert (rows.check(50), rows.check("50"), rows.check(7)) == (20, 20, 7)
    with pytest.raises(CommandError, match="from 1 to 20"):
        rows.check(0)


def test_other_words_for_a_choice_are_taken_and_never_suggested():
    kind = make(str, choices=("file", "dir"), words={"folder": "dir"})
    assert kind.check("folder") == "dir"
    assert kind.schema() == {"enum": ["file", "dir"]}
    with pytest.raises(CommandError, match="one of file, dir"):
        kind.check("pipe")
