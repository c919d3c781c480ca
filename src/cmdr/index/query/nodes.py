"""Nodes made from the rows of a view, and the names of their owners."""

import pwd

import numpy as np

from cmdr.index.snapshots.columns import Column, Flag, kind_name
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_handle_start
from cmdr.model.trees.node import LISTED, Node

# Plain numbers: combining enum flags costs more than everything else here.
_UNKNOWN, _HARD, _SHARED, _BROKEN = int(Flag.UNKNOWN), int(Flag.HARD), int(Flag.SHARED), int(Flag.BROKEN)
_COLUMNS = ("nid", "mode", "size", "allocated", "mtime", "ctime", "ino", "owner", "flags")


def node(view: View, tag: int, row: int) -> Node:
    """The facts of one row."""
    return nodes(view, tag, np.array([row]))[0]


def nodes(view: View, tag: int, rows: Column, above: bytes | None = None) -> tuple[Node, ...]:
    """The facts of many rows, in their order: each column is read once. `above` is the one folder they are all in."""
    uids = view.base.owners.tolist()
    facts = zip(*(view.gather(name, rows).tolist() for name in _COLUMNS), strict=True)
    if above is None:
        paths = view.paths(rows)
    else:
        above = above if above.endswith(b"/") else above + b"/"
        paths = [above + name for name in view.names(rows)]
    handle, new = node_handle_start(tag), tuple.__new__
    found = []
    for path, number, (nid, mode, own_size, own_blocks, mtime, ctime, ino, owner, flags) in zip(
        paths, view.directories(rows).tolist(), facts, strict=True
    ):
        known = not flags & _UNKNOWN
        totals, children = None, None
        size, allocated = (own_size, own_blocks) if known else (None, None)
        if number >= 0:
            totals = view.totals(number)
            if totals.state in LISTED:
                size, allocated, children = totals.bytes, totals.allocated, view.dirs["dcn"].item(number)
            else:  # a directory that was not listed has no totals to speak of: unknown, not empty
                size = allocated = None
        found.append(
            new(  # without the named tuple's own way in, which takes twice as long
                Node,
                (
                    f"{handle}{nid:x}",
                    path,
                    path[path.rfind(b"/") + 1 :] or path,
                    kind_name(mode),
                    size,
                    allocated,
                    mtime if known else None,
                    ctime if known else None,
                    mode & 0o7777 if known else None,
                    uids[owner] if known and owner < len(uids) else None,
                    ino if known else None,
                    bool(flags & _HARD),
                    bool(flags & _SHARED),
                    bool(flags & _BROKEN),
                    children,
                    totals,
                ),
            )
        )
    return tuple(found)


def user_name(uid: int) -> str:
    """A user's name, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)
