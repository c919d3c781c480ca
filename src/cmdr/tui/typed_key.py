"""A key on its way: it goes to the screen in front when its turn comes, once that shows what the key is about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.screen import Screen

from cmdr.tui.closing_screen import ClosingScreen
from cmdr.tui.key_order import when_dealt_with

if TYPE_CHECKING:
    from cmdr.tui.terminal import Terminal


def _nothing() -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TypedKey:
    """What a key does, and what it waits for."""

    deed: Callable[[], None]
    waits: Callable[[], asyncio.Event | None] = _nothing
    """What must be set before its turn comes, as things are now."""
    gives_up: Callable[[], bool] = _never
    """Whether it waits no longer than a moment, and drops what waits before it: Esc leaves, whatever hangs."""


def typed_key(terminal: Terminal, event: events.Key | events.Paste) -> TypedKey:
    """A key as it came from the keyboard, or pasted text."""
    waited_at: Screen[object] | None = None

    def waits() -> asyncio.Event | None:
        nonlocal waited_at
        front = terminal.screen
        awaited = None
        if isinstance(front, ClosingScreen):
            awaited = front.waits_for(event) if front.stands.is_set() else front.stands
        if awaited is None or awaited.is_set():
            return None
        if waited_at is None:
            waited_at = front
        return awaited

    def go() -> None:
        front = terminal.screen
        if waited_at in (None, front):  # else it was for a window that somebody closed meanwhile
            (front.focused or front)._forward_event(event)
            dealt = when_dealt_with(front)
            if isinstance(front, ClosingScreen):
                front.dealt = dealt
            terminal.main.orders.hold(dealt)

    def gives_up() -> bool:
        front = terminal.screen
        return isinstance(front, ClosingScreen) and front.gives_up(event)

    return TypedKey(go, waits, gives_up)
