"""Pictures for the person's own page: told by their first bytes, never by their name, and never anything that runs."""

import asyncio
import os
import stat
from dataclasses import dataclass

from cmdr.core.errors import CommandError
from cmdr.core.threads import opened_in_thread

LARGEST = 64 << 20
PATIENCE = 10.0
# An SVG is a document that can hold scripts, so it is not among them.
_TYPES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """An open picture: its descriptor belongs to whoever asked."""

    descriptor: int
    size: int
    type: str

    def close(self) -> None:
        """Nobody wants to see it."""
        os.close(self.descriptor)


async def open_image(path: bytes) -> OpenedImage:
    """Open a picture, or say why it cannot be shown."""
    try:
        return await asyncio.wait_for(opened_in_thread(_open, path), PATIENCE)
    except TimeoutError:  # an OSError too
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"The picture cannot be read: {error.strerror}.") from error
    except ValueError:
        raise CommandError("The picture cannot be read: that is not a path.") from None


def image_type(start: bytes) -> str | None:
    """The type of a picture by how it begins, or None when it is no picture that is shown."""
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    if start[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next((type for magic, type in _TYPES if start.startswith(magic)), None)


def _open(path: bytes) -> OpenedImage:
    # A pipe would block here, and opening a device can do things.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        return _checked(descriptor)
    except BaseException:
        os.close(descriptor)
        raise


def _checked(descriptor: int) -> OpenedImage:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise CommandError("Only ordinary files can be shown.")
    type = image_type(os.pread(descriptor, 16, 0))
    if type is None:
        raise CommandError("This is no picture that can be shown.")
    if found.st_size > LARGEST:
        raise CommandError(f"Pictures of more than {LARGEST >> 20} MiB are not shown.")
    return OpenedImage(descriptor, found.st_size, type)
