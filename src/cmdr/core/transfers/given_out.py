"""What the person takes out of the panes through their browser: one file as it is, anything else as one zip."""

import asyncio
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.core.errors import CommandError
from cmdr.core.threads import opened_in_thread
from cmdr.core.transfers.downloads import Download
from cmdr.core.transfers.zip_stream import zip_stream
from cmdr.model.names import to_wire
from cmdr.model.panes.tab import SelectedEntries

PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Archive:
    """Several files or folders in one."""

    pieces: Iterator[bytes]
    name: bytes

    def close(self) -> None:
        """Nothing is open before its first piece."""


async def open_chosen(chosen: SelectedEntries) -> Download | Archive:
    """Open what was chosen, or say why that cannot be."""
    try:
        return await asyncio.wait_for(opened_in_thread(_open, chosen), PATIENCE)
    except TimeoutError:  # an OSError too
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"It cannot be read: {error.strerror}.") from error


def _open(chosen: SelectedEntries) -> Download | Archive:
    paths = chosen.paths()
    alone = paths[0]
    if len(paths) > 1:
        folder = os.path.basename(chosen.folder) or b"files"
        return Archive(zip_stream(paths), folder + b".zip")
    if stat.S_ISDIR(os.stat(alone).st_mode):
        os.close(os.open(alone, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        return Archive(zip_stream([alone + b"/"]), os.path.basename(alone) + b".zip")
    # A pipe would block here, and opening a device can do things.
    descriptor = os.open(alone, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        raise CommandError(f"{to_wire(os.path.basename(alone))} is neither a file nor a folder.")
    return Download(descriptor, facts.st_size, os.path.basename(alone))
