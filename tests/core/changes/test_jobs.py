"""Jobs: one after the other on each device, side by side on different ones, steered by people."""

import asyncio
import os
import queue
import threading

import pytest

from cmdr.core.audit.chain import read_log
from cmdr.core.changes import job_control, job_outcome, jobs, lanes
from cmdr.core.changes.jobs import KEPT, Jobs
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.engine.journal.records import ItemState
from cmdr.engine.run.control import Cancelled, Conflict, Progress
from cmdr.engine.run.item_results import ItemResults
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.steps.step import StepResult
from cmdr.model.history import OperationState
from cmdr.model.job import Job, JobState
from cmdr.model.panes.workspace import Workspace
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb


def plan_on(*devices, items=1):
    roots = tuple(Root(b"/d%d" % device, device, 1) for device in devices)
    return Plan(
        Verb.COPY,
        tuple(
            PlanItem(
                StepName.COPY,
                Kind.FILE,
                Place(roots[0].path, b"f%d" % number),
                Place(roots[-1].path, b"f%d" % number),
                totals=Totals(1, 0, 10),
            )
            for number in range(items)
        ),
        roots,
    )


def outcome_of(plan, *, failed=(), state=OperationState.DONE):
    results = ItemResults(plan.items)
    for index in range(len(plan.items)):
        results.settle(index, StepResult(ItemState.FAILED, "broken") if index in failed else StepResult())
    return Outcome(7, plan, state, results)


class FakeRun:
    """An operation that does what the test tells it: one instruction after the other, each in its own thread."""

    def __init__(self):
        self.begun = queue.SimpleQueue()
        self.orders = {}

    def __call__(self, plan, by, control):
        orders = self.orders.setdefault(id(plan), queue.SimpleQueue())
        self.begun.put((plan, by, control))
        while True:
            order = orders.get(timeout=60)
            try:
                outcome = order(plan, control)
            except Cancelled:
                return outcome_of(plan, state=OperationState.CANCELLED)
            if outcome is not None:
                return outcome

    def tell(self, plan, order):
        self.orders.setdefault(id(plan), queue.SimpleQueue()).put(order)

    def finish(self, plan, **how):
        self.tell(plan, lambda plan, control: outcome_of(plan, **how))


class Bench:
    def __init__(self, audit):
        self.run = FakeRun()
        self.events = Events(Workspace.at(b"/", b"/"))
        self.jobs = Jobs(self.run, self.events, audit)

    def start(self, *devices, by="agent:tester", **how):
        plan = plan_on(*devices, **how)
        job = self.jobs.start(plan, by)
        return plan, job

    async def until(self, job, *states):
        while job.state not in states:
            await asyncio.wait_for(self.events.beyond(self.events.rev), 60)

    async def begun(self, plan):
        """Wait until the operation's thread really runs."""
        found = await asyncio.to_thread(self.run.begun.get, True, 60)
        assert found[0] is plan


@pytest.fixture
def bench(audit):
    return Bench(audit)


async def test_a_job_runs_and_tells_its_outcome(bench, audit, tmp_path):
    plan, job = bench.start(1)
    assert (job.state, job.title) == ("running", "Copy 1 file, 10 B")
    bench.run.finish(plan)
    await bench.jobs.finished(job)
    assert (job.state, job.operation, job.outcome) == ("done", 7, "copy done: 1 file, 10 B")
    audit.flush()
    (row,) = [row for row in read_log(str(tmp_path / "audit")) if row["what"] == f"job {job.id}"]
    assert (row["who"], row["decision"], row["plan"]) == ("agent:tester", "done", plan.digest)


async def test_jobs_on_one_device_run_one_after_the_other(bench):
    started = [bench.start(1) for _ in range(3)]
    assert [job.state for _, job in started] == ["running", "queued", "queued"]
    for place, (plan, job) in enumerate(started):
        await bench.begun(plan)
        assert [other.state for _, other in started[place + 1 :]] == ["queued"] * (2 - place)
        bench.run.finish(plan)
        await bench.jobs.finished(job)


async def test_jobs_on_different_devices_run_side_by_side(bench):
    (one, first), (two, second) = bench.start(1), bench.start(2)
    await bench.begun(one)
    await bench.begun(two)
    assert (first.state, second.state) == ("running", "running")
    for plan in (two, one):
        bench.run.finish(plan)
    await bench.jobs.finished(first)
    await bench.jobs.finished(second)


