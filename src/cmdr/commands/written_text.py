"""What a text that was written changed beside its words, and the time by which the next writer knows it."""

import os

from cmdr.core.errors import CommandError
from cmdr.files.file_stat import regular_file
from cmdr.files.sandbox.resolved_path import ResolvedName
from cmdr.model.names import printable
from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.text_format import FileText, read_text

MOST_WRITTEN = 2 * 2**20
_LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "mixed": "mixed"}


def encoded(content: str, encoding: str) -> bytes:
    """The bytes of a text; an error names what cannot be written."""
    try:
        data = content.encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        raise CommandError(f"The text cannot be written as {printable(encoding, 40)}. Use utf-8.") from None
    if len(data) > MOST_WRITTEN:
        raise CommandError(f"{len(data)} bytes are too many for one call; at most {MOST_WRITTEN}.")
    return data


def standing_bytes(held: ResolvedName) -> tuple[bytes, os.stat_result] | None:
    """What a file holds, as far as texts go, with what the system says about it; None where there is none to read."""
    try:
        with regular_file(held.name, held.folder.handle) as file:
            seen = os.fstat(file.fileno())
            return file.read(MOST_WRITTEN + 1), seen
    except OSError:
        return None


def after_writing(held: ResolvedName, before: bytes | None, data: bytes) -> list[str]:
    """The lines that an answer adds. The time is told only of the very bytes: others may have written since."""
    now = standing_bytes(held)
    told = [f"mtime: {now[1].st_mtime_ns}"] if now is not None and now[0] == data else []
    changed = [] if before is None else format_changes(before, data)
    return [*told, *([f"changed too: {', '.join(changed)}"] if changed else [])]


def format_changes(before: bytes, after: bytes) -> list[str]:
    """How line ends and encoding differ, as in `line ends CRLF → LF`; nothing where one of both has no say."""
    try:
        old, new = read_text(before), read_text(after)
    except BinaryContentError:
        return []
    told = []
    if old.format.eol != new.format.eol and _has_lines(old) and _has_lines(new):
        told.append(f"line ends {_LINE_ENDS[old.format.eol]} → {_LINE_ENDS[new.format.eol]}")
    was, now = _encoding(old), _encoding(new)
    # Plain ASCII reads the same in either, unless a mark or two bytes a letter tell them apart.
    is_plain = before.isascii() or after.isascii()
    if was != now and not (is_plain and {was, now} <= {"utf-8", "cp1252", "latin-1"}):
        told.append(f"encoding {was} → {now}")
    return told


def _has_lines(file: FileText) -> bool:
    return "\n" in file.text or "\r" in file.text


def _encoding(file: FileText) -> str:
    return file.format.encoding + (" with a byte order mark" if file.format.bom else "")
