"""Alt keys as plain terminals send them: each known at once, and none of them taken for another."""

import pytest
from textual._xterm_parser import XTermParser

from cmdr.model.keys import normal, spoken
from cmdr.tui.input.alt_keys import register_alt_keys
from cmdr.tui.input.key_map import ACTIONS, key_map

SIGNS = {"full_stop": ".", "minus": "-", "question_mark": "?"}


def heard(sent):
    """The keys Textual makes of what a terminal sends, without waiting for more."""
    register_alt_keys()
    return [event.key for event in XTermParser(False).feed(sent)]


@pytest.mark.parametrize(
    "key", [key for action in ACTIONS for key in action.keys if key.startswith("alt+") and key.count("+") == 1]
)
def test_every_alt_key_of_the_map_is_heard_as_such(key):
    """Alt+. searched for a dot, Alt+- for a dash, and Alt+B was the word to the left."""
    last = SIGNS.get(key[4:], key[4:])
    if len(last) == 1:
        assert heard(f"\x1b{last}") == [key]


def test_a_letter_typed_right_behind_an_alt_key_is_a_letter():
    """It was taken for the rest of a longer sequence."""
    assert heard("\x1bla") == ["alt+l", "a"]


def test_escape_and_a_digit_is_a_function_key():
    assert heard("\x1b5\x1b0\x1b1") == ["f5", "f10", "f1"]
    keys = key_map({})
    assert keys.actions["alt+5"] == "copy"


def test_alt_and_backspace_does_not_close_a_tab_and_alt_and_enter_is_not_enter():
    assert heard("\x1b\x7f\x1b\r\x1b ") == ["alt+backspace", "alt+enter", "alt+space"]


def test_longer_sequences_are_still_known():
    assert heard("\x1b[A\x1bOP\x1b[15;2~") == ["up", "f1", "shift+f5"]


def test_ctrl_and_space_is_written_so_and_known_however_it_is_sent():
    keys = key_map({})
    assert keys.first_key("folder_size") == "Ctrl+Space"
    assert keys.actions["ctrl+@"] == keys.actions[normal("Ctrl+Space")] == "folder_size"
    assert spoken("alt+question_mark") == "Alt+?"
