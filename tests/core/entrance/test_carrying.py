"""Answers that take long: few for one caller, a bounded number in all, and none of it for people."""

import pytest

from cmdr.core.entrance.carrying import Carrying
from cmdr.core.errors import TooMany
from cmdr.core.principals import PERSON, Principal

ADA, BEN, CARL = (Principal("agent", name, token=True) for name in ("ada", "ben", "carl"))


@pytest.fixture
def carrying():
    return Carrying("download", each=2, all=3)


def test_one_caller_gets_few_and_the_next_when_one_is_over(carrying):
    carrying.begin(ADA)
    carrying.begin(ADA)
    with pytest.raises(TooMany, match="Too many download calls"):
        carrying.begin(ADA)
    carrying.end(ADA)
    carrying.begin(ADA)


def test_all_agents_together_get_a_bounded_number(carrying):
    for caller in (ADA, ADA, BEN):
        carrying.begin(caller)
    with pytest.raises(TooMany):
        carrying.begin(CARL)
    carrying.end(ADA)
    carrying.begin(CARL)


def test_people_are_not_counted(carrying):
    for _ in range(10):
        carrying.begin(PERSON)
    carrying.end(PERSON)
    carrying.begin(ADA)
