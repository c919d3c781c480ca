"""The lines of a plan's canonical form: one for each item, and back."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from json.encoder import encode_basestring_ascii as _quoted

from cmdr.model.plans.attributes import AttributeChange, Attributes, Traits
from cmdr.model.plans.packed_items import MarkRow, PlaceRow, Row
from cmdr.model.plans.plan_item import Decision, Fingerprint, Kind, Member, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName

_AT_ONCE = 512
_NOTHING_RARE = (None, None, None, None, None)


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


def _print(row: list[int]) -> Fingerprint:
    # Plans of earlier versions have no stamp.
    dev, ino, size, mtime_ns, kind, *stamp = row
    return Fingerprint(dev, ino, size, mtime_ns, Kind(str(kind)), *stamp)


def line_of(row: Row, number: Mapping[bytes, int]) -> bytes:
    """The line of an item; places name their root by its number.

    Spelled out, because there is one for every file and an encoder takes several times as long.
    """
    step, kind, source, target, found, existing, decision, reason, totals, remove, twin, info = row[:12]
    data, digest, mode, protected, traits, twin_mark, change, member, names = row[12:]
    if data is not None:
        digest = hashlib.sha256(data).hexdigest()
    places = ",".join([_place_text(place, number) for place in (source, target, twin, info)])
    line = (
        f'["{step}","{kind}",{places},{_mark_text(found)},{_mark_text(existing)},"{decision}",{_quoted(reason)},'
        f"[{totals[0]},{totals[1]},{totals[2]}],{'true' if remove else 'false'},"
        f"{_quoted(digest)},{'null' if mode is None else mode},{_quoted(protected)}"
    )
    # What most items do not have is left out at the end.
    rare = (traits, twin_mark, change, member, names or None)
    if rare != _NOTHING_RARE:
        last = max(place for place, value in enumerate(rare) if value is not None)
        texts = (_compact(traits), _mark_text(twin_mark), _compact(change), _compact(member), _compact(names))
        line += "".join(f",{text}" for text in texts[: last + 1])
    return (line + "]").encode("ascii")


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _place_text(place: PlaceRow, number: Mapping[bytes, int]) -> str:
    return "null" if place is None else f"[{number[place[0]]},{_quoted(place[1].decode('latin-1'))}]"


def _mark_text(mark: MarkRow) -> str:
    if mark is None:
        return "null"
    stamp = "" if mark[5] is None else f",{mark[5]}"
    return f'[{mark[0]},{mark[1]},{mark[2]},{mark[3]},"{mark[4]}"{stamp}]'


def item_of(row: list[object], roots: list[bytes]) -> PlanItem:
    """The item that a line holds; contents of a new file are not part of it."""
    step, kind, source, target, twin, info, found, existing, decision, reason, totals, remove, *more = row
    absent: list[object] = [None, None, None, None, None]
    digest, mode, prot, traits, twin_mark, change, member, names, *_ = more + absent

    def place(at: object) -> Place | None:
        return Place(roots[at[0]], bytes_of(at[1])) if isinstance(at, list) else None

    def mark(at: object) -> Fingerprint | None:
        return _print(at) if isinstance(at, list) else None

    return PlanItem(
        StepName(str(step)),
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
        Traits.of_row(traits) if isinstance(traits, list) else None,
        mark(twin_mark),
        AttributeChange(*(Attributes(*side) for side in change)) if isinstance(change, list) else None,
        Member.of_row(member) if isinstance(member, list) else None,
        names if isinstance(names, str) else "",
    )
