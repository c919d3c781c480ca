"""How a text file is stored: encoding, byte order mark and line ends, so that saving changes nothing but the edit."""

import codecs
import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from cmdr.model.texts.diff import BinaryContentError

LineEnd = Literal["\n", "\r\n", "\r", "mixed"]

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.02
"""The share of control bytes above which bytes that are not UTF-8 are taken for binary, not for an old encoding."""


class UnencodableTextError(ValueError):
    """Raised when a text holds a character that the file's encoding does not have."""

    def __init__(self, character: str, encoding: str) -> None:
        super().__init__(f"{character!a} cannot be written in {encoding}; save the file as UTF-8 or take it out.")
        self.character = character
        self.encoding = encoding


@dataclass(frozen=True, slots=True)
class TextFormat:
    """Everything about a file's bytes that is not its text."""

    encoding: str = "utf-8"
    bom: bool = False
    eol: LineEnd = "\n"
    """Inside, lines end with `\\n`; only a file that mixes line ends keeps them in its text."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A text file as it stood on disk."""

    text: str
    format: TextFormat
    digest: str
    """SHA-256 of the bytes, to notice that the file changed."""


def content_digest(content: bytes) -> str:
    """The name of these exact bytes."""
    return hashlib.sha256(content).hexdigest()


def read_text(content: bytes, *, what: str = "This file") -> FileText:
    """The text in these bytes and how it was stored; `write_text` gives the same bytes back."""
    text, encoding, bom = _decoded(content, what)
    if "\0" in text:
        raise BinaryContentError(what)
    eol = _line_end(text)
    if eol in ("\r\n", "\r"):
        text = text.replace(eol, "\n")
    return FileText(text, TextFormat(encoding, bom, eol), content_digest(content))


def write_text(text: str, format: TextFormat) -> bytes:
    """The bytes to store; raises `UnencodableTextError` rather than lose a character."""
    if format.eol in ("\r\n", "\r"):
        text = text.replace("\r\n", "\n").replace("\n", format.eol)
    mark = next(mark for mark, encoding in _MARKS if encoding == format.encoding) if format.bom else b""
    try:
        return mark + text.encode(format.encoding)
    except UnicodeEncodeError as error:
        raise UnencodableTextError(text[error.start], format.encoding) from error


def _decoded(content: bytes, what: str) -> tuple[str, str, bool]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = _decode(content[len(mark) :], encoding)
            if text is not None:
                return text, encoding, True
    text = _decode(content, "utf-8")
    if text is not None:
        return text, "utf-8", False
    if b"\0" in content or len(_CONTROL.findall(content)) > _MAX_CONTROL_SHARE * len(content):
        raise BinaryContentError(what)
    text = _decode(content, "cp1252")
    if text is not None:
        return text, "cp1252", False
    return content.decode("latin-1"), "latin-1", False


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _line_end(text: str) -> LineEnd:
    pairs, feeds, returns = text.count("\r\n"), text.count("\n"), text.count("\r")
    if not returns:
        return "\n"
    if pairs == feeds == returns:
        return "\r\n"
    return "mixed" if feeds else "\r"
