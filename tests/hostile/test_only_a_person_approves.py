"""No sequence of agent calls changes a file; only a person's yes to the very plan does, once."""

import asyncio
import importlib.util
import json
import os
from pathlib import Path

import pytest

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Access
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.engine.journal.journal import Journal
from cmdr.model.job import JobState
from cmdr.model.panes.workspace import Workspace

_spec = importlib.util.spec_from_file_location("random_agents", Path(__file__).parent / "random_agents.py")
random_agents = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(random_agents)


@pytest.mark.parametrize("seed", range(4))
def test_random_agent_calls_change_no_file(tmp_path, seed):
    top, state = tmp_path / "tree", tmp_path / "state"
    state.mkdir()
    tree = random_agents.make_tree(str(top))
    before = random_agents.photograph(top)
    answered, tried = random_agents.run(tree, str(state), 150, seed)
    assert random_agents.photograph(top) == before
    assert answered > 50
    assert tried > 20


def test_no_command_that_approves_or_acts_is_open_to_an_agent():
    commands.register()
    deciding = {"approve", "reject", "job.answer", "job.rollback", "agents.allow", "operation.resume"}
    assert deciding <= {command.name for command in REGISTRY if command.access is Access.ACT}


def with_commander(errand):
    """Run an errand with a commander over two folders."""

    def test(tmp_path):
        async def run():
            commands.register()
            left, right = tmp_path / "left", tmp_path / "right"
            left.mkdir()
            right.mkdir()
            (left / "a.txt").write_text("a")
            workspace = Workspace.at(os.fsencode(left), os.fsencode(right))
            engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
            commander = Commander(
                workspace, Audit(str(tmp_path / "audit")), engine=engine, rates=RateLimiter(scale=1e9), watch=False
            )
            await commander.start()
            try:
                await errand(commander, left, right)
            finally:
                await commander.close()

        asyncio.run(run())

    test.__name__ = errand.__name__
    test.__doc__ = errand.__doc__
    return test


async def propose_copy(commander):
    await commander.run(SAME_USER, "copy", {"pane": "left"})
    return commander.proposals.pending()[-1]


@with_commander
async def test_a_double_approval_runs_once(commander, left, right):
    proposal = await propose_copy(commander)
    yes = {"proposal": proposal.id, "digest": proposal.plan.digest}
    await commander.run(PERSON, "approve", yes)
    with pytest.raises(CommandError, match="already approved"):
        await commander.run(PERSON, "approve", yes)
    assert "copy done: 1 file" in await commander.run(SAME_USER, "await", {"proposal": proposal.id})
    assert (right / "a.txt").read_text() == "a"
    assert len(commander.jobs.all()) == 1


@with_commander
async def test_another_plan_than_the_one_shown_is_refused(commander, left, right):
    proposal = await propose_copy(commander)
    with pytest.raises(CommandError, match="not the plan that was shown"):
        await commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": "0" * 64})
    assert not list(right.iterdir())


@with_commander
async def test_a_file_that_changed_after_it_was_shown_is_left_alone(commander, left, right):
    proposal = await propose_copy(commander)
    (left / "a.txt").write_text("something else by now")
    await commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
    answer = await commander.run(SAME_USER, "await", {"proposal": proposal.id})
    assert "1 changed meanwhile and left alone" in answer
    assert not list(right.iterdir())


@with_commander
async def test_an_agent_that_approves_is_refused_and_nothing_happens(commander, left, right):
    proposal = await propose_copy(commander)
    with pytest.raises(NotAllowed):
        await commander.run(SAME_USER, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
    with pytest.raises(CommandError):
        await commander.run(SAME_USER, "command", {"id": "approve", "args": {"proposal": proposal.id, "digest": "x"}})
    assert proposal.state.is_open
    assert not list(right.iterdir())


@with_commander
async def test_a_risky_plan_needs_its_word(commander, left, right):
    await commander.run(SAME_USER, "delete", {"pane": "left", "permanent": True})
    proposal = commander.proposals.pending()[-1]
    yes = {"proposal": proposal.id, "digest": proposal.plan.digest}
    with pytest.raises(CommandError, match='type the word "delete"'):
        await commander.run(PERSON, "approve", yes)
    assert (left / "a.txt").exists()
    await commander.run(PERSON, "approve", {**yes, "word": "Delete"})
    await commander.run(SAME_USER, "await", {"proposal": proposal.id})
    assert not (left / "a.txt").exists()


@with_commander
async def test_what_came_into_a_folder_after_an_agent_proposed_it_is_asked_of_the_person_alone(commander, left, right):
    """500 files that nobody had seen were told as "1 file, 1 folder"."""
    (left / "box").mkdir()
    (left / "box" / "seen").write_text("1")
    await commander.run(SAME_USER, "delete", {"paths": [str(left / "box")]})
    proposal = commander.proposals.pending()[-1]
    for number in range(500):
        (left / "box" / f"unseen {number}").write_text("22")
    await commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
    (job,) = commander.jobs.running()
    while job.question is None:
        await commander.events.beyond(commander.events.rev)
    (row,) = json.loads(await commander.run(PERSON, "inbox"))["rows"]
    assert (row["id"], row["kind"], row["question"]) == (job.id, "question", job.question.id)
    assert row["detail"].endswith("holds something else than was shown")
    told = await commander.run(SAME_USER, "jobs.show", {"job": job.id})
    assert "1 folder, 501 files, 1001 B" in told
    answer = {"job": job.id, "question": job.question.id, "answer": "overwrite"}
    with pytest.raises(NotAllowed):
        await commander.run(SAME_USER, "job.answer", answer)
    asked = json.loads(await commander.run(PERSON, "job.follow", {"job": job.id}))["question"]
    assert (asked["shown"], asked["now"]) == ("1 folder, 1 file, 1 B", "1 folder, 501 files, 1001 B")
    assert (left / "box" / "unseen 499").exists()
    await commander.run(PERSON, "job.answer", answer)
    await commander.jobs.finished(job)
    assert job.outcome == "trash done: 501 files, 1 folder, 1001 B"
    assert not (left / "box").exists()


@with_commander
async def test_undo_of_an_approved_copy_brings_the_old_state_back(commander, left, right):
    proposal = await propose_copy(commander)
    await commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
    await commander.run(PERSON, "await", {"proposal": proposal.id})
    await commander.run(PERSON, "undo")
    back = commander.proposals.pending()[-1]
    await commander.run(PERSON, "approve", {"proposal": back.id, "digest": back.plan.digest})
    await commander.run(PERSON, "await", {"proposal": back.id})
    assert [job.state for job in commander.jobs.all()] == [JobState.DONE, JobState.DONE]
    assert not list(right.iterdir())
    assert (left / "a.txt").read_text() == "a"
