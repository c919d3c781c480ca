"""What appeared in a pane while agents were at work."""

from cmdr.core.commander import Commander
from cmdr.core.panes.recent_changes import RecentChanges
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.tab import Tab


class News:
    """The names of one pane that are marked for a while, compared from picture to picture."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._recent = RecentChanges(lambda: _tell(commander))
        self._where: tuple[str, bytes] | None = None
        self._listing: Listing | None = None

    def of(self, tab: Tab) -> frozenset[bytes]:
        """The names that are new in the tab."""
        where = (tab.id, tab.path)
        if where != self._where:
            self._recent.forget()
        elif self._listing is not None and self._listing is not tab.listing:
            self._recent.enabled = self._commander.settings.flag("agents.mark_changes")
            self._recent.notice(self._listing, tab.listing, self._commander.activity)
        self._where, self._listing = where, tab.listing
        return self._recent.names


def _tell(commander: Commander) -> None:
    commander.events.progressed()
