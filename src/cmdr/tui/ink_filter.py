"""The last gate before the terminal: whatever a widget drew, no control character leaves with its text."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from cmdr.tui.safe_text import printable


class InkFilter(LineFilter):
    """Everything of ours is printable already; this holds for widgets we did not write, too."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, with nothing in them but ink."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment
            if segment.control or segment.text.isprintable()
            else Segment(printable(segment.text), segment.style)
            for segment in segments
        ]
