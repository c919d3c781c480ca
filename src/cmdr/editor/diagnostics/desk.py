"""Where diagnostics are asked for: every check for a file at once, an answer within the deadline, never an error."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from cmdr.editor.diagnostics.language_server import PATIENCE, LanguageServer, ServerGoneError
from cmdr.editor.diagnostics.root import project_root
from cmdr.editor.diagnostics.servers import ServerSpec, installed_servers
from cmdr.editor.diagnostics.syntax import CHECKED, check_syntax
from cmdr.model.texts.diagnostic import Diagnostic

DEADLINE = 1.0
"""Seconds: a client asks before and after each edit, and waits."""
_RETRY = 30.0
"""Seconds before a server that went away is started again; doubled each time."""
_MOST_WATCHED = 200


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A file as it stands, in its buffer or on disk."""

    text: str
    language_id: str


Read = Callable[[bytes], Awaitable[CheckedText | None]]


@dataclass(slots=True)
class _Place:
    """One server for one project: starting, started, or gone for a while."""

    starting: asyncio.Task[LanguageServer] | None = None
    failures: int = 0
    retry_at: float = 0.0


class DiagnosticsDesk:
    """Answers what is wrong in files. Servers start in the background when first needed, one for each project."""

    def __init__(
        self,
        read: Read,
        servers: Iterable[ServerSpec] | None = None,
        *,
        deadline: float = DEADLINE,
        patience: float = PATIENCE,
    ) -> None:
        """`read` gives a file as it stands, or None when it is no readable text; `servers` defaults to those found."""
        self._read = read
        self._servers = tuple(installed_servers() if servers is None else servers)
        self._deadline = deadline
        self._places: dict[tuple[str, bytes], _Place] = {}
        self._watched: dict[bytes, tuple[Diagnostic, ...]] = {}
        self.unfinished: set[bytes] = set()  # watched files of which the last check ran out of time
        self._patience = patience
        self._endings: set[asyncio.Task[None]] = set()
        self._closed = False

    async def of(self, path: bytes, deadline: float | None = None) -> tuple[Diagnostic, ...]:
        """What is wrong with one file, which is watched from now on; nothing for a file that cannot be read."""
        found = await self._check(path, time.monotonic() + (self._deadline if deadline is None else deadline))
        self._watched.pop(path, None)
        self._watched[path] = found
        while len(self._watched) > _MOST_WATCHED:
            self.forget(next(iter(self._watched)))
        return found

    async def of_all(self) -> Mapping[bytes, tuple[Diagnostic, ...]]:
        """What is wrong with every watched file as it stands now."""
        until = time.monotonic() + self._deadline
        paths = list(self._watched)
        for path, found in zip(paths, await asyncio.gather(*(self._check(path, until) for path in paths)), strict=True):
            if path in self._watched:
                self._watched[path] = found
        return dict(self._watched)

    def forget(self, path: bytes) -> None:
        """Watch a file no more."""
        self._watched.pop(path, None)
        self.unfinished.discard(path)
        for place in self._places.values():
            server = _started(place)
            if server is not None:
                server.forget(path)

    async def close(self) -> None:
        """End every server."""
        self._closed = True
        for place in self._places.values():
            self._end(place)
        self._places.clear()
        await asyncio.gather(*self._endings)

    async def _check(self, path: bytes, until: float) -> tuple[Diagnostic, ...]:
        checks: list[asyncio.Task[tuple[Diagnostic, ...]]] = []
        found: list[Diagnostic] = []
        self.unfinished.discard(path)
        try:
            async with asyncio.timeout(left := max(0.0, until - time.monotonic())):
                text = await self._read(path)
                if text is None:
                    return ()
                checks.append(asyncio.create_task(check_syntax(text.text, text.language_id, left)))
                able = [spec for spec in self._servers if text.language_id in spec.languages]
                checks.extend(asyncio.create_task(self._ask(spec, path, text)) for spec in able)
                await asyncio.wait(checks)
        except TimeoutError:
            self.unfinished.add(path)
        finally:
            for check in checks:
                check.cancel()
            done = await asyncio.gather(*checks, return_exceptions=True)
        for result in done:
            if not isinstance(result, BaseException):
                found += result
            elif isinstance(result, TimeoutError):
                self.unfinished.add(path)
        return _without_doubles(found)

    async def _ask(self, spec: ServerSpec, path: bytes, text: CheckedText) -> tuple[Diagnostic, ...]:
        place = self._places.setdefault((spec.name, await asyncio.to_thread(project_root, path)), _Place())
        try:
            server = await self._server(spec, place, path)
            return () if server is None else await server.diagnose(path, text.text, text.language_id)
        except ServerGoneError:
            self._lost(place)
            return ()

    async def _server(self, spec: ServerSpec, place: _Place, path: bytes) -> LanguageServer | None:
        started = _started(place)
        if started is not None and not started.running:
            self._lost(place)
        if place.starting is None:
            if time.monotonic() < place.retry_at or self._closed:
                return None
            root = await asyncio.to_thread(project_root, path)
            if place.starting is None:
                place.starting = asyncio.create_task(LanguageServer.start(spec, root, patience=self._patience))
        # A caller whose time is up leaves; the start goes on for the next one.
        return await asyncio.shield(place.starting)

    def _lost(self, place: _Place) -> None:
        """Note that a server went away; it is started again after a while, in case it was the machine's fault."""
        if place.starting is None:
            return
        place.retry_at = time.monotonic() + _RETRY * 2**place.failures
        place.failures += 1
        self._end(place)

    def _end(self, place: _Place) -> None:
        """End a place's server in a task of its own: a caller whose time is up must not leave it half ended."""
        task, place.starting = place.starting, None
        if task is not None:
            ending = asyncio.create_task(_stop_started(task))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)


def _started(place: _Place) -> LanguageServer | None:
    task = place.starting
    if task is None or not task.done() or task.cancelled() or task.exception() is not None:
        return None
    return task.result()


async def _stop_started(task: asyncio.Task[LanguageServer]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    if not task.cancelled() and task.exception() is None:
        await task.result().stop()


def _without_doubles(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """A syntax error that a server reports too, at the same place, is told once, in the server's words."""
    places = {each.range.start for each in found if each.source not in CHECKED and each.severity == "Error"}
    kept = [each for each in found if each.source not in CHECKED or each.range.start not in places]
    return tuple(sorted(dict.fromkeys(kept), key=lambda each: (each.range.start, each.range.end)))
