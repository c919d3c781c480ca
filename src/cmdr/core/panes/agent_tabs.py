"""Agents keep out of the person's way: each works in tabs of its own, made when it first changes what a pane shows."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from cmdr.core.admission.limits import AGENT_GONE_S, AGENT_TABS_PER_PANE, AGENT_VIEW_IDLE_S, AGENT_VIEWS
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.panes.browser import Browser
from cmdr.core.panes.desktop import Desktop
from cmdr.core.settings import PANES, Settings
from cmdr.files.errors import DiskError
from cmdr.model.panes.agent_view import AgentPane, AgentView
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import DialogType, Workspace

OWN_TAB, SHARED = "own tab", "shared"
_VIEWERS = (DialogType.FILE_VIEWER, DialogType.INFO)


@dataclass(frozen=True, slots=True)
class Fork:
    """A tab that was made for one call, and what it showed when it was made."""

    view: AgentView
    side: Side
    tab: Tab
    showed: tuple[object, ...]

    @classmethod
    def made(cls, view: AgentView, side: Side, tab: Tab) -> "Fork":
        """Of a tab that has just been made."""
        return cls(view, side, tab, _shown(tab))

    @property
    def is_unused(self) -> bool:
        """Whether the tab still shows what it showed, so that nobody needs it."""
        return _shown(self.tab) == self.showed and self.tab.agent == self.view.agent


def _shown(tab: Tab) -> tuple[object, ...]:
    selection = tab.selection
    return (
        *(tab.path, tab.listing, tab.sort, tab.view, tab.filter, tab.cursor, tab.on_parent_row, tab.pinned),
        *(selection, selection.version, tab.shows_hidden, tab.window),
    )


class AgentTabs:
    """The views of all agents. Where nobody sits in front of the panes, agents and person share them."""

    def __init__(
        self, workspace: Workspace, events: Events, browser: Browser, desktop: Desktop, settings: Settings
    ) -> None:
        self._workspace, self._events, self._browser, self._desktop = workspace, events, browser, desktop
        self._settings = settings
        self._views: dict[str, AgentView] = {}
        self.idle_s = AGENT_VIEW_IDLE_S
        self.grace_s = AGENT_GONE_S
        self._timer: asyncio.TimerHandle | None = None
        self._refreshing: set[asyncio.Task[None]] = set()
        self.moved: Callable[[AgentView, Side], None] = lambda view, side: None
        """Told when an agent is about to change what its own tab in a pane shows."""
        self.taken_over: Callable[[Pane, str], None] = lambda pane, agent: None
        """Told when the person has made an agent's tab theirs."""
        browser.agents_fronts = self._fronts
        settings.listen(self._settings_changed)

    def view(self, principal: Principal) -> Workspace:
        """The workspace as a caller has it: an agent its own view, everybody else the one there is."""
        if principal.is_person:
            return self._workspace
        view = self._remember(principal.id, self.idle_s)
        if self._settings.text(PANES) == SHARED:
            return self._workspace
        view.follow()
        return view

    def pane_to_change(self, principal: Principal, side: Side, forks: list[Fork]) -> Pane:
        """A pane whose tab in front the caller may change; an agent gets a tab of its own, noted in `forks`.

        A tab of an agent that the person changes is the person's from then on.
        """
        view = self.view(principal)
        if not isinstance(view, AgentView):
            pane = view.pane(side)
            if principal.is_person and (agent := pane.tab.agent):
                pane.tab.agent, pane.tab.shows_hidden = "", None
                self.taken_over(pane, agent)
                self._events.changed()
            return pane
        if side not in view.own or self._workspace.pane(side).person_tab.lets_agents_in:
            if self.shares(side):
                return self._persons(side)
            tab = self._fork(view, side)
            forks.append(Fork.made(view, side, tab))
        self.moved(view, side)
        return view.own[side]

    def focus(self, principal: Principal, side: Side) -> None:
        """Move the caller's focus: an agent's is its own while somebody sits in front of the panes."""
        view = self.view(principal)
        alone = not self._desktop.person_is_there and isinstance(view, AgentView) and view.own_focus is None
        (self._workspace if alone else view).focus(side)
        self._events.changed()

    def swap(self, principal: Principal, forks: list[Fork]) -> tuple[Pane, Pane]:
        """Exchange what the caller's panes show, and return them; raises `CommandError` where only one is its own."""
        left, right = (self.pane_to_change(principal, side, forks) for side in Side)
        view = self.view(principal)
        if not isinstance(view, AgentView) or (left is self._workspace.left and right is self._workspace.right):
            self._workspace.swap()
        elif isinstance(left, AgentPane) and isinstance(right, AgentPane):
            view.swap()
        else:
            raise CommandError("One pane is your own and one the person's, who let you in. Go to paths instead.")
        return left, right

    def copy(self, view: AgentView, side: Side, tab: Tab) -> Tab:
        """An agent goes to a tab of the person's: a copy of it becomes its own."""
        self._make_room(side)
        own = tab.copy_for(view.agent, self._workspace.new_id("t"))
        own.shows_hidden = view.own_hidden
        view.adopt(side, own)
        self._opened(own)
        self.moved(view, side)
        return own

    def take_back(self, forks: list[Fork]) -> None:
        """A call has failed: tabs made for it that show nothing else go again."""
        for fork in forks:
            if fork.is_unused and (own := fork.view.own.get(fork.side)) is not None and fork.tab in own.tabs:
                own.drop_tab(fork.tab)
                fork.view.follow()
                self._events.changed()
        forks.clear()

    async def show_hidden(self, principal: Principal, value: bool, forks: list[Fork]) -> None:
        """Show or hide dot files for a caller: for an agent in its own tabs, for the person everywhere."""
        view = self.view(principal)
        if not isinstance(view, AgentView) or not (view.own or self._desktop.person_is_there):
            await self._browser.show_hidden(value)
            return
        view.own_hidden = value
        panes = [self.pane_to_change(principal, side, forks) for side in Side]
        view.show_hidden = value
        await self._browser.show_hidden_in([tab for pane in panes for tab in pane.tabs if tab.agent], value)

    def gone(self, agent: str) -> None:
        """An agent has ended its last connection: what it had goes, unless it is back in a moment."""
        self._remember(agent, self.grace_s)

    def end(self, agent: str) -> None:
        """An agent is gone: its tabs close, and its viewers, but for those that the person looks at."""
        view = self._views.pop(agent, None)
        if view is not None:
            for side in Side:
                view.leave(side)
        shows = self._desktop.shows
        for dialog in [each for each in self._workspace.dialogs if each.opened_by == agent]:
            if dialog.type in _VIEWERS and not (shows is not None and shows(dialog)):
                self._workspace.close_dialog(dialog)
        self._events.changed()
        self._browser.follow_active_tabs()

    def views(self) -> list[AgentView]:
        """The views of agents, the one that called last at the end."""
        return list(self._views.values())

    def shares(self, side: Side) -> bool:
        """Whether an agent without tabs of its own acts on the person's pane: nobody looks at it, or they let it in."""
        return not self._desktop.person_is_there or self._workspace.pane(side).person_tab.lets_agents_in

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._refreshing:
            task.cancel()

    def _remember(self, agent: str, seconds: float) -> AgentView:
        """The view of an agent, to be kept for so long; the one that called last stands at the end."""
        view = self._views.pop(agent, None) or AgentView.of(self._workspace, agent)
        self._views[agent] = view
        before, view.ends_at = view.ends_at, asyncio.get_running_loop().time() + seconds
        if len(self._views) > AGENT_VIEWS:
            self.end(next(iter(self._views)))
        if self._timer is None or view.ends_at < before:
            self._wait()
        return view

    def _persons(self, side: Side) -> Pane:
        """The pane itself, with the person's tab in front."""
        pane = self._workspace.pane(side)
        if pane.tab.agent:
            pane.show_tab(pane.person_tab)
        return pane

    def _fork(self, view: AgentView, side: Side) -> Tab:
        self._make_room(side)
        tab = view.fork(side)
        self._opened(tab)
        return tab

    def _opened(self, tab: Tab) -> None:
        self._events.changed()
        self._browser.follow_active_tabs()
        if not tab.listing.complete:
            # The rest is being read for the tab it was copied from; nobody tells this one.
            task = asyncio.get_running_loop().create_task(self._read_rest(tab))
            self._refreshing.add(task)
            task.add_done_callback(self._refreshing.discard)

    async def _read_rest(self, tab: Tab) -> None:
        with suppress(DiskError, CommandError):  # the tab says what is wrong, or has gone elsewhere
            await self._browser.refresh(tab)

    def _make_room(self, side: Side) -> None:
        """Close the tabs of the agents that called longest ago when a pane has many; never what is in front."""
        pane = self._workspace.pane(side)
        for view in self.views():
            if len(pane.tabs) - len(pane.person_tabs) < AGENT_TABS_PER_PANE:
                return
            if pane.tab.agent != view.agent:
                view.leave(side)

    def _fronts(self) -> dict[str, Tab]:
        """What agents look at, to be kept live."""
        return {
            f"{side} {view.agent}": pane.tab
            for view in self._views.values()
            for side, pane in view.own.items()
            if pane.tabs
        }

    def _wait(self) -> None:
        """End the views whose time is over, and look again when the next one's is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        for view in self.views():
            if view.ends_at <= loop.time():
                self.end(view.agent)
        if self._views:
            self._timer = loop.call_at(min(view.ends_at for view in self._views.values()), self._wait)

    def _settings_changed(self) -> None:
        if self._settings.text(PANES) == SHARED:
            for view in self.views():
                if view.own:
                    for side in Side:
                        view.leave(side)
                    self._events.changed()
