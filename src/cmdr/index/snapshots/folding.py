"""Names as they are compared when case does not matter.

Folding is Unicode case folding in composed form, so `É`, `é` and a decomposed `é` are one; bytes that are not UTF-8
stay as they are. A folded name may be longer or shorter than the name, so folded blobs have offsets of their own.
"""

import unicodedata

import numpy as np

from cmdr.index.snapshots.columns import Column


def fold(name: bytes) -> bytes:
    """The comparable form of a name, or of many names separated by NUL."""
    if name.isascii():
        return name.lower()
    text = unicodedata.normalize("NFC", name.decode("utf-8", "surrogateescape")).casefold()
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def fold_names(names: bytes, ends: Column) -> tuple[bytes, Column]:
    """Fold many names that end with NUL at `ends`; answers the folded names and their ends."""
    if names.isascii():
        return names.lower(), ends
    beyond = np.flatnonzero(np.frombuffer(names, np.uint8) >= 128)
    rows = np.unique(np.searchsorted(ends, beyond, side="right"))
    spans = list(zip(np.where(rows > 0, ends[rows - 1], 0).tolist(), (ends[rows] - 1).tolist(), strict=True))
    beyond_ascii = fold(b"\0".join([names[start:end] for start, end in spans])).split(b"\0")
    low = bytearray(names.lower())
    changed: list[tuple[int, int, bytes]] = []  # where the folded name has another length
    for (start, end), folded in zip(spans, beyond_ascii, strict=True):
        if len(folded) == end - start:
            low[start:end] = folded
        else:
            changed.append((start, end, folded))
    if not changed:
        return bytes(low), ends
    pieces: list[bytes] = []
    done = 0
    for start, end, folded in changed:
        pieces += (bytes(low[done:start]), folded)
        done = end
    pieces.append(bytes(low[done:]))
    whole = b"".join(pieces)
    return whole, np.flatnonzero(np.frombuffer(whole, np.uint8) == 0) + 1
