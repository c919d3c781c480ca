"""Invisible characters, and those that change how the text around them is read: shown as signs."""

import re
import unicodedata

INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a text field would hide from the person who edits it: controls, and what turns the reading direction."""

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = re.compile(
    "GRAPHEME JOINER|VOWEL INHERENT|VARIATION SELECTOR|PATTERN BLANK|NULL NOTEHEAD|(HANGUL|SCRIPT).* FILLER"
)


def is_blank(char: str) -> bool:
    """Whether a letter, mark or symbol is one that draws nothing: it fills a place, or picks a form of its neighbour.

    Python does not know which those are, but their names say it.
    """
    return not char.isascii() and _BLANK.search(unicodedata.name(char, "")) is not None


def is_selector(char: str) -> bool:
    """Whether it picks a form of the character before it, as emoji and ideographs have several."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def visible(text: str) -> str:
    """Text of a file or of somebody else with every character that is not plain ink made visible; tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char == "\t" else visible_char(char) for char in text)


def visible_char(char: str) -> str:
    """One character as plain ink: itself when it can be seen, else a visible_char for it."""
    if char.isprintable() or char == "\u00a0":
        return "·" if is_blank(char) and not is_selector(char) else char
    point = ord(char)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    if 0xDC80 <= point <= 0xDCFF:
        return "\ufffd"
    return "·" if unicodedata.category(char) in _INVISIBLE else " "
