"""A stretch of rows with all their columns: the stored snapshot, or the small delta of what changed since."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.snapshots.columns import ROW_COLUMNS, Column, Flag
from cmdr.index.snapshots.name_blobs import NameBlob
from cmdr.index.snapshots.snapshot import StoredColumns


@dataclass(eq=False)
class Segment:
    """Rows by column; `owners`, `extensions` and `devices` say what the codes mean."""

    columns: dict[str, Column]
    names: Column
    noff: Column
    folded: Column
    foff: Column
    owners: Column  # uid by code
    extensions: list[bytes]
    devices: Column

    @cached_property
    def rows(self) -> int:
        return len(self.noff) - 1

    def __getitem__(self, column: str) -> Column:
        return self.columns[column]

    @cached_property
    def blob(self) -> memoryview:
        """The names as bytes."""
        return self.names.data

    def names_by(self, case: bool) -> NameBlob:
        """All names to be searched: as they are written, or in their comparable form."""
        return self._written if case else self._comparable

    @cached_property
    def _written(self) -> NameBlob:
        return NameBlob(self.names, self.noff)

    @cached_property
    def _comparable(self) -> NameBlob:
        return NameBlob(self.folded, self.foff)

    def name(self, row: int) -> bytes:
        """The name of one row."""
        return bytes(self.blob[self.noff.item(row) : self.noff.item(row + 1) - 1])

    def names_in(self, first: int, count: int) -> list[bytes]:
        """The names of neighbouring rows."""
        return bytes(self.blob[self.noff.item(first) : self.noff.item(first + count)]).split(b"\0")[:-1]

    def names_of(self, rows: Column) -> list[bytes]:
        """The names of many rows."""
        return _names(self.blob, self.noff, rows)

    def folded_of(self, rows: Column) -> list[bytes]:
        """The comparable forms of many names."""
        return _names(self.folded.data, self.foff, rows)

    @cached_property
    def has_unknown(self) -> bool:
        """Whether any row was seen by name only."""
        return bool((self.columns["flags"] & np.uint8(Flag.UNKNOWN)).any())

    @cached_property
    def extension_code(self) -> dict[bytes, int]:
        return {one: code for code, one in enumerate(self.extensions)}


def _names(data: memoryview, offsets: Column, rows: Column) -> list[bytes]:
    starts, ends = offsets[rows].tolist(), offsets[rows.astype(np.int64) + 1].tolist()
    return [bytes(data[a : b - 1]) for a, b in zip(starts, ends, strict=True)]


def stored_segment(stored: StoredColumns) -> Segment:
    """The rows of a committed snapshot, mapped."""
    facts = stored.manifest.facts
    noff = stored.column("noff")
    return Segment(
        {name: stored.column(name) for name in ROW_COLUMNS},
        stored.column("names"),
        noff,
        stored.column("folded"),
        stored.column("foff") if stored.has("foff") else noff,
        np.array(facts["owners"], np.int64),
        [bytes.fromhex(one) for one in facts["extensions"]],
        np.array(facts["devices"], np.uint64),
    )
