"""One tab of a pane: a folder, its listing, cursor, selection and history, and the entries a command acts on."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice

from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.selection import Selection, follow
from cmdr.model.panes.sorting import SortOrder

MAX_VISITS = 100


@dataclass(slots=True)
class Visit:
    """A folder that was shown, and the name the cursor stood on when it was left."""

    path: bytes
    cursor: bytes | None = None


@dataclass(slots=True)
class History:
    """The visits of one tab, oldest first; the current one is at `here`."""

    visits: list[Visit] = field(default_factory=list)
    here: int = -1

    def visit(self, path: bytes) -> None:
        """Go somewhere new: what lay ahead is forgotten."""
        if self.here >= 0 and self.visits[self.here].path == path:
            return
        del self.visits[self.here + 1 :]
        self.visits.append(Visit(path))
        if len(self.visits) > MAX_VISITS:
            del self.visits[0]
        self.here = len(self.visits) - 1

    def remember_cursor(self, name: bytes | None) -> None:
        """Keep the cursor's name for the folder that is being left."""
        if self.here >= 0:
            self.visits[self.here].cursor = name

    def peek(self, step: int) -> Visit | None:
        """The visit one step back (-1) or forward (+1), or None at the end."""
        place = self.here + step
        return self.visits[place] if 0 <= place < len(self.visits) else None

    def move(self, step: int) -> None:
        """Make the visit that `peek` showed the current one."""
        self.here += step

    def forget(self, step: int) -> None:
        """Drop the visit that `peek` showed: its folder is gone."""
        del self.visits[self.here + step]
        self.here += min(step, 0)

    def last_cursor(self, path: bytes) -> bytes | None:
        """The name the cursor last stood on in a folder."""
        for visit in reversed(self.visits):
            if visit.path == path and visit.cursor is not None:
                return visit.cursor
        return None


MAX_NEIGHBOUR_DISTANCE = 50
"""How far around a vanished entry the cursor looks for one that is left."""


class ViewMode(StrEnum):
    """Brief shows names in columns, full shows one entry a line with size and dates."""

    BRIEF = "brief"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class FoundEntries:
    """Entries from all over a tree that a tab shows together: what a query found, a set holds or a report lists."""

    title: str
    names: tuple[bytes, ...]
    """Their paths below the tab's folder."""
    folder_sizes: Mapping[bytes, int] = field(default_factory=dict)
    """What the folders among them hold, where a report told it."""
    changes: Mapping[bytes, int] = field(default_factory=dict)
    """By how many bytes they have changed, where that is what the report is about."""


