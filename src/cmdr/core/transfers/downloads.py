"""Opens what goes out over HTTP: files for agents inside their roots, and for the person files, zips and images."""

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from cmdr.core.audit.log import AuditRecord, digest_of
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotAllowed, NotRecorded, NotThere
from cmdr.core.threads import Closable, in_thread, opened_in_thread
from cmdr.core.transfers.zip_stream import zip_stream
from cmdr.files.errors import DiskError
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.viewing.images import open_image as open_image_file
from cmdr.files.viewing.viewed_file import NotViewable
from cmdr.index.errors import IndexFault
from cmdr.model.names import to_wire
from cmdr.model.panes.tab import SelectedEntries

A = TypeVar("A")
Opened = TypeVar("Opened", bound=Closable)
DISK_TIMEOUT_S = 10.0
MAX_IMAGE_BYTES = 64 << 20
_MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "WEBP": "image/webp",
    "AVIF": "image/avif",
}
"""What browsers decode themselves, in processes that they wall off."""


@dataclass(frozen=True, slots=True)
class Download:
    """An open file: its descriptor belongs to whoever asked."""

    descriptor: int
    size: int
    name: bytes

    def close(self) -> None:
        """Nobody wants its contents."""
        os.close(self.descriptor)


@dataclass(frozen=True, slots=True)
class Archive:
    """Several files or folders in one."""

    pieces: Iterator[bytes]
    name: bytes

    def close(self) -> None:
        """Nothing is open before its first piece."""


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """An open picture: its descriptor belongs to whoever asked."""

    descriptor: int
    size: int
    type: str

    def close(self) -> None:
        """Nobody wants to see it."""
        os.close(self.descriptor)


async def open_download(commander: Commander, principal: Principal, index: str, node: str) -> Download:
    """Open the file behind a node, if this caller may read it."""

    async def path() -> bytes:
        try:
            answers = await commander.indexing.open(index, node)
            found = await in_thread(answers.node, node)
        except IndexFault as error:
            raise NotThere(str(error)) from error
        return found.path

    return await _opened(commander, principal, "fs_read download", {"index": index, "node": node}, path)


async def open_raw(commander: Commander, principal: Principal, handle: str) -> Download:
    """Open the file behind a link of `fs_read`, if this caller still may read it: the same rules, asked anew."""

    async def path() -> bytes:
        return commander.raw_links.take(principal.id, handle)

    return await _opened(commander, principal, "fs_read link", {"handle": handle}, path)


async def _opened(
    commander: Commander, principal: Principal, what: str, asked: Arguments, path: Callable[[], Awaitable[bytes]]
) -> Download:
    """The one way to whole contents: whoever may not `fs_read` gets none, and none goes out without a record."""
    audit, result = commander.audit, "refused"
    try:
        commander.policy.admit(commander.registry.find("fs_read"), principal)
        await audit.ready()
        reach = commander.sandbox.resolver(principal.roots, read_only=True)
        opened = await opened_in_thread(_open, reach, await path())
        try:
            commander.policy.admit(commander.registry.find("fs_read"), principal)  # the person may have said stop
            result = "ok"
            await audit.written(AuditRecord(principal.id, what, digest_of(asked), result))
        except BaseException:
            opened.close()
            raise
    except NotRecorded:
        result = "not recorded"  # the log has counted it
        raise
    finally:
        if result == "refused":
            audit.record(AuditRecord(principal.id, what, digest_of(asked), result))
    return opened


def _open(resolver: PathResolver, path: bytes) -> Download:
    try:
        with resolver.find(path) as found:
            if not found.is_file:
                raise CommandError("Only plain files can be downloaded.")
            return Download(found.open(), found.stat.st_size, os.path.basename(path))
    except DiskError as error:
        raise NotAllowed(str(error)) from error


async def open_chosen(chosen: SelectedEntries) -> Download | Archive:
    """Open what was chosen, or say why that cannot be."""
    return await _in_time(_open_chosen, chosen, "It cannot be read")


async def open_image(path: bytes) -> OpenedImage:
    """Open a picture, or say why it cannot be shown."""
    return await _in_time(_open_image, path, "The picture cannot be read")


async def _in_time(open_: Callable[[A], Opened], what: A, problem: str) -> Opened:
    """What a thread opened; raises `CommandError` when it cannot, or when the disk gives no answer."""
    try:
        return await asyncio.wait_for(opened_in_thread(open_, what), DISK_TIMEOUT_S)
    except NotViewable as error:
        raise CommandError(str(error)) from error
    except TimeoutError:  # an OSError too
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"{problem}: {error.strerror}.") from error
    except ValueError:
        raise CommandError(f"{problem}: that is not a path.") from None


def _open_chosen(chosen: SelectedEntries) -> Download | Archive:
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


def _open_image(path: bytes) -> OpenedImage:
    opened = open_image_file(path)
    type = _MEDIA_TYPES.get(opened.format)
    if type is not None and opened.size <= MAX_IMAGE_BYTES:
        return OpenedImage(opened.descriptor, opened.size, type)
    opened.close()
    if type is None:
        raise CommandError("This is no picture that can be shown.")
    raise CommandError(f"Pictures of more than {MAX_IMAGE_BYTES >> 20} MiB are not shown.")
