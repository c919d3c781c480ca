"""The terminal face: the application that owns the screen and everything shown on it."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.panes.saved_tabs import SavedTabs, prepare_workspace
from cmdr.model.keys import KeyMap
from cmdr.model.panes.tab import SelectedEntries
from cmdr.tui.inbox.waiting import waiting_rows
from cmdr.tui.input.action_queue import queued_key
from cmdr.tui.input.key_map import key_map
from cmdr.tui.input.presence import Presence
from cmdr.tui.main_screen import MainScreen
from cmdr.tui.terminal.driver import takeover_driver
from cmdr.tui.terminal.notifications import Notifications
from cmdr.tui.terminal.safe_text import printable
from cmdr.tui.terminal.startup_terminal import StartupTerminal
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.theme.themes import textual_themes
from cmdr.tui.widgets.lines import LineWidget
from cmdr.tui.windows.agent_windows import AgentWindows
from cmdr.tui.windows.dialogs import DialogWindows

if TYPE_CHECKING:
    from cmdr.tui.windows.window import Window


class PrintableFilter(LineFilter):
    """Everything of ours is printable already; this holds for widgets we did not write, too."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, with nothing in them but printable characters."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment
            if segment.control or segment.text.isprintable()
            else Segment(printable(segment.text), segment.style)
            for segment in segments
        ]


STOP_ACTION = "stop_agents"
"""The one action that waits for nothing."""
TOLD_S = 4.0
"""Seconds that a window which hides the status line shows that agents were stopped."""
STARTUP_WAIT_S = 0.5
"""Seconds that keys typed at the start wait for the panes, so that they act on what the person will see."""


