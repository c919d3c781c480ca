"""How the journal writes places, fingerprints and slots of a trash into its columns, and reads them back."""

import json
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from cmdr.engine.journal.records import Backup, ItemRecord, ItemState, PutBack
from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.plan import Fingerprint, Kind, Place, Root

Row = tuple[
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
    bytes | None,
    bytes | None,
]
_RootRow = list[Any]


def items_of(rows: Sequence[Row]) -> list[ItemRecord]:
    """What rows of the table say about items."""
    if not rows:
        return []
    numbers, states, reasons, temps, *packed, parks, traits, put_back = zip(*rows, strict=True)
    beside, target, staged, landed, kept = map(_opened, packed)
    return list(
        map(
            ItemRecord,
            numbers,
            map(_STATES.__getitem__, states),
            reasons,
            temps,
            map(_place, beside),
            map(_place, target),
            map(_mark, staged),
            map(_mark, landed),
            map(_kept, kept),
            map(bool, parks),
            map(_traits, _opened(traits)),
            map(_put_back, _opened(put_back)),
        )
    )


def _opened(blobs: Iterable[bytes | None]) -> list[Any]:
    """What a column holds: one text for all rows, because a call for each would take several times as long."""
    found: list[Any] = json.loads(b"[" + b",".join([blob or b"null" for blob in blobs]) + b"]")
    return found


def place_blob(place: Place | None) -> bytes | None:
    """A place as a column."""
    return None if place is None else f"[{_text(place.root)},{_text(place.rel)}]".encode()


def _place(row: list[str] | None) -> Place | None:
    return None if row is None else Place(row[0].encode("latin-1"), row[1].encode("latin-1"))


def mark_blob(mark: Fingerprint | None) -> bytes | None:
    """A fingerprint as a column."""
    if mark is None:
        return None
    # Twice for every file: worth spelling out.
    stamp = b"" if mark.stamp_ns is None else b",%d" % mark.stamp_ns
    return b'[%d,%d,%d,%d,"%s"%s]' % (mark.dev, mark.ino, mark.size, mark.mtime_ns, mark.kind.encode(), stamp)


def _mark(row: list[Any] | None) -> Fingerprint | None:
    # Journals of earlier versions have no stamp.
    return None if row is None else Fingerprint(row[0], row[1], row[2], row[3], _KINDS[row[4]], *row[5:])


def backup_blob(kept: Backup | None) -> bytes | None:
    """A slot in a trash as a column."""
    if kept is None:
        return None
    return f"[{_root_text(kept.files)},{_root_text(kept.info)},{_text(kept.name)},{_text(kept.note)}]".encode()


def _kept(row: tuple[_RootRow, _RootRow, str, str] | None) -> Backup | None:
    if row is None:
        return None
    files, info, name, note = row
    return Backup(_root(files), _root(info), name.encode("latin-1"), note.encode("latin-1"))


def traits_blob(traits: Traits | None) -> bytes | None:
    """What surrounds a folder as a column."""
    return None if traits is None else json.dumps(traits.row).encode()


def _traits(row: list[object] | None) -> Traits | None:
    return None if row is None else Traits.of_row(row)


def put_back_blob(marks: PutBack | None) -> bytes | None:
    """How files look that were put back, as a column."""
    if marks is None:
        return None
    return b"[%b,%b]" % (mark_blob(marks.source) or b"null", mark_blob(marks.existing) or b"null")


def _put_back(row: list[Any] | None) -> PutBack | None:
    return None if row is None else PutBack(_mark(row[0]), _mark(row[1]))


def _root(row: _RootRow) -> Root:
    return Root(row[0].encode("latin-1"), *row[1:])


def _root_text(root: Root) -> str:
    birth = "" if root.birth_ns is None else f",{root.birth_ns}"
    return f"[{_text(root.path)},{root.dev},{root.ino}{birth}]"


def _text(name: bytes) -> str:
    return _quoted(name.decode("latin-1"))


# Looking a member up by its value takes a call; there are several for every item.
_STATES = {state.value: state for state in ItemState}
_KINDS = {kind.value: kind for kind in Kind}
