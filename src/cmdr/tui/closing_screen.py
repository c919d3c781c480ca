"""A screen over the panes: it closes once, however often it is told to, and keys wait until it has caught up."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen

T = TypeVar("T")
LEAVES = ("escape", "f10")
"""As in other commanders: what F10 does to the whole program it does to a window first."""


class ClosingScreen(Screen[T], Generic[T], inherit_bindings=False):
    """Textual would close whatever is in front by then, or end the program for lack of anything to close."""

    def __init__(self) -> None:
        super().__init__()
        self.stands = asyncio.Event()
        """Set once it can take keys; those typed before wait, or later ones would overtake them."""
        self.caught_up = asyncio.Event()
        """Set while what is shown is what the keys so far have led to."""
        self.caught_up.set()
        self.dealt = asyncio.Event()
        """Set once the last key was dealt with; a screen that goes has dealt with everything."""

    def on_mount(self) -> None:
        """Everything is in its place: this is called behind what the screen itself does then."""
        self.stands.set()

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What a key typed now waits for, so that it acts on what the person expects to see by then."""
        return self.caught_up

    def gives_up(self, event: events.Key | events.Paste) -> bool:
        """Whether a key makes an end of waiting too long, with all that was typed before it."""
        return isinstance(event, events.Key) and event.key in LEAVES

    def catch_up(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do something that keys typed behind wait for; it takes the place of what was under way."""
        self.caught_up.set()
        self.caught_up = done = asyncio.Event()

        async def whole() -> None:
            try:
                await work()
            finally:
                done.set()

        self.run_worker(whole(), exclusive=True, group="catch up")

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close, if it is in front."""
        if self.app.screen is not self:
            return AwaitComplete()
        self.dealt.set()
        return super().dismiss(result)

    def on_unmount(self) -> None:
        """Nobody waits for a screen that is gone."""
        self.dealt.set()
        self.caught_up.set()
