"""Choose one of many: type to narrow the list, Enter to choose."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.widget import Widget

from cmdr.tui.terminal.safe_text import fit, printable, width_of
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose."""

    value: str
    text: str
    detail: str = ""
    note: str = ""
    """Shown at the right: a key, a mark."""


class Choose(Window[str]):
    """A list that narrows while one types; answers with the chosen value."""

    hint = "type to narrow · Enter chooses · Esc closes"

    def __init__(
        self,
        heading: str,
        choices: Sequence[Choice],
        *,
        lines: int = 14,
        extra: dict[str, Callable[["Choose", Choice], None]] | None = None,
        hint: str = "",
        current: str = "",
    ) -> None:
        super().__init__()
        self.heading = heading
        self.hint = hint or self.hint
        self._all = list(choices)
        self._shown = list(choices)
        self._typed = ""
        self._lines = lines
        self._extra = extra or {}
        self._current = current

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, [], lines=min(self._lines, max(3, len(self._all))))
        return [self._list]

    def opened(self) -> None:
        """Fill the list, and once more for the width it turns out to have."""
        self.call_after_refresh(self._show)
        self._fill()

    def replace(self, choices: Sequence[Choice], *, stay: bool = False) -> None:
        """Show other choices; the cursor goes with its own one, or stays in its place."""
        here, place = self._here, self._list.cursor
        self._all = list(choices)
        self._narrow()
        if here is not None and not stay:
            place = next((at for at, choice in enumerate(self._shown) if choice.value == here.value), place)
        self._list.move(place - self._list.cursor)

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            return True
        here = self._here
        if event.key == "enter":
            if here is not None:
                self.dismiss(here.value)
        elif event.key in self._extra and here is not None:
            self._extra[event.key](self, here)
        elif event.key == "backspace":
            self._typed = self._typed[:-1]
            self._narrow()
        elif event.is_printable and event.character:
            self._typed += event.character
            self._narrow()
        else:
            return False
        return True

    @property
    def _here(self) -> Choice | None:
        """The choice under the cursor."""
        return self._shown[self._list.cursor] if self._shown else None

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self.dismiss(self._shown[message.index].value)

    def _narrow(self) -> None:
        self._shown = narrowed(self._all, self._typed)
        self._fill()

    def _show(self) -> None:
        self._list.show([self._row(choice) for choice in self._shown], keep=True)

    def _fill(self) -> None:
        self._list.cursor = 0
        self._show()
        if not self._typed:
            for place, choice in enumerate(self._shown):
                if choice.value == self._current:
                    self._list.move(place)
        self.title_box(f"{self.heading}: {self._typed}_" if self._typed else self.heading, self.hint)

    def _row(self, choice: Choice) -> Row:
        width = self._list.size.width or 72
        text, note, detail = printable(choice.text), printable(choice.note), printable(choice.detail)
        most = max(4, width - width_of(note) - 4)
        left = f" {fit(text, most, keep_end=text.startswith(('/', '~'))) if width_of(text) > most else text}"
        gap = max(1, 26 - width_of(left)) if detail else 1
        room = width - width_of(left) - gap - width_of(note) - 2
        if width_of(detail) > room:
            detail = fit(detail, room, keep_end=detail.startswith("/")) if room > 3 else ""
        fill = max(1, width - width_of(left) - gap - width_of(detail) - width_of(note) - 1)
        return [(left, "file"), (" " * gap + detail, "dim"), (" " * fill + note + " ", "title")]


def narrowed(choices: Sequence[Choice], typed: str) -> list[Choice]:
    """The choices that hold every typed word, best first: at the start, at the start of a word, anywhere, scattered."""
    words = typed.casefold().split()
    if not words:
        return list(choices)
    ranked = []
    for place, choice in enumerate(choices):
        text = f"{choice.text} {choice.detail} {choice.value}".casefold()
        title = choice.text.casefold()
        if all(word in text for word in words):
            rank = (
                0
                if title.startswith(words[0])
                else 1
                if f" {words[0]}" in f" {title}"
                else 2
                if words[0] in title
                else 3
            )
        elif _scattered("".join(words), title):
            rank = 4
        else:
            continue
        ranked.append((rank, place, choice))
    return [choice for _, _, choice in sorted(ranked, key=lambda found: found[:2])]


def _scattered(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)
