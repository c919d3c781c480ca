"""Keys are called what people write, and the person's own choices lie over the table in the same way in every face."""

import pytest

from cmdr.model.actions import ACTIONS, Face
from cmdr.model.keys import key_map, normal, spoken, typed

WRITTEN = {
    "F5": "f5", "ctrl+e": "ctrl+e", "Ctrl+E": "ctrl+e", "PgUp": "pageup", "Ctrl+PgUp": "ctrl+pageup",
    "ctrl+pageup": "ctrl+pageup", "plus": "plus", "+": "plus", "Ctrl++": "ctrl+plus", "alt+full_stop": "alt+full_stop",
    "Alt+.": "alt+full_stop", "ctrl+underscore": "ctrl+underscore", "shift+alt+x": "alt+shift+x",
    "shift+ctrl+z": "ctrl+shift+z", "Del": "delete", "ctrl+↑": "ctrl+up", "Ctrl+ArrowUp": "ctrl+up", "Esc": "escape",
    "Shift+?": "question_mark", "alt+[": "alt+left_square_bracket",
    "alt+left_square_bracket": "alt+left_square_bracket",
    " space ": "space", "Menu": "contextmenu", "ContextMenu": "contextmenu", "constructor": "constructor",
}  # fmt: skip


@pytest.mark.parametrize(("written", "known"), WRITTEN.items())
def test_keys_are_understood_however_they_are_written(written, known):
    assert normal(written) == known
    assert normal(spoken(known)) == known
    assert normal(typed(known)) == known


@pytest.mark.parametrize("face", Face)
def test_the_usual_keys_of_a_face_do_not_clash_and_each_action_has_one(face):
    keys = key_map(face, {}, reserved={}, commands={})
    assert not keys.problems
    for action in ACTIONS:
        assert keys.keys.get(action.id) == (None if face in action.not_in else action.keys_in(face))


@pytest.mark.parametrize("face", Face)
def test_own_keys_that_cannot_be_had_leave_the_usual_ones(face):
    """In the terminal the action was left without any key; in the page it kept its own."""
    keys = key_map(
        face,
        {"copy": ["x"], "move": ["x"], "view": ["f12"]},
        reserved={"f12": "it belongs to the browser"},
        commands={},
    )
    assert keys.actions["x"] == "copy"
    assert keys.keys["move"] == ("f6",)
    assert keys.keys["view"] == ("f3",)
    assert keys.problems == (
        "x is wanted by Copy and Move; Copy gets it".replace("x", "X", 1),
        "F12 cannot be used here for View: it belongs to the browser",
    )


def test_an_action_can_be_left_without_a_key_on_purpose():
    keys = key_map(Face.PAGE, {"copy": []}, reserved={}, commands={})
    assert keys.keys["copy"] == ()
    assert not keys.problems


def test_a_key_for_an_action_of_another_face_is_no_problem_and_takes_nothing():
    keys = key_map(Face.PAGE, {"shell": ["f5"], "copy": ["f2"]}, reserved={}, commands={})
    assert keys.actions.get("f5") is None
    assert keys.actions["f2"] == "copy"
    assert not keys.problems


def test_a_command_has_its_key_and_is_called_by_its_title():
    keys = key_map(Face.PAGE, {"file.getInfo": ["F6"]}, reserved={}, commands={"file.getInfo": "Get info"})
    assert keys.actions["f6"] == "file.getInfo"
    assert keys.problems == ("Move has no key left: F6 now does Get info",)
