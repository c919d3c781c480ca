"""The epochs in an index's folder: the newest that is whole, what a killed scan left, and damage set aside."""

import os
import shutil
import time
from contextlib import suppress

from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.epoch import StoredColumns
from cmdr.index.snapshots.view import View, stored_view

AT_ONCE = 64 << 20
"""Bytes of an epoch up to which it is compared with its checksums before it answers; reading them takes some 30 ms."""


def clear_leftovers(home: str) -> None:
    """Remove what scans that were killed left behind."""
    for name in os.listdir(home):
        if name.startswith("scratch-") or name.endswith(".tmp"):
            path = os.path.join(home, name)
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                os.unlink(path)


def newest_whole(home: str) -> tuple[View | None, list[str]]:
    """Open the newest epoch that is whole and remove older ones; damaged ones are set aside, and where is told."""
    newest: View | None = None
    aside: list[str] = []
    for name in sorted((name for name in os.listdir(home) if name.startswith("epoch-")), reverse=True):
        path = os.path.join(home, name)
        if newest is not None:
            shutil.rmtree(path, ignore_errors=True)
            continue
        try:
            stored = StoredColumns(path)
            if stored.size <= AT_ONCE:
                stored.verify()
            newest = stored_view(stored)
        except (Corrupt, KeyError, ValueError):
            aside.append(put_aside(path))
    return newest, aside


def put_aside(path: str) -> str:
    """Keep a damaged epoch for whoever wants to look at it, out of the way; answers where it is."""
    aside = os.path.join(os.path.dirname(path), f"aside-{os.path.basename(path)}-{time.time_ns()}")
    os.rename(path, aside)
    return aside
