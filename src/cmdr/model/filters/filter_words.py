"""What a filter asks of times, in words with dates: `mtime>30d` is easily taken for its opposite."""

from cmdr.model.filters.filter import And, Filter, Not, Or, Time
from cmdr.model.units import time_words


def directions(wanted: Filter, now_ns: int) -> str:
    """Every bound on a time, as in `older than 2026-10-17`; empty when the filter asks for none."""
    return ", ".join(dict.fromkeys(_told(wanted, now_ns, is_not=False)))


def _told(wanted: Filter, now_ns: int, *, is_not: bool) -> list[str]:
    match wanted:
        case And(items) | Or(items):
            return [words for item in items for words in _told(item, now_ns, is_not=is_not)]
        case Not(item):
            return _told(item, now_ns, is_not=not is_not)
        case Time(field, after, before):
            bounds = [f"newer than {time_words(after, now_ns)}"] if after is not None else []
            bounds += [f"older than {time_words(before, now_ns)}"] if before is not None else []
            what = f" ({field})" if field == "ctime" else ""
            return [f"{'not ' if is_not else ''}{' and '.join(bounds)}{what}"]
    return []
