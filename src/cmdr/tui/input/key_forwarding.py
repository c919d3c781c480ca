"""Keys act in the order they were typed, also when they come faster than windows open.

Textual hands printable keys to the focused widget at once and sends all others round by the application, so in a
burst a backspace arrives after the letters typed behind it; and a key typed right behind one that opens a window
still goes to the screen below.
"""

import asyncio
from typing import Any

from textual import events
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget


def forward_key(widget: Widget, event: events.Key) -> None:
    """Give a key to another widget, as if it had been typed there; an event itself goes only one way."""
    again = events.Key(event.key, event.character)
    again._set_forwarded()
    widget.post_message(again)


def when_processed(screen: Screen[Any]) -> asyncio.Event:
    """Set once a screen in front has dealt with all keys it was given so far, and its focused field before it."""
    processed = asyncio.Event()
    start = screen.focused or screen

    def climb(node: MessagePump | None, again: bool) -> None:
        # Twice: what the field tells about a key comes behind the key.
        if node is not None and node is not screen.app:
            above = None if node is screen else node._parent
            if node.call_later(climb, above, again):
                return
        elif again:
            climb(start, False)
            return
        processed.set()

    climb(start, True)
    return processed


_CHANGE_TEXT = frozenset(("backspace", "delete", "left", "right", "home", "end"))


def edits_text(event: events.Key | events.Paste) -> bool:
    """Whether a key, or pasted text, writes into the field it is typed in and decides nothing."""
    return isinstance(event, events.Paste) or event.is_printable or event.key in _CHANGE_TEXT


def forward_to_front(screen: Screen[Any], event: events.Key) -> bool:
    """Hand a key to the window that has opened meanwhile; whether there is one."""
    front = screen.app.screen
    if front is screen:
        return False
    event.stop()
    event.prevent_default()
    forward_key(front.focused or front, event)
    return True