async def test_a_job_on_two_devices_waits_for_both_and_is_not_overtaken(bench):
    one, first = bench.start(1)
    both, second = bench.start(1, 2)
    two, third = bench.start(2)
    assert [job.state for job in (first, second, third)] == ["running", "queued", "queued"]
    bench.run.finish(one)
    await bench.until(second, JobState.RUNNING)
    assert third.state == "queued"
    bench.run.finish(both)
    await bench.until(third, JobState.RUNNING)
    bench.run.finish(two)
    await bench.jobs.finished(third)


async def test_cancelling_a_queued_job_lets_those_behind_it_begin(bench):
    """They went on waiting until another job ended."""
    one, first = bench.start(1)
    _, second = bench.start(1, 2)
    two, third = bench.start(2)
    bench.jobs.cancel(second)
    assert (second.state, second.outcome) == ("cancelled", "cancelled before it began")
    assert third.state == "running"
    for plan in (one, two):
        bench.run.finish(plan)
    await bench.jobs.finished(first)
    await bench.jobs.finished(third)
    assert bench.jobs._plans == {}


async def test_pause_and_resume(bench):
    plan, job = bench.start(1)
    bench.jobs.pause(job)
    assert job.state == "paused"
    passed = threading.Event()
    bench.run.tell(plan, lambda plan, control: (control.checkpoint(), passed.set())[0])
    await bench.begun(plan)
    assert not await asyncio.to_thread(passed.wait, 0.05)
    with pytest.raises(CommandError, match="only a running one can be paused"):
        bench.jobs.pause(job)
    bench.jobs.go_on(job)
    assert await asyncio.to_thread(passed.wait, 60)
    with pytest.raises(CommandError, match="only a paused one can be resumed"):
        bench.jobs.go_on(job)
    bench.run.finish(plan)
    await bench.jobs.finished(job)


@pytest.mark.parametrize("paused", [False, True])
async def test_a_running_or_paused_job_can_be_cancelled(bench, paused):
    plan, job = bench.start(1)
    if paused:
        bench.jobs.pause(job)
    bench.run.tell(plan, lambda plan, control: control.checkpoint())
    bench.jobs.cancel(job)
    bench.run.tell(plan, lambda plan, control: control.checkpoint())
    await bench.jobs.finished(job)
    assert job.state == "cancelled"
    bench.jobs.cancel(job)
    assert job.state == "cancelled"


def ask(id):
    def order(plan, control):
        control.ask(Conflict(id, plan.items[0], Fingerprint(1, 2, 300, 400, Kind.FILE)))

    return order


async def test_a_question_waits_for_the_answer_to_itself(bench):
    plan, job = bench.start(1)
    answers = []

    def order(plan, control):
        answers.append(control.ask(Conflict("q1", plan.items[0], Fingerprint(1, 2, 300, 400, Kind.FILE))))

    bench.run.tell(plan, order)
    await bench.until(job, JobState.WAITING)
    assert (job.question.id, job.question.target, job.question.target_size) == ("q1", b"/d1/f0", 300)
    for wrong in ("q0", "", "x\ny"):
        with pytest.raises(CommandError, match="does not ask"):
            bench.jobs.answer(job, wrong, ConflictPolicy.SKIP, for_all=False)
    with pytest.raises(CommandError, match="not an answer"):
        bench.jobs.answer(job, "q1", ConflictPolicy.ASK, for_all=False)
    bench.jobs.answer(job, "q1", ConflictPolicy.OVERWRITE, for_all=True)
    assert job.state == "running"
    with pytest.raises(CommandError, match="does not ask"):
        bench.jobs.answer(job, "q1", ConflictPolicy.SKIP, for_all=False)
    bench.run.finish(plan)
    await bench.jobs.finished(job)
    assert [(answer.policy, answer.for_all) for answer in answers] == [("overwrite", True)]


