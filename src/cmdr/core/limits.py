"""How often a caller may call: one bucket for each kind of access, so that a runaway agent starves nobody."""

from cmdr.core.buckets import Buckets, Pauses, Rate
from cmdr.core.environment import Environment
from cmdr.core.errors import TooMany
from cmdr.core.principals import Access, Principal

DEFAULT_RATES = {
    Access.READ: Rate(50, 200),
    Access.VIEW: Rate(20, 100),
    Access.PROPOSE: Rate(10 / 60, 20),
    Access.ACT: Rate(2, 60),
}
_WORDS = {Access.READ: "read", Access.VIEW: "view", Access.PROPOSE: "propose", Access.ACT: "act"}


class Limits:
    """Token buckets per caller and kind of access. People are not limited."""

    def __init__(self, rates: dict[Access, Rate] | None = None, scale: float | None = None) -> None:
        self._rates = rates or DEFAULT_RATES
        self._buckets: Buckets[tuple[str, Access]] = Buckets(Environment.read().rate_scale if scale is None else scale)
        self._pauses = Pauses()

    async def admit(self, principal: Principal, access: Access) -> None:
        """Count a call, or raise after a pause."""
        try:
            self.take(principal, access)
        except TooMany:
            await self._pauses.hold(principal.id)
            raise

    def take(self, principal: Principal, access: Access, now: float | None = None) -> None:
        """Count a call, or raise with the time to wait."""
        if principal.is_person:
            return
        if wait := self._buckets.take((principal.id, access), self._rates[access], now):
            raise TooMany(_WORDS[access], wait)
