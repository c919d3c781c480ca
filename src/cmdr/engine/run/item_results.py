"""What became of every item of an operation, in little memory: a byte for most, more where there is more to say."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from cmdr.engine.journal.records import Backup, ItemState, PutBack
from cmdr.engine.steps.step import StepResult
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Totals

_STATES = tuple(ItemState)
_CODES = {state: code for code, state in enumerate(_STATES)}
_IS_DONE = tuple(state.is_done for state in _STATES)
_IS_SETTLED = tuple(state.is_settled for state in _STATES)
_KINDS = tuple(Kind)
_KIND_CODES = {kind: code for code, kind in enumerate(_KINDS)}
_NOWHERE = 255
"""No fingerprint is known."""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item."""

    index: int
    item: PlanItem
    state: ItemState
    reason: str = ""
    target: Place | None = None
    """Where it landed, when it has a target."""
    landed: Fingerprint | None = None
    kept: Backup | None = None
    """Where the trashed or displaced file is now."""
    warnings: tuple[str, ...] = ()
    """What could not be kept, such as an owner or an attribute."""
    put_back: PutBack | None = None
    """How its files look after an attempt that was taken back."""


@dataclass(frozen=True, slots=True)
class _More:
    """What there is to say about few items."""

    reason: str = ""
    target: Place | None = None
    """Where it landed, when that is not where it was planned."""
    kept: Backup | None = None
    warnings: tuple[str, ...] = ()
    put_back: PutBack | None = None


_NO_MORE = _More()


class ItemResults(Sequence[ItemResult]):
    """The outcomes of a plan's items, one after the other as they become known."""

    def __init__(self, items: Sequence[PlanItem]) -> None:
        count = len(items)
        self._files = self._folders = self._bytes = 0
        self.has_moved = False
        """Whether a source may have to go now that its copy has landed."""
        self._items = items
        self._states = bytearray(count)
        self._is_as_planned = bytearray(count)
        """Whether an item landed where it was planned."""
        # A moved source goes only while its copy is the one that landed, so that must be known to the end.
        self._kinds = bytearray([_NOWHERE]) * count
        self._devs, self._inos = array("Q", bytes(8 * count)), array("Q", bytes(8 * count))
        self._sizes, self._times = array("q", bytes(8 * count)), array("q", bytes(8 * count))
        self._stamps = array("q", bytes(8 * count))
        self._far_times: dict[int, int] = {}
        """What nanoseconds in 64 bits cannot count: a wrong clock writes years that some file systems keep."""
        self._far_stamps: dict[int, int | None] = {}
        """The same of stamps, and those that are not known."""
        self._more: dict[int, _More] = {}

    def settle(self, index: int, result: StepResult) -> bool:
        """Write down what became of an item; whether it is settled by that and was not before."""
        item, was, code = self._items[index], self._states[index], _CODES[result.state]
        before = self._more.pop(index, _NO_MORE)
        elsewhere = before.target
        if result.target is not None:
            is_as_planned = result.target == item.target
            self._is_as_planned[index] = is_as_planned
            elsewhere = None if is_as_planned else result.target
        if result.landed is not None:
            self._mark(index, result.landed)
        kept, warnings = result.kept or before.kept, before.warnings + result.warnings
        if result.reason or elsewhere or kept or warnings or result.put_back:
            self._more[index] = _More(result.reason, elsewhere, kept, warnings, result.put_back)
        self._states[index] = code
        if _IS_DONE[code] and not _IS_DONE[was]:
            totals = result.totals or item.totals
            self._files += totals.files
            self._folders += totals.folders
            self._bytes += totals.bytes
            self.has_moved = self.has_moved or item.remove_source
        return _IS_SETTLED[code] and not _IS_SETTLED[was]

    @property
    def totals(self) -> Totals:
        """How much is done."""
        return Totals(self._files, self._folders, self._bytes)

    def state(self, index: int) -> ItemState:
        """How far an item has come."""
        return _STATES[self._states[index]]

    def which(self, *states: ItemState) -> "array[int]":
        """The numbers of the items in some states."""
        codes = {_CODES[state] for state in states}
        return array("q", (index for index, code in enumerate(self._states) if code in codes))

    def having(self, *states: ItemState) -> tuple[ItemResult, ...]:
        """The items in some states."""
        return tuple(self[index] for index in self.which(*states))

    def elsewhere(self) -> tuple[tuple[PlanItem, Place], ...]:
        """What was carried out under another name than was planned, and where it is."""
        found = sorted((index, more.target) for index, more in self._more.items() if more.target is not None)
        return tuple((self._items[index], target) for index, target in found if self.state(index).is_done)

    def warnings(self) -> tuple[tuple[PlanItem, str], ...]:
        """What could not be kept, with the item it belongs to."""
        told = sorted((index, more.warnings) for index, more in self._more.items() if more.warnings)
        return tuple((self._items[index], text) for index, texts in told for text in texts)

    def __len__(self) -> int:
        return len(self._states)

    @overload
    def __getitem__(self, index: int) -> ItemResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ItemResult]: ...
    def __getitem__(self, index: int | slice) -> ItemResult | Sequence[ItemResult]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        return self._outcome(at, self._items[at])

    def __iter__(self) -> Iterator[ItemResult]:
        for index, item in enumerate(self._items):
            yield self._outcome(index, item)

    def _outcome(self, index: int, item: PlanItem) -> ItemResult:
        more = self._more.get(index, _NO_MORE)
        target = item.target if self._is_as_planned[index] else more.target
        landed = self._landed(index)
        return ItemResult(
            index, item, self.state(index), more.reason, target, landed, more.kept, more.warnings, more.put_back
        )

    def _mark(self, index: int, mark: Fingerprint) -> None:
        self._devs[index], self._inos[index] = mark.dev, mark.ino
        self._sizes[index] = mark.size
        try:
            self._times[index] = mark.mtime_ns
            self._far_times.pop(index, None)
        except OverflowError:
            self._far_times[index] = mark.mtime_ns
        try:
            self._stamps[index] = mark.stamp_ns or 0
            self._far_stamps.pop(index, None)
        except OverflowError:
            self._far_stamps[index] = mark.stamp_ns
        if mark.stamp_ns is None:
            self._far_stamps[index] = None
        self._kinds[index] = _KIND_CODES[mark.kind]

    def _landed(self, index: int) -> Fingerprint | None:
        if self._kinds[index] == _NOWHERE:
            return None
        kind = _KINDS[self._kinds[index]]
        time = self._far_times.get(index, self._times[index])
        stamp = self._far_stamps.get(index, self._stamps[index])
        return Fingerprint(self._devs[index], self._inos[index], self._sizes[index], time, kind, stamp)
