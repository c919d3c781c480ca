"""Reads a range of a text file: by lines or by bytes, in the encoding it is in, bounded in size."""

import codecs
import os
from dataclasses import dataclass

MAX_BYTES = 32 * 1024
MAX_CHARS = 18_000
"""The rest of an answer must fit beside it."""
_MAX_SCANNED_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1 << 18
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# These stand for escapes and domain names; some of them yield halves of characters that no answer can carry.
_NOT_FOR_FILES = frozenset(
    "idna punycode unicode_escape unicode-escape raw_unicode_escape raw-unicode-escape utf-7 undefined".split()
)
_UNPRINTED = frozenset(range(32)) - {7, 8, 9, 10, 12, 13, 27}


class NotText(Exception):
    """The file holds no text; `head` is how it begins."""

    def __init__(self, head: bytes) -> None:
        super().__init__("it is not text")
        self.head = head


class UnknownEncoding(Exception):
    """There is no such encoding."""


class TooFar(Exception):
    """The line is too far into a huge file to be counted; a byte offset gets there."""


@dataclass(frozen=True, slots=True)
class TextRange:
    """Some text, where it stands in the file, and where to go on."""

    text: str
    encoding: str
    first_line: int | None
    """Number of its first line, from 1; None when it was asked for by bytes."""
    lines: int
    start: int
    """Its first byte."""
    end: int
    """The byte after it."""
    is_whole: bool
    """Whether nothing comes after it."""


def read_lines(fd: int, first: int, count: int | None, encoding: str | None, max_chars: int = MAX_CHARS) -> TextRange:
    """Lines from number `first` on, as many as fit; a negative number counts from the end."""
    encoding = _encoding(fd, encoding)
    number: int | None = first
    if first < 0:
        start, number = _tail_start(fd, -first, encoding)
    else:
        start = _line_start(fd, first, encoding)
    return _lines_from(fd, start, number, count, encoding, max_chars)


def read_tail(fd: int, count: int, encoding: str | None, max_chars: int = MAX_CHARS) -> TextRange:
    """The last so many lines; where they do not all fit, the first of them are left out."""
    encoding = _encoding(fd, encoding)
    start, number = _tail_start(fd, count, encoding)
    size = os.fstat(fd).st_size
    if size - start > max_chars:
        # A line that does not begin in what fits is left out, unless it is the last one.
        line_end = _read(fd, size - max_chars, max_chars - 1).find(b"\n")
        start = size - max_chars + line_end + 1 if line_end >= 0 else _tail_start(fd, 1, encoding)[0]
        number = _line_number(fd, start)
    return _lines_from(fd, start, number, None, encoding, max_chars)


def count_lines(fd: int) -> int:
    """How many lines a text has; the last counts also when it has no line end."""
    encoding = _encoding(fd, None)
    decoder = codecs.getincrementaldecoder(encoding)("replace") if _is_wide(encoding) else None
    lines, at, ends = 0, 0, True
    while data := _read(fd, at, _CHUNK_BYTES):
        at += len(data)
        text = data if decoder is None else decoder.decode(data).encode()
        lines += text.count(b"\n")
        ends = text.endswith(b"\n") if text else ends
    return lines + (not ends)


def _lines_from(fd: int, start: int, number: int | None, count: int | None, encoding: str, max_chars: int) -> TextRange:
    if _is_wide(encoding):
        piece = read_bytes(fd, 0, None, encoding, max_chars)
        rows = piece.text.splitlines(keepends=True)[:count]
        text, lines = "".join(rows), len(rows)
        end = _length(text, encoding, at_start=True)
    else:
        data = _read(fd, start, MAX_BYTES)
        kept = _lines_that_fit(data.split(b"\n"), count, encoding, max_chars)
        lines = len(kept)
        end = start + sum(map(len, kept))
        text = b"".join(kept).decode(_name(encoding, at_start=start == 0), "replace")
    size = os.fstat(fd).st_size
    is_whole_line = not text or text.endswith("\n") or end >= size
    return TextRange(text, encoding, number if is_whole_line else None, lines, start, end, end >= size)


def _lines_that_fit(parts: list[bytes], count: int | None, encoding: str, max_chars: int) -> list[bytes]:
    """As many lines as fit; one that is cut in two is left out, unless it is the only one."""
    rows = [part + b"\n" for part in parts[:-1]]
    tail = parts[-1]
    kept: list[bytes] = []
    left = max_chars
    for row in rows[:count]:
        left -= len(row.decode(encoding, "replace"))
        if left < 0:
            return kept or [row[:max_chars]]
        kept.append(row)
    # What follows the last line end is a line only at the end of the file, which is where the piece ends early.
    if not tail or (count is not None and len(kept) >= count):
        return kept
    is_last = sum(map(len, rows)) + len(tail) < MAX_BYTES
    if not kept or (is_last and len(tail) <= left):
        kept.append(tail[:left])
    return kept


