"""One moment of an index as everybody reads it. A view never changes; a refresh makes another one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.errors import Gone
from cmdr.index.snapshots.columns import DIR_COLUMNS, FORMAT_DIR, NO_ROW, Column
from cmdr.index.snapshots.epoch import StoredColumns
from cmdr.index.snapshots.segment import stored_segment
from cmdr.index.snapshots.view_paths import PathsView
from cmdr.model.names import to_wire


@dataclass(eq=False)
class View(PathsView):
    """The rows, the directories, and the ways between ids, rows, paths and directories."""

    def id_of(self, row: int) -> int:
        return self.value("nid", row)

    def row_of(self, nid: int) -> int:
        """The row of a node; raises Gone with the last path, or KeyError for an id never given out."""
        over = self.extra_ids.get(nid)
        if over is not None:
            return over
        if not 0 <= nid < self.next_id:
            raise KeyError(nid)
        rows = self._id_row
        row = int(rows[nid]) if nid < len(rows) else NO_ROW
        if row != NO_ROW and (self.dead is None or not self.dead[row]):
            return row
        path = self.last_path(nid) if row == NO_ROW else self.extra_gone.get(nid)
        where = f"; it was {to_wire(path)}" if path else ""
        raise Gone(f"This node is gone{where}.", path)

    def rows_of(self, nids: Column) -> Column:
        """Rows of many nodes; NO_ROW for those that are gone."""
        nids = np.asarray(nids, np.int64)
        out = np.full(len(nids), NO_ROW, np.int64)
        stored = nids < len(self._id_row)
        out[stored] = self._id_row[nids[stored]]
        if self.dead is not None:
            live = np.flatnonzero(out != NO_ROW)
            out[live[self.dead[out[live]]]] = NO_ROW
            if self.extra_ids:  # what stands in the overlay is dead in the epoch
                for at in np.flatnonzero(out == NO_ROW).tolist():
                    out[at] = self.extra_ids.get(int(nids[at]), NO_ROW)
        return out

    @cached_property
    def _id_row(self) -> Column:
        return self.stored.column("idrow")

    def last_path(self, nid: int) -> bytes | None:
        """Where a vanished node was last seen."""
        if nid in self.extra_gone:
            return self.extra_gone[nid]
        ids = self.stored.column("gone_id")
        at = int(ids.searchsorted(np.uint32(nid)))
        if at >= len(ids) or ids[at] != nid:
            return None
        offsets = self.stored.column("gone_off")
        return bytes(self.stored.column("gone_path")[int(offsets[at]) : int(offsets[at + 1])])

    def is_directory(self, row: int) -> bool:
        return self.value("mode", row) >> 12 == FORMAT_DIR


def stored_view(stored: StoredColumns) -> View:
    """The view of a committed epoch without any overlay."""
    facts = stored.manifest.facts
    return View(
        bytes.fromhex(facts["root"]),
        int(facts["epoch"]),
        facts,
        stored_segment(stored),
        {name: stored.column(name) for name in DIR_COLUMNS},
        stored,
        next_id=int(facts["next_id"]),
    )
