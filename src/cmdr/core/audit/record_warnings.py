"""What is wrong with the record itself, for every face to tell: the audit log, and the journal."""

from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.events import Events
from cmdr.engine.journal.store import Damage


class RecordWarnings:
    """Each is told until it is over; that a journal was damaged, until the person has seen it."""

    def __init__(self, audit: Audit, engine: Engine | None, events: Events) -> None:
        self._audit = audit
        self._engine = engine
        self._events = events
        self._unseen: list[Damage] = []

    async def load(self) -> None:
        """Find what nobody has seen yet."""
        if self._engine is not None:
            self._unseen = [damage for damage in await self._engine.damage() if not damage.is_seen]

    def texts(self) -> list[str]:
        """One short text for each."""
        return [*self.lasting(), *self.unseen()]

    def lasting(self) -> list[str]:
        """What goes on, and is told as long as it does."""
        gap, trouble = self._audit.gap, self._engine.trouble if self._engine is not None else ""
        told = [
            f"The audit log cannot be written ({gap.why}): agents read no contents and change nothing until it can."
            if gap is not None
            else "",
            trouble,
        ]
        return [text for text in told if text]

    def unseen(self) -> list[str]:
        """What is over, and is told until the person has seen it."""
        return [damage.told() for damage in self._unseen]

    async def seen(self) -> None:
        """The person knows of what is over."""
        if self._engine is not None and self._unseen:
            await self._engine.damage_seen()
            self._unseen = []
            self._events.changed()
