"""The dispatcher: every call is admitted here, waits until it may run, runs, and is written into the audit log."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from cmdr.core.admission.fair_semaphore import FairSemaphore, QueueFull
from cmdr.core.admission.limits import CALLS
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.agents.activity import Activity
from cmdr.core.audit.log import Audit, AuditRecord, digest_of
from cmdr.core.dispatch.answer import Answer, command_error, where_else
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Arguments, bind
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import Principal, acting
from cmdr.core.dispatch.registry import Command
from cmdr.core.errors import CommandError, NotAllowed, NotRecorded, NotThere, TooMany
from cmdr.core.threads import in_thread, is_being_cancelled
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.files.errors import DiskError, PathNotFound
from cmdr.index.errors import IndexFault
from cmdr.model.filters.filter import FilterError
from cmdr.model.results.result import Result

# A call made from inside another, as `command` does, is admitted already.
_is_admitted: ContextVar[bool] = ContextVar("is_admitted", default=False)
_LOOKED_FOR = frozenset({"fs", "index", "ops", "review"})
"""Where an agent that names a path which is not there is told how to find it; the panes' own words are kept."""


class Dispatcher:
    """Runs commands for whoever calls, under one policy; knows every call of an agent that is under way."""

    def __init__(self, audit: Audit, policy: Policy, rates: RateLimiter) -> None:
        self.activity = Activity()
        self.quitting = asyncio.Event()
        """Set when somebody asked the program to end."""
        self.touched: Callable[[], None] = lambda: None
        """Told at every call, before it is admitted."""
        self._audit = audit
        self._policy = policy
        self._rates = rates
        self._running = FairSemaphore(CALLS)
        self._agent_calls: set[asyncio.Task[Result]] = set()

    async def perform(self, command: Command, arguments: Arguments, call: Call) -> Answer:
        """Run a command that was found, for the caller of `call`.

        What an agent reads of contents, or changes, is answered when the disk has the record of it, and not before.
        """
        started = time.monotonic()
        result = "error"
        is_counted = is_cut_off = False
        seen = self.activity.begin(call.principal, command.name, arguments)
        needs_record = not (call.principal.is_person or command.is_look)

        def record() -> AuditRecord:
            ms = round((time.monotonic() - started) * 1000)
            return AuditRecord(call.principal.id, command.name, digest_of(arguments), result, ms)

        self.touched()
        try:
            self._policy.admit(command, call.principal)
            await self._rates.admit(call.principal, command.access)
            is_counted = True
            if needs_record:
                await self._audit.ready()
            bound = bind(command.parameters, arguments, call.address or command.name)
            if command.blocking:
                answer = await self._perform(command, bound, call)
            else:
                async with self._permitted(call.principal):
                    self._policy.admit(command, call.principal)  # the person may have stopped agents meanwhile
                    answer = await self._perform(command, bound, call)
            result = "failed" if answer.failed else "ok"
            call.forks.clear()
            if needs_record:
                await self._audit.written(record())
        except NotRecorded:
            result = "not recorded"
            raise
        except NotAllowed:
            result = "refused"
            raise
        except (DiskError, PlanRefused, IndexFault, FilterError) as error:
            if isinstance(error, PathNotFound) and command.toolset in _LOOKED_FOR and not call.principal.is_person:
                raise NotThere(f"{error}{await in_thread(where_else, error.path)}") from error
            raise command_error(error) from error
        except asyncio.CancelledError:
            is_cut_off = True  # what it proposed may stand
            raise
        finally:
            if is_counted and not is_cut_off and result != "ok":
                self._rates.give_back(call.principal, command.access)
            if call.forks:
                call.commander.agent_tabs.take_back(call.forks)
            # The log has counted what it could not record, and what was awaited is in it already.
            if result != "not recorded" and not (result in ("ok", "failed") and needs_record):
                self._audit.record(record())
            self.activity.end(seen, result, round((time.monotonic() - started) * 1000))
        return Answer(answer, is_bare=bool(call.connection))

    @asynccontextmanager
    async def _permitted(self, principal: Principal) -> AsyncIterator[None]:
        """Wait until a call of this caller may run, and count it meanwhile; people never wait."""
        if principal.is_person or _is_admitted.get():
            yield
            return
        try:
            permit = await self._running.acquire(principal.id)
        except QueueFull as full:
            raise TooMany("waiting", full.retry_after_ms) from full
        before = _is_admitted.set(True)
        try:
            yield
        finally:
            _is_admitted.reset(before)
            permit.release()

    def end_agent_calls(self) -> None:
        """End every call of an agent that still waits; their callers are told why."""
        for call in self._agent_calls:
            call.cancel()

    async def _perform(self, command: Command, bound: dict[str, object], call: Call) -> Result:
        with acting(call.principal):
            outcome = command.function(call if command.wants_call else call.workspace, **bound)
            if isinstance(outcome, Result):
                return outcome
            task: asyncio.Task[Result] = asyncio.ensure_future(outcome)
        if not call.principal.is_person:
            self._agent_calls.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            # Stopping the agents ends the command alone; its caller is still there and is told why.
            if task.cancelled() and not is_being_cancelled():
                self._policy.admit(command, call.principal)
                if self.quitting.is_set():
                    raise CommandError("cmdr is quitting. Nothing more happens until it is started again.") from None
            raise
        finally:
            self._agent_calls.discard(task)
            task.cancel()
