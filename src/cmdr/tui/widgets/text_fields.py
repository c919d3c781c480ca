"""Fields to type in: keys act in the order they were typed, and nothing unseen can be pasted."""

from typing import Protocol, runtime_checkable

from textual import events
from textual.binding import NoBinding
from textual.widget import Widget
from textual.widgets import Input, TextArea

from cmdr.tui.input.alt_keys import FUNCTION_KEYS
from cmdr.tui.input.key_forwarding import forward_key, forward_to_front
from cmdr.tui.terminal.safe_text import printable


async def run_binding(widget: Widget, event: events.Key) -> None:
    """Carry out a widget's own key binding at once."""
    try:
        bindings = widget._bindings.get_bindings_for_key(event.key)
    except NoBinding:
        return
    event.stop()
    event.prevent_default()
    for binding in bindings:
        await widget.run_action(binding.action)


@runtime_checkable
class TakesKeys(Protocol):
    """A window that wants keys its fields have no use for."""

    def pressed(self, event: events.Key) -> bool:
        """A key; whether the window did something with it."""


@runtime_checkable
class TakesLines(Protocol):
    """A window that does something with a line when it is entered."""

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """A line."""


_WORDS = {
    "alt+b": "cursor_left_word",
    "alt+f": "cursor_right_word",
    "alt+d": "delete_right_word",
    "alt+backspace": "delete_left_word",
}
"""As in a shell; terminals that have no other way send these for Ctrl and an arrow too."""

_UP_AND_DOWN = frozenset(("up", "down", "pageup", "pagedown"))


class LineInput(Input):
    """One line to type in; nothing unseen can be pasted into it."""

    async def _on_key(self, event: events.Key) -> None:
        if forward_to_front(self.screen, event):
            return
        focused = self.screen.focused
        if focused is not None and focused is not self:
            # Typed right behind a key that went on to the next field.
            event.stop()
            event.prevent_default()
            forward_key(focused, event)
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            if isinstance(self.screen, TakesLines):
                # At once: a second Enter right behind it is for what comes after the window.
                self.screen.on_input_submitted(self.Submitted(self, self.value))
            else:
                await self.action_submit()
        elif event.key in _WORDS:
            event.stop()
            event.prevent_default()
            await self.run_action(_WORDS[event.key])
        elif event.key in _UP_AND_DOWN:
            event.prevent_default()  # one line has nothing to scroll, but the window around it may
        elif not event.is_printable:
            await run_binding(self, event)
            if event.key == "tab" and isinstance(self.screen, TakesKeys) and self.screen.pressed(event):
                event.stop()
                event.prevent_default()

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        lines = event.text.splitlines()
        if lines:
            self.insert_text_at_cursor(printable(lines[0]))


class TextBox(TextArea):
    """Many lines to type in; nothing unseen can be pasted into it."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "escape" or event.key.rpartition("+")[2] in FUNCTION_KEYS.values():
            event.prevent_default()  # it belongs to the window
        elif not event.is_printable and event.key not in ("enter", "tab"):
            await run_binding(self, event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        clean = "\n".join(printable(line.replace("\t", "    ")) for line in event.text.splitlines())
        if result := self._replace_via_keyboard(clean, *self.selection):
            self.move_cursor(result.end_location)
