"""The program itself: the workspace, all that may change it, and how every face has commands run."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.agents.text_cache import TextCache
from cmdr.core.agents.trust import TrustRequests, TrustStore
from cmdr.core.agents.turns import Turns
from cmdr.core.audit.log import Audit
from cmdr.core.audit.record_warnings import RecordWarnings
from cmdr.core.changes.engine import Engine, OperationInterrupted
from cmdr.core.changes.job_control import JobControl
from cmdr.core.changes.jobs import Jobs
from cmdr.core.changes.undo_many import UndoMany
from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.call import Call, Progress, no_progress
from cmdr.core.dispatch.dispatcher import Dispatcher
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.dispatch.registry import REGISTRY, Command, Registry
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.lazy_services import LazyServices
from cmdr.core.panes.agent_fronts import AgentFronts
from cmdr.core.panes.agent_tabs import AgentTabs
from cmdr.core.panes.bookmarks import Bookmarks
from cmdr.core.panes.browser import Browser
from cmdr.core.panes.desktop import Desktop
from cmdr.core.panes.free_space import FreeSpaceCache
from cmdr.core.proposals.ended_proposals import EndedProposal
from cmdr.core.proposals.inbox import Inbox
from cmdr.core.proposals.kept_forms import KeptProposal
from cmdr.core.proposals.proposal_store import ProposalStore
from cmdr.core.proposals.proposals import Proposals
from cmdr.core.rules.rules import Rules
from cmdr.core.settings import Settings
from cmdr.core.transfers.short_links import ShortLinks
from cmdr.core.trees.indexing import Indexing
from cmdr.engine.journal.records import ItemState
from cmdr.engine.run.outcome import Outcome
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.index.errors import IndexFault
from cmdr.model.job import ScanJob
from cmdr.model.panes.tab import SelectedEntries, Tab
from cmdr.model.panes.workspace import Workspace
from cmdr.model.plans.command_plan import CodePlan, CommandPlan
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.proposal import Proposal
from cmdr.model.plans.trust_plan import TrustPlan

if TYPE_CHECKING:
    from cmdr.core.agents.code_execution import CodeExecution
    from cmdr.core.agents.shell_commands import ShellCommands
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.editing.editor_services import EditorServices

RAW_LINK_LIFETIME_S = 600.0
KEEPING_TIMEOUT_S = 5.0
"""Seconds that what is still being noted about proposals gets; the next start looks again at what was not."""
QUIT_TIMEOUT_S = 15.0
"""Seconds that running operations get to stop cleanly; crash recovery at the next start takes the rest."""


class Commander:
    """Owns the workspace and everything that may change it; lives on one event loop."""

    def __init__(
        self,
        workspace: Workspace,
        audit: Audit,
        *,
        registry: Registry = REGISTRY,
        policy: Policy | None = None,
        rates: RateLimiter | None = None,
        engine: Engine | None = None,
        settings: Settings | None = None,
        bookmarks: Bookmarks | None = None,
        watch: bool = True,
        sandbox: Sandbox | None = None,
        indexes: str | None = None,
        start_folder: bytes | None = None,
        trust: TrustStore | None = None,
        kept: ProposalStore | None = None,
        state: str | None = None,
    ) -> None:
        self.workspace = workspace
        self.registry = registry
        self.audit = audit
        self.policy = policy or Policy()
        self._dispatcher = Dispatcher(audit, self.policy, rates or RateLimiter())
        self.activity = self._dispatcher.activity
        self.quitting = self._dispatcher.quitting
        """Set when somebody asked the program to end."""
        self.events = Events(workspace)
        self.text_cache = TextCache()
        self.events.listen(self.text_cache.forget)
        self.browser = Browser(workspace, self.events, watch=watch)
        self.proposals = Proposals(workspace, self.events, audit, kept)
        self._engine = engine
        self.warnings = RecordWarnings(audit, engine, self.events)
        """What is wrong with the record itself."""
        self.jobs = Jobs(self._run_plan, self.events, audit, self._plan_undo)
        self.turns = Turns(self)
        """What agents did, by client."""
        self.undo_many = UndoMany(lambda: self.engine, self.jobs, self.proposals, self.events)
        """What takes several of their operations back."""
        self.sandbox = sandbox or Sandbox()
        """The folders agents may use directly."""
        self.trusting = TrustRequests(
            trust or TrustStore(), self.proposals, self.jobs, self.events, self.sandbox.private.homes
        )
        """The folders in which language servers may run."""
        start = start_folder or workspace.left.tab.path
        self.services = LazyServices(
            workspace, self.events, audit, self.jobs, self.sandbox, start, self.trusting, self.proposals
        )
        if engine is not None:
            self.proposals.start_job = self._start_job
            self.proposals.may_start = self._check_start
            self.proposals.job_over = self._job_over
        self._indexing = Indexing(indexes, self.events) if indexes is not None else None
        self.base_url = ""
        """Where links in answers lead, once the server listens."""
        self.tokens: Tokens | None = None
        """The clients that can prove who they are, once the server listens."""
        self.new_login_link: Callable[[], str] | None = None
        """Makes a link that logs one browser in, once the server listens."""
        self.raw_links: ShortLinks[bytes] = ShortLinks(RAW_LINK_LIFETIME_S)
        """Paths whose raw bytes a caller asked for; whether it may read them is decided again when it comes."""
        self.desktop = Desktop()
        self.settings = settings or Settings()
        self.rules = Rules(self.settings, self.sandbox, self.proposals, self.jobs, self.events, audit, folder=state)
        """What the person said yes to beforehand."""
        self.inbox = Inbox(self)
        """Everything that waits for the person."""
        if self._indexing is not None:
            self._indexing.idle.is_allowed = lambda: self.settings.flag("advanced.idle_walk")
            self._indexing.idle.is_busy = lambda: bool(self.jobs.running())
            self._dispatcher.touched = self._indexing.idle.touched
        self.agent_tabs = AgentTabs(workspace, self.events, self.browser, self.desktop, self.settings)
        """Which tabs are agents' own."""
        self.agent_fronts = AgentFronts(workspace, self.events, self.browser, self.agent_tabs)
        """When the person sees them."""
        self.bookmarks = bookmarks or Bookmarks()
        self.space = FreeSpaceCache()
        self.browser.arrived = self.bookmarks.visit

    @property
    def engine(self) -> Engine:
        """What changes files."""
        if self._engine is None:
            raise CommandError("This cmdr cannot change files.")
        return self._engine

    @property
    def shells(self) -> "ShellCommands":
        """Where agents' commands run."""
        return self.services.shells

    @property
    def code(self) -> "CodeExecution":
        """Where agents' code runs."""
        return self.services.code

    @property
    def editor(self) -> "EditorServices":
        """What makes cmdr an editor for agents."""
        return self.services.editor

    async def start(self) -> None:
        """Bring the panes up, and what agents need beside them."""
        await self.start_panes()
        await self.editor.start()

    async def start_panes(self, *, live: bool = True) -> None:
        """Bring the panes up, after the traces of a crash are gone; builds nothing that only agents need."""
        loop = asyncio.get_running_loop()
        self.audit.changed = lambda: loop.call_soon_threadsafe(self.events.changed)
        if self._engine is not None:
            await self._engine.start()
            await self.jobs.adopt_interrupted(self._engine)
            await self.warnings.load()
        await self.rules.start(None if self._engine is None else self._engine.operation_of)
        await self.browser.start(live=live)
        await self._restore_proposals()

    async def _restore_proposals(self) -> None:
        """Take in what agents proposed before a restart and nobody has answered."""
        found = await self.proposals.keeper.load()
        self.proposals.ended.restore(found.ended, found.more)
        told = [
            ("A kept proposal cannot be read, and is not asked about", f"put aside as {one}") for one in found.aside
        ]
        told += [("Proposals cannot be kept over a restart", found.problem)] if found.problem else []
        for what, how in told:
            self.proposals.ended.add(EndedProposal(how, "", what, how, time.time()))
        for approved in found.approved:
            self.proposals.restore_approved(approved)
        for kept in found.waiting:
            if not isinstance(kept, KeptProposal):
                self.editor.reviews.restore(kept)
                continue
            self.proposals.restore(kept)
            if isinstance(kept.plan, TrustPlan):
                self.trusting.asked(kept.plan.folder)

    async def close(self) -> None:
        """End everything that is under way; a part that fails to end keeps no other from it."""
        async with AsyncExitStack() as parts:  # the last one here ends first
            parts.callback(self.audit.close)
            parts.callback(self.bookmarks.save)
            parts.push_async_callback(self.settings.close)
            parts.callback(self.sandbox.close)
            parts.push_async_callback(self.browser.close)
            parts.callback(self.agent_tabs.close)
            parts.callback(self.agent_fronts.close)
            if self._indexing is not None:
                parts.push_async_callback(self._indexing.close)
            if self._engine is not None:
                parts.push_async_callback(self._engine.close)
            parts.push_async_callback(self.rules.close)
            parts.push_async_callback(self.jobs.close, QUIT_TIMEOUT_S)
            parts.push_async_callback(self.undo_many.close, QUIT_TIMEOUT_S)
            parts.push_async_callback(self.trusting.close)
            parts.push_async_callback(self.services.close)
            parts.push_async_callback(self.proposals.keeper.close, KEEPING_TIMEOUT_S)
            parts.callback(self.proposals.close)
            parts.callback(self.end_agent_calls)

    async def run(self, principal: Principal, name: str, arguments: Arguments | None = None) -> str:
        """Run a command and return its text; raises `CommandError` or `UnknownCommand`."""
        return (await self.ask(principal, name, arguments)).text

    async def ask(
        self,
        principal: Principal,
        name: str,
        arguments: Arguments | None = None,
        *,
        progress: Progress = no_progress,
        chosen: SelectedEntries | None = None,
    ) -> Answer:
        """Run a command and return its result; raises `CommandError` or `UnknownCommand`."""
        call = Call(self, principal, progress, chosen=chosen)
        return await self.perform(self.registry.find(name), arguments or {}, call)

    async def perform(self, command: Command, arguments: Arguments, call: Call) -> Answer:
        """Run a command that was found, for the caller of `call`."""
        return await self._dispatcher.perform(command, arguments, call)

    def available(self, principal: Principal, toolsets: frozenset[str] | None = None) -> Iterator[Command]:
        """The commands a caller gets to know, in the order they were declared."""
        return (command for command in self.registry if self.policy.shows(command, principal, toolsets))

    @property
    def indexing(self) -> Indexing:
        """What knows big trees."""
        if self._indexing is None:
            raise CommandError("This cmdr has no index.")
        return self._indexing

    @property
    def index_version(self) -> int:
        """Grows whenever indexes may know more; 0 while none has been opened."""
        return self._indexing.version if self._indexing is not None else 0

    async def look_up(self, tab: Tab, start: int, stop: int) -> None:
        """Make sure the facts of some positions are known, and the sizes of folders where an index knows them."""
        await self.browser.facts.look_up(tab, start, stop)
        if self._indexing is None:
            return
        listing = tab.listing
        rows = [row for row in listing.order[start:stop] if row < listing.columns.folder_count]
        names = {listing.columns.name(row): row for row in rows}
        with suppress(IndexFault, CommandError):  # a pane does without sizes rather than without rows
            sizes = await self._indexing.folder_sizes(tab.path, list(names))
            listing.folder_sizes.update({names[name]: size for name, size in sizes.items()})

    def scan_job(self, id: str, principal: Principal) -> ScanJob | None:
        """A scan by its id, or None when there is no such scan, or no index at all."""
        return self._indexing.job(id, principal) if self._indexing is not None else None

    def scans(self) -> list[ScanJob]:
        """Every scan that is remembered, oldest first."""
        return self._indexing.scans() if self._indexing is not None else []

    def stop_agents(self) -> None:
        """The kill switch: end every agent's call, drop what agents proposed, pause their jobs, refuse new calls."""
        self.policy.agents_stopped = True
        self.jobs.stop_agents()
        self.end_agent_calls()  # first, so that whoever waits hears that all was stopped, not what was dropped
        self.services.stop_agents()
        self.proposals.drop_of_agents()
        self.events.changed()

    def end_agent_calls(self) -> None:
        """End every call of an agent that still waits; their callers are told why."""
        self._dispatcher.end_agent_calls()

    def allow_agents(self) -> None:
        """Let agents call again; jobs of theirs that were paused stay so until the person lets them go on."""
        self.policy.agents_stopped = False
        self.jobs.allow_agents()
        self.events.changed()

    def _start_job(self, proposal: Proposal) -> str:
        plan, by = proposal.plan, proposal.proposed_by
        if isinstance(plan, TrustPlan):
            return self.trusting.begin(plan, by).id
        if isinstance(plan, CodePlan):
            return self.code.begin(plan, by).id
        return (self.shells.begin(plan, by) if isinstance(plan, CommandPlan) else self.jobs.start(plan, by)).id

    def _check_start(self, proposal: Proposal) -> None:
        if isinstance(proposal.plan, CommandPlan) and "shell" not in self.policy.toolsets:
            raise CommandError(
                "This cmdr runs no commands of agents: start it with CMDR_MCP_ALLOW_SHELL=1, then answer."
            )

    async def _job_over(self, job: str) -> None:
        await self.jobs.finished(self.jobs.get(job, PERSON))

    async def _plan_undo(self, operation: int) -> Plan:
        return await self.engine.undo_plan(operation)

    def _run_plan(self, plan: Plan, by: str, control: JobControl) -> Outcome:
        self.rules.recheck(plan)
        try:
            outcome = self.engine.run(plan, by, control, control.begun)
        except OperationInterrupted as error:
            self.rules.ran(plan, by, error.operation, did_something=True)
            raise
        is_undoable = bool(outcome.items.which(ItemState.LANDED, ItemState.SOURCE_REMOVED))
        self.rules.ran(plan, by, outcome.operation, did_something=is_undoable)
        return outcome
