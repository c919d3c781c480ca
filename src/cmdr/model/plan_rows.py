"""The lines of a plan's canonical form: one for each item, and back."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice

from cmdr.model.plan_item import Decision, Fingerprint, Kind, Place, PlanItem, Step, Totals

_AT_ONCE = 512


def rows_in(lines: Iterator[bytes]) -> Iterator[list[object]]:
    """What the lines hold, many at a time: a call for each would take longer than the reading."""
    while some := list(islice(lines, _AT_ONCE)):
        yield from json.loads(b"[" + b",".join(some) + b"]")


def text_of(path: bytes | None) -> str | None:
    """A path as text that stands for its very bytes."""
    return None if path is None else path.decode("latin-1")


def bytes_of(text: str) -> bytes:
    """The path that such a text stands for."""
    return text.encode("latin-1")


def _print_row(found: Fingerprint | None) -> list[object] | None:
    return None if found is None else [found.dev, found.ino, found.size, found.mtime_ns, found.kind]


def _print(row: list[int]) -> Fingerprint:
    dev, ino, size, mtime_ns, kind = row
    return Fingerprint(dev, ino, size, mtime_ns, Kind(str(kind)))


def _place_row(place: Place | None, number: Mapping[bytes, int]) -> list[object] | None:
    return None if place is None else [number[place.root], text_of(place.rel)]


def item_row(item: PlanItem, number: Mapping[bytes, int]) -> list[object]:
    """An item as it stands in its line; places name their root by its number."""
    digest = item.data_digest if item.data is None else hashlib.sha256(item.data).hexdigest()
    return [
        item.step,
        item.kind,
        *(_place_row(place, number) for place in (item.source, item.target, item.twin, item.info)),
        _print_row(item.fingerprint),
        _print_row(item.existing),
        item.decision,
        item.reason,
        [item.totals.files, item.totals.folders, item.totals.bytes],
        item.remove_source,
        digest,
        item.mode,
        item.protected,
    ]


def item_of(row: list[object], roots: list[bytes]) -> PlanItem:
    """The item that a line holds; contents of a new file are not part of it."""
    step, kind, source, target, twin, info, found, existing, decision, reason, totals, remove, digest, mode, prot = row

    def place(at: object) -> Place | None:
        return Place(roots[at[0]], bytes_of(at[1])) if isinstance(at, list) else None

    def mark(at: object) -> Fingerprint | None:
        return _print(at) if isinstance(at, list) else None

    return PlanItem(
        Step(str(step)),
        Kind(str(kind)),
        place(source),
        place(target),
        mark(found),
        mark(existing),
        Decision(str(decision)),
        str(reason),
        Totals(*totals) if isinstance(totals, list) else Totals(),
        bool(remove),
        place(twin),
        place(info),
        None,
        str(digest),
        mode if isinstance(mode, int) else None,
        str(prot),
    )
