"""Ask for one line of text: a name, a mask, a path; Tab completes paths."""

from collections.abc import Awaitable, Callable, Sequence

from textual import events
from textual.widget import Widget
from textual.widgets import Input

from cmdr.tui.input.key_forwarding import forward_key
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import Window

Complete = Callable[[str], Awaitable[tuple[str, list[str]]]]
"""The text as far as it is certain, and what it could become."""

MAX_HISTORY = 100
"""Lines typed before that ↑ brings back."""


class Ask(Window[str]):
    """A line to type in, with lines of explanation above it."""

    hint = "Enter accepts · Esc cancels"

    def __init__(
        self,
        heading: str,
        value: str = "",
        *,
        above: Sequence[Row] = (),
        select: tuple[int, int] | None = None,
        complete: Complete | None = None,
        options: Sequence[tuple[str, str]] = (),
        asks: str = "If a name is taken",
        placeholder: str = "",
        past: list[str] | None = None,
    ) -> None:
        super().__init__()
        self.heading = heading
        self._value = value
        self._above = list(above)
        self._select = select
        self._complete = complete
        self._options = list(options)
        self._option = 0
        self._placeholder = placeholder
        if complete:
            self.hint = "Tab completes · Enter accepts · Esc cancels"
        self._asks = asks
        self._past = [] if past is None else past
        self._back = 0
        """How far back in what was typed before; what is accepted is added to that."""
        self._unsent = value

    def contents(self) -> list[Widget]:
        """Explanation, the line, the choice below it, possible completions."""
        self._input = LineInput(self._value, placeholder=self._placeholder, select_on_focus=False)
        parts: list[Widget] = []
        if self._above:
            parts.append(LineList(self.appearance, self._above, lines=len(self._above), cursor=False))
        parts.append(self._input)
        if self._options:
            self._chosen = LineList(self.appearance, [self._option_row()], lines=1, cursor=False)
            parts.append(self._chosen)
        if self._complete:
            self._possible = LineList(self.appearance, [], lines=0, cursor=False)
            parts.append(self._possible)
        return parts

    def opened(self) -> None:
        """The cursor stands where one most likely wants to type."""
        self.set_focus(self._input)
        self._input.cursor_position = len(self._value)
        if self._select:
            from textual.widgets.input import Selection

            self._input.selection = Selection(*self._select)

    @property
    def option(self) -> str:
        """The chosen option."""
        return self._options[self._option][0] if self._options else ""

    def pressed(self, event: events.Key) -> bool:
        if event.key == "tab" and self._complete:
            self.run_update(self._complete_now)
            return True
        if event.key in ("up", "down") and self._past:
            self._recall(1 if event.key == "up" else -1)
            return True
        if event.key == "ctrl+s" and self._options:
            self._option = (self._option + 1) % len(self._options)
            self._chosen.show([self._option_row()])
            return True
        if event.is_printable or event.key in ("enter", "backspace"):
            # The line stops these itself, so this one was typed while the window was still opening.
            forward_key(self._input, event)
            return True
        return event.key == "tab"

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        if message.value.strip():
            self._past[:] = [*(text for text in self._past if text != message.value), message.value][-MAX_HISTORY:]
        self.dismiss(message.value)

    def _recall(self, step: int) -> None:
        if not self._back:
            self._unsent = self._input.value
        self._back = max(0, min(self._back + step, len(self._past)))
        text = self._past[-self._back] if self._back else self._unsent
        self._input.value = text
        self._input.cursor_position = len(text)

    def _option_row(self) -> Row:
        return [(f"{self._asks}: ", "dim"), (self._options[self._option][1], "file"), ("  (Ctrl+S changes)", "dim")]

    async def _complete_now(self) -> None:
        assert self._complete is not None
        sure, possible = await self._complete(self._input.value)
        self._input.value = sure
        self._input.cursor_position = len(sure)
        shown = possible[:6] if len(possible) <= 6 else [*possible[:5], f"… {len(possible) - 5} more"]
        rows: list[Row] = [[(text, "dim")] for text in shown] if len(possible) > 1 else []
        self._possible.lines = len(rows)
        self.fit_height()
        self._possible.show(rows)
