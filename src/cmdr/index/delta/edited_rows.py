"""Rows of the epoch that stay where they are while facts of them change.

Such a column is mapped once more, privately: the pages with these rows become copies in memory, all others stay on
the disk, and the stored epoch stays as it was.
"""

import copy

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View


class EditedRows:
    """New values of single rows, column by column."""

    def __init__(self, base: View) -> None:
        self._base = base
        self._values: dict[str, dict[int, int]] = {}

    def put(self, row: int, column: str, value: int) -> None:
        """From now on this row has another value."""
        self._values.setdefault(column, {})[row] = value

    @property
    def rows(self) -> Column:
        """Every row of which something changed, ascending."""
        found: set[int] = set()
        return np.array(sorted(found.union(*self._values.values())), np.int64)

    def segment(self) -> Segment:
        """The epoch's rows with the new values."""
        base = self._base.base
        if not self._values:
            return base
        for case in (True, False):  # what is searched in all names is made once, for the epoch and for this
            base.names_by(case)
        edited = copy.copy(base)
        edited.__dict__.pop("has_unknown", None)
        edited.columns = dict(base.columns)
        for name, values in self._values.items():
            column = edited.columns[name] = self._base.stored.changeable(name)
            column[np.fromiter(values, np.int64, len(values))] = np.fromiter(values.values(), object, len(values))
        return edited
