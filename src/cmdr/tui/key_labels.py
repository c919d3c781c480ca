"""What the key bar says: the function keys and a word for each, as wide as the screen allows."""

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style

from cmdr.model.actions import ACTIONS
from cmdr.model.keys import KeyMap


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


def label_cells(labels: list[KeyLabel], width: int, ink: dict[str, Style]) -> list[Segment]:
    """The bar as it is drawn."""
    each = width // max(1, len(labels))
    cells: list[Segment] = []
    for label in labels:
        number, word = label.number, label.word
        room = max(1, each - len(number) - 1)
        cells += [
            Segment(f"{number:>2}" if each > 7 else number, ink["bar_key"]),
            Segment(f"{word[:room]:<{room - (2 - len(number) if each > 7 else 0)}}", ink["bar"]),
            Segment(" ", ink["bar_key"]),
        ]
    return cells
