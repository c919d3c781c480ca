"""Looking for a text in the file on the screen: from here on, and once round the end."""

from enum import Enum, auto

from cmdr.tui.file_rows import HEX_BYTES
from cmdr.tui.file_view import FileView


class Found(Enum):
    """Where the text was."""

    AHEAD = auto()
    ROUND_THE_END = auto()
    NOWHERE = auto()


async def search(file: FileView, text: str, *, backwards: bool = False, regex: bool = False) -> Found:
    """Go to the next place of a text. A new text may stand right here; the one before is looked for beyond."""
    view = file.view
    if view is None:
        return Found.NOWHERE
    here = file.top * HEX_BYTES if file.hex else await view.offset_of(file.top)
    start = here
    if not backwards and file.needle == text:
        start = here + HEX_BYTES if file.hex else await view.offset_of(file.top + 1)
    file.needle = text
    where = Found.AHEAD
    found = await view.find(text, start, backwards=backwards, regex=regex)
    if found is None and file.needle == text:
        where = Found.ROUND_THE_END
        found = await view.find(text, view.size if backwards else 0, backwards=backwards, regex=regex)
    if found is not None:
        file.to(found[0] // HEX_BYTES if file.hex else await view.line_at(found[0]))
    await file.fill()
    return where if found is not None else Found.NOWHERE
