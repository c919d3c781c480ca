"""How many answers that take long go out at once: few to one caller and a bounded number in all."""

from collections import Counter

from cmdr.core.errors import TooMany
from cmdr.core.principals import Principal


class Carrying:
    """Belongs to the loop. Each holds a connection and some memory for as long as its caller likes; people are free."""

    def __init__(self, what: str, each: int, all: int) -> None:
        self._what = what
        self._each = each
        self._all = all
        self._of: Counter[str] = Counter()

    def begin(self, principal: Principal) -> None:
        """Count one more of this caller's; refused when too many are under way."""
        if principal.is_person:
            return
        if self._of[principal.id] >= self._each or self._of.total() >= self._all:
            raise TooMany(self._what, 1000)
        self._of[principal.id] += 1

    def end(self, principal: Principal) -> None:
        """One of them is over."""
        if not principal.is_person:
            self._of[principal.id] -= 1
            self._of += Counter()  # forget those who have none
