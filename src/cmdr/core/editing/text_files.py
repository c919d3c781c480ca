"""Text files read whole for an editor or a review, without waiting for a disk that gives no answer."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.editor.file_loading import MAX_TEXT_BYTES, FileMissingError, LoadingError, load
from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.text_format import FileText

DISK_TIMEOUT_S = 10.0


async def load_text(path: bytes, limit: int = MAX_TEXT_BYTES) -> FileText:
    """The text of a file; an error says why it is not for an editor."""
    with _as_command_errors():
        return await asyncio.wait_for(in_thread(load, path, limit=limit), DISK_TIMEOUT_S)


async def text_now(path: bytes) -> FileText | None:
    """A file as it stands, no link followed, None when there is none; an error says why it cannot be reviewed."""
    with _as_command_errors():
        try:
            return await asyncio.wait_for(in_thread(load, path, follow_links=False), DISK_TIMEOUT_S)
        except FileMissingError:
            return None


@contextmanager
def _as_command_errors() -> Iterator[None]:
    try:
        yield
    except (LoadingError, BinaryContentError) as error:
        raise CommandError(str(error)) from error
    except TimeoutError:
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
