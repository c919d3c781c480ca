"""The sessions of callers on the disk, so that whoever stood somewhere stands there after a restart."""

import json
import logging
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from cmdr.core import places
from cmdr.model.names import from_wire, to_wire
from cmdr.model.shell_session import ShellSession

log = logging.getLogger(__name__)

NAME = "sessions.json"
MAX_FILE_BYTES = 4 * 2**20


class KeptSession(NamedTuple):
    """A session, and what its caller finds it by."""

    key: str
    session: ShellSession


class SessionFile:
    """Written whole; one that cannot be read or written costs no more than where callers stood."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)

    def read(self) -> list[KeptSession]:
        """The sessions that were kept, the one used last as the last; none when they cannot be read."""
        try:
            data = places.read(self._path, MAX_FILE_BYTES)
            return [] if data is None else [_kept(row) for row in json.loads(data)]
        except (OSError, places.UnsafePlace, ValueError, KeyError, TypeError):
            log.warning("the sessions of agents cannot be read; they begin anew", exc_info=True)
            return []

    def write(self, kept: Iterable[KeptSession]) -> None:
        """Keep these and no others; blocks."""
        data = json.dumps([_row(one) for one in kept]).encode()
        try:
            places.write(self._path, data)
        except (OSError, places.UnsafePlace):
            log.warning("the sessions of agents cannot be kept", exc_info=True)


def _row(kept: KeptSession) -> dict[str, Any]:
    session = kept.session
    return {
        "id": session.id,
        "owner": session.owner,
        "key": kept.key,
        "cwd": to_wire(session.cwd),
        "previous": to_wire(session.previous),
        "units": session.units,
        "limit": session.limit,
        "indexes": session.indexes,
    }


def _kept(row: dict[str, Any]) -> KeptSession:
    session = ShellSession(
        str(row["id"]),
        str(row["owner"]),
        from_wire(row["cwd"]),
        from_wire(row["previous"]),
        "bytes" if row["units"] == "bytes" else "binary",
        row["limit"] if isinstance(row["limit"], int) else None,
        [str(one) for one in row["indexes"]],
    )
    return KeptSession(str(row["key"]), session)
