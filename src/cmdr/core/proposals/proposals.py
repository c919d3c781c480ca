"""Proposals: agents stage changes here, and only a person decides."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable

from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.core.proposals.ended_proposals import EndedProposal, EndedProposals
from cmdr.core.proposals.kept_forms import KeptProposal
from cmdr.core.proposals.proposal_keeper import ProposalKeeper
from cmdr.core.proposals.proposal_store import ProposalStore
from cmdr.model.agent_text import one_line
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.model.plans.command_plan import CodePlan
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.plan_text import title_of
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.plans.request_plan import outline_of
from cmdr.model.rules import Admission

LIFETIME_S = 86_400.0
"""Seconds that an agent's proposal waits: a day, for the person may be away until tomorrow."""
OWN_LIFETIME_S = 600.0
"""Seconds that the person's own question waits."""
PENDING_PER_CALLER = 5
KEPT = 200
"""How many decided proposals are remembered, so that a late `await` still learns what happened."""
KEPT_STEPS = 50_000
"""Steps of all of their plans together; the plans decided on longest ago are remembered without theirs."""


EXPIRED = "expired without an answer"
WITHDRAWN = "withdrawn before you answered"
NOT_KEPT = "withdrawn: cmdr ended, and it could not be kept"


class Proposals:
    """Every proposal by its id, each with a confirmation dialog while it waits."""

    def __init__(self, workspace: Workspace, events: Events, audit: Audit, store: ProposalStore | None = None) -> None:
        self._workspace = workspace
        self._events = events
        self._audit = audit
        self._all: dict[str, Proposal] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._coming: dict[str, str] = {}
        """Who proposed what is being kept, and does not wait yet."""
        self._beginning: set[asyncio.Task[None]] = set()
        self.ended = EndedProposals(events)
        """What expired or was withdrawn, until the person has seen it."""
        self.keeper = ProposalKeeper(store, self.ended)
        """What keeps agents' proposals over a restart."""
        self.may_start: Callable[[Proposal], None] | None = None
        """Raises `CommandError` unless this run can carry a proposal out."""
        self.job_over: Callable[[str], Awaitable[None]] | None = None
        """Waits until a job is over."""
        self.start_job: Callable[[Proposal], str] | None = None
        """What carries an approved proposal out and returns the job's id."""
        self.answered: Callable[[Proposal], None] | None = None
        """Told of every yes and no that the person gives."""

    def add(self, plan: Plan, principal: Principal, reason: str = "") -> Proposal:
        """Stage a plan and open its confirmation."""
        self._check_quota(principal)
        return self._enter(self._new(plan, principal, reason))

    async def propose(self, plan: Plan, principal: Principal, reason: str = "") -> Proposal:
        """Stage a plan; an agent's is kept over a restart before anybody is told of it."""
        self._check_quota(principal)
        proposal = self._new(plan, principal, reason)
        if not principal.is_person:
            self._coming[proposal.id] = principal.id
            try:
                proposal.unkept = await self.keeper.keep(_kept(proposal))
            finally:
                del self._coming[proposal.id]
        return self._enter(proposal)

    def restore(self, kept: KeptProposal) -> None:
        """Take in a proposal that was kept over a restart: the same id, plan and proposer, as long as it lasts."""
        now = time.time()
        expires = min(kept.expires, now + LIFETIME_S)  # a clock that was set back gives nobody more time
        proposal = Proposal(kept.id, kept.plan, kept.by, kept.reason, expires, since=kept.since)
        self._all[proposal.id] = proposal
        if isinstance(kept.plan, CodePlan):
            how = "withdrawn: cmdr ended, and the kernel that was to run it with it"
            self._forgo(proposal, ProposalState.CANCELLED, how)
        elif expires <= now:
            self._forgo(proposal, ProposalState.EXPIRED, EXPIRED)
        else:
            self._note(proposal, proposal.proposed_by, "kept over a restart")
            self._open(proposal)
        self._events.changed()

    def restore_approved(self, kept: KeptProposal) -> None:
        """Tell of what the person had said yes to when the program ended; it is not asked again, nor run again."""
        proposal = Proposal(kept.id, kept.plan, kept.by, kept.reason, kept.expires, since=kept.since)
        self._all[proposal.id] = proposal
        self._forgo(proposal, ProposalState.CANCELLED, "approved, and cmdr ended before it was over: see the history")

    def admit(self, plan: Plan, principal: Principal, admission: Admission, reason: str = "") -> Proposal:
        """Carry out at once what a rule admitted: the very plan, for the very client that the rule was matched with."""
        is_meant = admission.digest == plan.digest and admission.client == principal.name
        if self.start_job is None or principal.is_person or not is_meant:
            raise NotAllowed("No rule admits this. Ask the person.")
        proposal = self._new(plan, principal, reason)
        proposal.state, proposal.rule = ProposalState.APPROVED, admission.rule
        self._all[proposal.id] = proposal
        self._note(proposal, principal.id, "proposed")
        self._note(proposal, f"rule {admission.rule}", proposal.state.value)
        proposal.job = self.start_job(proposal)
        self._forget_oldest()
        self._events.changed()
        return proposal

    def ask_instead(self, proposal: Proposal, plan: Plan, why: str) -> None:
        """What a rule had admitted waits for the person after all; nothing of its plan has run."""
        if proposal.rule is None or proposal.state is not ProposalState.APPROVED:
            return
        by, proposal.rule, proposal.job = f"rule {proposal.rule}", None, None
        if self._waiting_of(proposal.proposed_by) >= PENDING_PER_CALLER:
            proposal.state = ProposalState.CANCELLED
            self._note(proposal, by, proposal.state.value)
        else:
            # Of one that was decided the steps may have been forgotten.
            proposal.plan = plan
            proposal.state, proposal.expires_at = ProposalState.PENDING, time.time() + LIFETIME_S
            self._note(proposal, by, f"asked instead: {why}")
            self._open(proposal)
            self._keep_late(proposal)
        self._events.changed()

    def get(self, id: str, principal: Principal) -> Proposal:
        """A proposal by its id; agents see only their own."""
        proposal = self._all.get(id)
        if proposal is None or not (principal.is_person or proposal.proposed_by == principal.id):
            raise CommandError(
                f"No proposal {printable(id, 40)}. It may have been forgotten; propose the change again."
            )
        return proposal

    def pending(self) -> list[Proposal]:
        """The proposals that wait for an answer, oldest first."""
        return [proposal for proposal in self._all.values() if proposal.state.is_open]

    def all(self) -> list[Proposal]:
        """Every proposal that is remembered, oldest first."""
        return list(self._all.values())

    async def approve(self, id: str, digest: str, principal: Principal) -> Proposal:
        """Carry a proposal out: from a person only, once, and only the very plan that was shown."""
        if not principal.is_person:
            raise NotAllowed("Only the person approves.")
        proposal = self.get(id, principal)
        if time.time() >= proposal.expires_at:
            # The timer's clock stands still while the machine sleeps; this one does not.
            self._expire(proposal)
        if not proposal.state.is_open:
            raise CommandError(f"Proposal {id} is already {proposal.state}.")
        if not secrets.compare_digest(digest.encode("utf-8", "replace"), proposal.plan.digest.encode()):
            raise CommandError(f"Proposal {id} is not the plan that was shown. Look at it again.")
        if self.start_job is None:
            raise CommandError("This cmdr cannot carry out operations.")
        if self.may_start is not None:
            self.may_start(proposal)
        self._settle(proposal, ProposalState.APPROVED, principal.id)
        # Decided in this very step: whatever comes now, also the end of this call, cannot change the answer.
        beginning = asyncio.get_running_loop().create_task(self._begin(proposal, self.start_job))
        self._beginning.add(beginning)
        beginning.add_done_callback(self._beginning.discard)
        await asyncio.shield(beginning)
        return proposal

    def replan(self, id: str, plan: Plan, principal: Principal) -> None:
        """Put the person's own plan in the place of what was proposed; it still needs their yes."""
        if not principal.is_person:
            raise NotAllowed("Only the person changes what was proposed.")
        proposal = self.get(id, principal)
        if not proposal.state.is_open:
            raise CommandError(f"Proposal {id} is already {proposal.state}.")
        proposal.plan = plan
        self._note(proposal, principal.id, "changed")
        self._events.changed()

    def reject(self, id: str, principal: Principal, reason: str = "") -> Proposal:
        """Say no, and why if the person likes: whoever proposed it gets the words."""
        if not principal.is_person:
            raise NotAllowed("Only the person rejects; cancel your own proposal instead.")
        proposal = self.get(id, principal)
        if proposal.state.is_open:
            proposal.said = one_line(reason)
        return self._close(proposal, ProposalState.REJECTED, principal.id)

    def cancel(self, id: str, principal: Principal) -> Proposal:
        """Withdraw a proposal whose dialog was closed; for a person that is a no."""
        proposal = self._all[id]
        if principal.is_person:
            return self._close(proposal, ProposalState.REJECTED, principal.id)
        return self._close(proposal, ProposalState.CANCELLED, principal.id, WITHDRAWN)

    def drop_of_agents(self) -> None:
        """Withdraw everything agents proposed."""
        for proposal in self.pending():
            if proposal.proposed_by.startswith("agent:"):
                self._close(proposal, ProposalState.CANCELLED, "kill switch")

    def close(self) -> None:
        """The program ends: what agents proposed stays kept, everything else that is open is withdrawn."""
        for proposal in self.pending():
            is_agents = proposal.proposed_by.startswith("agent:")
            if is_agents and self.keeper.is_keeping and not proposal.unkept:
                self._timers.pop(proposal.id).cancel()
            else:
                self._close(
                    proposal, ProposalState.CANCELLED, "quit", "withdrawn: cmdr ended, and it could not be kept"
                )
        for beginning in self._beginning:
            beginning.cancel()

    def _check_quota(self, principal: Principal) -> None:
        if principal.is_person:
            return
        waiting = self._waiting_of(principal.id)
        if waiting >= PENDING_PER_CALLER:
            raise CommandError(
                f"{waiting} of your proposals already wait for the person. Await one, or withdraw one with "
                'dialog {"action": "close", "type": "confirmation", "proposal": "p_…"}, then repeat.'
            )

    def _waiting_of(self, caller: str) -> int:
        waiting = sum(one.state.is_open and one.proposed_by == caller for one in self._all.values())
        return waiting + sum(by == caller for by in self._coming.values())

    def _new(self, plan: Plan, principal: Principal, reason: str) -> Proposal:
        now = time.time()
        lifetime = OWN_LIFETIME_S if principal.is_person else LIFETIME_S
        return Proposal(
            f"p_{secrets.token_urlsafe(9)}", plan, principal.id, one_line(reason), now + lifetime, since=now
        )

    def _enter(self, proposal: Proposal) -> Proposal:
        self._all[proposal.id] = proposal
        self._open(proposal)
        self._note(proposal, proposal.proposed_by, "proposed")
        self._events.changed()
        return proposal

    def _open(self, proposal: Proposal) -> None:
        """Show what waits for an answer, as long as it does."""
        self._workspace.open_dialog(DialogType.CONFIRMATION, proposal.proposed_by, proposal=proposal.id)
        left = max(0.0, proposal.expires_at - time.time())
        self._timers[proposal.id] = asyncio.get_running_loop().call_later(left, self._expire, proposal)

    async def _begin(self, proposal: Proposal, start_job: Callable[[Proposal], str]) -> None:
        is_kept = proposal.proposed_by.startswith("agent:")
        if is_kept:
            await self.keeper.approve(proposal.id)
        proposal.job = start_job(proposal)
        self._forget_oldest()
        self._events.changed()
        if is_kept and self.job_over is not None:
            following = asyncio.get_running_loop().create_task(self._follow(proposal.id, proposal.job, self.job_over))
            self._beginning.add(following)
            following.add_done_callback(self._beginning.discard)

    def _keep_late(self, proposal: Proposal) -> None:
        """Keep a proposal that waits already."""
        proposal.unkept = "it is still being written"

        async def keep() -> None:
            proposal.unkept = await self.keeper.keep(_kept(proposal))
            if not proposal.state.is_open:
                self.keeper.forget(proposal.id)

        keeping = asyncio.get_running_loop().create_task(keep())
        self._beginning.add(keeping)
        keeping.add_done_callback(self._beginning.discard)

    async def _follow(self, id: str, job: str, job_over: Callable[[str], Awaitable[None]]) -> None:
        await job_over(job)
        self.keeper.forget(id)

    def _expire(self, proposal: Proposal) -> None:
        self._close(proposal, ProposalState.EXPIRED, "time", EXPIRED)

    def _forgo(self, proposal: Proposal, state: ProposalState, how: str) -> None:
        """What was kept is not asked about any more; the person is told why."""
        proposal.state = state
        self._note(proposal, "restart", state.value)
        self._tell_ended(proposal, how)
        self.keeper.forget(proposal.id)
        self._forget_oldest()

    def _tell_ended(self, proposal: Proposal, how: str) -> None:
        if proposal.proposed_by.startswith("agent:"):
            self.ended.add(EndedProposal(proposal.id, proposal.proposed_by, title_of(proposal.plan), how, time.time()))

    def _close(self, proposal: Proposal, state: ProposalState, by: str, how: str = "") -> Proposal:
        """Settle what waits; with `how` the person is told of it until they have seen it."""
        if proposal.state.is_open:
            self._settle(proposal, state, by)
            if how:
                self._tell_ended(proposal, how)  # before its file goes: killed in between, it is told all the same
            if proposal.proposed_by.startswith("agent:"):
                self.keeper.forget(proposal.id)
            self._forget_oldest()
            self._events.changed()
        return proposal

    def _settle(self, proposal: Proposal, state: ProposalState, by: str) -> None:
        proposal.state = state
        self._timers.pop(proposal.id).cancel()
        for dialog in self._workspace.dialogs_of(DialogType.CONFIRMATION):
            if dialog.proposal == proposal.id:
                self._workspace.close_dialog(dialog)
        self._note(proposal, by, state.value)
        if self.answered is not None and by.startswith("person:"):
            self.answered(proposal)

    def _note(self, proposal: Proposal, by: str, decision: str) -> None:
        plan = proposal.plan
        paths = tuple(to_wire(item.place.path) for item in plan.told[:5])
        self._audit.record(
            AuditRecord(by, f"proposal {proposal.id}", "", "ok", paths=paths, decision=decision, plan=plan.digest)
        )

    def _forget_oldest(self) -> None:
        settled = [proposal for proposal in self._all.values() if not proposal.state.is_open]
        steps = 0
        for number, proposal in enumerate(reversed(settled), start=1):
            steps += len(proposal.plan.items)
            if steps > KEPT_STEPS or number > KEPT:
                proposal.plan = outline_of(proposal.plan, title_of(proposal.plan))
            if number > KEPT:
                del self._all[proposal.id]


def _kept(proposal: Proposal) -> KeptProposal:
    """A proposal as it is kept."""
    return KeptProposal(
        proposal.id, proposal.proposed_by, proposal.reason, proposal.since, proposal.expires_at, proposal.plan
    )
