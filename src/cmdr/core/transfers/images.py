"""Pictures for the person's own page: told by their first bytes, never by their name, and never anything that runs."""

import asyncio
import os
from dataclasses import dataclass

from cmdr.core.errors import CommandError
from cmdr.core.threads import opened_in_thread
from cmdr.files.viewing.images import open_picture
from cmdr.files.viewing.viewed_file import NotViewable

MAX_IMAGE_BYTES = 64 << 20
DISK_TIMEOUT_S = 10.0
_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "WEBP": "image/webp",
    "AVIF": "image/avif",
}
"""What browsers decode themselves, in processes that they wall off."""


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
        return await asyncio.wait_for(opened_in_thread(_open, path), DISK_TIMEOUT_S)
    except NotViewable as error:
        raise CommandError(str(error)) from error
    except TimeoutError:  # an OSError too
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"The picture cannot be read: {error.strerror}.") from error
    except ValueError:
        raise CommandError("The picture cannot be read: that is not a path.") from None


def _open(path: bytes) -> OpenedImage:
    opened = open_picture(path)
    type = _TYPES.get(opened.format)
    if type is not None and opened.size <= MAX_IMAGE_BYTES:
        return OpenedImage(opened.descriptor, opened.size, type)
    opened.close()
    if type is None:
        raise CommandError("This is no picture that can be shown.")
    raise CommandError(f"Pictures of more than {MAX_IMAGE_BYTES >> 20} MiB are not shown.")
