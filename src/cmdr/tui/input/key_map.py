"""The keys of the terminal: the table of actions, the person's own choices, and what terminals do to keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rich.segment import Segment
from rich.style import Style

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


@dataclass(frozen=True, slots=True)
class KeyLabel:
    """One function key: its number, its word, and what it does."""

    number: str
    word: str
    action: str


def key_labels(keys: KeyMap) -> list[KeyLabel]:
    """The labels of a key map, always ten: a key that does nothing keeps its place, for hands know where F8 stands."""
    words = {action.id: action.word or action.title for action in ACTIONS}
    bound = [(str(number), keys.actions.get(f"f{number}", "")) for number in range(1, 11)]
    return [KeyLabel(number, words.get(action, action), action) for number, action in bound]


def label_cells(labels: list[KeyLabel], width: int, styles: dict[str, Style]) -> list[Segment]:
    """The bar as it is drawn."""
    each = width // max(1, len(labels))
    cells: list[Segment] = []
    for label in labels:
        number, word = label.number, label.word
        room = max(1, each - len(number) - 1)
        cells += [
            Segment(f"{number:>2}" if each > 7 else number, styles["bar_key"]),
            Segment(f"{word[:room]:<{room - (2 - len(number) if each > 7 else 0)}}", styles["bar"]),
            Segment(" ", styles["bar_key"]),
        ]
    return cells
