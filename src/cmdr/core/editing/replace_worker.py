"""A regular expression replaced in texts, in a process of its own.

The engine takes time linear in a text, but a hostile expression makes that long, and only a process can be ended.
"""

import json
import pickle
import re
import struct
import sys
from collections.abc import Callable, Iterator

from cmdr.files.worker_process import MORE

NUMBER = struct.Struct("=Q")
"""Before each text: which one it is."""
_REFERENCE = re.compile(r"\$(?:\$|\w+|\{[^}]*\})")
_MAX_GROWN_CHARS = 256 << 20
"""What a replacement may grow to before anybody looks at how long it really is."""


def references_in(replacement: str) -> list[str]:
    """The groups that a replacement names as `$1` or `${name}`; `$$` names none."""
    found = (each.group()[1:].strip("{}") for each in _REFERENCE.finditer(replacement))
    return [name for name in found if name != "$"]


def work(task: Iterator[bytes], progress: Callable[[bytes], None]) -> Iterator[bytes]:
    """In the worker: for each text in which something changes a head and the new text, and last the totals.

    A head is `[number, places, kept]`; of a text beyond the limits only the head is sent, with `kept` false.
    """
    search_path, expression, replacement, max_files, max_chars, max_text = pickle.loads(next(task))  # noqa: S301 - ours
    sys.path[:] = search_path
    import polars

    references = len(references_in(replacement))
    files = chars = 0
    for block in task:
        (number,) = NUMBER.unpack_from(block)
        text = block[NUMBER.size :].decode("utf-8", "surrogatepass")
        texts = polars.Series([text], dtype=polars.String)
        places = texts.str.count_matches(expression).item()
        if not places:
            continue
        grown = len(text) * (1 + references) + places * len(replacement)
        new = texts.str.replace_all(expression, replacement).item() if grown <= _MAX_GROWN_CHARS else None
        if new == text:
            yield _head(number, 0, kept=False)
            continue
        if new is None or len(new) > max_text:
            yield _head(number, -places, kept=False)
            continue
        files, chars = files + 1, chars + len(text) + len(new)
        is_kept = files <= max_files and chars <= max_chars
        yield _head(number, places, kept=is_kept)
        if is_kept:
            yield new.encode("utf-8", "surrogatepass")
        progress(MORE)


def _head(number: int, places: int, *, kept: bool) -> bytes:
    return json.dumps([number, places, kept]).encode()
