"""The items of a plan for very many files: packed in blocks, so that half a million take the room of a few thousand."""

import marshal
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from cmdr.model.plans.attributes import AttributeChange, Attributes, AttributesRow, ChangeRow, Traits
from cmdr.model.plans.plan_item import Decision, Fingerprint, Kind, Member, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName

BLOCK = 1024
"""Items in a block: enough to pack well, few enough to unpack in a moment."""
PLAIN = 48 * BLOCK
"""Up to so many items are kept as they are: they are quicker to look at."""

PlaceRow = tuple[bytes, bytes] | None
MarkRow = tuple[int, int, int, int, str, int | None] | None
Row = tuple[
    str,
    str,
    PlaceRow,
    PlaceRow,
    MarkRow,
    MarkRow,
    str,
    str,
    tuple[int, int, int],
    bool,
    PlaceRow,
    PlaceRow,
    bytes | None,
    str,
    int | None,
    str,
    list[object] | None,
    MarkRow,
    ChangeRow,
    list[object] | None,
    str,
]


class PackedItems(Sequence[PlanItem]):
    """Items that are added one by one and then only read."""

    def __init__(self, items: Iterable[PlanItem] = ()) -> None:
        self._blocks: list[bytes] = []
        self._packed = 0
        self._tail: list[PlanItem] = []
        self._unpacked: tuple[int, list[PlanItem]] = (-1, [])
        """The block that was looked at last: the next look is mostly at the same one."""
        for item in items:
            self.append(item)

    def append(self, item: PlanItem) -> None:
        """Add an item at the end."""
        self._tail.append(item)
        if len(self._tail) >= PLAIN + BLOCK:
            self._pack()

    def done(self) -> Sequence[PlanItem]:
        """The items as a plan should keep them: plain when they are few."""
        if not self._blocks:
            return tuple(self._tail)
        while self._tail:
            self._pack()
        return self

    def __len__(self) -> int:
        return self._packed + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> PlanItem: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlanItem]: ...
    def __getitem__(self, index: int | slice) -> PlanItem | Sequence[PlanItem]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        block, place = divmod(at, BLOCK)
        if block >= len(self._blocks):
            return self._tail[at - self._packed]
        held = self._unpacked
        if held[0] != block:
            held = self._unpacked = (block, _unpack(self._blocks[block]))
        return held[1][place]

    def __iter__(self) -> Iterator[PlanItem]:
        for block in self._blocks:
            yield from _unpack(block)
        yield from self._tail

    def __reversed__(self) -> Iterator[PlanItem]:
        yield from reversed(self._tail)
        for block in reversed(self._blocks):
            yield from reversed(_unpack(block))

    def rows(self) -> Iterator[Row]:
        """The items as plain rows, which are much quicker to make."""
        for block in self._blocks:
            yield from _unpack_rows(block)
        yield from map(row_of, self._tail)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((len(self), self[0] if len(self) else None))

    def _pack(self) -> None:
        some, self._tail = self._tail[:BLOCK], self._tail[BLOCK:]
        self._blocks.append(zlib.compress(marshal.dumps([row_of(item) for item in some]), 1))
        self._packed += len(some)


def packed(items: Iterable[PlanItem]) -> Sequence[PlanItem]:
    """Some items, packed when they are many."""
    return PackedItems(items).done()


def rows_of(items: Iterable[PlanItem]) -> Iterator[Row]:
    """Some items as plain rows."""
    return items.rows() if isinstance(items, PackedItems) else map(row_of, items)


def _unpack(block: bytes) -> list[PlanItem]:
    return [_item(row) for row in _unpack_rows(block)]


def _unpack_rows(block: bytes) -> list[Row]:
    rows: list[Row] = marshal.loads(zlib.decompress(block))  # noqa: S302 - our own, never from outside
    return rows


def row_of(item: PlanItem) -> Row:
    """An item as a plain row."""
    totals = item.totals
    return (
        # Their values, without the call that `value` is.
        item.step._value_,
        item.kind._value_,
        _place_row(item.source),
        _place_row(item.target),
        _mark_row(item.fingerprint),
        _mark_row(item.existing),
        item.decision._value_,
        item.reason,
        (totals.files, totals.folders, totals.bytes),
        item.remove_source,
        _place_row(item.twin),
        _place_row(item.info),
        item.data,
        item.data_digest,
        item.mode,
        item.protected,
        None if item.traits is None else item.traits.row,
        _mark_row(item.twin_mark),
        _change_row(item.change),
        None if item.member is None else item.member.row,
        item.names,
    )


def _item(row: Row) -> PlanItem:
    return PlanItem(
        _STEPS[row[0]],
        _KINDS[row[1]],
        _place(row[2]),
        _place(row[3]),
        _mark(row[4]),
        _mark(row[5]),
        _DECISIONS[row[6]],
        row[7],
        Totals(*row[8]),
        row[9],
        _place(row[10]),
        _place(row[11]),
        *row[12:16],
        None if row[16] is None else Traits.of_row(row[16]),
        _mark(row[17]),
        None if row[18] is None else AttributeChange(Attributes(*row[18][0]), Attributes(*row[18][1])),
        None if row[19] is None else Member.of_row(row[19]),
        row[20],
    )


def _place_row(place: Place | None) -> PlaceRow:
    return None if place is None else (place.root, place.rel)


def _place(row: PlaceRow) -> Place | None:
    return None if row is None else Place(*row)


def _change_row(change: AttributeChange | None) -> ChangeRow:
    return None if change is None else (_attributes_row(change.before), _attributes_row(change.after))


def _attributes_row(side: Attributes) -> AttributesRow:
    return side.mode, side.uid, side.gid, side.mtime_ns, side.owner


def _mark_row(mark: Fingerprint | None) -> MarkRow:
    return None if mark is None else (*mark[:4], mark.kind._value_, mark.stamp_ns)


def _mark(row: MarkRow) -> Fingerprint | None:
    return None if row is None else Fingerprint(row[0], row[1], row[2], row[3], _KINDS[row[4]], row[5])


# Looking a member up by its value takes a call; there are four for every item.
_STEPS = {step.value: step for step in StepName}
_KINDS = {kind.value: kind for kind in Kind}
_DECISIONS = {decision.value: decision for decision in Decision}
