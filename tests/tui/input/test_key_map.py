"""Keys can be chosen freely, and whatever goes wrong with that is told."""

import pytest

from cmdr.tui.actions import ACTIONS as DEEDS
from cmdr.tui.actions import register_all
from cmdr.tui.input.key_map import ACTIONS, key_labels, key_map


def test_the_usual_keys_do_not_clash():
    keys = key_map({})
    assert not keys.problems
    assert sum(map(len, keys.keys.values())) == sum(len(action.keys) for action in ACTIONS)


def test_every_action_of_the_terminal_does_something_and_nothing_else_does():
    register_all()
    assert {action.id for action in ACTIONS if not action.command} <= set(DEEDS)
    assert set(DEEDS) <= {action.id for action in ACTIONS}


def test_own_keys_replace_the_usual_ones_of_an_action():
    keys = key_map({"copy": ["ctrl+e"]})
    assert keys.actions["ctrl+e"] == "copy"
    assert "f5" not in keys.actions


def test_a_key_taken_from_another_action_is_told_when_that_one_has_no_other():
    keys = key_map({"view": ["f5"]})
    assert keys.actions["f5"] == "view"
    assert any("Copy has no key left" in problem for problem in keys.problems)


def test_two_wishes_for_one_key_are_told_and_the_first_gets_it():
    keys = key_map({"copy": ["ctrl+e"], "move": ["ctrl+e"]})
    assert keys.actions["ctrl+e"] == "copy"
    assert any("wanted by Copy and Move" in problem for problem in keys.problems)


def test_an_unknown_action_is_told():
    assert "no such action" in key_map({"fly": ["x"]}).problems[0]


def test_a_command_of_the_registry_can_have_a_key():
    keys = key_map({"file.copyPath": ["ctrl+e"]}, {"file.copyPath": "Copy path"})
    assert keys.actions["ctrl+e"] == "file.copyPath"
    assert not keys.problems


@pytest.mark.parametrize("key", ["ctrl+h", "ctrl+m", "alt+5", "ctrl+f3"])
def test_keys_that_terminals_never_send_are_refused(key):
    assert "cannot be used" in key_map({"copy": [key]}).problems[0]


def test_a_function_key_without_work_keeps_its_place_on_the_bar():
    labels = key_labels(key_map({"view": ["ctrl+e"], "report": ["f4"]}))
    assert [label.number for label in labels] == [str(number) for number in range(1, 11)]
    assert [label.word for label in labels[2:5]] == ["", "Report on this folder", "Copy"]
