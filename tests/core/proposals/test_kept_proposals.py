"""Agents' proposals outlive the program: kept before anybody is told, the same after a restart, never run twice."""

import asyncio
import os
import threading
import time

import pytest

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.proposals import proposals as proposing
from cmdr.core.proposals.kept_forms import KeptProposal
from cmdr.core.proposals.proposal_store import NotKept, ProposalStore
from cmdr.core.proposals.proposals import PENDING_PER_CALLER, Proposals
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.model.plans.command_plan import CodePlan, CommandPlan
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb
from cmdr.model.rules import Admission

AGENT = Principal("agent", "tester", token=True)
OTHER = Principal("agent", "other", token=True)


def plan_for(name=b"new"):
    item = PlanItem(StepName.MAKE, Kind.FOLDER, target=Place(b"/d", name), totals=Totals(folders=1))
    return Plan(Verb.MKDIR, (item,), (Root(b"/d", 1, 2),))


class Run:
    """One run of the program, on a folder that outlives it."""

    def __init__(self, audit, state):
        self.workspace = Workspace.at(b"/", b"/")
        self.events = Events(self.workspace)
        self.store = ProposalStore(str(state))
        self.proposals = Proposals(self.workspace, self.events, audit, self.store)
        self.started = []
        self.over = asyncio.Event()
        self.proposals.start_job = self.start
        self.proposals.job_over = self.job_over

    def start(self, proposal):
        self.started.append((proposal.id, self.files))
        return f"j_{len(self.started)}"

    async def job_over(self, job):
        await self.over.wait()

    async def load(self):
        found = await self.proposals.keeper.load()
        self.proposals.ended.restore(found.ended, found.more)
        for kept in found.approved:
            self.proposals.restore_approved(kept)
        for kept in found.waiting:
            self.proposals.restore(kept)
        return found

    async def end(self):
        self.proposals.close()
        await self.settled()

    async def settled(self):
        """Wait until all is written."""
        while self.proposals.keeper._under_way:
            await self.proposals.keeper.close(60)

    @property
    def files(self):
        return sorted(os.listdir(self.store._folder))


@pytest.fixture
def run(audit, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda: Run(audit, tmp_path / "state")


async def test_it_is_kept_before_its_agent_is_answered(run, monkeypatch):
    first = run()
    seen = []
    keep = first.store.keep
    monkeypatch.setattr(first.store, "keep", lambda kept: (keep(kept), seen.append(first.proposals.all())))
    proposal = await first.proposals.propose(plan_for(), AGENT, "because")
    assert seen == [[]], "nobody could see it before it was kept"
    assert first.files == [f"{proposal.id}.waiting"]
    mine = await first.proposals.propose(plan_for(), PERSON)
    assert first.files == [f"{proposal.id}.waiting"], "the person's own question is not kept"
    assert mine.expires_at < proposal.expires_at
    await first.proposals.approve(mine.id, mine.plan.digest, PERSON)
    assert first.files == [f"{proposal.id}.waiting"]
    await first.end()


async def test_after_a_restart_it_is_the_same_and_is_approved(run):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT, "because")
    mine = await first.proposals.propose(plan_for(), PERSON)
    await first.end()
    assert (proposal.state, mine.state) == ("pending", "cancelled")
    second = run()
    await second.load()
    (again,) = second.proposals.pending()
    assert (again.id, again.plan.digest, again.proposed_by, again.reason) == (
        proposal.id,
        proposal.plan.digest,
        "agent:tester",
        "because",
    )
    assert (again.since, again.expires_at) == (proposal.since, proposal.expires_at)
    assert [dialog.proposal for dialog in second.workspace.dialogs_of(DialogType.CONFIRMATION)] == [proposal.id]
    assert second.proposals.get(proposal.id, AGENT) is again
    with pytest.raises(CommandError, match="No proposal"):
        second.proposals.get(proposal.id, OTHER)
    with pytest.raises(CommandError, match="not the plan that was shown"):
        await second.proposals.approve(again.id, plan_for(b"other").digest, PERSON)
    await second.proposals.approve(again.id, again.plan.digest, PERSON)
    assert second.started == [(proposal.id, [f"{proposal.id}.approved"])], "the yes was noted before the job began"
    second.over.set()
    while second.files:
        await asyncio.sleep(0)
        await second.settled()
    await second.end()


