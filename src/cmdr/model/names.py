"""File names are bytes inside; at every edge they pass this one reversible escape.

`to_wire` turns any name or path into printable text, and `from_wire` turns that text back into the very same
bytes: `\\xNN` for a byte that is not UTF-8, `\\u{…}` for a character that could repaint a terminal, hide or reorder
text, and `\\\\` for a backslash. Text that a person or agent typed without knowing the escape is taken as it is.
"""

import re
import unicodedata

# Control, format, surrogate, private and unassigned characters, separators: none of them shows as itself, and several
# change how the text around them is shown. A space that is not the usual one makes two names look alike; only the wide
# one, which is usual in Japanese names and looks like no other, stays.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SPACES = frozenset({" ", "\u3000"})
_PLAIN = re.compile(rb"[ -\[\]-~]*")
_ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\})")


def to_wire(name: bytes) -> str:
    """The printable form of a name: what every face shows and every answer carries."""
    if _PLAIN.fullmatch(name):
        return name.decode("ascii")
    return "".join(map(_escape, name.decode("utf-8", "surrogateescape")))


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


def _escape(char: str) -> str:
    if char == "\\":
        return "\\\\"
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    if unicodedata.category(char) in _INVISIBLE and char not in _SPACES:
        return f"\\u{{{point:x}}}"
    return char


def _character(point: str) -> bytes | None:
    """The UTF-8 of a code point, or None where there is no such character."""
    value = int(point, 16)
    if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        return None
    return chr(value).encode()
