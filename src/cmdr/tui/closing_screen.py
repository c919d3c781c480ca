"""A screen that closes once, however often it is told to: keys and clicks come faster than screens go."""

import asyncio
from typing import Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

T = TypeVar("T")


class ClosingScreen(Screen[T], Generic[T], inherit_bindings=False):
    """Textual would close whatever is in front by then, or end the program for lack of anything to close."""

    def __init__(self) -> None:
        super().__init__()
        self.stands = asyncio.Event()
        """Set once it can take keys; those typed before wait, or later ones would overtake them."""

    def on_mount(self) -> None:
        """Everything is in its place: this is called behind what the screen itself does then."""
        self.stands.set()

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close, if it is in front."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()
