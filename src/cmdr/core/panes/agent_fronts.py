"""When an agent's tab is seen: while the person rests it comes to the front of the pane they are not in.

The rule is made so that no key of the person's lands in a folder they did not mean. The pane with the focus never
changes by itself. In the other one an agent's tab comes forward once the person has been idle for a moment, unless
they have a search half typed, a window open or a button of the mouse held down; with their first key their own tab is
back, before the key acts. Who clicks into the agent's tab means what they see, and stays there. Who follows an agent
has asked for it: its tabs stay in front and go along with it, until they choose another tab or change one of its.
"""

import asyncio
from collections.abc import Callable

from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.panes.agent_tabs import AgentTabs
from cmdr.core.panes.browser import Browser
from cmdr.model.panes.agent_view import AgentView
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace

PERSON_IDLE_S = 3.0
"""Seconds without a key or a click after which the person counts as resting."""


class AgentFronts:
    """Brings agents' tabs forward, and the person's back. Faces tell it what the person does; belongs to the loop."""

    def __init__(self, workspace: Workspace, events: Events, browser: Browser, tabs: AgentTabs) -> None:
        self._workspace, self._events, self._browser, self._tabs = workspace, events, browser, tabs
        self.clock: Callable[[], float] | None = None
        """Where the time comes from; the loop's, unless this is given."""
        self.is_busy: dict[str, Callable[[], bool]] = {}
        """Of each face, whether the person is in the middle of something, so that nothing may change under it."""
        self.following = ""
        """The agent that the person follows, as in `agent:codex`."""
        self._last = float("-inf")
        self._due: dict[Side, str] = {}
        """Of which agent a tab waits to be seen, by pane."""
        self._brought: dict[Side, Tab] = {}
        """The agents' tabs that are in front without anybody having chosen them."""
        self._timer: asyncio.TimerHandle | None = None
        tabs.moved = self._moved
        tabs.taken_over = self.taken_over
        events.listen(self._keep_up)

    @property
    def brought(self) -> tuple[Tab, ...]:
        """The agents' tabs that came to the front by themselves; the person's are back with the next key."""
        return tuple(self._brought.values())

    def touched(self, *, by_key: bool = True) -> None:
        """The person pressed a key or used the mouse; told before what they did is done."""
        self._last = self._now()
        if by_key:
            brought, self._brought = self._brought, {}
            for side, tab in brought.items():
                pane = self._workspace.pane(side)
                if pane.tab is tab and tab.agent:
                    pane.show_tab(pane.person_tab)
                    self._changed()
        if self._due and self._timer is None:
            self._arm(PERSON_IDLE_S)

    def chosen(self, pane: Pane) -> None:
        """The person chose the tab in front of a pane, or clicked into it: it stays there, whatever came before."""
        self._brought.pop(pane.side, None)
        if self._front_of(self.following, pane.side) not in (None, pane.tab):
            self.following = ""

    def taken_over(self, pane: Pane, agent: str) -> None:
        """The person made an agent's tab theirs: nobody is followed who has gone elsewhere."""
        self._brought.pop(pane.side, None)
        if agent == self.following:
            self.following = ""

    def follow(self, agent: str) -> None:
        """Keep an agent's tabs in front from now on; an empty name ends that, and the person's are back."""
        self.following = agent
        if not agent:
            for pane in self._workspace.panes:
                if pane.tab.agent:
                    pane.show_tab(pane.person_tab)
        self._changed()

    def has_tabs(self, agent: str) -> bool:
        """Whether an agent has tabs of its own."""
        return any(self._front_of(agent, side) is not None for side in Side)

    def newest(self) -> str:
        """The agent with tabs of its own that called last; raises `CommandError` if there is none."""
        for view in reversed(self._tabs.views()):
            if any(pane.tabs for pane in view.own.values()):
                return view.agent
        raise CommandError("No agent has a tab of its own at the moment.")

    def close(self) -> None:
        """Nothing comes forward any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._due.clear()

    def _now(self) -> float:
        return self.clock() if self.clock is not None else asyncio.get_running_loop().time()

    def _moved(self, view: AgentView, side: Side) -> None:
        if self.following:
            return
        self._due[side] = view.agent
        if self._timer is None:
            self._arm(max(0.0, self._last + PERSON_IDLE_S - self._now()))

    def _arm(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self.look)

    def look(self) -> None:
        """Bring forward what waits, if the person rests; else once they do."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        left = self._last + PERSON_IDLE_S - self._now()
        if left > 0:
            if self._due:
                self._arm(left)
            return
        if self._interrupted():
            return  # whatever ends that is a key or a click, and that looks again
        due, self._due = self._due, {}
        for side, agent in due.items():
            if side is not self._workspace.focused and (tab := self._front_of(agent, side)) is not None:
                self._bring(self._workspace.pane(side), tab)

    def _bring(self, pane: Pane, tab: Tab) -> None:
        """Put a tab in front, unless the person has gone to an agent's tab there themselves."""
        is_chosen = pane.tab.agent and self._brought.get(pane.side) is not pane.tab
        if pane.tab is not tab and not is_chosen:
            pane.show_tab(tab)
            self._brought[pane.side] = tab
            self._changed()

    def _keep_up(self, rev: int) -> None:
        """Go along with the agent that is followed, and with a tab that came forward by itself."""
        if not self.following or self._interrupted():
            return
        for pane in self._workspace.panes:
            tab = self._front_of(self.following, pane.side)
            if tab is not None and pane.tab is not tab:
                pane.show_tab(tab)
                self._changed()

    def _front_of(self, agent: str, side: Side) -> Tab | None:
        for view in self._tabs.views():
            own = view.own.get(side)
            if view.agent == agent and own is not None and own.tabs and own.tab.agent == agent:
                return own.tab if own.tab in self._workspace.pane(side).tabs else None
        return None

    def _interrupted(self) -> bool:
        return any(busy() for busy in self.is_busy.values())

    def _changed(self) -> None:
        self._events.changed()
        self._browser.follow_active_tabs()
