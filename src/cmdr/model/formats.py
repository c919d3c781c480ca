"""How sizes and times look in a column, the way the person likes them; every face draws them with these."""

import time
from functools import lru_cache

_BINARY = "BKMGTPE"


def short_size(size: int, style: str = "binary") -> str:
    """A size for a narrow column: `734`, `1.2K`, `45M`; or every digit when the person wants them."""
    if style == "bytes":
        return f"{size:,}".replace(",", "\u2009") if size > 9999 else str(size)
    step = 1000 if style == "decimal" else 1024
    if size < step:
        return str(size)
    amount = float(size)
    letter = 0
    while amount >= step and letter < len(_BINARY) - 1:
        amount /= step
        letter += 1
    unit = _BINARY[letter].lower() if style == "decimal" and letter == 1 else _BINARY[letter]
    return f"{amount:.1f}{unit}" if amount < 10 else f"{amount:.0f}{unit}"


DATE_WIDTHS = {"iso": (16, 11, 8), "short": (12, 12, 6), "relative": (8, 8, 8)}
"""For every date format: how wide it is in a wide, an ordinary and a narrow pane."""


def date(ns: int, style: str, width: int, now: float) -> str:
    """A moment in one of the formats, as wide as the column has room for."""
    seconds = ns // 1_000_000_000
    if style == "relative":
        return _ago(now - seconds)
    return _date(seconds, style, width, abs(now - seconds) > 180 * 86400)


@lru_cache(4096)
def _date(seconds: int, style: str, width: int, far: bool) -> str:
    try:
        moment = time.localtime(seconds)
    except (OverflowError, ValueError, OSError):
        return "?"
    if style == "short":
        if width < 12:
            return time.strftime("%b %y" if far else "%d %b", moment)
        return time.strftime("%d %b  %Y" if far else "%d %b %H:%M", moment)
    if width >= 16:
        return time.strftime("%Y-%m-%d %H:%M", moment)
    if width >= 11:
        return time.strftime("%Y-%m-%d" if far else "%m-%d %H:%M", moment)
    return time.strftime("%y-%m-%d", moment)


def moment(ns: int) -> str:
    """A moment to the second, in the person's own time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ns // 1_000_000_000))
    except (OverflowError, ValueError, OSError):
        return "?"


def _ago(seconds: float) -> str:
    if seconds < -60:
        return "ahead"
    for limit, unit, letter in ((60, 1, "s"), (3600, 60, "min"), (86400, 3600, "h"), (86400 * 365, 86400, "d")):
        if seconds < limit:
            return f"{max(0, int(seconds // unit))} {letter}"
    return f"{seconds / (86400 * 365):.1f} y"


def span(seconds: float) -> str:
    """How long something takes: `8 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def mode_text(mode: int) -> str:
    """Permissions as `ls` writes them."""
    import stat

    return stat.filemode(mode)
