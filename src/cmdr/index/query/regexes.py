"""Regular expressions over names, in time linear to the names whatever the expression.

Python's `re` can take hours on one name; expressions from outside only ever run in polars' engine. polars is imported
with the first expression. Decoding all names to its text costs as much as searching them, so the texts are cached
while somebody asks.
"""

import io
import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cmdr.index.errors import BadPattern, Cancelled
from cmdr.index.query.name_search import NONE, names_containing
from cmdr.index.query.regex_literal import required_texts
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import take_names
from cmdr.index.snapshots.segment import Segment

_SOME = 1 << 16
MAX_PATTERN_CHARS = 1000
_MAX_BRANCHES = 4
_MARGIN = 4  # blanks before an expression and the marks below it, where the engine tells of a mistake
_SPARSE = 4  # when fewer rows than one in four can match, only these are tried
_accents: "weakref.WeakKeyDictionary[Segment, Column]" = weakref.WeakKeyDictionary()
_accents_lock = threading.Lock()
SLICE_ROWS = 1 << 20
"""Rows of one slice."""
_TEXTS_TTL_S = 120.0  # seconds
_texts: "weakref.WeakKeyDictionary[Segment, dict[tuple[bool, int], Any]]" = weakref.WeakKeyDictionary()
_texts_lock = threading.Lock()
_expiry: threading.Timer | None = None