async def test_killed_after_the_yes_it_is_told_and_neither_asked_nor_run_again(run):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT)
    await first.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    await first.end()
    second = run()
    await second.load()
    assert (second.proposals.pending(), second.started) == ([], [])
    (told,) = second.proposals.ended.all()
    assert (told.id, told.how) == (proposal.id, "approved, and cmdr ended before it was over: see the history")
    assert second.proposals.get(proposal.id, AGENT).state == "cancelled"
    with pytest.raises(CommandError, match="already cancelled"):
        await second.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    await second.end()
    assert second.files == ["ended.json"]


async def test_answered_ones_are_forgotten(run):
    first = run()
    one, two, three = [await first.proposals.propose(plan_for(), AGENT) for _ in range(3)]
    first.proposals.reject(one.id, PERSON, "no")
    first.proposals.cancel(two.id, AGENT)
    first.proposals.drop_of_agents()
    await first.end()
    assert three.state == "cancelled"
    second = run()
    found = await second.load()
    assert (found.waiting, found.approved) == ([], [])
    assert [(told.id, told.how) for told in second.proposals.ended.all()] == [(two.id, "withdrawn before you answered")]
    second.proposals.ended.seen([two.id])
    await second.end()
    third = run()
    await third.load()
    assert third.proposals.ended.all() == []


async def test_what_expired_while_cmdr_was_off_is_told_and_its_agent_hears_it(run, monkeypatch):
    monkeypatch.setattr(proposing, "LIFETIME_S", 0.0)
    first = run()
    kept = await first.proposals.propose(plan_for(), AGENT)
    kept.state = proposing.ProposalState.PENDING
    await first.end()
    second = run()
    await second.load()
    assert second.proposals.pending() == []
    assert second.proposals.get(kept.id, AGENT).state == "expired"
    assert [told.id for told in second.proposals.ended.all()] == [kept.id]
    second.proposals.ended.seen([kept.id])
    assert second.proposals.ended.all() == []
    await second.end()


async def test_a_clock_that_was_set_back_gives_nobody_more_time(run):
    first = run()
    first.proposals.restore(
        KeptProposal("p_123456789012", "agent:tester", "", time.time(), time.time() + 10**9, plan_for())
    )
    (proposal,) = first.proposals.pending()
    assert proposal.expires_at <= time.time() + proposing.LIFETIME_S
    await first.end()


async def test_code_for_a_kernel_that_is_gone_is_told_and_a_command_waits_on(run):
    first = run()
    code = await first.proposals.propose(CodePlan(Verb.RUN, (), command="x", client="agent:tester"), AGENT)
    command = await first.proposals.propose(CommandPlan(Verb.RUN, (), command="make"), AGENT)
    await first.end()
    second = run()
    await second.load()
    assert [proposal.id for proposal in second.proposals.pending()] == [command.id]
    (told,) = second.proposals.ended.all()
    assert (told.id, told.how) == (code.id, "withdrawn: cmdr ended, and the kernel that was to run it with it")
    await second.end()


async def test_what_this_run_cannot_carry_out_is_refused_and_still_waits(run):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT)

    def refuse(_):
        raise CommandError("not here")

    first.proposals.may_start = refuse
    with pytest.raises(CommandError, match="not here"):
        await first.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert proposal.state.is_open
    first.proposals.may_start = lambda _: None
    await first.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    await first.end()


async def test_what_could_not_be_kept_waits_all_the_same_says_so_and_is_told_at_the_end(run, monkeypatch):
    first = run()

    def full(_):
        raise NotKept("No space left on device")

    monkeypatch.setattr(first.store, "keep", full)
    proposal = await first.proposals.propose(plan_for(), AGENT)
    assert (proposal.state, proposal.unkept) == ("pending", "No space left on device")
    await first.end()
    assert proposal.state == "cancelled"
    second = run()
    await second.load()
    (told,) = second.proposals.ended.all()
    assert told.how == "withdrawn: cmdr ended, and it could not be kept"
    await second.end()


