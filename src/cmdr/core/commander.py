"""The one door: every face runs commands here, for a principal, under one policy, into one audit log."""

import asyncio
import inspect
import time
from collections.abc import Iterator

from cmdr.core.audit import Audit, AuditRecord, digest_of
from cmdr.core.browser import Browser
from cmdr.core.call import Call, Progress, no_progress
from cmdr.core.desktop import Desktop
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.core.limits import Limits
from cmdr.core.parameter import Arguments
from cmdr.core.policy import Policy
from cmdr.core.principals import Principal
from cmdr.core.proposals import Proposals
from cmdr.core.registry import REGISTRY, Command, Registry
from cmdr.core.signature import bind
from cmdr.files.errors import DiskError
from cmdr.files.refusals import PlanRefused
from cmdr.model.workspace import Workspace

LONGEST_ANSWER = 20_000


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
        watch: bool = True,
    ) -> None:
        self.workspace = workspace
        self.registry = registry
        self.audit = audit
        self.policy = policy or Policy()
        self.events = Events(workspace)
        self.browser = Browser(workspace, self.events, watch=watch)
        self.proposals = Proposals(workspace, self.events, audit)
        self.desktop = Desktop()
        self.quitting = asyncio.Event()
        """Set when somebody asked the program to end."""
        self._limits = limits or Limits()
        self._agent_calls: set[asyncio.Task[str]] = set()

    async def start(self) -> None:
        """Bring the panes up."""
        await self.browser.start()

    async def close(self) -> None:
        """End everything that is under way."""
        for call in self._agent_calls:
            call.cancel()
        self.proposals.close()
        await self.browser.close()
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
        return shortened(answer if command.plain else f"OK: {answer}")

    def available(self, principal: Principal, toolsets: frozenset[str] | None = None) -> Iterator[Command]:
        """The commands a caller gets to know, in the order they were declared."""
        return (command for command in self.registry if self.policy.shows(command, principal, toolsets))

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
