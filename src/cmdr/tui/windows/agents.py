"""Agents: who has called, what they did last, and the switch that stops them all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


class AgentsWindow(Window[str]):
    """Follows the calls as they come."""

    heading = "Agents"
    hint = "s: stop all agents, or allow them again · ↑↓ scroll · Esc closes"

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen

    def contents(self) -> list[Widget]:
        """Callers above, calls below."""
        self._who = LineList(self.appearance, [], lines=7, cursor=False)
        self._calls = LineList(self.appearance, [], lines=10, cursor=False)
        return [self._who, self._calls]

    def opened(self) -> None:
        """Look now and twice a second; every single call would be too many."""
        self.set_interval(0.5, self._show)
        self._show()

    def pressed(self, event: events.Key) -> bool:
        """The switch."""
        if event.key == "s":
            stopped = self._screen.commander.policy.agents_stopped
            self._screen.give("agents.allow" if stopped else "agents.stop", done=lambda _: self._show())
            return True
        return self._calls.pressed(event)

    def _show(self) -> None:
        commander = self._screen.commander
        activity, now = commander.activity, time.time()
        switch: Row = (
            [(" All agents are stopped. ", "warning"), (" s allows them again", "dim")]
            if commander.policy.agents_stopped
            else [(f" Agents may call: {', '.join(sorted(commander.policy.toolsets))}", "file")]
        )
        where = self._screen.terminal.listens_at or "The server is not running."
        callers = sorted(activity.callers.values(), key=lambda caller: -caller.last)
        self._who.show(
            [
                switch,
                [(f" {where}", "dim")],
                [("", "dim")],
                *(
                    [
                        (f" {caller.name:<24}", "file"),
                        (f"{caller.calls:>7,} calls   last {round(now - caller.last)} s ago", "dim"),
                    ]
                    for caller in callers[:4]
                ),
            ]
            + ([] if callers else [[(" Nobody has called yet.", "dim")]])
        )
        calls: list[Row] = [
            [
                (f" {time.strftime('%H:%M:%S', time.localtime(seen.started))} ", "dim"),
                (f"{seen.result or 'running':<8}", "agent" if seen.result != "ok" else "dim"),
                (f"{seen.caller} ", "title"),
                (f"{seen.command} ", "file"),
                (seen.about, "dim"),
            ]
            for seen in reversed(activity.recent)
        ]
        top = self._calls.top
        self._calls.show(calls, keep=True)
        self._calls.top = min(top, max(0, len(calls) - 1))
