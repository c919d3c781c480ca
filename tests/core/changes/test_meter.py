"""The speed of a job is measured while it works, and only then."""

import pytest

from cmdr.core.changes import job_control
from cmdr.core.changes.job_control import Meter


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(job_control.time, "monotonic", lambda: now[0])
    return now


def test_the_speed_is_bytes_a_second_smoothed(clock):
    speed = Meter()
    assert speed.rate(1000) == 0
    clock[0] += 1
    assert speed.rate(1000) == 1000
    clock[0] += 1
    assert speed.rate(3000) == pytest.approx(0.7 * 1000 + 0.3 * 2000)


def test_a_pause_does_not_count(clock):
    speed = Meter()
    clock[0] += 1
    assert speed.rate(1000) == 1000
    clock[0] += 3600
    speed.restart()
    assert speed.rate(1000) == 0
    clock[0] += 1
    assert speed.rate(2000) == 1000
