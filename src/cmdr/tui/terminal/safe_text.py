"""The only way from names, contents and other people's words to the screen: printable text of a known width."""

from rich.cells import cell_len, set_cell_size

from cmdr.model.invisible_chars import visible_char
from cmdr.model.names import display_name

# They change how wide the character before them is drawn, and terminals disagree about by how much.
_VARIATIONS = frozenset([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])


def shown(name: bytes, *, beside: bool = False) -> str:
    """A name or path as it is shown: every byte visible, nothing that acts on a terminal or passes for another."""
    text = display_name(name, beside=beside)
    return text if text.isascii() else _steady(text)


def printable(text: str) -> str:
    """Text of a file, or words of somebody else, with every character that is not printable made visible."""
    if text.isprintable() and text.isascii():
        return text
    return _steady("".join(map(visible_char, text)))


def fit(text: str, width: int, *, keep_end: bool = False) -> str:
    """Text cut or padded to exactly so many cells; what was cut away leaves a mark."""
    if width <= 0:
        return ""
    if text.isascii():
        length = len(text)
        if length <= width:
            return text + " " * (width - length)
        return f"…{text[length - width + 1 :]}" if keep_end else f"{text[: width - 1]}…"
    length = cell_len(text)
    if length <= width:
        return text + " " * (width - length)
    return _from_end(text, width) if keep_end else f"{set_cell_size(text, width - 1)}…"


def fit_middle(text: str, width: int) -> str:
    """A sentence that begins with what happens and ends with a name: what is too long loses its middle."""
    if width_of(text) <= width:
        return fit(text, width)
    begin = max(1, width * 2 // 5)
    return fit(fit(text, begin) + fit(text, width - begin + 1, keep_end=True)[1:], width)


def fit_name(name: str, width: int) -> str:
    """A file name cut in the middle, so that its extension can still be read."""
    if cell_len(name) <= width or width < 12:
        return fit(name, width)
    dot = name.rfind(".")
    tail = name[dot:] if dot > 0 and len(name) - dot <= 8 else name[-4:]
    head = width - cell_len(tail) - 1
    return f"{set_cell_size(name, head)}…{tail}" if head > 3 else fit(name, width)


def width_of(text: str) -> int:
    """How many cells a printable text takes."""
    return len(text) if text.isascii() else cell_len(text)


def _from_end(text: str, width: int) -> str:
    kept = text
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:]
    return "…" + kept + " " * (width - 1 - cell_len(kept))


def _steady(text: str) -> str:
    return text.translate(_WITHOUT_VARIATIONS)


_WITHOUT_VARIATIONS: dict[int, None] = dict.fromkeys(_VARIATIONS)
