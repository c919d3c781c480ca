"""Rules at work: agents' plans are matched with them, charged and run; what went wrong suspends them.

A plan that a rule admits runs at once and is looked at again right before it does; whatever cannot be made certain is
asked about as ever. Only the person makes, allows and removes rules.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from cmdr.core.agents.trust import identity_of
from cmdr.core.audit.log import Audit
from cmdr.core.changes.jobs import Jobs
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import AskedInstead, CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.core.proposals.proposals import Proposals
from cmdr.core.rules.rule_book import RuleBook, RuleStanding
from cmdr.core.rules.rule_facts import Bounds, look_at, nearest, real_folder, roots_within, stands
from cmdr.core.rules.rule_ledger import Ledger
from cmdr.core.settings import Settings
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.job import Job
from cmdr.model.names import is_within
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.plan_text import amount_of
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.plans.trust_plan import Identity
from cmdr.model.rules import (
    NOTHING,
    Admission,
    Facts,
    Outline,
    Rule,
    Spent,
    Unasked,
    done_words,
    end_of_day,
    matches,
    may_match,
    offered,
)

log = logging.getLogger(__name__)

ANSWER_WAIT_S = 2.0
"""Seconds that a call waits for what a rule admitted; longer work goes on, and `await` tells."""
NOES = 2
"""So many times no in a row to one client suspend all its rules."""
_KEPT_OFFERS = 200


@dataclass(frozen=True, slots=True)
class _Offer:
    """A rule that could be made from a proposal, and the folders it would be about."""

    rule: Rule
    identities: tuple[Identity | None, ...]


@dataclass(slots=True, eq=False)
class _Running:
    """A plan that rules admitted, until it is over."""

    plan: Plan
    principal: Principal
    admission: Admission
    proposal: Proposal | None = None
    job: Job | None = None


class Rules:
    """Belongs to the loop; looks at the disk in threads."""

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        proposals: Proposals,
        jobs: Jobs,
        events: Events,
        audit: Audit,
        *,
        folder: str | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        """`folder` keeps budgets; without one they live as long as the program."""
        self._book = RuleBook(settings, ledger or Ledger(folder), events, audit)
        self._ledger = self._book.ledger
        self._sandbox = sandbox
        self._proposals = proposals
        self._jobs = jobs
        self._events = events
        self._looking = asyncio.Lock()
        self._running: dict[int, _Running] = {}
        self._noes: dict[str, int] = {}
        self._offers: dict[str, _Offer | None] = {}
        self.latest: Unasked | None = None
        """What ran last without a question, until it is undone or something newer is done."""
        proposals.answered = self._answered

    async def start(self, operation_of: Callable[[str], int | None] | None = None) -> None:
        """Read the rules and what they have admitted; `operation_of` finds the operation of a plan by its digest."""
        await self._book.start()
        if operation_of is not None and self._ledger.begun:
            await in_thread(self._find_begun, operation_of)

    async def close(self) -> None:
        """Wait for what is being written."""
        await self._book.close()

    @property
    def trouble(self) -> str:
        """Why no rule holds just now; empty while they can."""
        return self._ledger.trouble

    def all(self) -> tuple[Rule, ...]:
        """Every rule as it was last read, those with problems too."""
        return self._book.rules

    def of_client(self, client: str) -> Sequence[Rule]:
        """The rules that hold for a client now."""
        return self._book.holding(client)

    def rule_of(self, operation: int | None) -> int | None:
        """The rule that admitted an operation unasked; None when none did, or it is too long ago to know."""
        return None if operation is None else self._ledger.operations.get(operation)

    def suspended_unseen(self) -> Sequence[tuple[Rule, str, float]]:
        """Rules that were suspended by themselves, why and when, until the person has seen it."""
        known = {rule.number: rule for rule in self._book.rules}
        return [(known[number], *told) for number, told in sorted(self._ledger.suspended.items()) if number in known]

    def seen(self, number: int) -> asyncio.Task[None]:
        """The person knows that a rule was suspended; it counts at once, and may be awaited until it is kept."""
        task = self._book.keep(self._ledger.note_seen(number))
        self._events.changed()
        return task

    async def list(self) -> Sequence[RuleStanding]:
        """Every rule of the settings as they are now."""
        return await self._book.standings()

    # What the person does

    async def make(self, proposal: Proposal, principal: Principal, *, today: bool) -> Rule:
        """Make the rule that was offered for a proposal; until the end of the day, or for always."""
        _only_the_person(principal)
        await self._look_up_offer(proposal)
        found = self._offers.get(proposal.id)
        if found is None:
            raise CommandError("No rule may be made from this: each like it has to be asked about.")
        until = end_of_day(time.time()) if today else None
        return await self._book.add(replace(found.rule, until=until), found.identities, principal.id)

    async def suspend(self, number: int, principal: Principal) -> Rule:
        """Let a rule rest until the person allows it again."""
        _only_the_person(principal)
        return await self._book.set_suspended(number, "by you", principal.id)

    async def allow(self, number: int, principal: Principal) -> Rule:
        """Let a suspended rule hold again, for the folders that stand at its roots now."""
        _only_the_person(principal)
        rule = await self._book.set_suspended(number, "", principal.id)
        self._noes.pop(rule.client, None)
        return rule

    async def remove(self, number: int, principal: Principal) -> Rule:
        """Take a rule out of the settings."""
        _only_the_person(principal)
        return await self._book.remove(number, principal.id)

    def answered(self, client: str, *, yes: bool) -> None:
        """The person said yes or no to something of a client; too many times no suspend its rules."""
        if yes:
            self._noes.pop(client, None)
            return
        self._noes[client] = noes = self._noes.get(client, 0) + 1
        if noes >= NOES:
            del self._noes[client]
            self._book.rest(self.of_client(client), f"you said no {NOES} times in a row")

    def _answered(self, proposal: Proposal) -> None:
        kind, _, client = proposal.proposed_by.partition(":")
        if kind == "agent":
            self.answered(client, yes=proposal.state is ProposalState.APPROVED)

    # Running

    async def run(self, plan: Plan, principal: Principal, reason: str = "") -> Proposal | None:
        """Carry an agent's plan out when a rule admits it, and wait a moment for it; None when it has to be asked.

        A proposal that is pending was admitted first and is asked about after all.
        """
        running = await self._admitted(plan, principal)
        if running is None:
            return None
        self._running = {key: one for key, one in self._running.items() if one.job and not one.job.state.is_over}
        self._running[id(plan)] = running
        proposal = running.proposal = self._proposals.admit(plan, principal, running.admission, reason)
        job = running.job = self._jobs.get(proposal.job or "", principal)
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_WAIT_S):
                while proposal.rule is not None and not job.state.is_over and job.question is None:
                    await self._events.beyond(self._events.rev)
        return proposal

    def recheck(self, plan: Plan) -> None:
        """Look at an admitted plan once more, in the thread that is about to run it; raises `AskedInstead`.

        Plans that no rule admitted pass.
        """
        running = self._running.get(id(plan))
        if running is None or running.plan is not plan:
            return
        rules = [rule for rule in self._book.rules if rule.number in running.admission.rules]
        facts = self._look(plan, running.principal, rules, {})
        whys = [self._why_not(rule, facts, NOTHING) for rule in rules] or ["the rule is gone"]
        if all(whys):
            self._book.from_thread(lambda: self._ask_instead(running, whys[0]))
            raise AskedInstead(f"The rule does not admit it any more ({whys[0]}); the person is asked.")

    def ran(self, plan: Plan, by: str, operation: int, *, did_something: bool) -> None:
        """A plan has run, for whomever; called by the thread that ran it."""
        self._book.from_thread(lambda: self._has_run(plan, by, operation, did_something))

    def _has_run(self, plan: Plan, by: str, operation: int, did_something: bool) -> None:
        running = self._running.get(id(plan))
        if running is not None and running.plan is plan:
            del self._running[id(plan)]
            rule = running.admission.rule
            self._book.keep(self._ledger.became(plan.digest, operation, rule))
            if did_something:
                told = f"{running.principal.name} {done_words(plan.verb, amount_of(plan))}"
                self.latest = Unasked(running.principal.name, told, operation, rule, time.time())
        else:
            self.latest = None
            if (before := self.rule_of(plan.continues)) is not None:
                self._book.keep(self._ledger.became(plan.digest, operation, before))
        if plan.undoes is not None and by.startswith("person:"):
            number = self.rule_of(plan.undoes)
            mine = [rule for rule in self._book.rules if rule.number == number and not self._book.holds_not(rule)]
            self._book.rest(mine, f"you undid operation {plan.undoes}")
        self._events.changed()

    def _ask_instead(self, running: _Running, why: str) -> None:
        self._running.pop(id(running.plan), None)
        self._book.keep(self._ledger.never_ran(running.plan.digest))
        if running.proposal is not None:  # pragma: no branch - it was there before the job that called us
            self._proposals.ask_instead(running.proposal, running.plan, why)

    def _find_begun(self, operation_of: Callable[[str], int | None]) -> None:
        """Find the operations of plans that were admitted when the program was cut off; blocks."""
        for digest, rule in list(self._ledger.begun.items()):
            operation = operation_of(digest)
            ledger = self._ledger
            write = ledger.never_ran(digest) if operation is None else ledger.became(digest, operation, rule)
            try:
                write()
            except (sqlite3.Error, OSError):
                log.exception("the record of what rules admitted could not be written")

    # Matching

    async def _admitted(self, plan: Plan, principal: Principal) -> _Running | None:
        if principal.is_person or not principal.token or principal.read_only or self._proposals.start_job is None:
            return None
        await self._book.fresh()
        mine = self.of_client(principal.name)
        if not mine or self._ledger.trouble:
            return None
        spent = {rule.number: self._ledger.spent(rule.number) for rule in mine}
        facts = await in_thread(self._look, plan, principal, mine, spent)
        # From here to the charge nothing else may come in between: another plan could use up the same budget.
        numbers = {rule.number for rule in mine}
        holding = [
            rule.number
            for rule in self._book.rules
            if rule.number in numbers and not self._why_not(rule, facts, self._ledger.spent(rule.number))
        ]
        if not holding:
            return None
        outline = facts.outline
        keep = self._ledger.spend(holding, plan.digest, outline.files, outline.bytes)
        try:
            await in_thread(keep)
        except (sqlite3.Error, OSError):
            log.exception("what a rule admits could not be written down, so the person is asked")
            return None
        return _Running(plan, principal, Admission(plan.digest, principal.name, tuple(holding)))

    def _look(self, plan: Plan, principal: Principal, rules: Sequence[Rule], spent: Mapping[int, Spent]) -> Facts:
        """The facts of a plan, in a thread; the disk is looked at only where a rule may match."""
        outline, now = Outline.of(plan, principal.name), time.time()
        if all(may_match(rule, outline, now, spent.get(rule.number, NOTHING)) for rule in rules):
            return Facts(outline)
        bounds = self._bounds(principal)
        if bounds is None:
            return Facts(outline, never="the folders of this agent cannot be opened")
        found = look_at(plan, bounds)
        standing = frozenset(
            (rule.number, root)
            for rule in rules
            for root in rule.roots
            if stands(root, self._ledger.roots.get((rule.number, root)))
        )
        return Facts(outline.at_least(found.files, found.size), found.folders, standing, found.never)

    def _bounds(self, principal: Principal) -> Bounds | None:
        """What a client may get at: the folders that the person gave agents, and its own where its token names some.

        Where nobody named any, a rule names its folders itself: the usual one is where agents read, not where they end.
        """
        sandbox = self._sandbox
        reaches = []
        try:
            if sandbox.is_chosen:
                reaches.append(sandbox.resolver(None, read_only=principal.read_only).trees)
            if principal.roots is not None:
                reaches.append(sandbox.resolver(principal.roots, read_only=principal.read_only).trees)
        except DiskError:
            return None
        return Bounds(tuple(reaches), sandbox.private, sandbox.protection)

    def _why_not(self, rule: Rule, facts: Facts, spent: Spent) -> str:
        return self._book.holds_not(rule) or matches(rule, facts, time.time(), spent)

    # Offers

    def offer(self, proposal: Proposal) -> Rule | None:
        """The rule that would answer the next like this; None when none may, or while it is still looked up."""
        if proposal.id not in self._offers:
            if proposal.state is ProposalState.PENDING and proposal.proposed_by.startswith("agent:"):
                self._book.do(self._look_up_offer(proposal))
            return None
        found = self._offers[proposal.id]
        return None if found is None else found.rule

    async def offer_now(self, proposal: Proposal) -> Rule | None:
        """The same, once it is looked up."""
        await self._look_up_offer(proposal)
        return self.offer(proposal)

    async def _look_up_offer(self, proposal: Proposal) -> None:
        async with self._looking:
            if proposal.id in self._offers:
                return
            found = await in_thread(self._offer_of, proposal)
            while len(self._offers) >= _KEPT_OFFERS:
                del self._offers[next(iter(self._offers))]
            self._offers[proposal.id] = found
        self._events.changed()

    def _offer_of(self, proposal: Proposal) -> _Offer | None:
        kind, _, client = proposal.proposed_by.partition(":")
        outline, bounds = Outline.of(proposal.plan, client), self._bounds(Principal("agent", client, token=True))
        if kind != "agent" or outline.never or outline.overwrites or bounds is None:
            return None
        found = look_at(proposal.plan, bounds)
        outline = outline.at_least(found.files, found.size)
        within = roots_within(bounds.reaches)
        rule = offered(outline, map(nearest, found.sources), map(nearest, found.targets), within)
        if found.never or rule is None or any(self._holds_a_home(root) for root in rule.roots):
            return None
        # Only one that would admit this very plan: of folders that are what they are called.
        standing = frozenset((0, root) for root in rule.roots if real_folder(root) == root)
        identities = tuple(identity_of(root) for root in rule.roots)
        is_right = not matches(rule, Facts(outline, found.folders, standing), time.time())
        return _Offer(rule, identities) if is_right else None

    def _holds_a_home(self, root: bytes) -> bool:
        """Whether a folder is all that is somebody's, or more: who means that in a rule writes it down."""
        own = os.path.realpath(os.path.expanduser(b"~"))
        return any(is_within(home, root) for home in (*self._sandbox.private.homes, own))


def _only_the_person(principal: Principal) -> None:
    if not principal.is_person:
        raise NotAllowed("Only the person makes and changes rules. Ask them.")