async def test_a_folder_that_holds_something_else_is_taken_or_left(bench):
    plan, job = bench.start(1)
    answers = []

    def order(plan, control):
        mark = Fingerprint(1, 2, 300, 400, Kind.FOLDER)
        answers.append(control.ask(Conflict("q1", plan.items[0], mark, Totals(501, 2, 4096))))

    bench.run.tell(plan, order)
    await bench.until(job, JobState.WAITING)
    assert (job.question.target, job.question.inside) == (plan.items[0].place.path, "2 folders, 501 files, 4.0 KiB")
    assert job.question.about == "holds something else than was shown"
    with pytest.raises(CommandError, match="overwrite to take all of it, or skip to leave it"):
        bench.jobs.answer(job, "q1", ConflictPolicy.RENAME, for_all=False)
    bench.jobs.answer(job, "q1", ConflictPolicy.OVERWRITE, for_all=False)
    bench.run.finish(plan)
    await bench.jobs.finished(job)
    assert [answer.policy for answer in answers] == ["overwrite"]


async def test_a_waiting_job_holds_up_no_other_device(bench):
    one, first = bench.start(1)
    bench.run.tell(one, ask("q"))
    await bench.until(first, JobState.WAITING)
    two, second = bench.start(2)
    bench.run.finish(two)
    await bench.jobs.finished(second)
    assert first.state == "waiting"
    bench.jobs.cancel(first)
    await bench.jobs.finished(first)
    assert (first.state, first.question) == ("cancelled", None)


async def test_a_job_paused_before_it_asked_is_still_paused_after_the_answer(bench):
    """It was told as running, stood still, and could not be resumed."""
    plan, job = bench.start(1)
    bench.jobs.pause(job)
    bench.run.tell(plan, ask("q"))
    await bench.until(job, JobState.WAITING)
    bench.jobs.answer(job, "q", ConflictPolicy.SKIP, for_all=False)
    assert job.state == "paused"
    bench.jobs.go_on(job)
    bench.run.finish(plan)
    await bench.jobs.finished(job)


async def test_what_failed_can_be_tried_again_once(bench):
    plan, job = bench.start(1, items=3)
    bench.run.finish(plan, failed=(1,))
    await bench.jobs.finished(job)
    assert (job.state, job.can_retry, job.problems) == ("failed", True, ("failed: /d1/f1: broken",))
    again = await bench.jobs.retry(job, "person:terminal")
    await bench.begun(plan)
    tried, by, _ = await asyncio.to_thread(bench.run.begun.get, True, 60)
    assert [item.place.name for item in tried.items] == [b"f1"]
    assert by == "person:terminal"
    with pytest.raises(CommandError, match="nothing to retry"):
        await bench.jobs.retry(job, "person:terminal")
    bench.run.finish(tried)
    await bench.jobs.finished(again)
    assert again.state == "done"
    with pytest.raises(CommandError, match="nothing to retry"):
        await bench.jobs.retry(again, "person:terminal")


