"""The one table of limits: rate limits, concurrency, timeouts and sizes, for a caller and for all callers together.

docs/security.md prints it.
"""

import sys
from dataclasses import dataclass
from typing import NamedTuple

from cmdr.core.dispatch.principals import Access


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls a second, and how many may come at once."""

    per_second: float
    burst: int


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How many run side by side, and how many may wait."""

    per_caller: int
    total: int = sys.maxsize
    queue_length: int = 1000
    """So many of one caller may wait; more are refused."""
    hold_s: float = 20.0
    """Seconds after which one that still runs no longer counts."""
    starts_per_turn: int | None = None
    """So many begin at each turn of the loop, so that nobody else waits behind all of them."""


REQUEST_RATE = Rate(100, 300)
"""More than all kinds of access together allow, so that those speak first."""
CALL_RATES = {
    Access.READ: Rate(50, 200),
    Access.VIEW: Rate(20, 100),
    Access.PROPOSE: Rate(10 / 60, 20),
    Access.ACT: Rate(2, 60),
}
REFUSAL_DELAY_S = 0.5
"""Before a call too many is refused: asking again at once costs the caller time, and nobody else."""
DELAYED_TOGETHER = 16
"""From so many delayed refusals of one caller on, each waits longer, however many connections it has."""
MAX_REFUSAL_DELAY_S = 20.0

REQUESTS = Concurrency(per_caller=4, hold_s=0.25, starts_per_turn=2)
"""A request without an answer after that time only waits for something."""
CALLS = Concurrency(per_caller=16, total=64)
"""A call that hangs on a dead disk keeps its caller waiting, and after a while nobody else."""
COMMANDS = Concurrency(per_caller=2, total=8)
DOWNLOADS = Concurrency(per_caller=4, total=32)
"""Each holds a descriptor, a connection and some hundred kilobytes."""
JOB_STREAMS = Concurrency(per_caller=16, total=128)
LISTEN_STREAMS = Concurrency(per_caller=64, total=512)
MCP_SESSIONS = Concurrency(per_caller=64, total=256)
"""When there are more, whoever has several loses one, and nobody its only one."""
MCP_SESSION_IDLE_S = 1800.0
"""The SDK counts the same."""
SUBSCRIPTIONS_PER_SESSION = 100
TABS_PER_PANE = 30
AGENT_TABS_PER_PANE = 16
"""Of all agents together; one more closes those of the agent that called longest ago."""
OWN_TABS_PER_AGENT = 6
"""In one pane."""
AGENT_VIEWS = 64
"""Agents whose own tabs and focus are remembered."""
AGENT_VIEW_IDLE_S = 1800.0
"""Without a call for so long an agent is gone, with its tabs and viewers; as long as its session would last."""
AGENT_GONE_S = 30.0
"""After an agent's last connection has ended; one that comes back sooner finds what it had."""
WINDOWS_PER_AGENT = 20
"""Questions about proposals are counted elsewhere."""

HEAD_TIMEOUT_S = 20.0
"""From the first byte of a request, or from the opening of the connection."""
BODY_TIMEOUT_S = 30.0
STALL_TIMEOUT_S = 30.0
KEEP_ALIVE_S = 75
MAX_OVERHEAD_BYTES = 64 << 10
"""Everything of a request that is not its body; the parser itself knows no bound."""
MAX_HEADERS_BYTES = 32 << 10
MAX_BODY_BYTES = 1 << 20
MAX_MCP_BODY_BYTES = 4 << 20
MAX_JSON_VALUES = 30_000
MAX_ANSWER_CHARACTERS = 20_000

IDE_CLIENTS = 32
IDE_HANDSHAKES = 32
"""Connections that have not proved yet who they are."""
IDE_REQUESTS_PER_CLIENT = 64
IDE_MAX_FRAME_BYTES = 32 << 20
"""A text of 8 MiB with every character escaped; what is larger cannot be an edit."""


class Row(NamedTuple):
    """One line of the table as people read it."""

    what: str
    limit: str
    beyond: str


