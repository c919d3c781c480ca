"""How the journal writes places, fingerprints and slots of a trash into its columns, and reads them back."""

import json

from cmdr.files.engine.recorder import ItemRecord, ItemState, Kept
from cmdr.model.plan import Fingerprint, Kind, Place, Root

_Row = tuple[
    int,
    str,
    str,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    int,
]


def item_of(row: _Row) -> ItemRecord:
    """What a row of the table says about an item."""
    index, state, reason, temp, beside, target, staged, landed, kept, parks = row
    return ItemRecord(
        index,
        ItemState(state),
        reason,
        temp,
        _place(beside),
        _place(target),
        _mark(staged),
        _mark(landed),
        _kept(kept),
        bool(parks),
    )


def _blob(*values: object) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode()


def place_blob(place: Place | None) -> bytes | None:
    """A place as a column."""
    return None if place is None else _blob(place.root.decode("latin-1"), place.rel.decode("latin-1"))


def _place(blob: bytes | None) -> Place | None:
    return None if blob is None else Place(*(text.encode("latin-1") for text in json.loads(blob)))


def mark_blob(mark: Fingerprint | None) -> bytes | None:
    """A fingerprint as a column."""
    if mark is None:
        return None
    # Twice for every file: worth spelling out.
    return b'[%d,%d,%d,%d,"%s"]' % (mark.dev, mark.ino, mark.size, mark.mtime_ns, mark.kind.encode())


def _mark(blob: bytes | None) -> Fingerprint | None:
    if blob is None:
        return None
    dev, ino, size, mtime_ns, kind = json.loads(blob)
    return Fingerprint(dev, ino, size, mtime_ns, Kind(kind))


def _root_row(root: Root) -> tuple[str, int, int]:
    return root.path.decode("latin-1"), root.dev, root.ino


def kept_blob(kept: Kept | None) -> bytes | None:
    """A slot in a trash as a column."""
    if kept is None:
        return None
    return _blob(_root_row(kept.files), _root_row(kept.info), kept.name.decode("latin-1"), kept.note.decode("latin-1"))


def _kept(blob: bytes | None) -> Kept | None:
    if blob is None:
        return None
    files, info, name, note = json.loads(blob)
    return Kept(
        Root(files[0].encode("latin-1"), files[1], files[2]),
        Root(info[0].encode("latin-1"), info[1], info[2]),
        name.encode("latin-1"),
        note.encode("latin-1"),
    )
