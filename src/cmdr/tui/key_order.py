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


def hand_to(widget: Widget, event: events.Key) -> None:
    """Give a key to another widget, as if it had been typed there; an event itself goes only one way."""
    again = events.Key(event.key, event.character)
    again._set_forwarded()
    widget.post_message(again)


def when_dealt_with(screen: Screen[Any]) -> asyncio.Event:
    """Set once a screen in front has dealt with all keys it was given so far, and its focused field before it."""
    dealt = asyncio.Event()

    def climb(node: MessagePump | None) -> None:
        if node is None or node is screen.app:
            dealt.set()
        else:
            node.call_later(climb, None if node is screen else node._parent)

    climb(screen.focused or screen)
    return dealt


def pass_on(screen: Screen[Any], event: events.Key) -> bool:
    """Hand a key to the window that has opened meanwhile; whether there is one."""
    front = screen.app.screen
    if front is screen:
        return False
    event.stop()
    event.prevent_default()
    hand_to(front.focused or front, event)
    return True
