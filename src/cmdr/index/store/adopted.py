"""Index folders that the catalogue does not know: adopted when it lost them through damage, else removed."""

import json
import os
import shutil
import time

from cmdr.index.store.catalogue import Catalogue, IndexRecord
from cmdr.index.store.handles import new_tag
from cmdr.index.tree_state import open_newest_snapshot


def adopt_orphans(home: str, catalogue: Catalogue) -> None:
    """Make every index folder one that the catalogue knows; what cannot be known again is scanned anew when asked for.

    An adopted index answers to its old id, so that its sets stay; its nodes get new handles, since nobody knows any
    more which were given out.
    """
    known = {record.id for record in catalogue.indexes()}
    for name in sorted(os.listdir(home)):
        folder = os.path.join(home, name)
        if not name.startswith("i_") or name in known or not os.path.isdir(folder):
            continue
        record = _record(name, folder) if catalogue.was_damaged else None
        if record is None or catalogue.add_index(record).id != name:
            shutil.rmtree(folder, ignore_errors=True)


def _record(name: str, folder: str) -> IndexRecord | None:
    view, _ = open_newest_snapshot(folder)
    if view is None:
        return None
    options = json.dumps(view.facts["options"])
    return IndexRecord(name, view.root, options, new_tag(), time.time_ns(), view.next_id)
