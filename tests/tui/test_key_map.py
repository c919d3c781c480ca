"""Keys can be chosen freely, and whatever goes wrong with that is told."""

import pytest

from cmdr.tui.actions import ACTIONS as DEEDS
from cmdr.tui.actions import declare_all
from cmdr.tui.key_labels import key_labels
from cmdr.tui.key_map import ACTIONS, key_map, normal, spoken


def test_the_usual_keys_do_not_clash():
    keys = key_map({})
    assert not keys.problems
    assert sum(map(len, keys.keys.values())) == sum(len(action.keys) for action in ACTIONS)


def test_every_action_does_something_and_everything_has_a_key():
    declare_all()
    assert {action.id for action in ACTIONS} == set(DEEDS)


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
    assert any("wanted by copy and move" in problem for problem in keys.problems)


def test_an_unknown_action_is_told():
    assert "no such action" in key_map({"fly": ["x"]}).problems[0]


def test_a_command_of_the_registry_can_have_a_key():
    keys = key_map({"file.copyPath": ["ctrl+e"]}, frozenset({"file.copyPath"}))
    assert keys.actions["ctrl+e"] == "file.copyPath"
    assert not keys.problems


@pytest.mark.parametrize("key", ["ctrl+h", "ctrl+m", "alt+5", "ctrl+f3"])
def test_keys_that_terminals_never_send_are_refused(key):
    assert "cannot be used" in key_map({"copy": [key]}).problems[0]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("Ctrl+PgUp", "ctrl+pageup"),
        ("+", "plus"),
        ("F5", "f5"),
        ("Alt+.", "alt+full_stop"),
        ("shift+ctrl+z", "ctrl+shift+z"),
    ],
)
def test_keys_are_read_as_people_write_them(written, known):
    assert normal(written) == known
    assert normal(spoken(known)) == known


def test_a_function_key_without_work_keeps_its_place_on_the_bar():
    labels = key_labels(key_map({"view": ["ctrl+e"], "report": ["f4"]}))
    assert [label.number for label in labels] == [str(number) for number in range(1, 11)]
    assert [label.word for label in labels[2:5]] == ["", "Report on this folder", "Copy"]
