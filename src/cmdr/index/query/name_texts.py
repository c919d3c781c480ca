"""Names as polars text, for its engine of regular expressions.

Decoding all names costs as much time as searching them, and twice their room. So they are kept, for as long as somebody
asks: when nobody has for a while, they go.
"""

import io
import threading
import weakref
from typing import Any

from cmdr.index.errors import BadPattern
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.packed_names import take_names
from cmdr.index.snapshots.segment import Segment

STEP = 1 << 20
"""Rows of one slice."""
_WHILE = 120.0  # seconds
_texts: "weakref.WeakKeyDictionary[Segment, dict[tuple[bool, int], Any]]" = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_going: threading.Timer | None = None


def slice_of_names(segment: Segment, raw: bool, number: int) -> Any:
    """The names of slice `number` of a segment, as written or folded; kept for a while."""
    with _lock:
        slices = _texts.setdefault(segment, {})
        found = slices.get((raw, number))
        if found is None:
            first = number * STEP
            last = min(first + STEP, segment.rows)
            blob, offsets = (segment.names, segment.noff) if raw else (segment.folded, segment.foff)
            found = _text(blob[int(offsets[first]) : int(offsets[last])].tobytes(), last - first)
            slices[raw, number] = found
        return found


def names_as_text(segment: Segment, rows: Column) -> Any:
    """The names of some rows, as written."""
    return _text(take_names(segment.names, segment.noff, rows).blob.tobytes(), len(rows))


def forget_names() -> None:
    """Give back the room of all that is kept."""
    with _lock:
        _texts.clear()


def keep_for_a_while() -> None:
    """Somebody asks: what is kept stays for a while from now on."""
    global _going
    with _lock:
        if _going is not None:
            _going.cancel()
        _going = threading.Timer(_WHILE, forget_names)
        _going.daemon = True
        _going.start()


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
