"""One pane on the screen: its frame, tabs and rows, drawn line by line from the workspace."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from cmdr.core.commander import Commander
from cmdr.core.panes.recent_changes import RecentChanges
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.tab import Tab
from cmdr.tui.panes import frame
from cmdr.tui.panes.geometry import Hit, PaneGeometry, Part, hit_at
from cmdr.tui.panes.prefetch import RowPrefetch
from cmdr.tui.panes.rows import FullColumns, RowRenderer, full_head
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineWidget


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What was drawn last, to see how much must be drawn again."""

    tab: Tab
    listing: Listing
    geometry: PaneGeometry
    top: int
    cursor: int
    rest: tuple[object, ...]


class PaneView(LineWidget):
    """Shows one pane. `top` is the person's own scroll position, kept for each tab."""

    DEFAULT_CSS = "PaneView { width: 1fr; height: 1fr; }"

    class Clicked(Message):
        """The mouse hit something."""

        def __init__(self, side: Side, hit: Hit, *, marks: bool = False, twice: bool = False) -> None:
            super().__init__()
            self.side, self.hit, self.marks, self.twice = side, hit, marks, twice

    def __init__(
        self, commander: Commander, side: Side, appearance: Appearance, facts_arrived: Callable[[], object]
    ) -> None:
        super().__init__(appearance, id=side.value)
        self._facts_arrived = facts_arrived
        self._commander = commander
        self.side = side
        self.search = ""
        """What is being searched by typing, shown in the frame."""
        self._tops: dict[str, int] = {}
        self._seen: _Drawn | None = None
        self._rows = RowRenderer(appearance)
        self.prefetch = RowPrefetch(commander, self._redraw_facts)
        self._tab_places: list[tuple[int, int, str]] = []
        self._mark_places: list[tuple[int, int, str]] = []
        self.changes = RecentChanges(lambda: self.redraw(follow=False))
        self._active = False

    @property
    def pane(self) -> Pane:
        """The pane that is shown."""
        return self._commander.workspace.pane(self.side)

    @property
    def geometry(self) -> PaneGeometry:
        """The pane's present geometry."""
        parent_row = self._commander.settings.flag("general.parent_row")
        return PaneGeometry.of(self.pane, self.size.width, self.size.height, parent_row=parent_row)

    @property
    def on_parent_row(self) -> bool:
        """Whether the cursor stands on the `..` row; in an empty folder there is no other."""
        tab = self.pane.tab
        return self.geometry.with_parent_row and (tab.on_parent_row or not len(tab.listing))

    @property
    def cursor(self) -> int:
        """The place of the cursor among the rows as drawn."""
        return 0 if self.on_parent_row else self.pane.tab.cursor + self.geometry.above

    @property
    def top(self) -> int:
        """The first place that is shown."""
        return self._tops.get(self.pane.tab.id, 0)

    def restyle(self, appearance: Appearance) -> None:
        """Draw in another theme from now on."""
        self._rows = RowRenderer(appearance)
        super().restyle(appearance)

    def redraw(self, *, follow: bool) -> None:
        """Draw what has changed since the last time; with `follow`, the view goes where the cursor is."""
        if not self.size:
            return  # nothing stands on the screen yet; where the view begins is found out when it does
        pane, geometry, seen = self.pane, self.geometry, self._seen
        tab = pane.tab
        top = self._tops.get(tab.id, 0)
        cursor, total = self.cursor, geometry.total(len(tab.listing))
        if seen is not None and seen.tab is tab and seen.listing is not tab.listing:
            self._rows.forget()
            if seen.rest[0] != tab.path:
                follow, top = True, geometry.top_around(cursor)
                self.changes.forget()
            else:
                # Rows came or went: the row under the cursor stays on the line where the person sees it.
                top += cursor - seen.cursor
                self.changes.notice(seen.listing, tab.listing, self._commander.activity)
        elif seen is None or seen.tab is not tab:
            self._rows.forget()
            follow = follow or tab.id not in self._tops
        if seen is None or seen.geometry != geometry:
            self._rows.forget()
            follow = True
        top = geometry.top_for(cursor, top, total) if follow else geometry.clamp_top(top, total)
        self._tops[tab.id] = top
        self._active = self._commander.workspace.focused is self.side
        now = _Drawn(tab, tab.listing, geometry, top, cursor, self._rest(pane))
        self._seen = now
        if seen is not None and (seen.tab, seen.listing, geometry, top, now.rest) == (
            now.tab, now.listing, seen.geometry, seen.top, seen.rest,
        ):  # fmt: skip
            if seen.cursor != now.cursor:
                self._refresh_rows(seen.cursor, now.cursor)
        else:
            self.refresh()
        self._look_up()

    def scroll_by(self, rows: int) -> None:
        """Scroll without moving the cursor; where rows stand in columns, by one column."""
        geometry = self.geometry
        total = geometry.total(len(self.pane.tab.listing))
        step = rows if geometry.columns == 1 else geometry.lines if rows > 0 else -geometry.lines
        top = geometry.clamp_top(self.top + step, total)
        self._tops[self.pane.tab.id] = top
        self.redraw(follow=False)

    def page_from(self, cursor: int, pages: int) -> int:
        """The place the cursor goes to by a page."""
        geometry = self.geometry
        step = geometry.lines * max(1, geometry.columns - 1) if geometry.columns > 1 else max(1, geometry.lines - 1)
        return cursor + pages * step

    def render_line(self, y: int) -> Strip:
        """One line: of the frame, or of rows, which are kept until something about them changes."""
        geometry = self._seen.geometry if self._seen is not None else self.geometry
        line = y - geometry.first_line
        if 0 <= line < geometry.lines and y < geometry.height - 1:
            return self._rows.draw(
                self.pane.tab, geometry, self.top, line, active=self._active, changed=self.changes.names
            )
        return Strip(self.line(y)).adjust_cell_length(geometry.width, self.appearance.styles["base"])

    def line(self, y: int) -> list[Segment]:
        geometry, pane, styles = self.geometry, self.pane, self.appearance.styles
        if y == 0:
            cells, self._mark_places = frame.top_line(
                pane,
                geometry.width,
                styles,
                active=self._active,
                home=self.appearance.home,
                marks=frame.agent_marks(pane, with_tabs=geometry.with_tabs),
                front=self._front_tab(pane),
            )
            return cells
        if y == geometry.height - 1:
            space = self._commander.space.at(pane.tab.path, self._refresh_frame)
            return frame.bottom_line(
                pane.tab, geometry.width, styles, active=self._active, space=space, search=self.search
            )
        if geometry.with_tabs and y == 1:
            cells, self._tab_places = frame.tab_line(pane, geometry.width, styles, active=self._active)
            return cells
        side = Segment("│", styles["frame_active" if self._active else "frame"])
        size = "Change" if pane.tab.listing.changes else "Size"
        return [side, *full_head(FullColumns.within(geometry.inner, self.appearance.row), styles, size), side]

    def on_click(self, event: events.Click) -> None:
        """The scroll bar scrolls; everything else is for others to act upon."""
        event.stop()
        self._commander.agent_fronts.chosen(self.pane)  # what is clicked is meant as it is seen
        geometry, total = self.geometry, self.geometry.total(len(self.pane.tab.listing))
        columns = FullColumns.within(geometry.inner, self.appearance.row)
        hit = hit_at(event.x, event.y, geometry, columns, self._tab_places, self.top, total, self._mark_places)
        if hit.part is Part.SCROLL_BAR:
            share = (event.y - geometry.first_line) / max(1, geometry.lines - 1)
            self._tops[self.pane.tab.id] = geometry.clamp_top(round(share * (total - geometry.page)), total)
            self.redraw(follow=False)
        else:
            marks = event.button == 3 or event.ctrl
            self.post_message(self.Clicked(self.side, hit, marks=marks, twice=event.chain >= 2))

    def on_resize(self) -> None:
        """Another size: everything is drawn anew around the cursor."""
        self._rows.forget()
        self.redraw(follow=True)

    def _rest(self, pane: Pane) -> tuple[object, ...]:
        tab = pane.tab
        tabs = tuple((other.id, other.pinned, other.path, other.agent, other.lets_agents_in) for other in pane.tabs)
        return (
            tab.path, tab.sort, tab.selection, tab.selection.version, tab.filter, tab.problem, tab.listing.complete,
            self._active, self.search, pane.active, tabs, self.changes.version, self._front_tab(pane),
        )  # fmt: skip

    def _front_tab(self, pane: Pane) -> frame.FrontTab | None:
        """How an agent's tab came to be in front, if one is."""
        if not pane.tab.agent:
            return None
        fronts = self._commander.agent_fronts
        return frame.FrontTab(
            self._commander.policy.agents_stopped, fronts.following == pane.tab.agent, pane.tab in fronts.brought
        )

    def _refresh_frame(self) -> None:
        self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    def _refresh_rows(self, *places: int) -> None:
        geometry, top = self.geometry, self.top
        lines = {line for place in places if (line := geometry.line_of(place, top)) is not None}
        if lines:
            self.refresh(*(Region(0, line, geometry.width, 1) for line in lines))

    def _look_up(self) -> None:
        """Facts and folder sizes of the rows in view; drawn when they are there."""
        tab, geometry = self.pane.tab, self.geometry
        first = max(0, self.top - geometry.above)
        self.prefetch.want(tab, range(first, min(first + geometry.page, len(tab.listing))))

    def _redraw_facts(self, tab: Tab, listing: Listing) -> None:
        if self.is_mounted and self.pane.tab is tab:
            if tab.listing is listing:
                self._rows.forget()
                self.refresh()
                self._facts_arrived()
            self._look_up()
