"""Opening files as buffers, and keeping them in step with the disk without ever losing an unsaved change."""

from typing import Literal

from cmdr.editor.languages import language_of
from cmdr.editor.loading import FileMissingError, load
from cmdr.model.buffer import Buffer
from cmdr.model.text_format import FileText, read_text

Freshness = Literal["same", "reloaded", "both changed", "gone"]


async def open_buffer(path: bytes, *, follow_links: bool = True) -> Buffer:
    """Open a file; raises `LoadingError` or `BinaryContentError`."""
    loaded = await load(path, follow_links=follow_links)
    return Buffer(path, loaded.file, language_id=language_of(path, loaded.file.text.partition("\n")[0]))


def new_buffer(path: bytes) -> Buffer:
    """An empty document for a file that does not exist yet."""
    return Buffer(path, read_text(b""), language_id=language_of(path), new=True)


async def text_on_disk(path: bytes, *, follow_links: bool = True) -> FileText | None:
    """The file as it stands, None when there is none: what a review is based on and checked against."""
    try:
        return (await load(path, follow_links=follow_links)).file
    except FileMissingError:
        return None


async def refresh(buffer: Buffer) -> Freshness:
    """Take what changed on disk, unless the buffer has unsaved changes: then a person decides, and nothing is lost."""
    revision = buffer.revision
    file = await text_on_disk(buffer.path)
    if file is None:
        return "same" if buffer.disk_digest is None else "gone"
    if file.digest == buffer.disk_digest:
        return "same"
    # Typed while the disk was read: what was typed counts as unsaved.
    if buffer.dirty or buffer.revision != revision:
        return "both changed"
    buffer.reload(file)
    return "reloaded"
