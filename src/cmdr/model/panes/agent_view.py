"""The workspace as one agent has it: panes and focus of its own, as soon as it changes them; all else is everybody's.

Until an agent changes what a pane shows, its view of that pane is the person's tab, live. From then on it is a tab of
the agent's own, which lies among the pane's tabs behind those of the person.
"""

from dataclasses import dataclass, field

from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace


@dataclass(slots=True, eq=False, kw_only=True)
class AgentPane(Pane):
    """The tabs of one agent in a pane; each of them is one of the pane's tabs too."""

    agent: str
    shared: Pane
    """The pane as the person has it."""

    def open_tab(self, tab: Tab) -> None:
        """Put a new tab of the agent's behind all others, and make it the one the agent sees."""
        tab.agent = self.agent
        self.tabs.append(tab)
        self.active = len(self.tabs) - 1
        self.shared.tabs.append(tab)

    def drop_tab(self, tab: Tab) -> None:
        """Take a tab away from the agent and from the pane; without any, the agent's view is the person's again."""
        place = self.tabs.index(tab)
        del self.tabs[place]
        if self.active > place or self.active == len(self.tabs):
            self.active = max(0, self.active - 1)
        if tab in self.shared.tabs:
            self.shared.drop_tab(tab)

    def forget_lost(self) -> None:
        """Let go of tabs that were closed or taken over by the person."""
        if all(tab.agent == self.agent and tab in self.shared.tabs for tab in self.tabs):
            return
        front = self.tab
        self.tabs = [tab for tab in self.tabs if tab.agent == self.agent and tab in self.shared.tabs]
        self.active = self.tabs.index(front) if front in self.tabs else max(0, len(self.tabs) - 1)


@dataclass(slots=True, eq=False, kw_only=True)
class AgentView(Workspace):
    """One agent's view. What it shares with everybody is brought up to date by `follow`, before each use."""

    agent: str
    shared: Workspace
    own: dict[Side, AgentPane] = field(default_factory=dict)
    own_focus: Side | None = None
    own_hidden: bool | None = None
    first_rows: dict[str, tuple[Tab, bytes, int]] = field(default_factory=dict)
    """Where the agent reads in tabs that are not its own, by the tab's id; valid for the folder it was told for."""
    ends_at: float = float("inf")
    """When the agent counts as gone unless it calls again, on the clock of the loop."""

    @classmethod
    def of(cls, workspace: Workspace, agent: str) -> "AgentView":
        """The view of an agent that has changed nothing yet."""
        return cls(
            workspace.left,
            workspace.right,
            agent=agent,
            shared=workspace,
            dialogs=workspace.dialogs,
            _ids=workspace._ids,
        )

    def follow(self) -> None:
        """Bring up to date what is not the agent's own."""
        shared = self.shared
        self.rev, self.volumes = shared.rev, shared.volumes
        self.focused = shared.focused if self.own_focus is None else self.own_focus
        self.show_hidden = shared.show_hidden if self.own_hidden is None else self.own_hidden
        self.left, self.right = self._pane(shared.left), self._pane(shared.right)

    def _pane(self, shared: Pane) -> Pane:
        own = self.own.get(shared.side)
        if own is not None:
            own.forget_lost()
            if own.tabs and not shared.person_tab.lets_agents_in:
                return own
            if not own.tabs:
                del self.own[shared.side]
        if not any(tab.agent for tab in shared.tabs):
            return shared
        # Tabs of agents are left out: what this agent reads is what the person has.
        tabs = shared.person_tabs or shared.tabs
        return Pane(shared.side, tabs, tabs.index(shared.person_tab), shared.closed)

    @property
    def differs(self) -> bool:
        """Whether the agent sees something else than the person."""
        return (
            self.focused is not self.shared.focused
            or self.show_hidden is not self.shared.show_hidden
            or any(pane.tab is not self.shared.pane(pane.side).person_tab for pane in self.panes)
        )

    def fork(self, side: Side) -> Tab:
        """Give the agent a tab of its own that starts as the person's; its focus stays where it is from now on."""
        shared = self.shared.pane(side)
        tab = shared.person_tab.copy_for(self.agent, self.shared.new_id("t"))
        tab.shows_hidden = self.own_hidden
        tab.window = self.first_row(shared.person_tab)
        self.adopt(side, tab)
        return tab

    def adopt(self, side: Side, tab: Tab) -> None:
        """Open a tab as the agent's own, in front of its others."""
        if self.own_focus is None:
            self.own_focus = self.focused
        own = self.own.setdefault(side, AgentPane(side, [], agent=self.agent, shared=self.shared.pane(side)))
        own.open_tab(tab)
        self.follow()

    def leave(self, side: Side) -> None:
        """Close the agent's tabs in a pane: its view is the person's again."""
        own = self.own.pop(side, None)
        for tab in list(own.tabs) if own is not None else ():
            if tab in self.shared.pane(side).tabs and tab.agent == self.agent:
                self.shared.pane(side).drop_tab(tab)
        self.follow()

    def swap(self) -> None:
        """Exchange the agent's own panes; the caller has seen to it that both are."""
        left, right = self.own[Side.LEFT], self.own[Side.RIGHT]
        for own, other in ((left, right), (right, left)):
            for tab in own.tabs:
                own.shared.drop_tab(tab)
                other.shared.tabs.append(tab)
        left.tabs, right.tabs = right.tabs, left.tabs
        left.active, right.active = right.active, left.active
        left.closed, right.closed = right.closed, left.closed

    def focus(self, side: Side) -> None:
        """Move the agent's focus, and nobody else's."""
        self.own_focus = self.focused = side

    def first_row(self, tab: Tab) -> int:
        """The first row that the agent is shown of a tab."""
        seen = self.first_rows.get(tab.id)
        if tab.agent == self.agent or seen is None or seen[:2] != (tab, tab.path):
            return tab.window
        return max(0, min(seen[2], len(tab.listing) - 1))

    def scroll(self, tab: Tab, row: int) -> None:
        """Choose the first row that the agent is shown of a tab; in the person's, nobody else notices."""
        if tab.agent == self.agent:
            tab.window = row
        else:
            self.first_rows = {
                tab.id: (tab, tab.path, row),
                **{id: seen for id, seen in self.first_rows.items() if id != tab.id},
            }
            while len(self.first_rows) > MAX_FIRST_ROWS:
                self.first_rows.popitem()


MAX_FIRST_ROWS = 8
"""So many tabs of others an agent reads somewhere else than at the top."""
