"""A picture in letters: every cell shows two pixels, one above the other."""

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from cmdr.core.panes.viewing import Pixel


def half_blocks(pixels: list[list[Pixel]]) -> list[list[Segment]]:
    """All lines of a picture."""
    return [_line(pixels, row) for row in range((len(pixels) + 1) // 2)]


def _line(pixels: list[list[Pixel]], row: int) -> list[Segment]:
    upper = pixels[row * 2]
    lower = pixels[row * 2 + 1] if row * 2 + 1 < len(pixels) else [(0, 0, 0)] * len(upper)
    return [
        Segment("▀", Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below)))
        for above, below in zip(upper, lower, strict=True)
    ]
