"""The queue of actions: keys become commands, run one after the other; a slow one lets the next begin."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import Screen

from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.call import Progress, no_progress
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.model.panes.tab import SelectedEntries
from cmdr.tui.input.key_forwarding import when_processed
from cmdr.tui.windows.window import OverlayScreen

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


log = logging.getLogger(__name__)

SLOW_AFTER_S = 0.1
"""Seconds the next command waits for the one before, so that keys typed ahead act on what they were meant for."""
MAX_HOLD_S = 0.5
"""Seconds that keys wait for what was begun beside the queue: a new folder is there within a moment, a copy is not."""


@dataclass(frozen=True, slots=True)
class QueuedKey:
    """What a key does, and what it waits for."""

    handle: Callable[[], None]
    waits: Callable[[], asyncio.Event | None] = lambda: None
    """What must be set before its turn comes, as things are now."""
    cancels_waiting: Callable[[], bool] = lambda: False
    """Whether it waits no longer than a moment, and drops what waits before it: Esc leaves, whatever hangs."""


def queued_key(terminal: TerminalApp, event: events.Key | events.Paste) -> QueuedKey:
    """A key as it came from the keyboard, or pasted text."""
    waited_at: Screen[object] | None = None

    def waits() -> asyncio.Event | None:
        nonlocal waited_at
        front = terminal.screen
        awaited = None
        if isinstance(front, OverlayScreen):
            awaited = front.waits_for(event) if front.ready.is_set() else front.ready
        if awaited is None or awaited.is_set():
            return None
        if waited_at is None:
            waited_at = front
        return awaited

    def go() -> None:
        front = terminal.screen
        if terminal.agent_windows.drops(front, event):
            return
        if waited_at in (None, front):  # else it was for a window that somebody closed meanwhile
            (front.focused or front)._forward_event(event)
            processed = when_processed(front)
            if isinstance(front, OverlayScreen):
                front.processed = processed
            terminal.main.queue.hold_until(processed)

    def cancels_waiting() -> bool:
        front = terminal.screen
        return isinstance(front, OverlayScreen) and front.cancels_waiting(event)

    return QueuedKey(go, waits, cancels_waiting)


@dataclass(frozen=True, slots=True)
class QueuedCommand:
    """One command to run. Arguments that count rows are made when its turn comes, not when the key was hit."""

    command: str
    arguments: Callable[[], Arguments | None]
    done: Callable[[Answer], None] | None = None


class ActionQueue:
    """The queue between the keyboard and the dispatcher.

    Keys wait for the commands of the key before, so that each acts on what the person saw when they typed it, and a
    window that a key opens gets the keys typed behind it.
    """

    def __init__(
        self,
        commander: Commander,
        show_message: Callable[[str], None],
        changed: Callable[[], None],
        opening: Callable[[], asyncio.Event | None] = lambda: None,
    ) -> None:
        """`opening` tells what is set once a window that is just opening can take keys."""
        self._commander = commander
        self._opening = opening
        self._show_message = show_message
        self._changed = changed
        self._commands: deque[QueuedCommand | asyncio.Event] = deque()
        self._keys: deque[QueuedKey] = deque()
        self._wakeup = asyncio.Event()
        self._idle = asyncio.Event()
        self._slow: set[asyncio.Task[Any]] = set()
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work."""
        self._worker = asyncio.get_running_loop().create_task(self._work())

    async def close(self) -> None:
        """End what is under way."""
        under_way = [*self._slow, *([self._worker] if self._worker else [])]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def put(
        self,
        command: str,
        arguments: Arguments | Callable[[], Arguments | None] | None = None,
        done: Callable[[Answer], None] | None = None,
    ) -> None:
        """Queue a command; arguments that turn out to be None drop it."""
        make = arguments if callable(arguments) else lambda: arguments or {}
        self._commands.append(QueuedCommand(command, make, done))
        self._wake()

    def hold_until(self, done: asyncio.Event) -> None:
        """Let what comes after this wait until something else is done, but not for long."""
        self._commands.append(done)
        self._wake()

    def call_in_turn(self, handle: Callable[[], None]) -> None:
        """Do something once all commands of the keys before it are done, or slow."""
        self.put_key(QueuedKey(handle))

    def put_key(self, key: QueuedKey) -> None:
        """Do what a key means in its turn, and once what it waits for is there."""
        self._keys.append(key)
        self._wake()

    def clear_keys(self) -> None:
        """Drop the keys whose turn has not come."""
        self._keys.clear()

    async def ask(
        self,
        command: str,
        arguments: Arguments | None = None,
        *,
        chosen: SelectedEntries | None = None,
        progress: Progress = no_progress,
    ) -> Answer | None:
        """Run a command now and return its answer, or tell what went wrong and return None."""
        try:
            return await self._commander.ask(PERSON, command, arguments, chosen=chosen, progress=progress)
        except (CommandError, UnknownCommand) as error:
            self._show_message(str(error))
            return None

    async def wait_for(self, answer: Coroutine[object, object, Answer | None]) -> Answer | None:
        """Wait for an answer that may take long: then it is seen, and the person may give it up, which is None."""
        task = asyncio.get_running_loop().create_task(answer)
        try:
            if not (await asyncio.wait({task}, timeout=SLOW_AFTER_S))[0]:
                self._add_slow(task)
            await asyncio.wait({task})
            return None if task.cancelled() else task.result()
        finally:
            task.cancel()

    @property
    def busy(self) -> bool:
        """Whether something takes longer than a moment."""
        return bool(self._slow)

    def cancel(self) -> bool:
        """Give up waiting for what is slow; whether there was anything."""
        for task in self._slow:
            task.cancel()
        return bool(self._slow)

    async def idle(self) -> None:
        """Wait until everything given so far is done."""
        while self._commands or self._keys or self._slow or not self._idle.is_set():
            if self._slow:
                await asyncio.wait(self._slow)
            else:
                await self._idle.wait()

    def _wake(self) -> None:
        # At once, not when the worker gets to it: until then `idle` would find work and nothing to wait for, and go
        # round without ever letting the worker have its turn.
        self._idle.clear()
        self._wakeup.set()

    async def _work(self) -> None:
        while True:
            if (opening := self._opening()) is not None and not opening.is_set():
                await self._wait(opening)
            elif self._commands:
                item = self._commands.popleft()
                if isinstance(item, QueuedCommand):
                    await self._execute(item)
                else:
                    await self._wait(item)
            elif self._keys:
                await self._next_key()
            else:
                self._wakeup.clear()
                self._idle.set()
                await self._wakeup.wait()

    async def _next_key(self) -> None:
        awaited = self._keys[0].waits()
        if awaited is not None:
            await self._wait(awaited)
            if awaited.is_set() or not self._drop_waiting_keys():
                return
        with self._logging_errors():
            self._keys.popleft().handle()

    def _drop_waiting_keys(self) -> bool:
        """Drop the keys that wait too long before one that does not put up with it; whether there is one."""
        for place, key in enumerate(self._keys):
            if key.cancels_waiting():
                for _ in range(place):
                    self._keys.popleft()
                return True
        return False

    async def _wait(self, done: asyncio.Event) -> None:
        with suppress(TimeoutError):
            # `wait_for` swallows a cancellation that comes together with the event: quitting would wait for ever.
            async with asyncio.timeout(MAX_HOLD_S):
                await done.wait()

    @contextmanager
    def _logging_errors(self) -> Iterator[None]:
        """A mistake of ours in one key must not cost all others, and least of all the one that quits."""
        try:
            yield
        except Exception:
            log.exception("a key failed")
            self._show_message("cmdr failed inside; its log says how.")

    async def _execute(self, item: QueuedCommand) -> None:
        arguments = None
        with self._logging_errors():
            arguments = item.arguments()
        if arguments is None:
            return
        task = asyncio.get_running_loop().create_task(self._run(item, arguments))
        _, pending = await asyncio.wait({task}, timeout=SLOW_AFTER_S)
        if pending:
            self._add_slow(task)

    def _add_slow(self, task: asyncio.Task[Any]) -> None:
        self._slow.add(task)
        task.add_done_callback(self._remove_slow)
        self._changed()

    def _remove_slow(self, task: asyncio.Task[Any]) -> None:
        self._slow.discard(task)
        self._changed()

    async def _run(self, item: QueuedCommand, arguments: Arguments) -> None:
        with self._logging_errors():
            answer = await self.ask(item.command, arguments)
            if answer is not None and item.done is not None:
                item.done(answer)
        self._changed()
