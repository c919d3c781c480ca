"""A change carried through its states: what the panes show and what is said in the end."""

import asyncio
import os

import flow_cases
import pytest

from cmdr import commands
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.flow.change import Confirming, Ended, Following, Planning, Wish
from cmdr.core.flow.run import ChangeRun, outcome_line
from cmdr.engine.journal.journal import Journal
from cmdr.model.job import Job, JobState
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.panes.workspace import Workspace
from cmdr.model.plans.proposal import ProposalState

LETTERS = {"s": "skip", "o": "overwrite", "r": "rename"}


@pytest.fixture
def folders(tmp_path):
    left, right = tmp_path / "left", tmp_path / "right"
    left.mkdir()
    right.mkdir()
    flow_cases.plant(left, right)
    return left, right


@pytest.fixture
def commander(folders, tmp_path):
    commands.register()
    left, right = map(os.fsencode, folders)
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    return lambda: Commander(Workspace.at(left, right), Audit(str(tmp_path / "audit")), engine=engine, watch=False)


def run_of(made, state=None):
    async def ask(command, arguments):
        return await made.ask(PERSON, command, arguments)

    return ChangeRun(made, PERSON, ask, state)


async def answered(made, change, case, left):
    """Carry a change to its end with the answers of a case."""
    if isinstance(change.state, Confirming):
        plan = made.proposals.get(change.state.proposal, PERSON).plan
        if case.lost:
            (left / case.lost).unlink()
        given = {"digest": plan.digest} if case.answer == "y" else {}
        await made.ask(
            PERSON, "approve" if case.answer == "y" else "reject", {"proposal": change.state.proposal, **given}
        )
    else:
        assert not case.answer, "nobody was asked"
    while not isinstance(state := await change.look(here=True), Ended):
        rev = made.events.rev
        if isinstance(state, Following) and state.question is not None:
            answer = {"job": state.job, "question": state.question, "answer": LETTERS[case.question]}
            await made.ask(PERSON, "job.answer", answer)
        elif not isinstance(await change.look(), Ended):
            await asyncio.wait_for(made.events.beyond(rev), 60)


async def test_every_change_of_the_table(flow_case, folders, commander):
    left, right = folders
    made = commander()
    try:
        await made.ask(PERSON, "refresh", {"pane": "left"})
        tab = made.workspace.left.tab
        if flow_case.selected:
            await made.ask(PERSON, "select", {"pane": "left", "names": [*flow_case.selected]})
        change = run_of(made, Planning(Wish(flow_case.sure, flow_case.then)))
        arguments = flow_cases.arguments_in(flow_case, left, right)
        chosen = SelectedEntries.of(tab) if flow_case.acts_on_selection else None
        await change.take(await made.ask(PERSON, flow_case.command, arguments, chosen=chosen))
        await answered(made, change, flow_case, left)
        assert flow_case.said in change.state.said
        assert change.state.is_bad == flow_case.is_bad
        selected = [tab.listing.columns.name(row).decode() for row in tab.selection.rows()]
        assert sorted(selected) == sorted(flow_case.left_selected)
        if flow_case.cursor:
            assert tab.cursor_name().decode() == flow_case.cursor
        flow_cases.check_files(flow_case, left, right)
    finally:
        await made.close()


async def test_a_command_that_plans_nothing_says_so_and_one_that_was_refused_says_nothing(commander):
    made = commander()
    try:
        change = run_of(made)
        assert await change.take(await made.ask(PERSON, "selection.none", {})) == Ended("Selected nothing")
        assert await run_of(made).take(None) == Ended()
    finally:
        await made.close()


async def test_a_proposal_that_is_withdrawn_ends_the_change(commander, folders):
    made = commander()
    try:
        change = run_of(made)
        state = await change.take(await made.ask(PERSON, "delete", {"paths": [str(folders[0] / "readme.md")]}))
        assert isinstance(state, Confirming)
        assert (await change.look()) == state
        made.proposals.close()
        ended = await change.look()
        assert (ended.proposal, ended.is_done) == (ProposalState.CANCELLED, False)
        assert change.give_up() == ended
    finally:
        await made.close()


async def test_a_job_that_takes_longer_than_a_moment_is_only_looked_at(commander):
    made = commander()
    try:
        job = made.jobs._all["j"] = Job("j", "Copy", PERSON.id, frozenset(), JobState.RUNNING)
        change = run_of(made, Following("j"))
        assert await change.look_for(0.01) == Following("j")
        assert change.give_up() == Ended()
        job.state = JobState.DONE
    finally:
        await made.close()


def test_a_lone_failure_tells_its_reason_without_the_folder_one_sees():
    job = Job("j", "Create folder new", "person:terminal", frozenset(), JobState.FAILED)
    job.progress.items_total = 1
    job.outcome, job.problems = "mkdir: nothing done, 1 failed", ("failed: /a/b/new: permission denied",)
    assert outcome_line(job, [b"/a/b", b"/"]) == "Create folder new: failed: new: permission denied"
    job.progress.items_total = 2
    assert outcome_line(job, [b"/a"]) == "mkdir: nothing done, 1 failed; failed: b/new: permission denied"