def matching_regex(segment: Segment, pattern: str, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains a match, ascending."""
    check_regex(pattern)
    expression = pattern if case else f"(?i){pattern}"
    likely = _likely(segment, required_texts(pattern), case, rows, stop)
    if likely is not None and len(likely) * _SPARSE < len(rows):
        return _verified(segment, expression, likely, stop)
    return _search(segment, expression, True, rows, stop)


def loosely_matching(segment: Segment, expression: str, raw: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows of (raw or folded) names that match, and all whose bytes are not text, for the caller to verify."""
    return _search(segment, f"(?:{expression})|\\x{{fffd}}", raw, rows, stop)


def check_regex(pattern: str) -> None:
    """Refuse at once what the engine would not take."""
    import polars

    if len(pattern) > MAX_PATTERN_CHARS:
        raise BadPattern(f"This expression is {len(pattern):,} characters long; {MAX_PATTERN_CHARS:,} are allowed.")
    try:
        polars.Series([""]).str.contains(pattern)
    except polars.exceptions.PolarsError as trouble:
        raise BadPattern(_reason(pattern, str(trouble))) from trouble


def group_names(pattern: str) -> tuple[str, ...]:
    """The groups of an expression that was checked, in order: their names, or their numbers where they have none."""
    import polars

    return tuple(polars.Series([""], dtype=polars.String).str.extract_groups(pattern).struct.fields)


def regex_over(texts: list[str], pattern: str, case: bool) -> list[bool]:
    """Whether each text contains a match; for the few texts that are not names."""
    import polars

    check_regex(pattern)
    found = polars.Series(texts, dtype=polars.String).str.contains(pattern if case else f"(?i){pattern}")
    return [bool(one) for one in found.to_list()]


def _likely(
    segment: Segment, texts: tuple[str, ...], case: bool, rows: range, stop: Callable[[], bool]
) -> Column | None:
    """The rows that can match at all, ascending; None when a search for them would not pay."""
    if not 0 < len(texts) <= _MAX_BRANCHES or min(map(len, texts)) < 2:
        return None
    found = [names_containing(segment, text.encode(), case, rows, stop) for text in texts]
    if not case:
        found.append(_accented(segment, stop))
    if len(found) == 1:
        return found[0]
    merged = np.unique(np.concatenate(found))
    return merged[(merged >= rows.start) & (merged < rows.stop)]


def _accented(segment: Segment, stop: Callable[[], bool]) -> Column:
    """Rows with an accent of its own (U+0300 to U+036F): folding makes it one with the letter before it."""
    with _accents_lock:
        found = _accents.get(segment)
    if found is None:
        every = range(segment.rows)
        found = np.union1d(*(names_containing(segment, lead, True, every, stop) for lead in (b"\xcc", b"\xcd")))
        with _accents_lock:
            _accents[segment] = found
    return found


def _verified(segment: Segment, expression: str, likely: Column, stop: Callable[[], bool]) -> Column:
    """Which of these rows match."""
    kept = [NONE]
    for first in range(0, len(likely), _SOME):
        some = likely[first : first + _SOME]
        kept.append(some[_contains(names_as_text(segment, some), expression)])
        if stop():
            raise Cancelled("The search was stopped.")
    return np.concatenate(kept)


def _search(segment: Segment, expression: str, raw: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """All rows that match: the slices are shared among the processor's cores."""
    numbers = range(rows.start // SLICE_ROWS, -(-rows.stop // SLICE_ROWS))

    def hits(number: int) -> Column:
        found = np.flatnonzero(_contains(slice_of_names(segment, raw, number), expression)) + number * SLICE_ROWS
        return found[(found >= rows.start) & (found < rows.stop)]

    postpone_expiry()
    kept = [NONE]
    pool = ThreadPoolExecutor(os.cpu_count() or 1, "cmdr-index-regex")
    try:
        for found in pool.map(hits, numbers):
            kept.append(found)
            if stop():
                raise Cancelled("The search was stopped.")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return np.concatenate(kept)


def _contains(texts: Any, expression: str) -> Column:
    import polars

    try:
        return np.asarray(texts.str.contains(expression).to_numpy())
    except polars.exceptions.PolarsError as trouble:
        raise BadPattern(_reason(expression, str(trouble))) from trouble


def _reason(pattern: str, trouble: str) -> str:
    lines = [line.strip() for line in trouble.splitlines()]
    why = next((line.removeprefix("error: ") for line in lines if line.startswith("error:")), None)
    if why is None:
        why = "it grows too big" if "size limit" in trouble else "it is not understood"
    marks = next((line for line in trouble.splitlines() if line.strip() and not line.strip().strip("^")), "")
    where = f" (at character {marks.index('^') - _MARGIN + 1})" if marks and "\n" not in pattern else ""
    return f"The expression {pattern[:80]!r} cannot be used: {why}{where}."


def slice_of_names(segment: Segment, raw: bool, number: int) -> Any:
    """The names of slice `number` of a segment, as written or folded; kept for a while."""
    with _texts_lock:
        slices = _texts.setdefault(segment, {})
        found = slices.get((raw, number))
        if found is None:
            first = number * SLICE_ROWS
            last = min(first + SLICE_ROWS, segment.rows)
            blob, offsets = (segment.names, segment.noff) if raw else (segment.folded, segment.foff)
            found = _text(blob[int(offsets[first]) : int(offsets[last])].tobytes(), last - first)
            slices[raw, number] = found
        return found


def names_as_text(segment: Segment, rows: Column) -> Any:
    """The names of some rows, as written."""
    return _text(take_names(segment.names, segment.noff, rows).blob.tobytes(), len(rows))


def drop_name_texts() -> None:
    """Give back the room of all that is kept."""
    with _texts_lock:
        _texts.clear()


def postpone_expiry() -> None:
    """Somebody asks: what is kept stays for a while from now on."""
    global _expiry
    with _texts_lock:
        if _expiry is not None:
            _expiry.cancel()
        _expiry = threading.Timer(_TEXTS_TTL_S, drop_name_texts)
        _expiry.daemon = True
        _expiry.start()


def _text(names: bytes, count: int) -> Any:
    import polars

    if not count:
        return polars.Series("name", [], polars.String)
    root = names.startswith(b"\0")  # its empty name would be an empty line, which the reader skips
    # NUL ends a name and a slash can stand in none: lines with one field, and the CSV reader is the quickest.
    table = polars.read_csv(
        io.BytesIO(b"root" + names if root else names),
        has_header=False,
        separator="/",
        eol_char="\0",
        quote_char=None,
        schema={"name": polars.String},
        encoding="utf8-lossy",
    )
    if len(table) != count:
        raise BadPattern("The names could not be read as text.")
    return table["name"]