@dataclass(slots=True, eq=False)
class Tab:
    """What one tab shows. `rev` is the workspace's revision at which its rows last changed place."""

    id: str
    path: bytes
    sort: SortOrder = field(default_factory=SortOrder)
    view: ViewMode = ViewMode.BRIEF
    pinned: bool = False
    filter: str = ""
    """What names must hold or match to be shown; empty shows all."""
    listing: Listing = field(default_factory=Listing.empty)
    selection: Selection = field(default_factory=Selection)
    cursor: int = 0
    on_parent_row: bool = False
    """Whether the cursor stands above all rows, on the way up to the parent folder; then no entry is under it."""
    saved_cursor: bytes | None = None
    """The name under the cursor when the folder was last open, until the folder is read for the first time."""
    window: int = 0
    """First row of the agents' window; the person's scroll position is their own."""
    history: History = field(default_factory=History)
    rev: int = 0
    navigation: int = 0
    """Counts navigations, so that one that was overtaken can see it."""
    found: FoundEntries | None = None
    """Set when the tab shows scattered entries instead of the folder itself."""
    opened_by_agent: bool = False
    """Whether an agent brought the tab here, or nobody did: the person has not chosen this folder."""
    problem: str | None = None
    """Why the folder cannot be shown any more, in one sentence."""
    agent: str = ""
    """The agent whose own tab this is, as in `agent:codex`; empty for the person's."""
    lets_agents_in: bool = False
    """Whether the person lets agents change what this tab shows."""
    shows_hidden: bool | None = None
    """Whether dot files are shown here; None goes by what the person chose for all tabs."""

    def copy_for(self, agent: str, id: str) -> "Tab":
        """A tab of an agent's own that shows the same; the rows are shared, for a listing never changes in place."""
        return Tab(
            id,
            self.path,
            self.sort,
            self.view,
            filter=self.filter,
            listing=self.listing,
            selection=self.selection.copy(),
            cursor=self.cursor,
            on_parent_row=self.on_parent_row,
            saved_cursor=self.saved_cursor,
            history=replace(self.history, visits=[replace(visit) for visit in self.history.visits]),
            rev=self.rev,
            found=self.found,
            opened_by_agent=self.opened_by_agent,
            problem=self.problem,
            agent=agent,
        )

    @property
    def agent_name(self) -> str:
        """What the agent whose tab this is calls itself; empty for the person's."""
        return self.agent.partition(":")[2]

    def cursor_name(self) -> bytes | None:
        """The name under the cursor, or None in an empty folder and on the way up."""
        if self.on_parent_row or self.cursor >= len(self.listing):
            return None
        return self.listing.name(self.cursor)

    @property
    def has_parent(self) -> bool:
        """Whether there is a way up from here."""
        return self.path != b"/" and self.found is None

    def put_cursor(self, position: int) -> None:
        """Move the cursor, kept inside the listing."""
        self.on_parent_row = False
        self.cursor = max(0, min(position, len(self.listing) - 1))

    def show(
        self,
        listing: Listing,
        *,
        path: bytes | None = None,
        cursor: bytes | None = None,
        selection: Selection | None = None,
    ) -> None:
        """Put a listing in place: of another folder, or of the same one read again.

        For the same folder the cursor and the selection follow their entries by identity; when the cursor's entry is
        gone, the one that took its place gets the cursor. A large `selection` was carried over beforehand.
        """
        same_folder = path is None or path == self.path
        old = self.listing
        on_parent_row = self.on_parent_row and same_folder and cursor is None
        if same_folder and len(old.columns):
            stays = self._cursor_after(listing) if cursor is None else listing.position_of(cursor)
            if listing.columns is not old.columns:
                self.selection = selection or self.selection.carried(old.columns, listing.columns)
        else:
            stays = self.first_cursor(listing, cursor or (self.saved_cursor if same_folder else None))
            self.selection = Selection(len(listing.columns))
            self.window = 0
        if path is not None:
            self.path = path
        self.listing = listing
        if listing.complete:
            self.saved_cursor = None
        self.problem = None
        self.put_cursor(self.cursor if stays is None else stays)
        self.on_parent_row = on_parent_row
        self.window = max(0, min(self.window, len(listing) - 1))

    def first_cursor(self, listing: Listing, name: bytes | None) -> int | None:
        """Where the cursor stands in a folder that is shown for the first time: on a name, else at the top."""
        return 0 if name is None else listing.position_of(name)

    def _cursor_after(self, listing: Listing) -> int | None:
        if self.cursor >= len(self.listing):
            return None
        old = self.listing
        for found in follow([old.order[self.cursor]], old.columns, listing.columns):
            if (place := listing.position_of_row(found)) is not None:
                return place
        # Its entry is gone: the next one that is still there moves up to the cursor.
        for position in range(self.cursor + 1, min(self.cursor + MAX_NEIGHBOUR_DISTANCE, len(old))):
            if (place := listing.position_of(old.name(position))) is not None:
                return place
        for position in range(self.cursor - 1, max(self.cursor - MAX_NEIGHBOUR_DISTANCE, -1), -1):
            if (place := listing.position_of(old.name(position))) is not None:
                return place + 1
        return None


@dataclass(frozen=True, slots=True)
class SelectedEntries:
    """A million rows are chosen in a moment; their names take seconds, and are made by whoever needs them."""

    folder: bytes
    columns: Columns
    selection: Selection

    @classmethod
    def of(cls, tab: Tab) -> "SelectedEntries | None":
        """What an operation acts on now: the selection, else the entry under the cursor; None if there is neither."""
        if tab.selection.count:
            return cls(tab.path, tab.listing.columns, tab.selection.copy())
        if tab.cursor_name() is None:
            return None
        alone = Selection(len(tab.listing.columns))
        alone.toggle(tab.listing.order[tab.cursor])
        return cls(tab.path, tab.listing.columns, alone)

    @property
    def count(self) -> int:
        """How many."""
        return self.selection.count

    def names(self) -> Iterator[bytes]:
        """Their names, in name order."""
        return map(self.columns.name, self.selection.rows())

    def first_names(self, most: int) -> list[bytes]:
        """The first of them."""
        return list(islice(self.names(), most))

    def paths(self) -> tuple[bytes, ...]:
        """Their paths; of many, in a thread."""
        start = os.path.join(self.folder, b"")
        return tuple(start + name for name in self.names())

    def inodes(self) -> tuple[int, ...]:
        """Their inodes as they were listed; of many, in a thread."""
        return tuple(self.columns.inodes[row] for row in self.selection.rows())
