"""Text files in cmdr's own editor: read whole, written back through the operation engine."""

import asyncio

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.editor.loading import LoadingError, load_now
from cmdr.model.diff import BinaryContentError
from cmdr.model.text_format import FileText

PATIENCE = 10.0


async def load_text(path: bytes, limit: int) -> FileText:
    """The text of a file; an error says why it is not for this editor."""
    try:
        loaded = await asyncio.wait_for(in_thread(load_now, path, limit=limit), PATIENCE)
    except (LoadingError, BinaryContentError) as error:
        raise CommandError(str(error)) from error
    except TimeoutError:
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    return loaded.file
