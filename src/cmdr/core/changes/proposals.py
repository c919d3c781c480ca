"""Proposals: agents stage changes here, and only a person decides."""

import asyncio
import secrets
import time
from collections.abc import Callable

from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.model.agent_text import one_line
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.plan_text import title_of
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.plans.request_plan import outline_of
from cmdr.model.rules import Admission

LIFETIME = 600.0
PENDING_PER_CALLER = 5
KEPT = 200
"""How many decided proposals are remembered, so that a late `await` still learns what happened."""
KEPT_STEPS = 50_000
"""Steps of all of their plans together; the plans decided on longest ago are remembered without theirs."""


class Proposals:
    """Every proposal by its id, each with a confirmation dialog while it waits."""

    def __init__(self, workspace: Workspace, events: Events, audit: Audit) -> None:
        self._workspace = workspace
        self._events = events
        self._audit = audit
        self._all: dict[str, Proposal] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._missed: list[Proposal] = []
        self.start_job: Callable[[Proposal], str] | None = None
        """What carries an approved proposal out and returns the job's id."""
        self.answered: Callable[[Proposal], None] | None = None
        """Told of every yes and no that the person gives."""

    def add(self, plan: Plan, principal: Principal, reason: str = "") -> Proposal:
        """Stage a plan and open its confirmation."""
        if not principal.is_person:
            waiting = self._waiting_of(principal.id)
            if waiting >= PENDING_PER_CALLER:
                raise CommandError(
                    f"{waiting} of your proposals already wait for the person. Await one, or withdraw one with "
                    'dialog {"action": "close", "type": "confirmation", "proposal": "p_…"}, then repeat.'
                )
        proposal = Proposal(
            f"p_{secrets.token_urlsafe(9)}", plan, principal.id, one_line(reason), time.time() + LIFETIME
        )
        self._all[proposal.id] = proposal
        self._open(proposal)
        self._note(proposal, principal.id, "proposed")
        self._events.changed()
        return proposal

    def admit(self, plan: Plan, principal: Principal, admission: Admission, reason: str = "") -> Proposal:
        """Carry out at once what a rule admitted: the very plan, for the very client that the rule was matched with."""
        is_meant = admission.digest == plan.digest and admission.client == principal.name
        if self.start_job is None or principal.is_person or not is_meant:
            raise NotAllowed("No rule admits this. Ask the person.")
        state = ProposalState.APPROVED
        proposal = Proposal(
            f"p_{secrets.token_urlsafe(9)}", plan, principal.id, one_line(reason), time.time() + LIFETIME, state
        )
        proposal.rule = admission.rule
        self._all[proposal.id] = proposal
        self._note(proposal, principal.id, "proposed")
        self._note(proposal, f"rule {admission.rule}", state.value)
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
            proposal.state, proposal.expires_at = ProposalState.PENDING, time.time() + LIFETIME
            self._note(proposal, by, f"asked instead: {why}")
            self._open(proposal)
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

    def missed(self) -> list[Proposal]:
        """What agents proposed and nobody answered in time, oldest first, until the person has seen it."""
        return list(self._missed)

    def missed_seen(self) -> None:
        """The person knows."""
        if self._missed:
            self._missed.clear()
            self._events.changed()

    def approve(self, id: str, digest: str, principal: Principal) -> Proposal:
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
        self._settle(proposal, ProposalState.APPROVED, principal.id)
        proposal.job = self.start_job(proposal)
        self._forget_oldest()
        self._events.changed()
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

    def reject(self, id: str, principal: Principal) -> Proposal:
        """Say no."""
        if not principal.is_person:
            raise NotAllowed("Only the person rejects; cancel your own proposal instead.")
        return self._close(self.get(id, principal), ProposalState.REJECTED, principal.id)

    def cancel(self, id: str, principal: Principal) -> Proposal:
        """Withdraw a proposal whose dialog was closed; for a person that is a no."""
        proposal = self._all[id]
        state = ProposalState.REJECTED if principal.is_person else ProposalState.CANCELLED
        return self._close(proposal, state, principal.id)

    def drop_of_agents(self) -> None:
        """Withdraw everything agents proposed."""
        for proposal in self.pending():
            if proposal.proposed_by.startswith("agent:"):
                self._close(proposal, ProposalState.CANCELLED, "kill switch")

    def close(self) -> None:
        """Withdraw what is still open at the end of the program."""
        for proposal in self.pending():
            self._close(proposal, ProposalState.CANCELLED, "quit")

    def _waiting_of(self, caller: str) -> int:
        return sum(one.state.is_open and one.proposed_by == caller for one in self._all.values())

    def _open(self, proposal: Proposal) -> None:
        """Show what waits for an answer, as long as it does."""
        self._workspace.open_dialog(DialogType.CONFIRMATION, proposal.proposed_by, proposal=proposal.id)
        self._timers[proposal.id] = asyncio.get_running_loop().call_later(LIFETIME, self._expire, proposal)

    def _expire(self, proposal: Proposal) -> None:
        if proposal.state.is_open:
            if proposal.proposed_by.startswith("agent:"):
                self._missed = [*self._missed, proposal][-KEPT:]
            self._close(proposal, ProposalState.EXPIRED, "time")

    def _close(self, proposal: Proposal, state: ProposalState, by: str) -> Proposal:
        if proposal.state.is_open:
            self._settle(proposal, state, by)
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
