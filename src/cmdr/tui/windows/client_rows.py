"""How one client is told in the agents window: who it is, what it may use and where, what it was granted."""

import time

from cmdr.core.agents.client_rights import ClientRights, Leave
from cmdr.model.names import to_wire
from cmdr.tui.windows.line_list import Row

LINES = 3
"""Lines that every client takes."""


def client_rows(client: ClientRights, now: float) -> list[Row]:
    """A client in three lines."""
    calls = f"{client.calls:,} {'call' if client.calls == 1 else 'calls'}"
    called = f"{calls}, last {ago(now - client.last)}" if client.last is not None else "has not called"
    may = ", ".join(client.toolsets) or "nothing"
    folders = ", ".join(to_wire(root.path) + (" (read only)" if root.read_only else "") for root in client.roots)
    return [
        [(f" {client.name:<22}", "title"), (called, "dim"), (until(client, now), "agent")],
        [(f"   may use {may}", "file"), (" · read-only" if client.read_only else "", "agent")]
        + ([(f" · in {folders}", "file")] if folders else []),
        [*_leave("commands", client.shell), *_leave("changes to files", client.write)],
    ]


def until(client: ClientRights, now: float) -> str:
    """When its token ends."""
    if client.expires is None:
        return ""
    if client.expires <= now:
        return " · expired"
    when = time.strftime("%H:%M" if client.expires - now < 86_400 else "%Y-%m-%d %H:%M", time.localtime(client.expires))
    return f" · until {when}"


def ago(seconds: float) -> str:
    """How long ago, in one unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return f"{max(0.0, seconds):.0f} s ago"


def _leave(about: str, leave: Leave) -> Row:
    role = {Leave.GIVEN: "selected", Leave.WITHDRAWN: "warning"}.get(leave, "dim")
    return [(f"   {about}: ", "dim"), (leave.value, role)]
