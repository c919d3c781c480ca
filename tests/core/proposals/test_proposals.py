"""Agents propose; only a person decides, once, about the very plan that was shown, while it is fresh."""

import asyncio
import time
from dataclasses import replace

import pytest

from cmdr.core.audit.chain import read_log
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.events import Events
from cmdr.core.proposals import proposals as proposing
from cmdr.core.proposals.proposals import KEPT, PENDING_PER_CALLER, Proposals
from cmdr.model.agent_text import MAX_CELLS, cell_width
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb
from cmdr.model.plans.plan_text import summary_of, title_of
from cmdr.model.plans.proposal import ProposalState

OTHER = Principal("agent", "other")


def plan_for(name=b"new"):
    item = PlanItem(StepName.MAKE, Kind.FOLDER, target=Place(b"/d", name), totals=Totals(folders=1))
    return Plan(Verb.MKDIR, (item,), (Root(b"/d", 1, 2),))


def plan_of(files):
    items = tuple(
        PlanItem(
            StepName.COPY,
            Kind.FILE,
            Place(b"/d", b"%d" % number),
            Place(b"/e", b"%d" % number),
            totals=Totals(1, 0, 10),
        )
        for number in range(files)
    )
    return Plan(Verb.COPY, items, (Root(b"/d", 1, 2), Root(b"/e", 1, 3)))


class Board:
    """Proposals with a record of what was started."""

    def __init__(self, audit):
        self.workspace = Workspace.at(b"/", b"/")
        self.events = Events(self.workspace)
        self.proposals = Proposals(self.workspace, self.events, audit)
        self.started = []
        self.proposals.start_job = self.start

    def start(self, proposal):
        self.started.append(proposal)
        return f"j_{len(self.started)}"

    def confirmations(self):
        return [dialog.proposal for dialog in self.workspace.dialogs_of(DialogType.CONFIRMATION)]


@pytest.fixture
def board(audit):
    return Board(audit)


async def test_a_proposal_opens_its_dialog_and_waits(board, agent):
    rev = board.events.rev
    proposal = board.proposals.add(plan_for(), agent, "because")
    assert board.confirmations() == [proposal.id]
    assert board.proposals.pending() == [proposal]
    assert (proposal.state, proposal.proposed_by, proposal.reason) == ("pending", "agent:tester", "because")
    assert board.events.rev > rev
    board.proposals.close()


