"""Admission of requests: callers come one after the other, few of each are worked on, a flood is refused unread."""

import asyncio
import json
import os

import pytest

from cmdr.core.admission import limits
from cmdr.core.admission.limits import Concurrency, Rate
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.http.admission import Admission, TooManyRequests
from cmdr.http.authentication import Authentication

FREE = Rate(1e6, 10**6)
PORT = 9224


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(limits, "REFUSAL_DELAY_S", 0.0)


def spread(count, at, caller, order):
    """Requests of one caller, each of which is answered as soon as it has begun."""

    async def one():
        entry = await at.enter(caller)
        order.append(caller)
        entry.release()

    return [asyncio.create_task(one()) for _ in range(count)]


async def test_a_caller_with_one_request_does_not_wait_behind_one_with_hundreds():
    at, order = Admission(FREE, scale=1), []
    flood = spread(300, at, "runaway", order)
    await asyncio.sleep(0)
    await asyncio.gather(*spread(1, at, "other", order))
    assert order.index("other") <= 8
    await asyncio.gather(*flood)
    assert order.count("runaway") == 300


async def test_only_few_requests_begin_at_each_turn_of_the_loop():
    at, order = Admission(FREE, Concurrency(4, starts_per_turn=2), scale=1), []
    flood = [task for number in range(20) for task in spread(5, at, f"caller{number}", order)]
    most = 0
    while not all(task.done() for task in flood):
        before = len(order)
        await asyncio.sleep(0)
        most = max(most, len(order) - before)
    assert most <= 2
    assert len(order) == 100


async def test_callers_take_turns():
    at, order = Admission(FREE, Concurrency(4, starts_per_turn=1), scale=1), []
    await asyncio.gather(*spread(5, at, "a", order), *spread(5, at, "b", order))
    assert sorted(order) == ["a"] * 5 + ["b"] * 5
    assert "aaa" not in "".join(order)


async def test_only_few_requests_of_one_caller_are_worked_on_at_once():
    at = Admission(FREE, Concurrency(2), scale=1)
    begun = [await at.enter("a"), await at.enter("a")]
    third = asyncio.create_task(at.enter("a"))
    other = await asyncio.wait_for(at.enter("b"), 60)
    assert not third.done()
    begun[0].release()
    begun[0].release()
    entry = await asyncio.wait_for(third, 60)
    for each in (begun[1], other, entry):
        each.release()


async def test_a_request_that_waits_for_something_counts_no_longer():
    at = Admission(FREE, Concurrency(1, hold_s=0.01), scale=1)
    await at.enter("a")
    await asyncio.wait_for(at.enter("a"), 60)


async def test_a_flood_is_refused_with_the_time_to_wait_and_others_are_not():
    at = Admission(Rate(2, 3), scale=1)
    for _ in range(3):
        await at.count("runaway")
    with pytest.raises(TooManyRequests) as refused:
        await at.count("runaway")
    assert 0 < refused.value.retry_after_ms <= 500
    await at.count("other")


async def test_floods_of_one_caller_wait_together_and_leave_no_trace():
    at = Admission(Rate(0.001, 1), scale=1)
    await at.count("runaway")
    refused = await asyncio.gather(*(at.count("runaway") for _ in range(3)), return_exceptions=True)
    assert all(isinstance(each, TooManyRequests) for each in refused)
    assert not at._delay._waiting


async def test_one_of_several_in_line_can_leave():
    at = Admission(FREE, Concurrency(1), scale=1)
    holder = await at.enter("a")
    first, second = (asyncio.create_task(at.enter("a")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    holder.release()
    (await asyncio.wait_for(second, 60)).release()


async def test_a_full_line_is_refused_at_once():
    at = Admission(FREE, Concurrency(1, queue_length=2), scale=1)
    holder = await at.enter("a")
    waiting = [asyncio.create_task(at.enter("a")) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyRequests):
        await at.enter("a")
    holder.release()
    (await waiting[0]).release()
    (await waiting[1]).release()


async def test_whoever_leaves_the_line_leaves_no_trace_and_holds_up_nobody():
    at = Admission(FREE, Concurrency(1, starts_per_turn=1), scale=1)
    holder = await at.enter("a")
    gone = [asyncio.create_task(at.enter(caller)) for caller in ("a", "a", "a")]
    await asyncio.sleep(0)
    last = asyncio.create_task(at.enter("d"))
    for task in gone:
        task.cancel()
    (await asyncio.wait_for(last, 60)).release()
    await asyncio.gather(*gone, return_exceptions=True)
    holder.release()
    assert not at._semaphore._queues
    assert not at._semaphore._running_of


async def test_a_turn_that_comes_in_the_moment_of_leaving_is_given_back():
    at = Admission(FREE, Concurrency(1), scale=1)
    holder = await at.enter("a")
    late = asyncio.create_task(at.enter("a"))
    await asyncio.sleep(0)
    holder.release()  # it is called
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    assert late.cancelled()
    (await asyncio.wait_for(at.enter("a"), 60)).release()


class Tokens:
    """A token is the name of an agent; one of them is a person's."""

    path = "/run/token"

    def verify(self, token):
        if token == "nobody":
            return None
        return PERSON if token == "person" else Principal("agent", token, token=True)


def exchange(guard, path, token, *, method="POST", comes=True):
    """Send one request whose body comes once, and collect the answer."""

    async def run():
        sent, body = [], [{"type": "http.request", "body": b"{}", "more_body": False}]

        async def receive():
            assert comes, "the body was asked for"
            return body.pop()

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"127.0.0.1:%d" % PORT), (b"authorization", b"Bearer " + token.encode())]
        if method == "POST":
            headers += [(b"content-type", b"application/json"), (b"content-length", b"2")]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", PORT),
        }
        await asyncio.wait_for(guard(scope, receive, send), 60)
        return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])

    return run()


async def fine(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


def guarded(rate):
    return Authentication(
        fine, port=PORT, tokens=Tokens(), peer=lambda a, b: os.geteuid(), admission=Admission(rate, scale=1)
    )


async def test_a_call_too_many_is_answered_in_json_rpc_without_being_read():
    guard = guarded(Rate(0.5, 1))
    assert (await exchange(guard, "/mcp", "a"))[0] == 200
    status, headers, told = await exchange(guard, "/mcp", "a", comes=False)
    assert status == 429
    assert headers[b"retry-after"] == b"2"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert told["jsonrpc"] == "2.0"
    assert told["id"] is None
    assert 0 < told["error"]["data"]["retryAfterMs"] <= 2000


async def test_a_rest_request_too_many_is_answered_with_a_plain_error():
    guard = guarded(Rate(0.5, 1))
    await exchange(guard, "/api/indexes", "a", method="GET")
    status, headers, told = await exchange(guard, "/api/indexes", "a", method="GET")
    assert status == 429
    assert headers[b"retry-after"] == b"2"
    assert told["error"].startswith("Too many requests. Wait ")


async def test_the_person_is_never_held_up():
    guard = guarded(Rate(0.001, 1))
    for _ in range(5):
        assert (await exchange(guard, "/api/indexes", "person", method="GET"))[0] == 200


async def test_wrong_tokens_stand_in_one_line_and_use_up_only_that():
    guard = guarded(Rate(0.5, 1))
    assert (await exchange(guard, "/api/indexes", "nobody", method="GET"))[0] == 401
    assert (await exchange(guard, "/mcp/health", "a", method="GET"))[0] == 429
    assert (await exchange(guard, "/mcp", "a"))[0] == 200
