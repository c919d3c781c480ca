"""Which rows of a folder match what a person typed: a part of the name, or masks as in `*.py;*.md`."""

import fnmatch
import re
from collections.abc import Callable, Iterable

from cmdr.model.listing import Columns
from cmdr.model.names import to_wire

_CHUNK = 4096
_WILD = re.compile(r"[*?\[]")


def is_mask(text: str) -> bool:
    """Whether a text is a mask and not just a part of a name."""
    return bool(_WILD.search(text))


def matcher(text: str, *, part: bool) -> Callable[[str], bool]:
    """Whether a printable name matches: any of several masks, separated by `;`. Case counts only when it is typed.

    With `part`, a text without wildcards matches names that hold it anywhere.
    """
    patterns = []
    for typed in text.split(";"):
        mask = typed.strip() or "*"
        pattern = re.escape(mask) if part and not is_mask(mask) else fnmatch.translate(mask)
        patterns.append(f"(?:{pattern})")
    case = re.IGNORECASE if text == text.lower() else 0
    compiled = re.compile("|".join(patterns), case)
    found = compiled.search if part and not is_mask(text) else compiled.match
    return lambda name: found(name) is not None


def matching_rows(columns: Columns, rows: Iterable[int], text: str, *, part: bool = False) -> list[int]:
    """The rows whose names match; for large folders call it in a thread."""
    matches = matcher(text, part=part)
    name = columns.name
    return [row for row in rows if matches(to_wire(name(row)))]