def read_bytes(fd: int, offset: int, count: int | None, encoding: str | None, max_chars: int = MAX_CHARS) -> TextRange:
    """The text in a range of bytes; a character that begins before its end is left for the next range.

    A negative offset counts from the end, and from the first character that begins there.
    """
    encoding = _encoding(fd, encoding)
    if offset < 0:
        offset = _tail_offset(fd, -offset, encoding)
    wanted = MAX_BYTES if count is None else min(count, MAX_BYTES)
    data = _read(fd, offset, wanted)
    text, used = _decode(data, encoding, at_start=offset == 0)
    kept = text[:max_chars]
    end = offset + (used if kept == text else _length(kept, encoding, at_start=offset == 0))
    return TextRange(kept, encoding, None, kept.count("\n"), offset, end, end >= os.fstat(fd).st_size)


def _encoding(fd: int, asked: str | None) -> str:
    head = _read(fd, 0, 8192)
    if asked:
        try:
            found = codecs.lookup(asked)
        except (LookupError, ValueError):
            raise UnknownEncoding(asked) from None
        if not found._is_text_encoding or found.name in _NOT_FOR_FILES:
            raise UnknownEncoding(asked)
        return found.name
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if b"\0" in head or sum(byte in _UNPRINTED for byte in head) > len(head) // 20:
        raise NotText(head[:16])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _line_start(fd: int, line: int, encoding: str) -> int:
    if line <= 1:
        return 0
    if _is_wide(encoding):
        raise TooFar  # by bytes only: a line end may lie across two characters
    newline = b"\n"
    left, at = line - 1, 0
    while at < _MAX_SCANNED_BYTES:
        data = _read(fd, at, _CHUNK_BYTES)
        if not data:
            return at
        found = data.count(newline)
        if found >= left:
            place = -1
            for _ in range(left):
                place = data.index(newline, place + 1)
            return at + place + 1
        left -= found
        at += len(data)
    raise TooFar


def _tail_start(fd: int, lines: int, encoding: str) -> tuple[int, int | None]:
    """Where the last so many lines begin, and the number of the first of them where it can be counted."""
    if _is_wide(encoding):
        raise TooFar
    size = os.fstat(fd).st_size
    end = at = size - (_read(fd, size - 1, 1) == b"\n") if size else 0
    while at > 0:
        first = max(0, at - _CHUNK_BYTES)
        if end - first > _MAX_SCANNED_BYTES:
            raise TooFar
        data = _read(fd, first, at - first)
        found = data.count(b"\n")
        if found >= lines:
            place = len(data)
            for _ in range(lines):
                place = data.rindex(b"\n", 0, place)
            start = first + place + 1
            return start, _line_number(fd, start)
        lines -= found
        at = first
    return 0, 1


def _line_number(fd: int, start: int) -> int | None:
    if start > _MAX_SCANNED_BYTES:
        return None
    return 1 + sum(_read(fd, at, min(_CHUNK_BYTES, start - at)).count(b"\n") for at in range(0, start, _CHUNK_BYTES))


def _tail_offset(fd: int, count: int, encoding: str) -> int:
    size = os.fstat(fd).st_size
    offset = max(0, size - count)
    if _is_wide(encoding):
        return offset - offset % (len("\n\n".encode(encoding)) - len("\n".encode(encoding)))
    if encoding.startswith("utf-8"):
        while offset < size and (byte := _read(fd, offset, 1)) and 0x80 <= byte[0] < 0xC0:
            offset += 1
    return offset


def _decode(data: bytes, encoding: str, *, at_start: bool) -> tuple[str, int]:
    """The text in some bytes and how many of them it took; broken ones are shown as such."""
    name = _name(encoding, at_start=at_start)
    for short in range(min(4, len(data)) + 1):
        part = data[: len(data) - short]
        try:
            return part.decode(name), len(part)
        except UnicodeDecodeError as error:
            if error.start < len(part) - 4:
                break
    return data.decode(name, "replace"), len(data)


def _length(text: str, encoding: str, *, at_start: bool) -> int:
    return len(text.encode(_name(encoding, at_start=at_start), "replace"))


def _name(encoding: str, *, at_start: bool) -> str:
    return encoding if at_start or encoding != "utf-8-sig" else "utf-8"


def _is_wide(encoding: str) -> bool:
    """Whether a line end takes more than one byte."""
    return len("\n\n".encode(encoding)) - len("\n".encode(encoding)) > 1


def _read(fd: int, offset: int, count: int) -> bytes:
    return os.pread(fd, count, offset)
