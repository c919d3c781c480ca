"""What all windows share: a framed box in the middle, Esc to leave, and a look drawn from the same inks."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget

from cmdr.tui.appearance import Appearance
from cmdr.tui.key_order import pass_on
from cmdr.tui.safe_text import fit, printable

if TYPE_CHECKING:
    from cmdr.tui.terminal import Terminal

T = TypeVar("T")


class Window(ModalScreen[T | None], Generic[T], inherit_bindings=False):
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
    _unfollow: Callable[[], None] | None = None
    dialog: str | None = None
    """The id of the workspace's dialog this window draws, if it draws one."""

    @property
    def terminal(self) -> "Terminal":
        """The application, with its own type."""
        return cast("Terminal", self.app)

    @property
    def appearance(self) -> Appearance:
        """The look."""
        return self.terminal.appearance

    def compose(self) -> ComposeResult:
        """The box around what the window shows."""
        self._box = Vertical(*self.contents(), classes="box")
        yield self._box

    def contents(self) -> list[Widget]:
        """What is inside."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Put the titles on the frame."""
        self.set_class(self.app.native_ansi_color, "-plain")
        self.title_box(self.heading, self.hint)
        self.opened()

    def opened(self) -> None:
        """Called once when everything stands."""

    def title_box(self, heading: str, hint: str) -> None:
        """Write on the frame; as text, never as markup."""
        from textual.content import Content

        box = self._box
        room = max(20, self.app.size.width - 12)
        # Frame titles accept markup when given plain strings; content objects never do.
        box.border_title = Content(f" {fit(printable(heading), room).rstrip()} ")
        box.border_subtitle = Content(f" {fit(printable(hint), room).rstrip()} ")

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
        """Stop following."""
        if self._unfollow is not None:
            self._unfollow()
            self._unfollow = None

    async def on_key(self, event: events.Key) -> None:
        """Esc leaves; everything else is the window's own."""
        if pass_on(self, event):
            return
        if event.key == "escape":
            event.stop()
            self.leave()
        elif self.pressed(event):
            event.stop()
            event.prevent_default()

    def pressed(self, event: events.Key) -> bool:
        """A key; whether the window did something with it."""
        return False

    def leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)
