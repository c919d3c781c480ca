"""Keys: what they are called, and which one does what in a face once the person's own choices are laid over the table.

A key is held as the settings keep it: `ctrl+pageup`, `alt+full_stop`, `f5`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cmdr.model.actions import ACTIONS, BY_ID, Face

_SIGNS = {
    "plus": "+", "minus": "-", "asterisk": "*", "slash": "/", "full_stop": ".", "backslash": "\\", "underscore": "_",
    "comma": ",", "question_mark": "?", "exclamation_mark": "!", "quotation_mark": '"', "apostrophe": "'",
    "number_sign": "#", "dollar_sign": "$", "percent_sign": "%", "ampersand": "&", "left_parenthesis": "(",
    "right_parenthesis": ")", "colon": ":", "semicolon": ";", "less_than_sign": "<", "equals_sign": "=",
    "greater_than_sign": ">", "at": "@", "left_square_bracket": "[", "right_square_bracket": "]",
    "circumflex_accent": "^", "grave_accent": "`", "left_curly_bracket": "{", "vertical_line": "|",
    "right_curly_bracket": "}", "tilde": "~",
}  # fmt: skip
_WORDS = {
    "pageup": "PgUp", "pagedown": "PgDn", "insert": "Ins", "delete": "Del", "enter": "Enter", "space": "Space",
    "backspace": "Backspace", "tab": "Tab", "escape": "Esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "home": "Home", "end": "End", "contextmenu": "Menu", "ctrl": "Ctrl", "shift": "Shift", "alt": "Alt",
}  # fmt: skip
_WRITTEN = {
    **{sign: name for name, sign in _SIGNS.items()},
    **{word.lower(): name for name, word in _WORDS.items()},
    **{f"arrow{name}": name for name in ("up", "down", "left", "right")},
}
"""Other ways to write a key."""
_MODIFIERS = ("ctrl", "alt", "shift")


def spoken(key: str) -> str:
    """A key as it is written for people: `Ctrl+PgUp`, `F5`, `Alt+.`."""
    parts = key.split("+")
    return "+".join(
        _SIGNS.get(part) or _WORDS.get(part) or (part.upper() if len(part) <= 3 else part) for part in parts
    )


def typed(key: str) -> str:
    """A key as a browser tells of it: signs as they are, `alt+.`."""
    return "+".join(_SIGNS.get(part, part) for part in key.split("+"))


def normal(key: str) -> str:
    """A key as people write it, in the form that is held: `Ctrl+PgUp` is `ctrl+pageup`, `+` is `plus`."""
    key = key.strip()
    head, _, last = key.rpartition("+") if key != "+" and not key.endswith("++") else (key[:-2], "", "+")
    last = _WRITTEN.get(last.lower(), last.lower())
    held = [part for part in head.lower().split("+") if part]
    if last in _SIGNS or last.isdigit():
        held = [part for part in held if part != "shift"]  # where Shift makes the sign, the sign says it all
    return "+".join([part for part in _MODIFIERS if part in held] + [last])


@dataclass(frozen=True, slots=True)
class KeyMap:
    """Keys to actions in one face, and what is wrong with the person's own choices."""

    actions: dict[str, str]
    """Key to action id, or to a command's id."""
    keys: dict[str, tuple[str, ...]]
    problems: tuple[str, ...] = ()

    def first_key(self, id: str) -> str:
        """The key to show for an action, or nothing."""
        keys = self.keys.get(id, ())
        return spoken(keys[0]) if keys else ""

    def all_keys(self, id: str) -> str:
        """Every key of an action, as shown."""
        return ", ".join(map(spoken, self.keys.get(id, ())))


def key_map(
    face: Face,
    own: Mapping[str, Sequence[str]],
    *,
    reserved: Mapping[str, str],
    commands: Mapping[str, str],
) -> KeyMap:
    """The table with the person's own keys: those replace all keys of their action and win over other usual ones.

    `reserved` are keys that the face never hears of, with the reason; `commands` the titles of commands, by id, which
    may have keys too. Where none of somebody's own keys can be had, the usual ones stay.
    """
    problems: list[str] = []
    actions: dict[str, str] = {}
    keys: dict[str, tuple[str, ...]] = {}

    def title(id: str) -> str:
        return BY_ID[id].title if id in BY_ID else commands[id]

    for id, wanted in own.items():
        if id not in BY_ID and id not in commands:
            problems.append(f"{id[:40]}: no such action or command")
            continue
        if id in BY_ID and face in BY_ID[id].not_in:
            continue  # chosen for another face
        free: list[str] = []
        for key in dict.fromkeys(map(normal, wanted)):
            if key in reserved:
                problems.append(f"{spoken(key)} cannot be used here for {title(id)}: {reserved[key]}")
            elif key in actions:
                had = title(actions[key])
                problems.append(f"{spoken(key)} is wanted by {had} and {title(id)}; {had} gets it")
            else:
                free.append(key)
        if free or not wanted:
            keys[id] = tuple(free)
            actions.update(dict.fromkeys(free, id))
    for action in ACTIONS:
        if action.id in keys or face in action.not_in:
            continue
        usual = [key for key in action.keys_in(face) if key not in reserved]
        left = tuple(key for key in usual if key not in actions)
        if usual and not left:
            problems.append(f"{action.title} has no key left: {spoken(usual[0])} now does {title(actions[usual[0]])}")
        keys[action.id] = left
        actions.update(dict.fromkeys(left, action.id))
    return KeyMap(actions, keys, tuple(problems))
