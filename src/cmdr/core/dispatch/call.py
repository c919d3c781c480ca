"""One call of a command: who calls, and everything the command may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import Principal
from cmdr.model.content_part import AnswerPart
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.panes.workspace import Workspace

if TYPE_CHECKING:
    from cmdr.core.commander import Commander
    from cmdr.core.events import Events
    from cmdr.core.panes.agent_tabs import Fork
    from cmdr.core.panes.browser import Browser

Progress = Callable[[float, str], Awaitable[None]]
"""Tells a waiting client how long it has waited, and for what."""


async def no_progress(elapsed: float, message: str) -> None:
    """For callers that do not listen."""


@dataclass(frozen=True, slots=True)
class Call:
    """Commands that need more than the workspace take this."""

    commander: Commander
    principal: Principal
    progress: Progress = no_progress
    connection: str = ""
    """The editor connection this came over, if it did."""
    client_writes: bool = False
    """Whether that client writes what the person accepts itself; for any other cmdr does."""
    conversation: str = ""
    """Which of several that one caller holds at once, where the protocol tells them apart."""
    client: str = ""
    """Who is at the other end of that connection, in words for the person."""
    address: str = ""
    """What the caller knows the command by, for what is said of its arguments; its name, unless this is given."""
    parts: list[AnswerPart] = field(default_factory=list)
    """What the answer carries besides its text."""
    chosen: SelectedEntries | None = None
    """The files a person chose before they were asked for more, instead of what is selected when the command runs."""

    forks: list[Fork] = field(default_factory=list)
    """The tabs of an agent's own that were made in the course of this call."""

    @property
    def workspace(self) -> Workspace:
        """The workspace as the caller has it: panes and focus of an agent may be its own."""
        return self.commander.agent_tabs.view(self.principal)

    def pane_to_change(self, side: Side) -> Pane:
        """A pane whose tab in front the caller may change: see `AgentTabs.pane_to_change`."""
        return self.commander.agent_tabs.pane_to_change(self.principal, side, self.forks)

    @property
    def browser(self) -> Browser:
        """What moves panes about on the disk."""
        return self.commander.browser

    @property
    def events(self) -> Events:
        """Where changes are announced."""
        return self.commander.events
