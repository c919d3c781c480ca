"""The last answers, so that the next page of one need not be searched for again."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

from cmdr.index.query.explanation import Found

_KEPT = 8
_ROOM = 1 << 26  # bytes; the newest answer is kept whatever its size


class KeptAnswers:
    """Some answers by their questions; the one that was asked for longest ago goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = Lock()

    def put(self, question: Hashable, found: Found) -> None:
        """Keep an answer."""
        with self._lock:
            self._kept[question] = found
            self._kept.move_to_end(question)
            room = _ROOM
            for number, one in enumerate(reversed(list(self._kept)), 1):
                room -= self._kept[one].rows.nbytes
                if number > _KEPT or (number > 1 and room < 0):
                    del self._kept[one]

    def get(self, question: Hashable) -> Found | None:
        """An answer that was kept, or None."""
        with self._lock:
            if question in self._kept:
                self._kept.move_to_end(question)
            return self._kept.get(question)

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._kept.clear()
