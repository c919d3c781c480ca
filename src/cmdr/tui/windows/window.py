"""What all windows share: a framed box in the middle, Esc to leave, and keys that act in the order they were typed."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from cmdr.tui.input.key_forwarding import forward_to_front
from cmdr.tui.terminal.safe_text import fit, printable, width_of
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineList

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


GRACE_S = 0.6
"""Seconds in which all keys are dropped."""
GRACE_EXTENSION_S = 0.6
"""A key that comes too early keeps the next ones dropped so long: whoever goes on pressing one has seen nothing yet."""


class GracePeriod:
    """Whether keys count yet."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends = float("inf")

    def begin(self) -> None:
        """The question can be seen from now on."""
        self._ends = self._clock() + GRACE_S

    @property
    def is_over(self) -> bool:
        """Whether keys count."""
        return self._clock() >= self._ends

    @property
    def left_s(self) -> float:
        """Seconds until keys count, and a little more, so that a timer set to it comes when they do."""
        return max(0.0, self._ends - self._clock()) + 0.01

    def drops(self) -> bool:
        """A key came: whether it is dropped. A burst of keys makes the moment longer."""
        if self.is_over:
            return False
        self._ends = max(self._ends, self._clock() + GRACE_EXTENSION_S)
        return True


_T = TypeVar("_T")
CLOSE_KEYS = ("escape", "f10")
"""As in other commanders: what F10 does to the whole program it does to a window first."""


