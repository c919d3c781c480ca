"""A parameter takes what its schema says, forgives what models get wrong, and says in one line how to mend the rest."""

from enum import StrEnum
from typing import Annotated, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.dispatch.parameter import Also, Doc, Parameter, Unlisted, Whole, bind, input_schema, parameters_of
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
    "moment": make(float),
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
    float: st.floats(-1e15, 1e15) | st.integers(-(10**15), 10**15),
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
        ("moment", "noon", '"value" must be a number, not "noon".'),
        ("moment", 1e300, '"value" must be a number, not 1e+300.'),
        ("moment", True, '"value" must be a number, not true.'),
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


class Way(StrEnum):
    UP = "up"
    DOWN = "down"


def example(
    call,
    *,
    pane: Literal["left", "right"],
    show_all: bool = False,
    limit: Annotated[int | None, Whole(1, 9), Doc("rows")] = None,
    way: Way = Way.UP,
    names: list[str] | None = None,
    count: int | Literal["all"] = 0,
    args: dict[str, object] | None = None,
    set_: str = "",
):
    """An example."""


PARAMETERS = parameters_of(example)


def test_names_on_the_wire_are_camel_case():
    assert [p.wire for p in PARAMETERS] == ["pane", "showAll", "limit", "way", "names", "count", "args", "set"]


def test_the_schema_says_it_all():
    schema = input_schema(PARAMETERS)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["pane"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["limit"] == {"type": "integer", "description": "rows"}
    assert schema["properties"]["count"] == {"anyOf": [{"type": "integer"}, {"enum": ["all"]}]}
    assert schema["properties"]["names"] == {"type": "array", "items": {"type": "string"}}
    assert schema["properties"]["way"] == {"enum": ["up", "down"]}


def test_further_spellings_are_taken_and_never_listed():
    def spelled(call, *, tab_name: Annotated[str, Also(("title",))], late: Annotated[bool, Unlisted()] = False):
        """Something."""

    parameters = parameters_of(spelled)
    for spelling in ("tabName", "tab_name", "title"):
        assert bind(parameters, {spelling: "x", "late": True}, "it") == {"tab_name": "x", "late": True}
    with pytest.raises(CommandError, match='it was given "tabName" twice'):
        bind(parameters, {"tabName": "x", "title": "y"}, "it")
    with pytest.raises(CommandError, match=r'"bogus"\. It takes: tabName, late\.'):
        bind(parameters, {"bogus": 1}, "it")
    assert input_schema(parameters) == {
        "type": "object",
        "properties": {"tabName": {"type": "string"}},
        "required": ["tabName"],
    }


def test_a_command_without_parameters_takes_none():
    def bare(call):
        """Nothing."""

    assert input_schema(parameters_of(bare)) == {"type": "object", "additionalProperties": False}
    with pytest.raises(CommandError, match=r'quit has no parameter "now"\. It takes: no parameters\.'):
        bind((), {"now": 1}, "quit")


def test_arguments_are_bound_by_their_python_names():
    bound = bind(PARAMETERS, {"pane": "left", "showAll": "true", "way": "down", "set": "x"}, "example")
    assert bound == {"pane": "left", "show_all": True, "way": Way.DOWN, "set_": "x"}


def test_null_for_something_optional_means_not_given():
    assert bind(PARAMETERS, {"pane": "left", "limit": None, "names": None}, "example") == {"pane": "left"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, 'example needs "pane": one of left, right.'),
        ({"pane": None}, '"pane" must be one of left, right, not null.'),
        (
            {"pane": "left", "showall": 1},
            'example has no parameter "showall". Did you mean "showAll"? '
            "It takes: pane, showAll, limit, way, names, count, args, set.",
        ),
        (
            {"x\ny": 1},
            'example has no parameter "x\\u{a}y". It takes: pane, showAll, limit, way, names, count, args, set.',
        ),
    ],
)
def test_what_is_wrong_with_a_call_is_told_in_one_line(arguments, told):
    with pytest.raises(CommandError) as refused:
        bind(PARAMETERS, arguments, "example")
    assert str(refused.value) == told


@given(
    st.dictionaries(
        st.sampled_from([p.wire for p in PARAMETERS]) | st.text(max_size=30),
        st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.lists(st.text(max_size=3), max_size=3),
        max_size=5,
    )
)
def test_any_call_is_bound_or_refused_in_one_line(arguments):
    valid = jsonschema.Draft202012Validator(input_schema(PARAMETERS)).is_valid(arguments)
    try:
        bound = bind(PARAMETERS, arguments, "example")
    except CommandError as error:
        out_of_bounds = [v for v in arguments.values() if isinstance(v, int) and not 1 <= v <= 9]
        assert not valid or out_of_bounds
        assert len(str(error).splitlines()) == 1
        assert len(str(error)) < 300
    else:
        assert "pane" in bound
        assert set(bound) <= {p.name for p in PARAMETERS}


def test_a_type_that_cannot_be_told_is_found_when_it_is_declared():
    def wrong(call, *, when: complex):
        """Complex numbers are not parameters."""

    with pytest.raises(TypeError, match="when"):
        parameters_of(wrong)


def test_a_list_of_numbers_takes_whole_numbers_only():
    def function(*, operations: list[int]) -> None: ...

    (parameter,) = parameters_of(function)
    assert parameter.schema() == {"type": "array", "items": {"type": "integer"}}
    assert parameter.check([3, -1]) == [3, -1]
    for wrong in ([True], ["1"], [1.5], [2**60], "1", 1):
        with pytest.raises(CommandError, match="must be a list of whole numbers"):
            parameter.check(wrong)
