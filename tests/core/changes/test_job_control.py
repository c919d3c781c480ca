"""What the loop asks of a running job its thread obeys; its speed is measured while it works."""

import threading
import time

import pytest

from cmdr.core.changes import job_control
from cmdr.core.changes.job_control import JobControl, Meter
from cmdr.engine.run.control import Answer, Cancelled, Conflict, Progress
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Kind, Place, PlanItem, StepName

ITEM = PlanItem(StepName.COPY, Kind.FILE, Place(b"/a", b"x"), Place(b"/b", b"x"))
CONFLICT = Conflict("q1", ITEM, Fingerprint(1, 2, 3, 4, Kind.FILE))


class Worker:
    """Runs something in a thread and keeps what came of it."""

    def __init__(self, work):
        self.outcome = None
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            self.outcome = self._work()
        except Cancelled:
            self.outcome = "cancelled"

    @property
    def is_running(self):
        return self._thread.is_alive()

    def result(self):
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.outcome


def reins_with(report=None, ask=None):
    return JobControl(report or (lambda progress: None), ask or (lambda conflict: None))


def test_a_free_operation_just_goes_on():
    assert Worker(reins_with().checkpoint).result() is None


def test_a_paused_operation_waits_until_it_may_go_on():
    control = reins_with()
    control.pause()
    assert control.is_paused
    worker = Worker(control.checkpoint)
    worker._thread.join(0.05)
    assert worker.is_running
    control.resume()
    assert worker.result() is None
    assert not control.is_paused


@pytest.mark.parametrize("paused", [False, True])
def test_a_cancelled_operation_stops_at_its_next_step(paused):
    control = reins_with()
    if paused:
        control.pause()
    worker = Worker(control.checkpoint) if paused else None
    control.cancel()
    worker = worker or Worker(control.checkpoint)
    assert worker.result() == "cancelled"


def test_a_question_waits_for_its_own_answer():
    asked = threading.Event()
    control = reins_with(ask=lambda conflict: asked.set())
    worker = Worker(lambda: control.ask(CONFLICT))
    assert asked.wait(60)
    control.answer("another", Answer(ConflictPolicy.OVERWRITE))
    worker._thread.join(0.05)
    assert worker.is_running
    control.answer("q1", Answer(ConflictPolicy.SKIP, for_all=True))
    assert worker.result() == Answer(ConflictPolicy.SKIP, for_all=True)


def test_an_answer_that_comes_before_the_wait_is_not_lost():
    holder = []
    control = reins_with(ask=lambda conflict: holder[0].answer("q1", Answer(ConflictPolicy.RENAME)))
    holder.append(control)
    assert Worker(lambda: control.ask(CONFLICT)).result() == Answer(ConflictPolicy.RENAME)


def test_a_cancel_ends_a_question_too():
    asked = threading.Event()
    control = reins_with(ask=lambda conflict: asked.set())
    worker = Worker(lambda: control.ask(CONFLICT))
    assert asked.wait(60)
    control.cancel()
    assert worker.result() == "cancelled"


def test_progress_is_told_now_and_then_and_always_at_the_end(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    told = []
    control = reins_with(report=told.append)
    for done in range(1, 11):
        control.progress(Progress(done, 10, 0, 0, None))
        clock[0] += 0.03
    assert [progress.items_done for progress in told] == [1, 5, 9, 10]


@pytest.fixture
def moved_clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(job_control.time, "monotonic", lambda: now[0])
    return now


def test_the_speed_is_bytes_a_second_smoothed(moved_clock):
    speed = Meter()
    assert speed.rate(1000) == 0
    moved_clock[0] += 1
    assert speed.rate(1000) == 1000
    moved_clock[0] += 1
    assert speed.rate(3000) == pytest.approx(0.7 * 1000 + 0.3 * 2000)


def test_a_pause_does_not_count(moved_clock):
    speed = Meter()
    moved_clock[0] += 1
    assert speed.rate(1000) == 1000
    moved_clock[0] += 3600
    speed.restart()
    assert speed.rate(1000) == 0
    moved_clock[0] += 1
    assert speed.rate(2000) == 1000
