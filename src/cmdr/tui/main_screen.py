"""The two panes, the status line and the key bar, and what keys and mouse do there."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from cmdr.core.agents.activity import SeenCall
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.actions import BY_ID
from cmdr.model.keys import KeyMap
from cmdr.model.panes.pane import Side
from cmdr.model.panes.tab import Tab
from cmdr.tui.actions import ACTIONS, register_all
from cmdr.tui.actions.view import sorted_by
from cmdr.tui.input.action_queue import ActionQueue
from cmdr.tui.input.quick_search import QuickSearch
from cmdr.tui.panes.bars import KeyBar, StatusLine
from cmdr.tui.panes.geometry import Part
from cmdr.tui.panes.pane_view import PaneView
from cmdr.tui.viewer.quick_view import QuickViewHost
from cmdr.tui.windows.window import OverlayScreen

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


MIN_REDRAW_INTERVAL_S = 0.04
"""An agent may change things five hundred times a second; the eye needs no more than this."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Draws the workspace and turns keys into commands."""

    DEFAULT_CSS = "MainScreen { layout: vertical; } MainScreen > #panes { height: 1fr; }"

    def __init__(self, commander: Commander, terminal: TerminalApp) -> None:
        super().__init__()
        self.commander = commander
        register_all()
        appearance = terminal.appearance
        self.status = StatusLine(commander, appearance)
        self.left = PaneView(commander, Side.LEFT, appearance, self.status.refresh)
        self.right = PaneView(commander, Side.RIGHT, appearance, self.status.refresh)
        self.bar = KeyBar(terminal.keys, appearance)
        self.queue = ActionQueue(
            commander, lambda text: self.show_message(text, bad=True), self.follow_cursor, self._opening
        )
        self.quick_search = QuickSearch(
            self._show_search,
            lambda position: self.enqueue("move_cursor", {"pane": "focused", "to": position}),
            lambda text: self.enqueue("filter", {"text": text}),
        )
        self._drawn = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._follow = False
        self.quick_view = QuickViewHost(self)
        self.prompt_history: defaultdict[str, list[str]] = defaultdict(list)
        """What was typed into windows of a kind, oldest first."""

    @property
    def terminal(self) -> TerminalApp:
        """The application, with its own type."""
        return cast("TerminalApp", self.app)

    @property
    def keys(self) -> KeyMap:
        """The key map."""
        return self.terminal.keys

    @property
    def view(self) -> PaneView:
        """The view of the focused pane."""
        return self.left if self.commander.workspace.focused is Side.LEFT else self.right

    @property
    def tab(self) -> Tab:
        """The tab the keys act on."""
        return self.view.pane.tab

    def compose(self) -> ComposeResult:
        with Horizontal(id="panes"):
            yield self.left
            yield self.right
        yield self.status
        yield self.bar

    def on_mount(self) -> None:
        self._stop_listening = [
            self.commander.events.listen(self._changed),
            self.commander.activity.listen(self._changed),
        ]
        self.set_interval(1.0, self._tick)

    def on_screen_resume(self) -> None:
        """The window in front was closed: what waited behind it may come."""
        self.terminal.look_at_waiting()

    async def on_unmount(self) -> None:
        for stop in self._stop_listening:
            stop()
        if self._waiting is not None:
            self._waiting.cancel()
        await self.queue.close()

    def enqueue(
        self,
        command: str,
        arguments: Arguments | Callable[[], Arguments | None] | None = None,
        *,
        show_answer: bool = False,
        done: Callable[[str], None] | None = None,
    ) -> None:
        """Queue a command; with `show_answer`, its answer is shown."""
        show = done or (self.show_message if show_answer else None)
        self.queue.put(command, arguments, None if show is None else lambda answer: show(answer.words))

    def show_message(self, text: str, *, bad: bool = False) -> None:
        """Show a message in the status line."""
        self.status.show_message(text.partition("\n")[0], bad=bad)

    def follow_cursor(self) -> None:
        """The person did something: the view follows, at once."""
        self._follow = True
        self.status.busy = self.queue.busy
        self.redraw()

    def _opening(self) -> asyncio.Event | None:
        """Of the window in front: set once it can take keys."""
        stack = self.app.screen_stack  # empty at the very end
        return stack[-1].ready if stack and isinstance(stack[-1], OverlayScreen) else None

    def _changed(self, _: int | SeenCall) -> None:
        if self._waiting is None:
            delay = max(0.0, MIN_REDRAW_INTERVAL_S - (time.monotonic() - self._drawn))
            self._waiting = asyncio.get_running_loop().call_later(delay, self.redraw)

    def redraw(self) -> None:
        """Draw everything that has changed."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if not self.is_mounted or not self.app.is_running:
            return
        self._drawn = time.monotonic()
        notes = self.commander.browser.notes
        while notes:
            self.show_message(notes.popleft(), bad=True)
        follow, self._follow = self._follow, False
        for view in (self.left, self.right):
            view.redraw(follow=follow)
        self.status.redraw()
        self.terminal.windows.sync()
        self.quick_view.show()
        self.terminal.look_at_waiting()

    def _tick(self) -> None:
        self.quick_search.expire()
        self.status.refresh()

    def on_key(self, event: events.Key) -> None:
        """A key: part of what is being typed, an action, or a search."""
        event.stop()
        event.prevent_default()
        self.status.quiet()
        bound = self.keys.actions.get(event.key)
        searching = bool(self.quick_search.search) or self.quick_search.filtering is not None
        may_search = self.commander.settings.flag("general.quick_search") and (bound is None or searching)
        if self.quick_search.take(event, self.tab, search=may_search):
            return
        if bound is not None:
            self.act(bound)
        elif event.key == "escape":
            self._escape()
        elif event.key == "ctrl+c":
            self.show_message(f"{self.keys.all_keys('quit') or 'The command “Quit”'} quits.")

    def act(self, action: str) -> None:
        """Do what an action or a command says."""
        handle, known = ACTIONS.get(action), BY_ID.get(action)
        if handle is not None:
            handle(self)
        elif known is not None:
            self.enqueue(known.command, show_answer=known.tells)
        else:
            self.enqueue(action, show_answer=True)

    def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """A click on the key bar."""
        self.queue.call_in_turn(lambda: self.act(message.action))

    def on_pane_view_clicked(self, message: PaneView.Clicked) -> None:
        """A click in a pane."""
        self.queue.call_in_turn(lambda: self._clicked(message))

    def _clicked(self, message: PaneView.Clicked) -> None:
        """The pane gets the focus, and what was hit does what a key on it would do."""
        side, hit = message.side.value, message.hit
        self.enqueue("switch_pane", lambda: {} if self.commander.workspace.focused is not message.side else None)
        if hit.part is Part.TAB:
            self.enqueue("activate_tab", {"pane": side, "tab": hit.tab})
        elif hit.part is Part.PATH:
            self.act("go_to_path")
        elif hit.part is Part.HEAD:
            self.enqueue("sort", lambda: sorted_by(self, hit.order.value))
        elif hit.part is Part.ROW and message.marks:
            if hit.position >= 0:
                self.enqueue("selection.toggle", {"pane": side, "index": hit.position})
        elif hit.part is Part.ROW:
            if hit.position < 0:
                self.enqueue("cursor.up_row", {"pane": side})
            else:
                self.enqueue("move_cursor", {"pane": side, "to": hit.position})
            if message.twice:
                self.queue.call_in_turn(lambda: self.act("open"))

    def _escape(self) -> None:
        if self.queue.cancel():
            self.show_message("Gave up waiting.")
        elif self.tab.filter:
            self.enqueue("filter", {"text": ""})
        elif self.tab.selection.count:
            self.enqueue("selection.none")

    def _show_search(self, text: str) -> None:
        for view in (self.left, self.right):
            view.search = text if view is self.view else ""
            view.redraw(follow=False)
