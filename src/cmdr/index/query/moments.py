"""Times in filters made absolute: an ISO date or time, or an age counted back from now."""

import re
from datetime import UTC, datetime

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_AGO = re.compile(r"(\d{1,9})([smhdwy])")
_EARLIEST, _LATEST = -(1 << 63), (1 << 63) - 1


def moment_ns(text: str, now_ns: int) -> int:
    """Nanoseconds since the epoch. A time without a zone is taken as UTC, so that answers do not depend on where."""
    ago = _AGO.fullmatch(text)
    if ago is not None:
        return max(_EARLIEST, now_ns - int(ago[1]) * _SECONDS[ago[2]] * 10**9)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    whole = moment.replace(microsecond=0)
    return max(_EARLIEST, min(_LATEST, int(whole.timestamp()) * 10**9 + moment.microsecond * 1000))
