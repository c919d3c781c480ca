"""Regular expressions over names, in time linear to the names whatever the expression.

Python's `re` can take hours on one name; expressions from outside only ever run in polars' engine. polars is imported
with the first expression. Names become text once per segment and are kept while the segment is in use.
"""

import io
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from cmdr.index.columns import Column
from cmdr.index.errors import BadPattern, Cancelled
from cmdr.index.namesearch import NONE
from cmdr.index.segment import Segment

_STEP = 1 << 20
_LONGEST = 1000
_texts: "weakref.WeakKeyDictionary[Segment, dict[tuple[bool, int], Any]]" = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def matching_regex(segment: Segment, pattern: str, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains a match, ascending."""
    check_regex(pattern)
    return _search(segment, pattern if case else f"(?i){pattern}", True, rows, stop)


def loosely_matching(segment: Segment, expression: str, raw: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows of (raw or folded) names that match, and all whose bytes are not text, for the caller to verify."""
    return _search(segment, f"(?:{expression})|\\x{{fffd}}", raw, rows, stop)


def check_regex(pattern: str) -> None:
    """Refuse at once what the engine would not take."""
    import polars

    if len(pattern) > _LONGEST:
        raise BadPattern(f"This expression is {len(pattern):,} characters long; {_LONGEST:,} are allowed.")
    try:
        polars.Series([""]).str.contains(pattern)
    except polars.exceptions.PolarsError as trouble:
        raise BadPattern(_reason(pattern, str(trouble))) from trouble


def regex_over(texts: list[str], pattern: str, case: bool) -> list[bool]:
    """Whether each text contains a match; for the few texts that are not names."""
    import polars

    check_regex(pattern)
    found = polars.Series(texts, dtype=polars.String).str.contains(pattern if case else f"(?i){pattern}")
    return [bool(one) for one in found.to_list()]


def _search(segment: Segment, expression: str, raw: bool, rows: range, stop: Callable[[], bool]) -> Column:
    import polars

    kept: list[Column] = []
    for first in range(rows.start - rows.start % _STEP, rows.stop, _STEP):
        try:
            mask = _text(segment, raw, first // _STEP).str.contains(expression).to_numpy()
        except polars.exceptions.PolarsError as trouble:
            raise BadPattern(_reason(expression, str(trouble))) from trouble
        hits = np.flatnonzero(mask) + first
        kept.append(hits[(hits >= rows.start) & (hits < rows.stop)])
        if stop():
            raise Cancelled("The search was stopped.")
    return np.concatenate(kept) if kept else NONE


def _text(segment: Segment, raw: bool, number: int) -> Any:
    """A slice of names as polars text."""
    with _lock:
        slices = _texts.setdefault(segment, {})
        found = slices.get((raw, number))
        if found is None:
            found = slices[raw, number] = _decode(segment, raw, number * _STEP)
        return found


def _decode(segment: Segment, raw: bool, first: int) -> Any:
    import polars

    blob, offsets = (segment.names, segment.noff) if raw else (segment.folded, segment.foff)
    last = min(first + _STEP, segment.rows)
    data = blob[int(offsets[first]) : int(offsets[last])].tobytes()
    root = data.startswith(b"\0")  # its empty name would be an empty line, which the reader skips
    # NUL ends a name and a slash can stand in none: lines with one field, and the CSV reader is the quickest.
    table = polars.read_csv(
        io.BytesIO(b"root" + data if root else data),
        has_header=False,
        separator="/",
        eol_char="\0",
        quote_char=None,
        schema={"name": polars.String},
        encoding="utf8-lossy",
    )
    if len(table) != last - first:
        raise BadPattern("The names could not be read as text.")
    return table["name"]


def _reason(pattern: str, trouble: str) -> str:
    lines = [line.strip() for line in trouble.splitlines()]
    why = next((line.removeprefix("error: ") for line in lines if line.startswith("error:")), None)
    if why is None:
        why = "it grows too big" if "size limit" in trouble else "it is not understood"
    return f"The expression {pattern[:80]!r} cannot be used: {why}."
