"""The one door: every face runs commands here, for a principal, under one policy, into one audit log."""

import asyncio
import inspect
import time
from collections.abc import Callable, Iterator

from cmdr.core.activity import Activity
from cmdr.core.audit import Audit, AuditRecord, digest_of
from cmdr.core.bookmarks import Bookmarks
from cmdr.core.browser import Browser
from cmdr.core.call import Call, Progress, no_progress
from cmdr.core.desktop import Desktop
from cmdr.core.engine import Engine
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.core.jobs import Jobs
from cmdr.core.limits import Limits
from cmdr.core.parameter import Arguments
from cmdr.core.policy import Policy
from cmdr.core.principals import Principal
from cmdr.core.proposals import Proposals
from cmdr.core.registry import REGISTRY, Command, Registry
from cmdr.core.settings import Settings
from cmdr.core.signature import bind
from cmdr.core.space import SpaceBoard
from cmdr.files.control import Control
from cmdr.files.errors import DiskError
from cmdr.files.outcome import Outcome
from cmdr.files.refusals import PlanRefused
from cmdr.model.plan import Plan
from cmdr.model.workspace import Workspace

LONGEST_ANSWER = 20_000
QUIT_PATIENCE = 15.0
"""Seconds that running operations get to stop cleanly; the next start sweeps up after the rest."""


class Commander:
    """Owns the workspace and everything that may change it; lives on one event loop."""

    def __init__(
        self,
        workspace: Workspace,
        audit: Audit,
        *,
        registry: Registry = REGISTRY,
        policy: Policy | None = None,
        limits: Limits | None = None,
        engine: Engine | None = None,
        settings: Settings | None = None,
        bookmarks: Bookmarks | None = None,
        watch: bool = True,
    ) -> None:
        self.workspace = workspace
        self.registry = registry
        self.audit = audit
        self.policy = policy or Policy()
        self.events = Events(workspace)
        self.browser = Browser(workspace, self.events, watch=watch)
        self.proposals = Proposals(workspace, self.events, audit)
        self._engine = engine
        self.jobs = Jobs(self._run_plan, self.events, audit)
        if engine is not None:
            self.proposals.start_job = lambda proposal: self.jobs.start(proposal.plan, proposal.proposed_by).id
        self.desktop = Desktop()
        self.settings = settings or Settings()
        self.bookmarks = bookmarks or Bookmarks()
        self.activity = Activity()
        self.space = SpaceBoard()
        self.browser.arrived = self.bookmarks.visit
        self.sets: Callable[[str, Principal], tuple[bytes, ...]] | None = None
        self.quitting = asyncio.Event()
        """Set when somebody asked the program to end."""
        self._limits = limits or Limits()
        self._agent_calls: set[asyncio.Task[str]] = set()

    @property
    def engine(self) -> Engine:
        """What changes files."""
        if self._engine is None:
            raise CommandError("This cmdr cannot change files.")
        return self._engine

    async def start(self) -> None:
        """Bring the panes up, after the traces of a crash are gone."""
        if self._engine is not None:
            await self._engine.start()
        await self.browser.start()

    async def close(self) -> None:
        """End everything that is under way."""
        for call in self._agent_calls:
            call.cancel()
        self.proposals.close()
        await self.jobs.close(QUIT_PATIENCE)
        if self._engine is not None:
            await self._engine.close()
        await self.browser.close()
        self.bookmarks.save()
        self.audit.close()

    async def run(
        self, principal: Principal, name: str, arguments: Arguments | None = None, *, progress: Progress = no_progress
    ) -> str:
        """Run a command and return its answer; raises `CommandError` or `UnknownCommand`."""
        return await self.perform(self.registry.find(name), arguments or {}, Call(self, principal, progress))

    async def perform(self, command: Command, arguments: Arguments, call: Call) -> str:
        """Run a command that was found, for the caller of `call`."""
        started = time.monotonic()
        result = "error"
        seen = self.activity.begin(call.principal, command.name, arguments)
        try:
            self.policy.admit(command, call.principal)
            self._limits.take(call.principal, command.access)
            bound = bind(command.parameters, arguments, command.name)
            answer = await self._perform(command, bound, call)
            result = "ok"
        except NotAllowed:
            result = "refused"
            raise
        except (DiskError, PlanRefused) as error:
            raise CommandError(str(error)) from error
        finally:
            ms = round((time.monotonic() - started) * 1000)
            self.audit.record(AuditRecord(call.principal.id, command.name, digest_of(arguments), result, ms))
            self.activity.end(seen, result, ms)
        return shortened(answer if command.plain else f"OK: {answer}")

    def available(self, principal: Principal, toolsets: frozenset[str] | None = None) -> Iterator[Command]:
        """The commands a caller gets to know, in the order they were declared."""
        return (command for command in self.registry if self.policy.shows(command, principal, toolsets))

    def members_of(self, set: str, principal: Principal) -> tuple[bytes, ...]:
        """The paths in a resource set; sets come with the index."""
        if self.sets is None:
            raise CommandError(f"No resource set {set[:40]}.")
        return self.sets(set, principal)

    def stop_agents(self) -> None:
        """The kill switch: end every agent's call, drop what agents proposed, refuse new calls."""
        self.policy.agents_stopped = True
        for call in self._agent_calls:
            call.cancel()
        self.proposals.drop_of_agents()
        self.events.changed()

    def allow_agents(self) -> None:
        """Let agents call again."""
        self.policy.agents_stopped = False
        self.events.changed()

    def _run_plan(self, plan: Plan, by: str, control: Control) -> Outcome:
        return self.engine.run(plan, by, control)

    async def _perform(self, command: Command, bound: dict[str, object], call: Call) -> str:
        outcome = command.function(call if command.wants_call else self.workspace, **bound)
        if not inspect.isawaitable(outcome):
            return outcome
        task: asyncio.Task[str] = asyncio.ensure_future(outcome)
        if not call.principal.is_person:
            self._agent_calls.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            # Stopping the agents ends the command alone; its caller is still there and is told why.
            if self.policy.agents_stopped and task.cancelled() and not _is_being_cancelled():
                self.policy.admit(command, call.principal)
            raise
        finally:
            self._agent_calls.discard(task)
            task.cancel()


def shortened(answer: str) -> str:
    """An answer of bounded length; one that was cut says so in its last line."""
    if len(answer) <= LONGEST_ANSWER:
        return answer
    kept = answer[: LONGEST_ANSWER - 100]
    kept = kept[: kept.rfind("\n") + 1] or kept
    left_out = answer.count("\n", len(kept))
    return f"{kept}# {left_out} more lines left out; ask for less, with limit or pane\n"


def _is_being_cancelled() -> bool:
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0
