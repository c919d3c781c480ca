"""Quotas: how many streams and downloads go out at once, and how much of the workspace agents may fill."""

from collections import Counter

from cmdr.core.admission.limits import OWN_TABS_PER_AGENT, TABS_PER_PANE, WINDOWS_PER_AGENT, Concurrency
from cmdr.core.dispatch.principals import Principal, person_acts
from cmdr.core.errors import CommandError, TooMany
from cmdr.model.panes.agent_view import AgentPane
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.workspace import DialogType, Workspace

_AGENT = "agent:"


class ConcurrencyQuota:
    """Belongs to the loop. Each holds a connection and some memory for as long as its caller likes; people are free."""

    def __init__(self, what: str, limit: Concurrency) -> None:
        self._what = what
        self._limit = limit
        self._running_of: Counter[str] = Counter()

    def begin(self, principal: Principal) -> None:
        """Count one more of this caller's; raises `TooMany`."""
        if principal.is_person:
            return
        running = self._running_of
        if running[principal.id] >= self._limit.per_caller or running.total() >= self._limit.total:
            raise TooMany(self._what, 1000)
        self._running_of[principal.id] += 1

    def end(self, principal: Principal) -> None:
        """One of them is over."""
        if not principal.is_person:
            self._running_of[principal.id] -= 1
            self._running_of += Counter()  # forget those who have none


def check_tabs(pane: Pane) -> None:
    """Refuse an agent another tab in a pane that has many, or of which it has several itself."""
    most = OWN_TABS_PER_AGENT if isinstance(pane, AgentPane) else TABS_PER_PANE
    if len(pane.tabs) >= most and not person_acts():
        raise CommandError(f"The {pane.side} pane has {len(pane.tabs)} tabs. Close one, or use one that is there.")


def check_windows(workspace: Workspace, by: str) -> None:
    """Refuse an agent another window when it has opened many."""
    own = [each for each in workspace.dialogs if each.opened_by == by and each.type is not DialogType.CONFIRMATION]
    if by.startswith(_AGENT) and len(own) >= WINDOWS_PER_AGENT:
        raise CommandError(f"{len(own)} windows that you opened are open. Close some first: dialog with action close.")
