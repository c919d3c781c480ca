"""Everything that decides how lines are drawn, made once from the settings and the terminal."""

import os
from dataclasses import dataclass

from rich.style import Style

from cmdr.core.settings import Settings
from cmdr.tui.pane_rows import RowFormat
from cmdr.tui.themes import LOOKS, fitting_look


@dataclass(frozen=True, slots=True)
class Appearance:
    """A look, its inks, and the formats of the columns."""

    look: str
    ink: dict[str, Style]
    row: RowFormat
    home: bytes

    @classmethod
    def chosen(cls, settings: Settings, *, colours: int, colour: bool) -> "Appearance":
        """What the person chose, as far as the terminal can show it."""
        look = fitting_look(settings.text("appearance.theme"), os.environ.get("TERM", ""), colours)
        return cls(
            look,
            LOOKS[look].ink(colour=colour),
            RowFormat(
                settings.text("appearance.sizes"),
                settings.text("appearance.dates"),
                settings.flag("appearance.file_colours"),
            ),
            os.path.expanduser(b"~").rstrip(b"/") or b"/",
        )
