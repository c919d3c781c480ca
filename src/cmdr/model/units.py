"""Sizes, dates and durations: as text for answers and columns, and read as people write them."""

import re
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from cmdr.model.shell_session import Units

# Some file systems keep times far outside the calendar; a day's room is left for every time zone.
_EARLIEST, _LATEST = -62_135_510_400, 253_402_127_999


_STEPS = "KMGTPE"


_BINARY = "BKMGTPE"


SIZE_HINT = "write 500, 10K, 1.5 MB or 2 GiB"
TIME_HINT = "write a date such as 2026-01-31, an age such as 30d, 2 weeks or a month, or yesterday"
_SIZE_UNITS = ("", "K", "M", "G", "T", "P")
_SIZE = re.compile(
    r"(\d{1,19}|\d{1,3}(?:[,_]\d{3}){1,6})(?:\.(\d{1,9}))? ?"
    r"(?:([KMGTP]?)(?:i?B)?|(?:(kilo|mega|giga|tera|peta)?bytes?))",
    re.IGNORECASE,
)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?")
_AGE = re.compile(
    r"(?:(?:the )?(?:last|past) ?)?(?:(\d{1,9})[ -]?|([a-z]+)[ -])?"
    r"(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)(?: ago)?"
)
_PLAIN_AGE = re.compile(r"(\d{1,9})([smhdwy])")
_AGE_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_MONTH_DAYS = 30
_SMALL_NUMBERS = dict.fromkeys(("a", "an"), 1) | {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_FIRST_NS, _LAST_NS = -(1 << 63), (1 << 63) - 1


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


class UnitError(ValueError):
    """A size or a time that cannot be understood; its sentence says how to write one."""


def read_size(text: str) -> int:
    """Bytes of a size as people write it: `1500`, `10K`, `1MB`, `1.5 GiB`. Steps are of 1024, however they are spelled.

    Raises `UnitError` for what is no size, and for what is no whole number of bytes.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UnitError(f"That is no size; {SIZE_HINT}.")
    whole, part, letter, word = found.groups()
    unit: int = 1024 ** _SIZE_UNITS.index((letter or (word or "")[:1]).upper())
    if part and unit == 1 and int(part):
        raise UnitError(f"There is no part of a byte; {SIZE_HINT}.")
    return int(re.sub("[,_]", "", whole)) * unit + (int(part) * unit // 10 ** len(part) if part else 0)


def read_time(text: str) -> str:
    """A time as people write it in its plain form: an ISO date or time, `30d` for an age, `today` or `yesterday`.

    A month has thirty days. Raises `UnitError` for what is no time.
    """
    told = " ".join(text.split()).lower()
    if told in ("today", "yesterday"):
        return told
    if told == "now":
        return "0s"
    if (found := _AGE.fullmatch(told)) and (age := _plain_age(found[1] or found[2], found[3])):
        return age
    moment = told.upper().replace(" ", "T", 1)
    moment = f"{moment}-01" if re.fullmatch(r"\d{4}-\d\d", moment) else moment
    try:
        if _INSTANT.fullmatch(moment):
            datetime.fromisoformat(moment)
            return moment
    except ValueError:
        pass
    raise UnitError(f"That is no time; {TIME_HINT}.")


def _plain_age(number: str | None, unit: str) -> str | None:
    """An age as a number and a letter; None when the word before the unit is no number."""
    amount = 1 if number is None else int(number) if number.isdecimal() else _SMALL_NUMBERS.get(number)
    if amount is None or (number is None and len(unit) == 1):
        return None
    return f"{amount * _MONTH_DAYS}d" if unit.startswith("mo") else f"{amount}{unit[0]}"


def time_ns(told: str, now_ns: int) -> int:
    """Nanoseconds since the epoch of a time in the form of `read_time`.

    A time without a zone is taken as UTC, so that answers do not depend on where; `today` begins at midnight here.
    """
    if told in ("today", "yesterday"):
        day = _local(now_ns // 1_000_000_000).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
        return int((day - timedelta(days=told == "yesterday")).timestamp()) * 1_000_000_000
    if age := _PLAIN_AGE.fullmatch(told):
        return max(_FIRST_NS, now_ns - int(age[1]) * _AGE_SECONDS[age[2]] * 1_000_000_000)
    moment = datetime.fromisoformat(told)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    whole = moment.replace(microsecond=0)
    return max(_FIRST_NS, min(_LAST_NS, int(whole.timestamp()) * 1_000_000_000 + moment.microsecond * 1000))


def time_words(told: str, now_ns: int) -> str:
    """A time in the form of `read_time` as a date, with the time of day where that matters."""
    if told in ("today", "yesterday") or (_PLAIN_AGE.fullmatch(told) and told[-1] in "dwy"):
        return iso_date(time_ns(told, now_ns))
    if _PLAIN_AGE.fullmatch(told):
        return _local(time_ns(told, now_ns) // 1_000_000_000).strftime("%Y-%m-%d %H:%M")
    return told


def total_text(size: int, units: Units = "binary") -> str:
    """A sum in a few characters and to the byte, as in `4.1M (4299161b)`."""
    short = size_text(size, units)
    return short if short == f"{size}b" else f"{short} ({size}b)"
