"""The diagnostics service: every check for a file at once, an answer within the deadline, never an error.

The built-in checks are always waited for. What a server has not said by the deadline is named as a gap in the answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from cmdr.editor.diagnostics.known_servers import Offer, ServerSpec
from cmdr.editor.diagnostics.language_server import HANG_TIMEOUT_S, LanguageServer, ServerGoneError
from cmdr.editor.diagnostics.syntax_check import LANGUAGES, check_syntax
from cmdr.model.texts.diagnostic import Diagnostic

SERVER_DEADLINE_S = 1.0
"""Seconds for servers: a client asks before and after each edit, and waits."""
SYNTAX_DEADLINE_S = 5.0
"""For the built-in checks, which mostly take a tenth of a second."""
IDLE_TIMEOUT_S = 900.0
"""A server that nobody has asked for so long ends."""
_RETRY_DELAY_S = 30.0
"""Seconds before a server that went away is started again; doubled each time."""
_MAX_WATCHED = 200


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A file as it stands, in its buffer or on disk."""

    text: str
    language_id: str


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks about a file, and the folder beyond which nothing may be looked at for them."""

    name: str
    within: bytes


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What is wrong in a file, and how far that is known."""

    found: tuple[Diagnostic, ...] = ()
    unknown: tuple[str, ...] = ()
    """What is not known yet, or was not looked at, a sentence each; without any, the answer is the whole truth."""
    untrusted: bytes | None = None
    """The folder that the person would have to trust for more."""


Read = Callable[[bytes], Awaitable[CheckedText | None]]
GetOffer = Callable[[bytes, str, Asker], Awaitable[Offer]]
"""Which servers may look at a file of a language, for somebody."""


@dataclass(slots=True)
class _ServerSlot:
    """One server for one project: starting, started, or gone for a while."""

    starting: asyncio.Task[LanguageServer] | None = None
    failures: int = 0
    retry_at: float = 0.0
    users: set[str] = field(default_factory=set)
    idle: asyncio.TimerHandle | None = None


