"""How sizes and times are told."""

from datetime import datetime
from functools import lru_cache

from cmdr.model.shell_session import Units

# Some file systems keep times far outside the calendar; a day's room is left for every time zone.
_EARLIEST, _LATEST = -62_135_510_400, 253_402_127_999


def iso_date(ns: int) -> str:
    """The local date of a time in nanoseconds, as in `2025-01-15`."""
    return _day(ns // 1_000_000_000)


def iso_time(ns: int) -> str:
    """The local date and time with its zone, to the second."""
    return _local(ns // 1_000_000_000).isoformat()


@lru_cache(4096)
def _day(seconds: int) -> str:
    """The same rows are told again and again."""
    return _local(seconds).date().isoformat()


def _local(seconds: int) -> datetime:
    """The local time; what no calendar holds is told as its nearest end."""
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


_STEPS = "KMGTPE"


def size_text(size: int | None, units: Units = "binary", *, complete: bool = True) -> str:
    """A size in a few characters, as in `4.1G`; `≥` where it is a lower bound, `?` where it is not known."""
    if size is None:
        return "?"
    told = f"{size}b" if units == "bytes" else _short(size)
    return told if complete else f"≥{told}"


def _short(size: int) -> str:
    if size < 1024:
        return f"{size}b"
    step = min((size.bit_length() - 1) // 10, len(_STEPS))
    amount = size / 1024**step
    return f"{amount:.1f}{_STEPS[step - 1]}" if amount < 10 else f"{amount:.0f}{_STEPS[step - 1]}"
