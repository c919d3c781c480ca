"""What the person chose when a window opened: whatever an agent selects meanwhile, these are the files."""

import os
import secrets

from cmdr.core.dispatch.parameter import Json
from cmdr.core.errors import CommandError
from cmdr.model.names import default_archive_name, display_name, to_wire
from cmdr.model.panes.selection import Selection
from cmdr.model.panes.tab import SelectedEntries, Tab

MAX_CHOICES = 16
MAX_NAMES = 4


class ChosenFiles:
    """The last choices, each under a handle that only the page knows."""

    def __init__(self) -> None:
        self._kept: dict[str, SelectedEntries] = {}

    def keep(self, tab: Tab, *, is_alone: bool = False) -> dict[str, Json]:
        """Remember what is chosen now, or the entry under the cursor whatever is selected, and tell of it."""
        chosen = _under_cursor(tab) if is_alone else SelectedEntries.of(tab)
        if chosen is None:
            return {"id": "", "count": 0, "names": [], "archive": ""}
        id = secrets.token_urlsafe(16)
        self._kept[id] = chosen
        while len(self._kept) > MAX_CHOICES:
            del self._kept[next(iter(self._kept))]
        names = chosen.first_names(MAX_NAMES)
        archive = default_archive_name(os.path.join(chosen.folder, names[0]), is_only=chosen.count == 1)
        return {
            "id": id,
            "count": chosen.count,
            "names": [display_name(name) for name in names],
            "archive": to_wire(archive),
        }

    def get(self, id: str) -> SelectedEntries:
        """What was chosen under a handle."""
        chosen = self._kept.get(id)
        if chosen is None:
            raise CommandError("That was chosen too long ago. Choose again.")
        return chosen


def _under_cursor(tab: Tab) -> SelectedEntries | None:
    if tab.cursor_name() is None:
        return None
    alone = Selection(len(tab.listing.columns))
    alone.toggle(tab.listing.order[tab.cursor])
    return SelectedEntries(tab.path, tab.listing.columns, alone)
