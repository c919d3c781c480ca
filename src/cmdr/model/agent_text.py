"""An agent's own words about its proposal, quoted in a frame that nothing it says can close.

Its words stand on lines of their own behind a bar, below a line that says whose they are. No line can begin without the
bar: what would start one is escaped, and long lines are wrapped here, before a terminal does it.
"""

import unicodedata

from cmdr.model.confusables import piled_marks
from cmdr.model.names import raw_bytes, to_wire

BAR, CONTINUED = "│ ", "╎ "
"""Before the first piece of a line, and before the further pieces of one that was wrapped."""
MAX_CELLS = 300
"""Columns of a reason that are shown: whoever has more to say is not explaining a proposal."""
_MIN_CELLS = 20


def one_line(words: str, cells: int = MAX_CELLS) -> str:
    """An agent's words as one printable line of at most so many columns; what was cut off is counted."""
    whole = " ".join(words.split())
    begin = whole[: 2 * cells]
    piled = piled_marks(begin)
    shown, used = [], 0
    for place, char in enumerate(begin):
        # Piles of marks would cover the lines above and below.
        drawn = f"\\u{{{ord(char):x}}}" if place in piled else to_wire(raw_bytes(char))
        used += cell_width(drawn)
        if used > cells:
            break
        shown.append(drawn)
    left = len(whole) - len(shown)
    return "".join(shown) + (f"… ({left:,} more characters)" if left else "")


def framed(speaker: str, words: str, width: int, does: str = "says") -> list[str]:
    """The lines that tell what somebody says, none wider than `width`; none when they say nothing."""
    return [*wrapped(f"{speaker} {does}:", width), *wrapped(BAR + words, width)] if words else []


def wrapped(line: str, width: int) -> list[str]:
    """A printable line in pieces of at most `width` columns; each but the first begins with a sign that it goes on."""
    width = max(_MIN_CELLS, width)
    if cell_width(line) <= width:
        return [line]
    pieces, used = [""], 0
    for char in line:
        needed = cell_width(char)
        if used + needed > width:
            pieces.append(CONTINUED)
            used = cell_width(CONTINUED)
        pieces[-1] += char
        used += needed
    return pieces


def cell_width(text: str) -> int:
    """How many columns a printable text takes at most; terminals disagree about some characters."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "FWA") for char in text)