class DiagnosticsService:
    """Answers what is wrong in files. Servers start in the background when first needed, one for each project."""

    def __init__(
        self, read: Read, offer: GetOffer, *, deadline: float = SERVER_DEADLINE_S, patience: float = HANG_TIMEOUT_S
    ) -> None:
        """`read` gives a file as it stands, or None when it is no readable text; `offer` says which servers may run."""
        self._read = read
        self._offer = offer
        self._deadline = deadline
        self._slots: dict[tuple[str, bytes, bytes], _ServerSlot] = {}
        self._watched: dict[bytes, None] = {}
        self._patience = patience
        self._endings: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def watched(self) -> list[bytes]:
        """The files that somebody has asked about."""
        return list(self._watched)

    async def of(self, path: bytes, asker: Asker, deadline: float | None = None) -> CheckResult:
        """What is wrong with one file, which is watched from now on; nothing for a file that cannot be read."""
        self._watched.pop(path, None)
        self._watched[path] = None
        while len(self._watched) > _MAX_WATCHED:
            self.forget(next(iter(self._watched)))
        return await self._check(path, asker, time.monotonic() + (self._deadline if deadline is None else deadline))

    async def of_all(self, askers: Mapping[bytes, Asker]) -> dict[bytes, CheckResult]:
        """What is wrong with some watched files as they stand now."""
        until = time.monotonic() + self._deadline
        paths = [path for path in self._watched if path in askers]
        return dict(
            zip(paths, await asyncio.gather(*(self._check(path, askers[path], until) for path in paths)), strict=True)
        )

    def forget(self, path: bytes) -> None:
        """Watch a file no more."""
        self._watched.pop(path, None)
        for slot in self._slots.values():
            server = _started(slot)
            if server is not None:
                server.forget(path)

    def leave(self, asker: str) -> None:
        """Somebody has gone: the servers that nobody else used end."""
        for slot in self._slots.values():
            if asker in slot.users:
                slot.users.discard(asker)
                if not slot.users:
                    self._end(slot)

    async def end_servers(self) -> None:
        """End every server; those that are needed again start anew, by what holds then."""
        for slot in self._slots.values():
            self._end(slot)
        self._slots.clear()
        await asyncio.gather(*self._endings)

    async def close(self) -> None:
        """End every server, and start none any more."""
        self._closed = True
        await self.end_servers()

    async def _check(self, path: bytes, asker: Asker, until: float) -> CheckResult:
        try:
            async with asyncio.timeout(max(SYNTAX_DEADLINE_S, until - time.monotonic())):
                text = await self._read(path)
        except TimeoutError:
            return CheckResult(unknown=("The file could not be read in time. Ask again.",))
        if text is None:
            return CheckResult(unknown=("Not known: the file is not there, or is no text that can be checked.",))
        (syntax, late), served = await asyncio.gather(_syntax(text), self._ask_servers(path, text, asker, until))
        return CheckResult(_without_duplicates([*syntax, *served.found]), (*late, *served.unknown), served.untrusted)

    async def _ask_servers(self, path: bytes, text: CheckedText, asker: Asker, until: float) -> CheckResult:
        try:
            async with asyncio.timeout(max(0.0, until - time.monotonic())):
                offer = await self._offer(path, text.language_id, asker)
        except TimeoutError:
            return CheckResult(unknown=("Not yet known: language servers were not asked in time. Ask again.",))
        asked = {spec.name: asyncio.create_task(self._ask(spec, offer, path, text, asker)) for spec in offer.servers}
        if asked:
            await asyncio.wait(asked.values(), timeout=max(0.0, until - time.monotonic()))
        late = [name for name, task in asked.items() if not task.done()]
        for task in asked.values():
            task.cancel()
        answers = await asyncio.gather(*asked.values(), return_exceptions=True)
        found = [each for answer in answers if isinstance(answer, tuple) for each in answer]
        unknown = [offer.why_not] if offer.why_not else []
        unknown += [f"Not yet known: {name} has not finished checking. Ask again." for name in late]
        for name, answer in zip(asked, answers, strict=True):
            if isinstance(answer, BaseException) and name not in late:
                unknown.append(f"Not known: the language server {name} gives no answer.")
        return CheckResult(tuple(found), tuple(unknown), offer.untrusted)

    async def _ask(
        self, spec: ServerSpec, offer: Offer, path: bytes, text: CheckedText, asker: Asker
    ) -> tuple[Diagnostic, ...]:
        slot = self._slots.setdefault((spec.name, offer.root, offer.visible), _ServerSlot())
        slot.users.add(asker.name)
        try:
            server = await self._server(spec, slot, offer)
            return await server.diagnose(path, text.text, text.language_id)
        except ServerGoneError:
            self._mark_failed(slot)
            raise

    async def _server(self, spec: ServerSpec, slot: _ServerSlot, offer: Offer) -> LanguageServer:
        started = _started(slot)
        if started is not None and not started.running:
            self._mark_failed(slot)
        if slot.starting is None:
            if offer.start is None or time.monotonic() < slot.retry_at or self._closed:
                raise ServerGoneError(spec.name)
            slot.starting = asyncio.create_task(
                LanguageServer.start(spec, offer.root, offer.start, patience=self._patience)
            )
        if slot.idle is not None:
            slot.idle.cancel()
        slot.idle = asyncio.get_running_loop().call_later(IDLE_TIMEOUT_S, self._end, slot)
        # A caller whose time is up leaves; the start goes on for the next one.
        return await asyncio.shield(slot.starting)

    def _mark_failed(self, slot: _ServerSlot) -> None:
        """Note that a server went away; it is started again after a while, in case it was the machine's fault."""
        if slot.starting is None:
            return
        slot.retry_at = time.monotonic() + _RETRY_DELAY_S * 2**slot.failures
        slot.failures += 1
        self._end(slot)

    def _end(self, slot: _ServerSlot) -> None:
        """End a slot's server in a task of its own: a caller whose time is up must not leave it half ended."""
        task, slot.starting = slot.starting, None
        if slot.idle is not None:
            slot.idle.cancel()
            slot.idle = None
        if task is not None:
            ending = asyncio.create_task(_stop_started(task))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)


async def _syntax(text: CheckedText) -> tuple[tuple[Diagnostic, ...], tuple[str, ...]]:
    try:
        return await check_syntax(text.text, text.language_id, SYNTAX_DEADLINE_S), ()
    except TimeoutError:
        return (), ("Not known: checking the syntax took too long.",)


def _started(slot: _ServerSlot) -> LanguageServer | None:
    task = slot.starting
    if task is None or not task.done() or task.cancelled() or task.exception() is not None:
        return None
    return task.result()


async def _stop_started(task: asyncio.Task[LanguageServer]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    if not task.cancelled() and task.exception() is None:
        await task.result().stop()


def _without_duplicates(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """A syntax error that a server reports too, at the same place, is given once, in the server's words."""
    places = {each.range.start for each in found if each.source not in LANGUAGES and each.severity == "Error"}
    kept = [each for each in found if each.source not in LANGUAGES or each.range.start not in places]
    return tuple(sorted(dict.fromkeys(kept), key=lambda each: (each.range.start, each.range.end)))