async def test_those_that_are_being_kept_count_too(run, monkeypatch):
    first = run()
    gate = threading.Event()
    monkeypatch.setattr(first.store, "keep", lambda kept: gate.wait(60))
    coming = [asyncio.ensure_future(first.proposals.propose(plan_for(), AGENT)) for _ in range(PENDING_PER_CALLER + 3)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    refused = [task for task in coming if task.done()]
    gate.set()
    assert len(refused) == 3
    for task in refused:
        with pytest.raises(CommandError, match="5 of your proposals already wait"):
            task.result()
    await asyncio.gather(*(task for task in coming if task not in refused))
    assert len(first.proposals.pending()) == PENDING_PER_CALLER
    await first.end()


async def test_an_agent_that_goes_while_its_proposal_is_being_kept_leaves_nothing(run, monkeypatch):
    first = run()
    begun, gate, keep = threading.Event(), threading.Event(), first.store.keep

    def slowly(kept):
        begun.set()
        gate.wait(60)
        keep(kept)

    monkeypatch.setattr(first.store, "keep", slowly)
    proposing_it = asyncio.ensure_future(first.proposals.propose(plan_for(), AGENT))
    while not begun.is_set():
        await asyncio.sleep(0)
    proposing_it.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await proposing_it
    await first.settled()
    assert (first.files, first.proposals.all(), first.proposals._coming) == ([], [], {})


async def test_a_yes_counts_also_when_whoever_gave_it_goes_at_once(run, monkeypatch):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT)
    approving = asyncio.ensure_future(first.proposals.approve(proposal.id, proposal.plan.digest, PERSON))
    await asyncio.sleep(0)
    approving.cancel()
    while not first.started:
        await first.events.beyond(first.events.rev)
    assert (proposal.state, proposal.job) == ("approved", "j_1")
    await first.end()


async def test_a_disk_that_does_not_take_the_note_holds_nobody_up(run, monkeypatch, caplog):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT)

    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(first.store, "approve", broken)
    await first.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert proposal.job == "j_1"
    assert "could not be noted" in caplog.text
    await first.end()


async def test_a_folder_that_cannot_be_used_keeps_nobody_from_starting(run, tmp_path, caplog):
    (tmp_path / "state" / "proposals").symlink_to("/tmp")
    first = run()
    found = await first.load()
    assert "symbolic link" in found.problem
    proposal = await first.proposals.propose(plan_for(), AGENT)
    assert "symbolic link" in proposal.unkept
    await first.end()


async def test_what_ends_while_the_last_list_is_being_written_is_in_the_next(run, monkeypatch):
    first = run()
    for _ in range(3):
        proposal = await first.proposals.propose(plan_for(), AGENT)
        first.proposals.cancel(proposal.id, AGENT)
    await first.end()
    second = run()
    await second.load()
    assert len(second.proposals.ended.all()) == 3
    await second.end()


async def test_a_second_no_changes_neither_the_answer_nor_its_words(run):
    first = run()
    proposal = await first.proposals.propose(plan_for(), AGENT)
    first.proposals.reject(proposal.id, PERSON, "first")
    assert first.proposals.reject(proposal.id, PERSON, "second").said == "first"
    await first.end()


async def test_without_a_way_to_follow_jobs_a_yes_is_told_at_the_next_start(run):
    first = run()
    first.proposals.job_over = None
    proposal = await first.proposals.propose(plan_for(), AGENT)
    await first.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    await first.end()
    assert first.files == [f"{proposal.id}.approved"]


async def admitted(run):
    """A proposal that a rule has admitted, which turns out to need the person."""
    await run.load()
    plan = plan_for()
    proposal = run.proposals.admit(plan, AGENT, Admission(plan.digest, AGENT.name, (1,)))
    run.proposals.ask_instead(proposal, plan, "it became risky")
    return proposal


async def test_what_a_rule_admitted_and_is_asked_after_all_is_kept_too(run):
    first = run()
    proposal = await admitted(first)
    while proposal.unkept:
        await asyncio.sleep(0)
    await first.end()
    second = run()
    await second.load()
    assert [(one.id, one.state) for one in second.proposals.pending()] == [(proposal.id, "pending")]
    await second.end()


async def test_what_was_answered_before_it_could_be_kept_is_not_kept(run):
    first = run()
    proposal = await admitted(first)
    first.proposals.reject(proposal.id, PERSON)
    while first.proposals._beginning:
        await asyncio.sleep(0)
    await first.settled()
    assert not [name for name in first.files if name.startswith(proposal.id)]
    await first.end()