def table() -> list[Row]:
    """Every limit, with what happens beyond it."""
    rates = [
        Row(f"calls of one caller that {verb}", _rate(CALL_RATES[access]), "an error with the time to wait")
        for access, verb in (
            (Access.READ, "look"),
            (Access.VIEW, "change what is shown"),
            (Access.PROPOSE, "propose something; a mistake counts as the row above"),
            (Access.ACT, "act"),
        )
    ]
    return [
        Row("HTTP requests of one caller", _rate(REQUEST_RATE), "status 429 with `Retry-After`"),
        *rates,
        Row(
            "delay before such a refusal",
            f"{REFUSAL_DELAY_S:g} s, more from {DELAYED_TOGETHER} at once on, at most {MAX_REFUSAL_DELAY_S:g} s",
            "",
        ),
        Row("requests worked on side by side", _concurrency(REQUESTS), "wait in a fair queue"),
        Row("requests that begin at a turn of the loop", str(REQUESTS.starts_per_turn), "wait in a fair queue"),
        Row("calls that run side by side", _concurrency(CALLS), "wait in a fair queue"),
        Row("requests or calls of one caller that wait", f"{CALLS.queue_length:,}", "are refused at once"),
        Row("approved commands that run side by side", _concurrency(COMMANDS), "wait for one to end"),
        Row("downloads side by side", _concurrency(DOWNLOADS), "status 429"),
        Row("streams of a job's progress", _concurrency(JOB_STREAMS), "status 429"),
        Row("streams of changed resources", _concurrency(LISTEN_STREAMS), "an error"),
        Row("MCP sessions", _concurrency(MCP_SESSIONS), "the one used least recently ends"),
        Row("an MCP session without a request", f"{MCP_SESSION_IDLE_S / 60:g} min", "it ends"),
        Row("subscriptions of one MCP session", str(SUBSCRIPTIONS_PER_SESSION), "an error"),
        Row("tabs in a pane to which agents add", str(TABS_PER_PANE), "an error"),
        Row("own tabs of one agent in a pane", str(OWN_TABS_PER_AGENT), "an error"),
        Row(
            "own tabs of all agents in a pane",
            str(AGENT_TABS_PER_PANE),
            "those of the agent that called longest ago close",
        ),
        Row(
            "agents whose tabs and focus are remembered",
            str(AGENT_VIEWS),
            "the one that called longest ago is forgotten",
        ),
        Row("tabs and viewers of an agent without a call", f"{AGENT_VIEW_IDLE_S / 60:g} min", "they close"),
        Row("the same once its last connection has ended", f"{AGENT_GONE_S:g} s", "they close"),
        Row("windows of one agent", str(WINDOWS_PER_AGENT), "an error"),
        Row("the head of a request", f"{HEAD_TIMEOUT_S:g} s", "the connection is closed"),
        Row("the body of a request", f"{BODY_TIMEOUT_S:g} s", "status 408"),
        Row("a client that takes nothing of its answer", f"{STALL_TIMEOUT_S:g} s", "the connection is cut"),
        Row("a connection between two requests", f"{KEEP_ALIVE_S} s", "the connection is closed"),
        Row("all of a request but its body", _bytes(MAX_OVERHEAD_BYTES), "status 400"),
        Row("headers of a request", _bytes(MAX_HEADERS_BYTES), "status 431"),
        Row("body of a request", f"{_bytes(MAX_BODY_BYTES)}, to `/mcp` {_bytes(MAX_MCP_BODY_BYTES)}", "status 413"),
        Row("values in a JSON body", f"{MAX_JSON_VALUES:,}", "status 413"),
        Row("clients of the editor socket", f"{IDE_CLIENTS}, and {IDE_HANDSHAKES} that connect", "are turned away"),
        Row("open requests of one such client", str(IDE_REQUESTS_PER_CLIENT), "an error"),
        Row("a message of such a client", _bytes(IDE_MAX_FRAME_BYTES), "the connection is closed"),
        Row("an answer to an agent", f"{MAX_ANSWER_CHARACTERS:,} characters", "cut, and it says so"),
    ]


def _rate(rate: Rate) -> str:
    often = f"{rate.per_second:g} a second" if rate.per_second >= 1 else f"{rate.per_second * 60:g} a minute"
    return f"{often}, {rate.burst} at once"


def _concurrency(limit: Concurrency) -> str:
    return f"{limit.per_caller} of one caller" + (f", {limit.total} of all" if limit.total < sys.maxsize else "")


def _bytes(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"
