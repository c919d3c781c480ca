"""Answers that take long: few for one caller, a bounded number in all, and none of it for people."""

import pytest

from cmdr.core.admission.limits import Concurrency
from cmdr.core.admission.quotas import ConcurrencyQuota
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import TooMany

ADA, BEN, CARL = (Principal("agent", name, token=True) for name in ("ada", "ben", "carl"))


@pytest.fixture
def quota():
    return ConcurrencyQuota("download", Concurrency(per_caller=2, total=3))


def test_one_caller_gets_few_and_the_next_when_one_is_over(quota):
    quota.begin(ADA)
    quota.begin(ADA)
    with pytest.raises(TooMany, match="Too many download calls"):
        quota.begin(ADA)
    quota.end(ADA)
    quota.begin(ADA)


def test_all_agents_together_get_a_bounded_number(quota):
    for caller in (ADA, ADA, BEN):
        quota.begin(caller)
    with pytest.raises(TooMany):
        quota.begin(CARL)
    quota.end(ADA)
    quota.begin(CARL)


def test_people_are_not_counted(quota):
    for _ in range(10):
        quota.begin(PERSON)
    quota.end(PERSON)
    quota.begin(ADA)