async def test_of_jobs_that_can_be_tried_again_only_so_many_steps_are_kept(bench, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT_STEPS", 7)
    failed = []
    for _ in range(4):
        plan, job = bench.start(1, items=3)
        bench.run.finish(plan, failed=(1,))
        await bench.jobs.finished(job)
        failed.append(job)
    assert [job.can_retry for job in failed] == [False, False, True, True]
    with pytest.raises(CommandError, match="nothing to retry"):
        await bench.jobs.retry(failed[0], "person:terminal")
    assert len(bench.jobs._outcomes) == 2


async def test_an_operation_that_breaks_is_a_failed_job_and_the_next_one_begins(bench, caplog):
    plan, job = bench.start(1)
    other, behind = bench.start(1)

    def broken(plan, control):
        raise RuntimeError("the engine broke")

    bench.run.tell(plan, broken)
    await bench.jobs.finished(job)
    assert (job.state, job.outcome) == ("failed", "stopped: the engine broke")
    assert "the engine broke" in caplog.text
    bench.run.finish(other)
    await bench.jobs.finished(behind)
    assert behind.state == "done"


async def test_progress_is_told(bench, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(job_control.time, "monotonic", lambda: clock[0])
    plan, job = bench.start(1)
    moved = threading.Event()

    def order(plan, control):
        clock[0] += 1.0
        control.progress(Progress(0, 1, 5, 10, plan.items[0]))
        moved.set()

    bench.run.tell(plan, order)
    await asyncio.to_thread(moved.wait, 60)
    while not job.progress.bytes_done:
        await asyncio.wait_for(bench.events.beyond(bench.events.rev), 60)
    assert (job.progress.bytes_done, job.progress.current, job.progress.rate) == (5, "/d1/f0", 5.0)
    assert job.progress.seconds_left == 1.0
    bench.run.finish(plan)
    await bench.jobs.finished(job)


async def test_an_agent_sees_only_its_own_jobs(bench, agent):
    plan, job = bench.start(1)
    assert bench.jobs.get(job.id, agent) is job
    assert bench.jobs.get(job.id, PERSON) is job
    with pytest.raises(CommandError, match="No job"):
        bench.jobs.get(job.id, Principal("agent", "other"))
    bench.run.finish(plan)
    await bench.jobs.finished(job)


async def test_closing_cancels_everything_and_begins_nothing(bench):
    one, first = bench.start(1)
    _, second = bench.start(1, 2)
    _, third = bench.start(2)
    bench.run.tell(one, lambda plan, control: control.checkpoint())
    await bench.begun(one)
    closing = asyncio.ensure_future(bench.jobs.close(5))
    await asyncio.sleep(0)
    bench.run.tell(one, lambda plan, control: control.checkpoint())
    await closing
    assert [job.state for job in (first, second, third)] == ["cancelled"] * 3
    assert bench.run.begun.empty()


async def test_a_quit_waits_only_a_little_for_an_operation_that_hangs(bench):
    plan, job = bench.start(1)
    release = threading.Event()
    bench.run.tell(plan, lambda plan, control: release.wait(60) and outcome_of(plan))
    await bench.begun(plan)
    await asyncio.wait_for(bench.jobs.close(0.05), 60)
    assert not job.state.is_over
    release.set()
    await bench.jobs.finished(job)


async def test_work_that_runs_elsewhere_is_ended_by_its_own_hand_and_cannot_be_paused(bench):
    ended = []
    job = Job("j_command", "a command", PERSON.id, frozenset(), JobState.RUNNING)
    bench.jobs.adopt(job, lambda: ended.append(job))
    assert bench.jobs.all() == [job]
    with pytest.raises(CommandError, match="cannot be paused"):
        bench.jobs.pause(job)
    bench.jobs.cancel(job)
    assert ended == [job]


async def test_only_the_last_finished_jobs_are_remembered(bench):
    _, blocker = bench.start(1)
    for _ in range(KEPT + 10):
        bench.jobs.cancel(bench.start(1)[1])
    assert len(bench.jobs.all()) <= KEPT + 2
    assert bench.jobs.running() == [blocker]
    bench.run.finish(bench.jobs._plans[blocker.id])
    await bench.jobs.finished(blocker)


def plan_at(*names):
    """A plan on one device about some names of one folder."""
    root = Root(b"/nowhere", 1, 1)
    items = tuple(PlanItem(StepName.CREATE, Kind.FILE, None, Place(root.path, os.fsencode(name))) for name in names)
    return Plan(Verb.MKFILE, items, (root,))


async def asking(bench, *names, by="person:terminal"):
    """A job that asks, and its plan."""
    plan = plan_at(*names)
    job = bench.jobs.start(plan, by)
    bench.run.tell(plan, lambda plan, control: control.begun(5))
    bench.run.tell(plan, ask("q"))
    await bench.until(job, JobState.WAITING)
    await bench.begun(plan)
    return plan, job


async def settled(bench):
    """Until it is known which plans would meet."""
    while bench.jobs._lanes._comparing:
        await asyncio.gather(*bench.jobs._lanes._comparing)


async def ended(bench, plan, job):
    bench.run.finish(plan)
    await bench.jobs.finished(job)


async def test_a_job_that_asks_lets_others_pass_and_goes_on_beside_them(bench):
    plan, job = await asking(bench, "a")
    other = plan_at("b")
    beside = bench.jobs.start(other, "person:terminal")
    await bench.until(beside, JobState.RUNNING)
    bench.jobs.answer(job, "q", ConflictPolicy.SKIP, for_all=False)
    assert (job.state, beside.state) == ("running", "running")
    third = bench.jobs.start(plan_at("c"), "person:terminal")
    assert (third.state, third.behind) == ("queued", job)
    assert third.waits_behind == "waits behind operation 5 (create file /nowhere/a)"
    await ended(bench, plan, job)
    assert (third.state, third.behind) == ("queued", beside)
    await ended(bench, other, beside)
    await bench.until(third, JobState.RUNNING)
    bench.jobs.cancel(third)
    bench.run.tell(bench.jobs._plans[third.id], lambda plan, control: control.checkpoint())
    await bench.jobs.finished(third)


async def test_what_touches_the_same_places_waits_and_says_behind_what_and_what_touches_that_waits_too(bench):
    plan, job = await asking(bench, "a")
    second, third, fourth = plan_at("a", "b"), plan_at("b"), plan_at("c")
    behind, further, free = (bench.jobs.start(each, "agent:tester") for each in (second, third, fourth))
    await settled(bench)
    await bench.until(free, JobState.RUNNING)
    assert (behind.state, behind.behind) == ("queued", job)
    assert (further.state, further.behind) == ("queued", behind)
    assert behind.is_held and further.is_held and not free.is_held
    assert behind.waits_behind == "waits behind operation 5 (create file /nowhere/a), which asks you"
    assert further.waits_behind_for_agents == "waits behind operation 5, which asks the person"
    assert (free.waits_behind, free.waits_behind_for_agents) == ("", "")
    await ended(bench, fourth, free)
    bench.jobs.answer(job, "q", ConflictPolicy.SKIP, for_all=False)
    await ended(bench, plan, job)
    assert behind.state == "running"
    assert (behind.behind, further.behind) == (None, behind)
    await ended(bench, second, behind)
    await ended(bench, third, further)


async def test_a_paused_job_steps_aside_too(bench):
    plan = plan_at("a")
    job = bench.jobs.start(plan, "person:terminal")
    same = plan_at("a")
    behind = bench.jobs.start(same, "person:terminal")
    assert behind.behind is job
    bench.jobs.pause(job)
    other = plan_at("b")
    beside = bench.jobs.start(other, "person:terminal")
    await settled(bench)
    await bench.until(beside, JobState.RUNNING)
    assert behind.waits_behind == "waits behind “Create file /nowhere/a”, which is paused"
    assert behind.waits_behind_for_agents == "waits behind another change, which is paused"
    bench.jobs.go_on(job)
    for each, one in ((plan, job), (other, beside), (same, behind)):
        await ended(bench, each, one)


async def test_where_it_cannot_be_found_out_whether_two_meet_the_later_one_waits(bench, monkeypatch, caplog):
    _, job = await asking(bench, "a")
    other = plan_at("b")
    monkeypatch.setattr(lanes.TouchedPaths, "of", lambda plan: 1 / 0)
    behind = bench.jobs.start(other, "person:terminal")
    await settled(bench)
    assert behind.behind is job
    assert "would meet" in caplog.text
    bench.jobs.cancel(job)
    await bench.jobs.finished(job)
    await ended(bench, other, behind)


async def test_a_job_that_is_over_before_it_was_compared_is_forgotten(bench):
    _, job = await asking(bench, "a")
    gone = bench.jobs.start(plan_at("b"), "person:terminal")
    bench.jobs.cancel(gone)
    await settled(bench)
    assert gone.state == "cancelled"
    assert bench.jobs._lanes._touching == {}
    bench.jobs.cancel(job)
    await bench.jobs.finished(job)


async def test_stopping_agents_pauses_their_jobs_and_begins_none_until_somebody_says_so(bench):
    plan = plan_at("a")
    job = bench.jobs.start(plan, "agent:tester")
    queued_plan, mine = plan_at("b"), plan_at("b")
    queued = bench.jobs.start(queued_plan, "agent:tester")
    own = bench.jobs.start(mine, "person:terminal")
    command = Job("j_command", "a command", "agent:tester", frozenset(), JobState.RUNNING)
    bench.jobs.adopt(command, lambda: None)
    bench.jobs.stop_agents()
    assert [each.state for each in (job, queued, command)] == ["paused", "paused", "running"]
    assert bench.jobs.paused_by_stop() == [job, queued]
    late_plan = plan_at("late")
    late = bench.jobs.start(late_plan, "agent:tester")
    await settled(bench)
    assert (late.state, own.state, own.behind) == ("paused", "queued", queued)
    bench.jobs.allow_agents()
    assert [each.state for each in (job, queued, late)] == ["paused"] * 3
    bench.jobs.cancel(queued)
    assert queued.outcome == "cancelled before it began"
    await ended(bench, mine, own)
    bench.jobs.go_on(late)
    await settled(bench)
    await bench.until(late, JobState.RUNNING)
    bench.jobs.go_on(job)
    assert bench.jobs.paused_by_stop() == []
    await ended(bench, late_plan, late)
    await ended(bench, plan, job)


async def test_an_agents_job_that_asks_when_agents_are_stopped_stands_still_after_the_answer(bench):
    plan, job = await asking(bench, "a", by="agent:tester")
    bench.jobs.stop_agents()
    assert (job.state, bench.jobs.paused_by_stop()) == ("waiting", [job])
    bench.jobs.answer(job, "q", ConflictPolicy.SKIP, for_all=False)
    assert job.state == "paused"
    bench.jobs.go_on(job)
    bench.run.tell(plan, ask("q2"))
    await bench.until(job, JobState.WAITING)
    bench.jobs.stop_agents()
    bench.jobs.go_on(job)
    assert (job.state, job.is_stopped) == ("waiting", False)
    with pytest.raises(CommandError, match="only a paused one"):
        bench.jobs.go_on(job)
    bench.jobs.answer(job, "q2", ConflictPolicy.SKIP, for_all=False)
    assert job.state == "running"
    await ended(bench, plan, job)


async def test_what_waits_earlier_does_not_wait_for_a_later_one_that_was_held(bench):
    plan = plan_at("x")
    job = bench.jobs.start(plan, "person:terminal")
    mine = plan_at("a")
    own = bench.jobs.start(mine, "person:terminal")
    later = bench.jobs.start(plan_at("a"), "agent:tester")
    bench.jobs.stop_agents()
    await ended(bench, plan, job)
    assert (own.state, later.state) == ("running", "paused")
    bench.jobs.cancel(later)
    await ended(bench, mine, own)


async def test_taking_back_stops_a_job_and_undoes_what_it_did(audit):
    bench, undone = Bench(audit), plan_at("undo")

    async def plan_undo(operation):
        assert operation == 7
        return undone

    bench.jobs._plan_undo = plan_undo
    plan = plan_at("a")
    job = bench.jobs.start(plan, "agent:tester")
    bench.jobs.stop_agents()
    bench.run.tell(plan, lambda plan, control: control.checkpoint())
    back = await bench.jobs.take_back(job, "person:terminal")
    assert (job.state, back.started_by) == ("cancelled", "person:terminal")
    await ended(bench, undone, back)
    once_more = await bench.jobs.take_back(job, "person:terminal")
    await ended(bench, undone, once_more)
    waiting = bench.jobs.start(plan_at("b"), "agent:tester")
    assert await bench.jobs.take_back(waiting, "person:terminal") is None
    assert waiting.state == "cancelled"


async def test_a_failure_stays_until_somebody_has_looked_or_tries_again(bench):
    plan, job = bench.start(1, items=3)
    await ended_badly(bench, plan, job)
    assert bench.jobs.failed_unseen() == [job]
    assert (job.outcome, job.failed, job.unfinished) == ("copy: 2 done, 1 failed", 1, frozenset({b"/d1/f1"}))
    for _ in range(KEPT + 5):
        bench.jobs.cancel(bench.start(1)[1])
    assert job in bench.jobs.all()
    bench.jobs.seen(job)
    assert bench.jobs.failed_unseen() == []
    rev = bench.events.rev
    bench.jobs.seen(job)
    assert bench.events.rev == rev


async def ended_badly(bench, plan, job):
    bench.run.finish(plan, failed=(1,))
    await bench.jobs.finished(job)


async def test_a_failure_that_is_tried_again_is_known(bench):
    plan, job = bench.start(1, items=3)
    await ended_badly(bench, plan, job)
    again = await bench.jobs.retry(job, "person:terminal")
    assert bench.jobs.failed_unseen() == []
    bench.run.finish(bench.jobs._plans[again.id])
    await bench.jobs.finished(again)


async def test_of_very_many_failures_it_is_not_told_which(bench, monkeypatch):
    monkeypatch.setattr(job_outcome, "MAX_UNFINISHED", 1)
    plan, job = bench.start(1, items=3)
    bench.run.finish(plan, failed=(0, 1, 2))
    await bench.jobs.finished(job)
    assert (job.outcome, job.unfinished) == ("copy: nothing done, 3 failed", None)