class OverlayScreen(Screen[_T], Generic[_T], inherit_bindings=False):
    """Textual would close whatever is in front by then, or end the program for lack of anything to close."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = asyncio.Event()
        """Set once it can take keys; those typed before wait, or later ones would overtake them."""
        self.up_to_date = asyncio.Event()
        """Set while what is shown is what the keys so far have led to."""
        self.up_to_date.set()
        self._unfollow: Callable[[], None] | None = None
        self.processed = asyncio.Event()
        """Set once the last key was dealt with; a screen that goes has dealt with everything."""

    @property
    def terminal(self) -> "TerminalApp":
        """The application, with its own type."""
        return cast("TerminalApp", self.app)

    def on_mount(self) -> None:
        """Everything is in its place: this is called behind what the screen itself does then."""
        self.ready.set()

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What a key typed now waits for, so that it acts on what the person expects to see by then."""
        return self.up_to_date

    def cancels_waiting(self, event: events.Key | events.Paste) -> bool:
        """Whether a key makes an end of waiting too long, with all that was typed before it."""
        return isinstance(event, events.Key) and event.key in CLOSE_KEYS

    def run_update(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do something that keys typed behind wait for; it takes the place of what was under way."""
        self.up_to_date.set()
        self.up_to_date = done = asyncio.Event()

        async def whole() -> None:
            try:
                await work()
            finally:
                done.set()

        self.run_worker(whole(), exclusive=True, group="catch up")

    def dismiss(self, result: _T | None = None) -> AwaitComplete:
        """Close, if it is in front."""
        if self.app.screen is not self:
            return AwaitComplete()
        self.processed.set()
        return super().dismiss(result)

    def follow(self, show: Callable[[], None]) -> None:
        """Call `show` after every change of the workspace, once for many, until the window closes."""
        waiting = False

        def changed(rev: int) -> None:
            nonlocal waiting
            if not waiting and self.is_running:
                waiting = True
                self.call_later(now)

        def now() -> None:
            nonlocal waiting
            waiting = False
            if self.is_attached:
                show()

        self._unfollow = self.terminal.commander.events.listen(changed)
        show()

    def on_unmount(self) -> None:
        """Nobody waits for a screen that is gone."""
        self.processed.set()
        self.up_to_date.set()
        if self._unfollow is not None:
            self._unfollow()
            self._unfollow = None


T = TypeVar("T")
FULL_HEIGHT = 500
"""Lines to ask for when a list may have the whole height of the screen."""
_FRAME = 2
_BETWEEN = " · "


class Window(OverlayScreen[T | None], ModalScreen[T | None], Generic[T], inherit_bindings=False):
    """A box over the panes that ends with an answer, or with None."""

    DEFAULT_CSS = """
    Window { align: center middle; background: $background 40%; }
    Window.-plain { background: transparent; }
    Window > .box {
        width: 76; max-width: 96%; height: auto; max-height: 90%; padding: 0 1;
        border: round $primary; background: $background; color: $foreground;
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $foreground 70%;
    }
    Window Input { border: none; height: 1; padding: 0 1; background: $panel; width: 1fr; }
    Window Input:focus { border: none; }
    Window:ansi Input { text-style: underline; }
    """
    heading = ""
    hint = "Esc closes"
    answering: asyncio.Event | None = None
    """Set once the answer was acted upon; keys typed behind the answer wait for that."""
    dialog: str | None = None
    """The id of the workspace's dialog this window draws, if it draws one."""

    @property
    def appearance(self) -> Appearance:
        """How lines are drawn."""
        return self.terminal.appearance

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with an answer, or with None."""
        if result is not None and self.answering is not None:
            self.terminal.main.queue.hold_until(self.answering)
        return super().dismiss(result)

    def compose(self) -> ComposeResult:
        """The box around what the window shows."""
        self._box = Vertical(*self.contents(), classes="box")
        yield self._box

    def contents(self) -> list[Widget]:
        """What is inside."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.set_class(self.app.native_ansi_color, "-plain")
        self.title_box(self.heading, self.hint)
        self.fit_height()
        self.opened()

    def on_resize(self) -> None:
        """The titles and lists of the new size."""
        self.title_box(*self._titles)
        self.fit_height()

    def fit_height(self) -> None:
        """On a low screen the longest lists become shorter, so that every part of the window is seen."""
        parts = self._box.children
        lists = [part for part in parts if isinstance(part, LineList)]
        room = self.app.size.height * 9 // 10 - _FRAME - (len(parts) - len(lists))
        for part, lines in zip(lists, shares([part.lines for part in lists], room), strict=True):
            part.styles.height = lines

    def opened(self) -> None:
        """Called once when everything stands."""

    def title_box(self, heading: str, hint: str) -> None:
        """Write on the frame; as text, never as markup."""
        from textual.content import Content

        self._titles = (heading, hint)
        box = self._box
        room = max(20, self.app.size.width - 12)
        # Frame titles accept markup when given plain strings; content objects never do.
        box.border_title = Content(f" {fit(printable(heading), room).rstrip()} ")
        box.border_subtitle = Content(f" {fit(shortened(printable(hint), room), room).rstrip()} ")

    async def on_key(self, event: events.Key) -> None:
        """Esc leaves, and so does F10; everything else is the window's own."""
        if forward_to_front(self, event):
            return
        if self.closes_with(event.key):
            event.stop()
            event.prevent_default()  # else Textual asks the class below, which hands it to what is in front by then
            self.leave()
        elif self.pressed(event):
            event.stop()
            event.prevent_default()

    def pressed(self, event: events.Key) -> bool:
        """A key; whether the window did something with it."""
        return False

    def closes_with(self, key: str) -> bool:
        """Whether a key closes the window."""
        return key in CLOSE_KEYS

    def leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """How many lines each list gets: what it wants, or less of the longest ones; one at least, unless it wants none."""
    given = list(wanted)
    while sum(given) > room and max(given) > 1:
        given[given.index(max(given))] -= 1
    return given


def shortened(hint: str, room: int) -> str:
    """A hint with parts left out until it fits: the first one and how to leave stay longest."""
    parts = hint.split(_BETWEEN)
    while len(parts) > 1 and width_of(_BETWEEN.join(parts)) > room:
        parts.pop(-2 if len(parts) > 2 else 0)
    return _BETWEEN.join(parts)
