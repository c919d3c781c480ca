"""The contents of a file of any size, a stretch of lines or bytes at a time; and a small text whole, to edit."""

from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Json
from cmdr.model.invisible_chars import INVISIBLE, visible
from cmdr.model.names import to_wire
from cmdr.web.page.views import View

LINES = 500
LONGEST = 4000
"""Characters of one line that are shown; nobody reads a longer one, and a page that holds it stands still."""
BYTES = 16 * 256


async def lines_of(view: View, first: int) -> dict[str, Json]:
    """Some lines of a file from `first` on, or bytes where it is no text."""
    file = view.file
    told: dict[str, Json] = {"size": file.size, "encoding": file.encoding, "first": first, "binary": file.is_binary}
    if file.is_binary:
        data = await file.bytes(first * 16, BYTES)
        return told | {"lines": _hex(data, first * 16), "more": first * 16 + len(data) < file.size}
    await view.counted(first + LINES + 1)
    lines = await file.text(first, LINES + 1)
    return told | {"lines": [_shown(line) for line in lines[:LINES]], "more": len(lines) > LINES}


async def find_in(view: View, text: str, line: int, *, backwards: bool) -> dict[str, Json]:
    """The next line after `line`, or the last one before it, that holds a text; null when there is none."""
    if not text:
        raise CommandError("There is nothing to look for.")
    file = view.file
    if file.is_binary:
        start = line * 16 if backwards else (line + 1) * 16
    else:
        wanted = line if backwards else line + 1
        await view.counted(wanted + 1)
        if wanted > file.lines and not backwards:
            return {"line": None}
        start = await file.offset_of(wanted)
    found = await file.find(text, max(0, start), backwards=backwards, regex=False)
    if found is None:
        return {"line": None}
    if file.is_binary:
        return {"line": found[0] // 16}
    await view.counted_to(found[0])
    return {"line": await file.line_at(found[0])}


async def text_to_edit(path: bytes, limit: int) -> dict[str, Json]:
    """A whole text with what proves, when it is saved, that nobody changed the file meanwhile."""
    file = await load_text(path, limit)
    if INVISIBLE.search(file.text):
        raise CommandError("The file holds characters that cannot be seen. View it with F3; edit it in a terminal.")
    return {"name": to_wire(path.rpartition(b"/")[2]), "text": file.text, "digest": file.digest}


def whole_number(text: str, what: str) -> int:
    """A number from a query; -1 stands before the first line."""
    if text == "-1":
        return -1
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise CommandError(f"{what} is a number.")
    return int(text)


def _shown(line: str) -> str:
    return visible(line if len(line) <= LONGEST else line[:LONGEST] + "…")


def _hex(data: bytes, offset: int) -> list[Json]:
    """Sixteen bytes a line, as bytes and as what they would say."""
    lines: list[Json] = []
    for at in range(0, len(data), 16):
        piece = data[at : at + 16]
        said = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in piece)
        lines.append(f"{offset + at:010x}  {piece.hex(' '):<47}  {said}")
    return lines
