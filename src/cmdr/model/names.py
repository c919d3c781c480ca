"""File names are bytes inside; at every edge they pass this one reversible escape.

`to_wire` turns any name or path into printable text, and `from_wire` turns that text back into the very same
bytes: `\\xNN` for a byte that is not UTF-8, `\\u{…}` for a character that could repaint a terminal, hide or reorder
text, and `\\\\` for a backslash. Text that a person or agent typed without knowing the escape is taken as it is.

`display_name` is the same for a person's eyes: what would be mistaken for another name is escaped as well, blanks at
the ends and letters that pass for others.
"""

import os
import re
import unicodedata

from cmdr.model.confusables import mistakable, skeleton
from cmdr.model.invisible_chars import is_blank, is_selector

# Control, format, surrogate, private and unassigned characters, separators: none of them shows as itself, and several
# change how the text around them is shown. A space that is not the usual one makes two names look alike; only the wide
# one, which is usual in Japanese names and looks like no other, stays.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SPACES = frozenset({" ", "\u3000"})
_PLAIN = re.compile(rb"[ -\[\]-~]*")
_ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\})")
_SELECTED = re.compile(
    "(?s)([^\ufe00-\ufe0f\U000e0100-\U000e01ef]?)([\ufe00-\ufe0f\U000e0100-\U000e01ef]+)(?=(\u20e3?))"
)
_BETWEEN = re.compile(r"([\s/]+)")
_MAX_CACHED = 20_000
"""Characters whose escape is remembered: more than a person's names hold."""
_AT_AN_END = re.compile(rb"^ | $| [ /]|/ ")
_STRAY_BLANK = re.compile("^[ \u3000]+|[ \u3000]+$|(?<= ) +")


ARCHIVE_EXTENSIONS = (
    *(b".zip", b".jar", b".tar", b".tgz", b".tbz", b".tbz2", b".txz"),
    *(b".tar.gz", b".tar.bz2", b".tar.xz"),
)


class _Escapes(dict[int, str]):
    """The printable form of each character, worked out when it first comes."""

    def __missing__(self, point: int) -> str:
        found = _escape(chr(point))
        if len(self) < _MAX_CACHED:
            self[point] = found
        return found


_ESCAPES = _Escapes()


def to_wire(name: bytes) -> str:
    """The printable form of a name: what every answer carries."""
    if _PLAIN.fullmatch(name):
        return name.decode("ascii")
    return _printable(name.decode("utf-8", "surrogateescape"))


def display_name(name: bytes, *, beside: bool = False) -> str:
    """A name or path for a person: the printable form, with all that would be mistaken escaped as well.

    `beside` says that another name stands there for which this one would be taken as a whole.
    """
    if name.isascii() and (b" " not in name or not _AT_AN_END.search(name)):
        return to_wire(name)
    whole = name.decode("utf-8", "surrogateescape")
    return "/".join(_displayed(part, beside) for part in whole.split("/"))


def display_text(text: str) -> str:
    """A line of text that is more than a name, such as a command: as printable, and its letters as little mistaken."""
    whole = raw_bytes(text).decode("utf-8", "surrogateescape")
    if whole.isascii():
        return _printable(whole)
    return "".join(_marked(word, mistakable(word)) for word in _BETWEEN.split(whole))


def taken_for(name: bytes) -> bytes | None:
    """The name in plain letters for which a whole name would be taken, or None where it shows what it is."""
    if name.isascii():
        return None
    plain = skeleton(name.decode("utf-8", "surrogateescape"))
    return None if plain is None else plain.encode("ascii")


def from_wire(text: str) -> bytes:
    """The bytes that a printable form stands for; unknown escapes are literal text."""
    if "\\" not in text:
        return raw_bytes(text)
    out = bytearray()
    end = 0
    for found in _ESCAPE.finditer(text):
        out += raw_bytes(text[end : found.start()])
        backslash, byte, point = found.groups()
        if backslash:
            out += b"\\"
        elif byte:
            out.append(int(byte, 16))
        else:
            out += _character(point) or found.group().encode()
        end = found.end()
    out += raw_bytes(text[end:])
    return bytes(out)


def printable(text: str, longest: int = 60) -> str:
    """What somebody sent, as it may stand in one line of an answer: printable, and cut to a bounded length."""
    shown = to_wire(raw_bytes(text[:longest]))
    return shown if len(shown) <= longest and len(text) <= longest else shown[: longest - 1] + "…"


def raw_bytes(text: str) -> bytes:
    """The bytes of a text that somebody sent; there are some for everything that JSON and command lines can carry."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a surrogate pair, as JSON can carry it: no character, and no name that anybody has.
        return text.encode("utf-8", "surrogatepass")


def is_within(path: bytes, folder: bytes) -> bool:
    """Whether a path is a folder or lies anywhere below it; a slash at the end of either changes nothing."""
    return bool(path and folder) and (path + b"/").startswith(folder.rstrip(b"/") + b"/")


def is_archive_name(name: bytes) -> bool:
    """Whether somebody who opens a file of this name would want to see what is in it."""
    return name.lower().endswith(ARCHIVE_EXTENSIONS)


def default_archive_name(first: bytes, *, is_only: bool) -> bytes:
    """What an archive is called if nobody says: as the one thing in it, or as the folder that all of it is from."""
    first = first.rstrip(b"/")
    return (os.path.basename(first if is_only else os.path.dirname(first))[:200] or b"archive") + b".zip"


def _displayed(name: str, beside: bool) -> str:
    """One name without a slash."""
    marked = {place for found in _STRAY_BLANK.finditer(name) for place in range(*found.span())}
    if not name.isascii():
        marked |= mistakable(name)
        if beside:
            marked |= {place for place, char in enumerate(name) if not char.isascii()}
    return _marked(name, marked)


def _marked(text: str, marked: set[int]) -> str:
    if not marked:
        return _printable(text)
    return "".join(_code(char) if place in marked else _printable(char) for place, char in enumerate(text))


def _printable(text: str) -> str:
    return _SELECTED.sub(_selected, text.translate(_ESCAPES))


def _selected(found: re.Match[str]) -> str:
    """A selector stays with a symbol or an ideograph, which has several forms; elsewhere it is only unseen."""
    base, selectors, keycap = found.groups()
    is_symbol = base and not base.isascii() and unicodedata.category(base)[0] in "SP"
    is_ideograph = base and unicodedata.name(base, "").startswith("CJK ")
    if is_symbol or is_ideograph or (keycap and base and base in "0123456789#*"):
        return base + selectors[0] + "".join(map(_code, selectors[1:]))
    return base + "".join(map(_code, selectors))


def _escape(char: str) -> str:
    if char == "\\":
        return "\\\\"
    if char in _SPACES or is_selector(char):
        return char
    return _code(char) if unicodedata.category(char) in _INVISIBLE or is_blank(char) else char


def _code(char: str) -> str:
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{point - 0xDC00:02x}"
    return f"\\u{{{point:x}}}"


def _character(point: str) -> bytes | None:
    """The UTF-8 of a code point, or None where there is no such character."""
    value = int(point, 16)
    if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        return None
    return chr(value).encode()
