"""Writing a patched view as a new epoch, so that the overlay can be forgotten."""

import numpy as np

from cmdr.index.assemble import assemble
from cmdr.index.columns import Column
from cmdr.index.epoch import EpochWriter, StoredColumns
from cmdr.index.scan import epoch_name, known
from cmdr.index.source import Source
from cmdr.index.view import View, stored_view


def compact(view: View, home: str) -> View:
    """The same tree as `view`, stored whole as the next epoch."""
    writer = EpochWriter(home, epoch_name(view.epoch + 1))
    try:
        facts = assemble(_source(view), writer, known(view, to_match=False)).facts
    except OSError as trouble:
        writer.abandon()
        raise writer.translate(trouble) from trouble
    except BaseException:
        writer.abandon()
        raise
    kept = ("root", "started_ns", "walk_seconds", "cancelled", "options", "problems", "problem_count", "root_born")
    facts |= {name: view.facts[name] for name in kept} | {"epoch": view.epoch + 1}
    return stored_view(StoredColumns(writer.commit(facts)))


def _source(view: View) -> Source:
    live = view.live_dirs()
    dense = np.full(len(view.dirs["dpar"]), -1, np.int64)
    dense[live] = np.arange(len(live))
    base, extra = view.base, view.extra

    def both(of_base: Column, of_extra: Column | None) -> Column:
        return of_base if of_extra is None or extra is None else np.concatenate([of_base, of_extra])

    def column(name: str) -> Column:
        if name == "uid":
            return np.asarray(base.owners[column("owner").astype(np.int64).clip(0, len(base.owners) - 1)])
        if name == "device":
            return np.asarray(base.devices[column("dev").astype(np.int64).clip(0, len(base.devices) - 1)])
        return both(base[name], extra[name] if extra is not None else None)

    noff: Column = base.noff.astype(np.int64)
    if extra is not None:
        noff = np.concatenate([noff, extra.noff[1:].astype(np.int64) + noff[-1]])
    count = view.dirs["dcn"][live].astype(np.int64)
    return Source(
        1 + int(count.sum()),
        column,
        both(base.names, extra.names if extra is not None else None),
        noff,
        view.dirs["drow"][live].astype(np.int64),
        view.dirs["dcs"][live].astype(np.int64),
        count,
        view.dirs["dstate"][live],
        view.dirs["dlisted"][live],
        dense[view.dirs["dpar"][live].astype(np.int64)],
        column("nid"),
    )