async def test_a_person_approves_and_the_job_begins(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    approved = await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert (approved.state, approved.job) == ("approved", "j_1")
    assert board.started == [proposal]
    assert board.confirmations() == []


async def test_an_approval_counts_once(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    with pytest.raises(CommandError, match="already approved"):
        await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert len(board.started) == 1


async def test_no_agent_approves_or_rejects_not_even_its_own(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    with pytest.raises(NotAllowed):
        await board.proposals.approve(proposal.id, proposal.plan.digest, agent)
    with pytest.raises(NotAllowed):
        board.proposals.reject(proposal.id, agent)
    assert proposal.state.is_open
    assert board.started == []
    board.proposals.close()


@pytest.mark.parametrize("digest", ["", "0" * 64, "nön-ascii", "\ud800"])
async def test_only_the_plan_that_was_shown_can_be_approved(board, agent, digest):
    """A digest that was not plain ASCII ended in a crash."""
    proposal = board.proposals.add(plan_for(), agent)
    with pytest.raises(CommandError, match="not the plan that was shown"):
        await board.proposals.approve(proposal.id, digest, PERSON)
    with pytest.raises(CommandError, match="not the plan that was shown"):
        await board.proposals.approve(proposal.id, plan_for(b"other").digest, PERSON)
    assert proposal.state.is_open
    board.proposals.close()


async def test_a_rejected_or_withdrawn_proposal_cannot_be_approved(board, agent):
    one, two = (board.proposals.add(plan_for(), agent) for _ in range(2))
    board.proposals.reject(one.id, PERSON)
    board.proposals.cancel(two.id, agent)
    assert (one.state, two.state) == (ProposalState.REJECTED, ProposalState.CANCELLED)
    for proposal in (one, two):
        with pytest.raises(CommandError, match="already"):
            await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert board.confirmations() == []


async def test_closing_the_dialog_as_a_person_is_a_no(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    assert board.proposals.cancel(proposal.id, PERSON).state is ProposalState.REJECTED


async def test_a_proposal_expires_by_itself(board, agent, monkeypatch):
    monkeypatch.setattr(proposing, "LIFETIME_S", 0.02)
    proposal = board.proposals.add(plan_for(), agent)
    while proposal.state.is_open:
        await asyncio.wait_for(board.events.beyond(board.events.rev), 60)
    assert proposal.state is ProposalState.EXPIRED
    assert board.confirmations() == []


async def test_a_proposal_that_outlived_its_time_while_the_machine_slept_is_expired(board, agent):
    """The timer's clock stands still during sleep; the approval did not look at the other one."""
    proposal = board.proposals.add(plan_for(), agent)
    proposal.expires_at = time.time() - 1
    with pytest.raises(CommandError, match="already expired"):
        await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert board.started == []


async def test_one_caller_can_have_only_a_few_waiting(board, agent):
    waiting = [board.proposals.add(plan_for(), agent) for _ in range(PENDING_PER_CALLER)]
    with pytest.raises(CommandError, match="already wait for the person"):
        board.proposals.add(plan_for(), agent)
    board.proposals.add(plan_for(), OTHER)
    board.proposals.cancel(waiting[0].id, agent)
    board.proposals.add(plan_for(), agent)
    for _ in range(PENDING_PER_CALLER + 1):
        board.proposals.add(plan_for(), PERSON)
    board.proposals.close()
    assert board.proposals.pending() == []


async def test_an_agent_sees_only_its_own(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    assert board.proposals.get(proposal.id, agent) is proposal
    assert board.proposals.get(proposal.id, PERSON) is proposal
    with pytest.raises(CommandError, match="No proposal"):
        board.proposals.get(proposal.id, OTHER)
    with pytest.raises(CommandError, match=r"No proposal x\\u\{a\}y"):
        board.proposals.get("x\ny", agent)
    board.proposals.close()


async def test_the_kill_switch_drops_what_agents_proposed_and_nothing_else(board, agent):
    of_agents = [board.proposals.add(plan_for(), agent), board.proposals.add(plan_for(), OTHER)]
    mine = board.proposals.add(plan_for(), PERSON)
    board.proposals.drop_of_agents()
    assert [proposal.state for proposal in of_agents] == ["cancelled", "cancelled"]
    assert board.proposals.pending() == [mine]
    assert board.confirmations() == [mine.id]
    board.proposals.close()


@pytest.mark.parametrize(
    "reason",
    ["two\nlines", "\x1b[2Jclear", "\u202eright to left", "\ud800", "x" * 5000, "a\tb   c"],
    ids=["lines", "escape", "bidi", "surrogate", "long", "space"],
)
async def test_the_reason_is_one_short_printable_line(board, agent, reason):
    told = board.proposals.add(plan_for(), agent, reason).reason
    assert told.isprintable()
    assert cell_width(told) <= MAX_CELLS + len("… (4,700 more characters)") + 1
    board.proposals.close()


async def test_decided_proposals_are_forgotten_after_a_while_and_waiting_ones_never(board, agent):
    first = board.proposals.add(plan_for(), OTHER)
    for _ in range(KEPT + 20):
        board.proposals.cancel(board.proposals.add(plan_for(), agent).id, agent)
    assert board.proposals.get(first.id, OTHER) is first
    assert len(board.proposals._all) <= KEPT + 2
    assert len(board.proposals._timers) == 1
    board.proposals.close()
    assert board.proposals._timers == {}


async def test_of_decided_proposals_only_so_many_steps_are_kept_and_the_words_of_all(board, agent, monkeypatch):
    monkeypatch.setattr(proposing, "KEPT_STEPS", 250)
    waiting = board.proposals.add(plan_of(100), OTHER)
    decided = []
    for _ in range(5):
        decided.append(board.proposals.add(plan_of(100), agent))
        board.proposals.cancel(decided[-1].id, agent)
    assert [len(proposal.plan.items) for proposal in [waiting, *decided]] == [100, 0, 0, 0, 100, 100]
    first, last = decided[0].plan, decided[-1].plan
    assert (title_of(first), first.digest) == (title_of(last), last.digest)
    assert summary_of(first) == [title_of(last), "its 100 steps are no longer kept"]
    board.proposals.close()


async def test_an_approved_plan_is_handed_on_whole_before_its_steps_are_forgotten(board, agent, monkeypatch):
    monkeypatch.setattr(proposing, "KEPT_STEPS", 50)
    handed = []
    board.proposals.start_job = lambda proposal: handed.append(len(proposal.plan.items)) or "j_1"
    proposal = board.proposals.add(plan_of(100), agent)
    await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert (handed, len(proposal.plan.items)) == ([100], 0)


async def test_what_expired_unseen_is_told_in_words_when_the_proposal_itself_is_forgotten(board, agent):
    proposal = board.proposals.add(plan_of(100), agent)
    board.proposals._expire(proposal)
    assert proposal.id in board.proposals.ended
    for _ in range(KEPT):
        board.proposals.cancel(board.proposals.add(plan_for(), OTHER).id, OTHER)
    assert not proposal.plan.items
    told = {one.id: (one.what, one.how) for one in board.proposals.ended.all()}
    assert told[proposal.id] == ("Copy 100 files, 1000 B", "expired without an answer")


async def test_a_short_plan_and_one_that_makes_a_folder_are_kept_whole(board, agent, monkeypatch):
    monkeypatch.setattr(proposing, "KEPT_STEPS", 0)
    for plan in (plan_of(3), plan_for(), replace(plan_of(100), verb=Verb.MKDIR)):
        proposal = board.proposals.add(plan, agent)
        board.proposals.cancel(proposal.id, agent)
        assert proposal.plan is plan


async def test_without_an_engine_nothing_is_approved(board, agent):
    board.proposals.start_job = None
    proposal = board.proposals.add(plan_for(), agent)
    with pytest.raises(CommandError, match="cannot carry out"):
        await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert proposal.state.is_open
    board.proposals.close()


async def test_proposing_and_deciding_are_in_the_audit_log(board, agent, audit, tmp_path):
    proposal = board.proposals.add(plan_for(), agent)
    await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    audit.flush()
    rows = [row for row in read_log(str(tmp_path / "audit")) if row["what"] == f"proposal {proposal.id}"]
    assert [(row["who"], row["decision"], row["plan"]) for row in rows] == [
        ("agent:tester", "proposed", proposal.plan.digest),
        ("person:terminal", "approved", proposal.plan.digest),
    ]
    assert rows[0]["paths"] == ["/d/new"]


async def test_only_the_person_puts_another_plan_in_place_and_only_while_it_waits(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    with pytest.raises(NotAllowed):
        board.proposals.replan(proposal.id, plan_for(b"mine"), agent)
    board.proposals.replan(proposal.id, plan_for(b"theirs"), PERSON)
    with pytest.raises(CommandError, match="not the plan that was shown"):
        await board.proposals.approve(proposal.id, plan_for().digest, PERSON)
    await board.proposals.approve(proposal.id, plan_for(b"theirs").digest, PERSON)
    with pytest.raises(CommandError, match="already approved"):
        board.proposals.replan(proposal.id, plan_for(b"late"), PERSON)
    assert board.started[0].plan == plan_for(b"theirs")


async def test_ids_cannot_be_guessed(board, agent):
    ids = {board.proposals.add(plan_for(), PERSON).id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(id) >= 14 for id in ids)
    board.proposals.close()


async def test_a_decision_stays_whatever_comes_after_it(board, agent):
    proposal = board.proposals.add(plan_for(), agent)
    assert board.proposals.reject(proposal.id, PERSON).state == "rejected"
    assert board.proposals.cancel(proposal.id, agent).state == "rejected"
    proposal.expires_at = 0.0
    with pytest.raises(CommandError, match="already rejected"):
        await board.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert board.proposals.all() == [proposal]
    assert board.proposals.pending() == []
    assert board.started == []
