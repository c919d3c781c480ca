"""The keys of the terminal: the table of actions, the person's own choices, and what terminals do to keys."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cmdr.model import keys
from cmdr.model.actions import Face, offered
from cmdr.model.keys import KeyMap

ACTIONS = offered(Face.TERMINAL)
_NOTHING: Mapping[str, str] = MappingProxyType({})

# Some terminals never send these as such; a binding that looks fine and does nothing is worse than none.
_UNUSABLE = {
    "ctrl+f3": "terminals send it as a cursor report",
    "ctrl+h": "it is Backspace",
    "ctrl+i": "it is Tab",
    "ctrl+m": "it is Enter",
    **{f"alt+{number % 10}": f"it stands for F{number}" for number in range(1, 11)},
}


def unusable(key: str) -> str:
    """Why no terminal can give a key to an action, or nothing."""
    return _UNUSABLE.get(key, "")


def key_map(own: Mapping[str, Sequence[str]], commands: Mapping[str, str] = _NOTHING) -> KeyMap:
    """What each key does in the terminal; `commands` are titles by id."""
    found = keys.key_map(Face.TERMINAL, own, reserved=_UNUSABLE, commands=commands)
    actions = found.actions
    if "ctrl+space" in actions:
        actions["ctrl+@"] = actions["ctrl+space"]  # as most terminals send it
    # Some terminals and desktops keep the function keys for themselves.
    actions.update({f"alt+{number % 10}": actions[f"f{number}"] for number in range(1, 11) if f"f{number}" in actions})
    return found
