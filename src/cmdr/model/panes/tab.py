"""One tab of a pane: a folder, its listing, the cursor, the selection and where it has been."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cmdr.model.panes.history import History
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.selection import Selection, follow
from cmdr.model.panes.sorting import SortOrder

NEIGHBOURS = 50
"""How far around a vanished entry the cursor looks for one that is left."""


class ViewMode(StrEnum):
    """Brief shows names in columns, full shows one entry a line with size and dates."""

    BRIEF = "brief"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Found:
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
    stood_on: bytes | None = None
    """The name under the cursor when the folder was last open, until the folder is read for the first time."""
    window: int = 0
    """First row of the agents' window; the person's scroll position is their own."""
    history: History = field(default_factory=History)
    rev: int = 0
    journey: int = 0
    """Counts navigations, so that one that was overtaken can see it."""
    found: Found | None = None
    """Set when the tab shows scattered entries instead of the folder itself."""
    is_led: bool = False
    """Whether an agent brought the tab here, or nobody did: the person has not chosen this folder."""
    problem: str | None = None
    """Why the folder cannot be shown any more, in one sentence."""

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
            stays = self.first_cursor(listing, cursor or (self.stood_on if same_folder else None))
            self.selection = Selection(len(listing.columns))
            self.window = 0
        if path is not None:
            self.path = path
        self.listing = listing
        if listing.complete:
            self.stood_on = None
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
        for position in range(self.cursor + 1, min(self.cursor + NEIGHBOURS, len(old))):
            if (place := listing.position_of(old.name(position))) is not None:
                return place
        for position in range(self.cursor - 1, max(self.cursor - NEIGHBOURS, -1), -1):
            if (place := listing.position_of(old.name(position))) is not None:
                return place + 1
        return None
