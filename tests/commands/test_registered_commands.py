"""Every command that is registered: told well, checked alike, and never answering with more than one line of error."""

import re

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr import commands
from cmdr.core.dispatch.parameter import bind
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.core.errors import CommandError

commands.register()
COMMANDS = list(REGISTRY)
JUNK = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.lists(st.text(max_size=3), max_size=2)
)


def test_every_command_is_told_in_words():
    for command in COMMANDS:
        assert command.title, command.name
        assert command.description.endswith((".", ")")), command.name
        assert len(command.description) < 250, command.name


def test_names_are_unique_and_spelled_alike():
    names = [command.name for command in COMMANDS]
    assert len(set(names)) == len(names)
    for command in COMMANDS:
        if command.is_tool:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", command.name)
        if command.programs_only:
            assert re.fullmatch(r"[a-z][a-zA-Z]*\.[a-z]+", command.name)
        for parameter in command.parameters:
            assert re.fullmatch(r"[a-z][a-zA-Z0-9]*", parameter.wire)


def test_no_command_takes_another_spelling_of_a_tools_name():
    tools = {command.name for command in COMMANDS if command.is_tool}
    for command in COMMANDS:
        if command.name not in tools:
            assert re.sub(r"[.-]|(?<=[a-z0-9])(?=[A-Z])", "_", command.name).lower() not in tools, command.name


def test_titles_in_the_palette_are_unique():
    titles = [command.title for command in COMMANDS]
    assert sorted(titles) == sorted(set(titles))


def test_every_schema_is_valid_and_closed_where_it_lists_everything():
    for command in COMMANDS:
        schema = command.schema()
        jsonschema.Draft202012Validator.check_schema(schema)
        lists_all = all(parameter.listed for parameter in command.parameters)
        assert schema.get("additionalProperties", True) is not lists_all, command.name


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_an_unknown_parameter_is_refused_with_the_known_ones(command):
    with pytest.raises(CommandError, match=re.escape(f'{command.name} has no parameter "bogus".')):
        bind(command.parameters, {"bogus": 1}, command.name)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_junk_is_bound_or_refused_in_one_line(data):
    command = data.draw(st.sampled_from(COMMANDS))
    wires = [parameter.wire for parameter in command.parameters] or ["x"]
    arguments = data.draw(st.dictionaries(st.sampled_from(wires), JUNK, max_size=4))
    try:
        bind(command.parameters, arguments, command.name)
    except CommandError as error:
        assert len(str(error).splitlines()) == 1
