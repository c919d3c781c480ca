"""Sizes, dates and durations as text, for answers and for columns."""

import time
from datetime import datetime
from functools import lru_cache

from cmdr.model.shell_session import Units

# Some file systems keep times far outside the calendar; a day's room is left for every time zone.
_EARLIEST, _LATEST = -62_135_510_400, 253_402_127_999


_STEPS = "KMGTPE"


_BINARY = "BKMGTPE"


DATE_WIDTHS = {"iso": (16, 11, 8), "short": (12, 12, 6), "relative": (8, 8, 8)}
"""For every date format: how wide it is in a wide, an ordinary and a narrow pane."""


def iso_date(ns: int) -> str:
    """The local date of a time in nanoseconds, as in `2025-01-15`."""
    return _day(ns // 1_000_000_000)


def iso_time(ns: int) -> str:
    """The local date and time with its zone, to the second."""
    return _local(ns // 1_000_000_000).isoformat()


@lru_cache(4096)
def _day(seconds: int) -> str:
    """Cached: the same rows are written again and again."""
    return _local(seconds).date().isoformat()


def _local(seconds: int) -> datetime:
    """The local time; what no calendar holds becomes its nearest end."""
    return datetime.fromtimestamp(max(_EARLIEST, min(seconds, _LATEST))).astimezone()


def human_size(size: int) -> str:
    """A size with at most one decimal, in binary steps, as in `1.2 KiB`."""
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if amount < 1024 or unit == "PiB":
            return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError


def exact_size(size: int) -> str:
    """A size in words and to the byte, as in `1.2 KiB (1,234 B)`."""
    return f"{human_size(size)} ({size:,} B)" if size >= 1024 else f"{size} B"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun, as in `1 file` and `3 files`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def size_text(size: int | None, units: Units = "binary", *, complete: bool = True) -> str:
    """A size in a few characters, as in `4.1G`; `≥` where it is a lower bound, `?` where it is not known."""
    if size is None:
        return "?"
    text = f"{size}b" if units == "bytes" else _short(size)
    return text if complete else f"≥{text}"


def _short(size: int) -> str:
    if size < 1024:
        return f"{size}b"
    step = min((size.bit_length() - 1) // 10, len(_STEPS))
    amount = size / 1024**step
    return f"{amount:.1f}{_STEPS[step - 1]}" if amount < 10 else f"{amount:.0f}{_STEPS[step - 1]}"


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
    import stat  # noqa: PLC0415

    return stat.filemode(mode)
