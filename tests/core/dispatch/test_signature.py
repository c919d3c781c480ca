"""A command's signature is its schema, and arguments are bound by it."""

from enum import StrEnum
from typing import Annotated, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.dispatch.parameter import Also, Doc, Unlisted, Whole
from cmdr.core.dispatch.signature import bind, input_schema, parameters_of
from cmdr.core.errors import CommandError


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
    def wrong(call, *, when: float):
        """Floats are not parameters."""

    with pytest.raises(TypeError, match="when"):
        parameters_of(wrong)