class TerminalApp(App[None], inherit_bindings=False):
    """cmdr in a terminal. Everything it does is a command; everything it shows is the workspace."""

    ENABLE_COMMAND_PALETTE = False
    person = PERSON
    """In whose name everything here is done."""
    TITLE = "cmdr"
    BINDINGS: ClassVar = []

    def __init__(
        self,
        commander: Commander,
        *,
        painted: Callable[[], None] | None = None,
        saved_tabs: SavedTabs | None = None,
        clock: Callable[[], float] = time.monotonic,
        startup: StartupTerminal | None = None,
    ) -> None:
        """With `startup`, the first frame is on the screen already, drawn from the same workspace."""
        self.commander = commander
        self.clock = clock
        super().__init__(driver_class=None if startup is None else takeover_driver(startup))
        self._startup = startup
        self._painted = painted
        self._saved_tabs = saved_tabs
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping: asyncio.Task[None] | None = None
        self._read_settings()
        self._will_look = False
        self.presence = Presence(clock)
        self.windows = DialogWindows(self)
        self.agent_windows = AgentWindows(self)
        self.notifications = Notifications(self, lambda: waiting_rows(commander))
        self.main = MainScreen(commander, self)
        self.main.bar.display = commander.settings.flag("appearance.key_bar")
        self.started = False
        """Whether the panes are up."""
        self.listens_at = ""
        """Where agents connect, once the server stands."""
        for theme in textual_themes():
            self.register_theme(theme)
        self.theme = self.appearance.theme
        self._filters.append(PrintableFilter())
        commander.settings.listen(self.apply_settings)
        commander.desktop.terminal_clipboard = self.copy_to_clipboard
        commander.desktop.suspend = lambda: self.call_next(self.main.act, "shell")
        commander.desktop.shows = self.windows.shows
        commander.agent_fronts.clock = clock
        commander.agent_fronts.is_busy["terminal"] = self._is_busy

    async def on_event(self, event: events.Event) -> None:
        """Keys act one after the other, whatever window each of them leads to."""
        if isinstance(event, events.MouseDown):
            self.commander.agent_fronts.touched(by_key=False)
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self.commander.agent_fronts.touched()
            self.app_focus = True
            self.presence.touched()
            self.main.queue.put_key(queued_key(self, event))
            return
        if isinstance(event, events.MouseEvent):
            self.presence.touched()
        await super().on_event(event)
        if isinstance(event, events.AppBlur):
            self.look_at_waiting()

    def look_at_waiting(self) -> None:
        """See what waits for the person: call them, and show what agents opened, when that is due.

        Whoever changed something may be the server in the middle of an agent's call; windows open in our own turn.
        """
        if not self._will_look and self.started and self.is_running:
            self._will_look = self.call_later(self._look_at_waiting)

    def _look_at_waiting(self) -> None:
        self._will_look = False
        if self.is_running:
            self.notifications.look()
            self.agent_windows.look()

    def post_message(self, message: Message) -> bool:
        """What is sent to the application waits its turn here, but for the key that stops the agents."""
        if isinstance(message, events.Key) and not message.is_forwarded and self._stops_agents(message):
            self._stopping = asyncio.get_running_loop().create_task(self._stop_agents())
            return True
        return super().post_message(message)

    def _stops_agents(self, event: events.Key) -> bool:
        """Whether a key is the one that stops the agents. One that writes a letter does so in the panes alone."""
        return not event.is_printable and self.keys.actions.get(event.key) == STOP_ACTION

    async def _stop_agents(self) -> None:
        """At once, whatever window is in front and whatever other keys wait for."""
        said = await self.main.queue.ask("agents.stop")
        if said is not None:
            self.main.show_message(said.words, bad=True)
            if self.screen_stack and self.screen is not self.main:
                self.notify(said.words, severity="warning", timeout=TOLD_S, markup=False)

    def get_default_screen(self) -> Screen[None]:
        """The panes."""
        return self.main

    async def on_mount(self) -> None:
        """Bring the panes up, and end when anybody asks the program to."""
        # Back from the shell, on a screen the terminal has cleared meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        loop = asyncio.get_running_loop()
        self.commander.agent_fronts.touched()
        self._tasks = [loop.create_task(self._start()), loop.create_task(self._end_on_quit())]

    async def on_unmount(self) -> None:
        """Leave nothing behind but the list of what was open."""
        if self._saved_tabs is not None and self.started and self.commander.settings.flag("general.restore_tabs"):
            self._saved_tabs.save(self.commander.workspace)
        for task in self._tasks:
            task.cancel()
        self.presence.close()
        self.notifications.close()
        self.commander.desktop.terminal_clipboard = None
        self.commander.desktop.suspend = None
        self.commander.desktop.shows = None
        self.commander.agent_fronts.is_busy.pop("terminal", None)

    async def _start(self) -> None:
        settings = self.commander.settings
        if self._startup is None:
            prepare_workspace(self.commander.workspace, settings, self._saved_tabs)
        panes = asyncio.get_running_loop().create_task(self.commander.start_panes(live=False))
        self._tasks.append(panes)
        await asyncio.wait({panes}, timeout=STARTUP_WAIT_S)
        self.main.queue.start()
        await panes
        self.started = True
        self.main.follow_cursor()
        for problem in (*settings.problems, *self.keys.problems):
            self.main.show_message(problem, bad=True)
        # What is loaded behind the panes would slow down the keys that were typed meanwhile.
        with suppress(TimeoutError):
            async with asyncio.timeout(STARTUP_WAIT_S):
                await self.main.queue.idle()
        self.commander.browser.keep_live()
        if self._painted is not None:
            self.call_after_refresh(self._painted)

    def _is_busy(self) -> bool:
        """Whether the person is in the middle of something: a search, a filter, a window, or what keys have ordered."""
        search = self.main.quick_search
        typing = bool(search.search) or search.filtering is not None
        return typing or len(self.screen_stack) > 1 or self.main.queue.busy or self.commander.desktop.terminal_suspended

    async def _end_on_quit(self) -> None:
        await self.commander.quitting.wait()
        self.exit()

    def ask(self, window: "Window[str]", answered: Callable[[str], object]) -> None:
        """Show a window; its answer, if there is one, goes on."""
        window.answering = answering = asyncio.Event()

        def done(answer: str | None) -> None:
            try:
                if answer is not None:
                    answered(answer)
            finally:
                answering.set()

        self.push_screen(window, done)

    def close_window(self, window: Screen[object]) -> None:
        """Close a window wherever it stands in the stack."""
        if self.screen is window:
            window.dismiss(None)
        else:
            self.run_worker(self._remove_below(window), group="windows")

    def bring_to_front(self, window: Screen[object]) -> None:
        """Show a window that lies below others."""
        stack = self._screen_stack
        if window in stack and stack[-1] is not window:
            stack[-1].post_message(events.ScreenSuspend())
            stack.remove(window)
            stack.append(window)
            window.post_message(events.ScreenResume())

    async def _remove_below(self, window: Screen[object]) -> None:
        while window in self.screen_stack[1:]:
            self.pop_screen()
            await asyncio.sleep(0)

    def operate(
        self,
        command: str,
        arguments: Arguments,
        *,
        sure: bool = True,
        then: str = "",
        chosen: SelectedEntries | None = None,
        opens: bytes | None = None,
    ) -> None:
        """Plan a change; what was already decided in a window runs at once, unless the plan turns out risky.

        `then` names the entry the cursor goes to once it exists, and `opens` the file that is edited then.
        """
        from cmdr.core.flow.change import Wish
        from cmdr.tui.changes.operating import operate

        self.work(operate(self, command, arguments, Wish(sure, then, opens), chosen), group="operate")

    def edit(self, path: bytes, line: int = 1) -> None:
        """Edit a file, at a line: small text here, everything else in the person's editor."""
        from cmdr.tui.viewer.editor import edit

        self.work(edit(self, path, line), group="edit")

    def work(self, work: Coroutine[object, object, None], *, group: str) -> None:
        """Do something beside the queue of keys; those typed right behind wait a moment, for they may be about it."""
        done = asyncio.Event()

        async def whole() -> None:
            try:
                await work
            finally:
                done.set()

        self.main.queue.hold_until(done)
        self.run_worker(whole(), group=group)

    def apply_settings(self) -> None:
        """The person changed something: show it at once."""
        self._read_settings()
        self.theme = self.appearance.theme
        main = self.main
        for part in (main.left, main.right, main.status, main.bar):
            part.restyle(self.appearance)
        main.bar.show_keys(self.keys)
        main.bar.display = self.commander.settings.flag("appearance.key_bar")
        if not self.commander.settings.flag("general.parent_row"):
            for tab in self.commander.workspace.tabs:
                tab.put_cursor(tab.cursor)  # the row it may have stood on is gone
        for view in (main.left, main.right):
            view.changes.enabled = self.commander.settings.flag("agents.mark_changes")
        for screen in self.screen_stack[1:]:
            for widget in screen.query(LineWidget):
                widget.restyle(self.appearance)
        main.redraw()

    def _read_settings(self) -> None:
        settings = self.commander.settings
        self.appearance: Appearance = Appearance.chosen(settings)
        self.keys: KeyMap = key_map(settings.shortcuts, self.commander.registry.palette_titles())
