"""Agents: what each client may do and did last, grants to give and take back, and the switch that stops them all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.agents.client_rights import ClientRights, Leave, client_rights
from cmdr.core.agents.grants import Grant
from cmdr.core.agents.tokens import Client, TokenError
from cmdr.core.places import UnsafePlace
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.results.agents import Agents
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.agent_work import AgentWork, open_rules, summary
from cmdr.tui.windows.window import GracePeriod, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


LINES = 3
"""Lines that every client takes."""


def client_rows(client: ClientRights, now: float, did: str = "") -> list[Row]:
    """A client in three lines; `did` tells what it did today."""
    calls = f"{client.calls:,} {'call' if client.calls == 1 else 'calls'}"
    called = f"{calls}, last {ago(now - client.last)}" if client.last is not None else "has not called"
    may = ", ".join(client.toolsets) or "nothing"
    folders = ", ".join(to_wire(root.path) + (" (read only)" if root.read_only else "") for root in client.roots)
    return [
        [
            (f" {client.name:<22}", "title"),
            (called, "dim"),
            (f" · {did}" if did else "", "title"),
            (until(client, now), "agent"),
        ],
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


class AgentsWindow(Window[str]):
    """Follows the calls as they come; keys act on the client under the cursor."""

    DEFAULT_CSS = "AgentsWindow > .box { width: 96; }"
    heading = "Agents"
    hint = "s stop all · Enter undoes · r rules · h commands · w changes · Del its token · Esc closes"

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._clients: list[ClientRights] = []
        self._named: tuple[Client, ...] = ()
        self._did: dict[str, str] = {}
        """What each client did today, in words."""
        self._read_rev = -1
        """The revision at which that was read."""
        self._grace_period: GracePeriod | None = None
        """After they were stopped here: a second press of the same key must not allow them again."""
        self._note = ""

    def contents(self) -> list[Widget]:
        """The switch, the clients, the last calls."""
        self._switch = LineList(self.appearance, [], lines=2, cursor=False)
        self._who = LineList(self.appearance, [], lines=3 * LINES)
        self._calls = LineList(self.appearance, [], lines=7, cursor=False)
        return [self._switch, self._who, self._calls]

    def opened(self) -> None:
        """Look now and twice a second; every single call would be too many."""
        self.set_interval(0.5, self._look)
        self._show()
        self.run_update(self._read)
        self.run_worker(self._read_work(), group="work")

    def pressed(self, event: events.Key) -> bool:
        """The switch, and what the client under the cursor may do."""
        step = {"up": -1, "down": 1, "home": -(10**9), "end": 10**9}.get(event.key)
        client = self._here()
        if event.key == "s":
            self._stop_or_allow()
        elif event.key == "r":
            open_rules(self._screen, client.name if client is not None else "")
        elif event.key == "enter" and client is not None:
            self._screen.terminal.push_screen(AgentWork(self._screen, client.name))
        elif step is not None:
            self._who.move(step * LINES if abs(step) == 1 else step)
            self._who.move(-(self._who.cursor % LINES))
        elif client is not None and event.key in ("h", "w", "delete"):
            self._change(client, event.key)
        else:
            return self._calls.pressed(event)
        return True

    def _stop_or_allow(self) -> None:
        """Stop them at once; allowing them again is a deliberate act, not a key of the first moment."""
        if not self._screen.commander.policy.agents_stopped:
            self._give("agents.stop")
            self._grace_period = GracePeriod(self._screen.terminal.clock)
            self._grace_period.begin()
        elif self._grace_period is not None and self._grace_period.drops():
            self._tell("Agents stay stopped. Press s once more in a moment to allow them again.")
        else:
            self._give("agents.allow")

    async def _read_work(self) -> None:
        """What each did today, from the journal."""
        self._read_rev = self._screen.commander.events.rev
        answer = await self._screen.queue.ask("agents")
        if answer is not None and isinstance(answer.result, Agents):
            self._did = {row.client: summary(row) for row in answer.result.rows}
            self._show()

    def _here(self) -> ClientRights | None:
        """The client under the cursor."""
        return self._clients[self._who.cursor // LINES] if self._clients else None

    def _change(self, client: ClientRights, key: str) -> None:
        """Give what it has not, take back what it has."""
        grant, leave = (Grant.SHELL, client.shell) if key == "h" else (Grant.WRITE, client.write)
        if key == "delete":
            if client.has_own_token:
                self._give("clients.revoke", client=client.name)
            else:
                self._tell(f"{client.name} has no token of its own; s stops it with all others.")
        elif leave is Leave.OFF:
            self._tell(f"{grant.value} is not switched on for {client.name} in this run.")
        elif leave is Leave.GIVEN:
            self._give("grants.revoke", client=client.name, grant=grant.value)
        else:
            self._give("grants.give", client=client.name, grant=grant.value)

    def _give(self, command: str, **arguments: str) -> None:
        self._screen.enqueue(command, {**arguments}, done=self._tell)

    def _tell(self, text: str) -> None:
        self._note = text
        self._show()

    def _look(self) -> None:
        self.run_worker(self._read(), exclusive=True, group="clients")
        if self._screen.commander.events.rev != self._read_rev:
            self.run_worker(self._read_work(), group="work")

    async def _read(self) -> None:
        """The named clients, which other programs may have changed; their file may be on a slow disk."""
        tokens = self._screen.commander.tokens
        try:
            named = await in_thread(tokens.clients) if tokens is not None else ()
        except (TokenError, UnsafePlace) as error:
            named, self._note = (), f"The list of clients cannot be read: {error}"
        self._named = named
        self._show()

    def _show(self) -> None:
        commander = self._screen.commander
        now = time.time()
        here = self._here()
        self._clients = client_rights(commander, self._named)
        where = self._screen.terminal.listens_at or "The server is not running."
        switch: Row = (
            [(" All agents are stopped. ", "warning"), (" s allows them again", "dim")]
            if commander.policy.agents_stopped
            else [(f" Agents may call: {', '.join(sorted(commander.policy.toolsets))}", "file")]
        )
        self._switch.show([switch, [(f" {self._note}", "selected")] if self._note else [(f" {where}", "dim")]])
        rows = [row for client in self._clients for row in client_rows(client, now, self._did.get(client.name, ""))]
        self._who.show(rows or [[(" Nobody has called yet.", "dim")]], keep=True)
        # Others come and go above it: the cursor stays on its client, so that no key hits another one.
        place = next((place for place, client in enumerate(self._clients) if here and client.name == here.name), 0)
        self._who.move(place * LINES - self._who.cursor)
        top = self._calls.top
        calls = self._call_rows()
        self._calls.show(calls, keep=True)
        self._calls.top = min(top, max(0, len(calls) - 1))

    def _call_rows(self) -> list[Row]:
        return [
            [
                (f" {time.strftime('%H:%M:%S', time.localtime(seen.started))} ", "dim"),
                (f"{seen.result or 'running':<8}", "agent" if seen.result != "ok" else "dim"),
                (f"{seen.caller} ", "title"),
                (f"{seen.command} ", "file"),
                (seen.about, "dim"),
            ]
            for seen in reversed(self._screen.commander.activity.recent)
        ]
