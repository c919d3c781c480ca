"""Token buckets: a burst, then a steady rate, for each caller and kind of access alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.admission.limits import CALL_RATES, Rate
from cmdr.core.admission.token_bucket import PRUNE_AT, RateLimiter, TokenBuckets
from cmdr.core.dispatch.principals import PERSON, Access, Principal
from cmdr.core.errors import TooMany

ONE, OTHER = Principal("agent", "one"), Principal("agent", "other")
RATES = dict.fromkeys(Access, Rate(2, 3))


def spend(rates, principal, access, now):
    taken = 0
    while True:
        try:
            rates.take(principal, access, now)
        except TooMany as refused:
            return taken, refused
        taken += 1


def test_a_burst_is_let_through_and_then_the_wait_is_told():
    rates = RateLimiter(RATES, scale=1)
    taken, refused = spend(rates, ONE, Access.READ, 100.0)
    assert taken == 3
    assert refused.retry_after_ms == 500
    assert str(refused) == "Too many read calls. Wait 500 ms, then repeat."


def test_callers_and_kinds_of_access_do_not_use_up_each_others_share():
    rates = RateLimiter(RATES, scale=1)
    spend(rates, ONE, Access.READ, 0.0)
    assert spend(rates, ONE, Access.VIEW, 0.0)[0] == 3
    assert spend(rates, OTHER, Access.READ, 0.0)[0] == 3


def test_a_bucket_never_holds_more_than_its_burst():
    rates = RateLimiter(RATES, scale=1)
    spend(rates, ONE, Access.READ, 0.0)
    assert spend(rates, ONE, Access.READ, 1e6)[0] == 3


def test_people_are_not_limited():
    rates = RateLimiter(dict.fromkeys(Access, Rate(0.001, 1)), scale=1)
    for _ in range(1000):
        rates.take(PERSON, Access.ACT, 0.0)


@given(
    st.floats(0.05, 100),
    st.integers(1, 20),
    st.lists(st.floats(0, 3), min_size=1, max_size=30),
    st.floats(0, 1e9),
)
def test_whoever_waits_as_long_as_told_is_let_through(speed, burst, pauses, start):
    """Rounding the wait down refused the repeated call once more."""
    rates, now = RateLimiter(dict.fromkeys(Access, Rate(speed, burst)), scale=1), start
    for pause in pauses:
        now += pause
        _, refused = spend(rates, ONE, Access.VIEW, now)
        now += refused.retry_after_ms / 1000
        rates.take(ONE, Access.VIEW, now)


@given(st.lists(st.floats(0, 0.4), min_size=20, max_size=60))
def test_no_caller_gets_more_than_burst_and_rate_over_any_time(pauses):
    rates, now, taken = RateLimiter(RATES, scale=1), 0.0, 0
    for pause in pauses:
        now += pause
        try:
            rates.take(ONE, Access.READ, now)
            taken += 1
        except TooMany:
            pass
    assert taken <= 3 + 2 * now + 1e-3


def test_the_scale_raises_burst_and_rate(monkeypatch):
    monkeypatch.setenv("CMDR_MCP_RATE_SCALE", "10")
    assert spend(RateLimiter(RATES), ONE, Access.READ, 0.0)[0] == 30


@pytest.mark.parametrize("access", Access)
def test_every_kind_of_access_has_a_rate(access):
    assert CALL_RATES[access].burst >= 1
    assert spend(RateLimiter(scale=1), ONE, access, 0.0)[0] == CALL_RATES[access].burst


def test_buckets_that_are_full_again_are_forgotten_and_the_others_remembered():
    buckets, rate = TokenBuckets(1), Rate(1, 10)
    for caller in range(PRUNE_AT - 1):
        buckets.take(caller, rate, 0.0)
    for _ in range(10):
        buckets.take("greedy", rate, 0.0)
    assert len(buckets) <= PRUNE_AT
    for caller in range(10 * PRUNE_AT):
        buckets.take(f"later {caller}", rate, 5.0)
    assert len(buckets) < 11 * PRUNE_AT
    assert [buckets.take("greedy", rate, 5.0) for _ in range(6)] == [0, 0, 0, 0, 0, 1000]
    for caller in range(2 * 11 * PRUNE_AT):
        buckets.take(f"last {caller}", rate, 60.0 + caller)
    assert len(buckets) <= PRUNE_AT


def test_what_proposed_nothing_counts_only_as_a_look():
    rates = RateLimiter({**RATES, Access.VIEW: Rate(2, 8)}, scale=1)
    for _ in range(4):
        rates.take(ONE, Access.PROPOSE, 0.0)
        rates.give_back(ONE, Access.PROPOSE, 0.0)
    taken, refused = spend(rates, ONE, Access.PROPOSE, 0.0)
    assert taken == 3
    assert str(refused).startswith("Too many propose calls")
    rates.give_back(ONE, Access.PROPOSE, 0.0)
    assert "Too many view calls" in str(spend(rates, ONE, Access.PROPOSE, 0.0)[1]), "mistakes are not without bound"
    spend(rates, ONE, Access.READ, 0.0)
    rates.give_back(ONE, Access.READ, 0.0)
    with pytest.raises(TooMany):
        rates.take(ONE, Access.READ, 0.0)


def test_what_is_given_back_to_a_full_bucket_makes_it_no_fuller():
    buckets = TokenBuckets(scale=1)
    buckets.give_back("one", Rate(1, 2), 0.0)
    assert len(buckets) == 0
    buckets.take("one", Rate(1, 2), 0.0)
    buckets.give_back("one", Rate(1, 2), 100.0)
    assert [buckets.take("one", Rate(1, 2), 100.0) for _ in range(3)] == [0, 0, 1000]
