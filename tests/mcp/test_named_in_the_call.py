"""Nothing is proposed unless the call names what it acts on, whatever else it says and whatever the person selected."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mcp.test_random_input import COMMON, TIMES, encodable, scalars, values

from cmdr import commands
from cmdr.core.dispatch.principals import PERSON, Access
from cmdr.core.dispatch.registry import REGISTRY

commands.register()
PROPOSING = {
    command.name: command for command in REGISTRY if command.access is Access.PROPOSE and command.toolset != "ide"
}
NAMING = frozenset(
    ["pane", "path", "paths", "set", "folder", "name", "to", "operation", "edits", "files", "job", "jobId"]
)
"""Parameters that say what is acted on."""
liked = st.sampled_from(["readme.md", "docs", "src", "new", "*.txt", "", ".", "a", "$1", "0644", "left"])


@pytest.fixture
def person_chose(inside):
    """The agent's face, where the person has selected two entries."""
    select_as_person(inside, names=["readme.md", "docs"])
    return inside


def select_as_person(inside, **arguments):
    """The person selects entries of the left pane."""
    inside._in_loop(inside.commander.run(PERSON, "select", {"pane": "left", **arguments}))


def waiting(inside):
    """How many proposals wait for the person."""
    return len(inside.in_loop(inside.commander.proposals.pending))


def call(inside, name, arguments):
    """The answer, whether the command is a tool or one of the palette."""
    command = PROPOSING[name]
    if command.is_tool:
        return inside.call(name, **arguments)
    return inside.call("command", id=command.id, args=arguments)


def test_every_change_without_arguments_says_what_it_needs(person_chose):
    for name in PROPOSING:
        answer = call(person_chose, name, {})
        assert answer.is_error, (name, answer)
        assert '"' in answer or name == "undo", (name, answer)
    assert not waiting(person_chose)


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("copy", 'copy needs "paths", "set", or "pane" for what is selected there.'),
        ("move", 'move needs "paths", "set", or "pane" for what is selected there.'),
        ("delete", 'delete needs "paths", "set", or "pane" for what is selected there.'),
        ("mkdir", 'mkdir needs "path", or "name" for one in the focused pane.'),
        ("rename", 'rename needs "newName", or "match" and "replace"; "replace" alone is for whole names.'),
        ("undo", "There is nothing to undo: no operation was carried out yet."),
    ],
)
def test_a_change_of_nothing_in_particular_names_the_parameters(person_chose, tool, told):
    assert person_chose.call(tool) == f"ERROR: {told}"


def partial_arguments(name):
    """Some arguments of a command, of the right kind or not."""
    known = {
        parameter.wire: st.one_of(
            liked,
            st.lists(liked, max_size=2),
            values,
            *([st.sampled_from(parameter.choices)] * bool(parameter.choices)),
        )
        for parameter in PROPOSING[name].parameters
    }
    return st.fixed_dictionaries({}, optional=known)


calls = st.sampled_from(sorted(set(PROPOSING) - {"open_diff"})).flatmap(
    lambda name: st.tuples(st.just(name), partial_arguments(name))
)


@settings(max_examples=60 * TIMES, **COMMON)
@given(sequence=st.lists(calls.filter(encodable), min_size=1, max_size=4))
def test_no_call_proposes_what_it_does_not_name(person_chose, sequence):
    for name, arguments in sequence:
        before = waiting(person_chose)
        answer = call(person_chose, name, arguments)
        named = {key for key in NAMING & arguments.keys() if arguments[key] not in (None, "", [])}
        assert named or waiting(person_chose) == before, (name, arguments, answer)
        person_chose.call("dialog", action="close", type="confirmation")


@settings(max_examples=50 * TIMES, **COMMON)
@given(
    tool=st.sampled_from(["copy", "move", "delete", "rename", "mkdir", "undo"]),
    reason=scalars.filter(encodable),
    strays=st.dictionaries(st.text("abcxyz", min_size=3, max_size=6), values.filter(encodable), max_size=2),
)
def test_words_about_a_change_alone_propose_nothing(person_chose, tool, reason, strays):
    answer = person_chose.call(tool, reason=reason, **strays)
    assert answer.is_error
    assert not waiting(person_chose)


def test_what_an_agent_selected_itself_is_copied_as_in_the_first_design(person_chose):
    assert person_chose.call("copy").is_error
    person_chose.call("select", pane="left", names=["package.json"])
    answer = person_chose.call("copy")
    assert answer.first == "OK: Copy dialog opened. Waiting for user confirmation."
    assert re.search("^chosen in the pane: .*/left/package.json$", answer, re.M)
    # Only that one tool, and only as long as nobody else has a hand in the selection.
    assert person_chose.call("move").is_error
    assert person_chose.call("delete").is_error
    select_as_person(person_chose, names=["readme.md"], mode="add")
    assert person_chose.call("copy").is_error
    person_chose.call("select", pane="left", names=["docs"], mode="add")
    assert person_chose.call("copy").is_error
    assert person_chose.call("copy", pane="left").first == answer.first
