"""Everything that decides how lines are drawn, made once from the settings and the terminal."""

import os
from dataclasses import dataclass

from rich.style import Style

from cmdr.core.settings import Settings
from cmdr.tui.theme.themes import LINE_THEMES, resolve_theme


@dataclass(frozen=True, slots=True)
class RowFormat:
    """What the person chose about rows."""

    sizes: str = "binary"
    dates: str = "iso"
    colours: bool = True


@dataclass(frozen=True, slots=True)
class Appearance:
    """A theme, its styles by role, and the formats of the columns."""

    theme: str
    styles: dict[str, Style]
    row: RowFormat
    home: bytes

    @classmethod
    def chosen(cls, settings: Settings) -> "Appearance":
        """What the person chose, as far as this terminal can show it."""
        term = os.environ.get("TERM", "")
        theme = resolve_theme(settings.text("appearance.theme"), term, _colours(term))
        colour = not os.environ.get("NO_COLOR") and term not in ("dumb", "vt100", "vt220")
        return cls(
            theme,
            LINE_THEMES[theme].styles(colour=colour),
            RowFormat(
                settings.text("appearance.sizes"),
                settings.text("appearance.dates"),
                settings.flag("appearance.file_colours"),
            ),
            os.path.expanduser(b"~").rstrip(b"/") or b"/",
        )


def _colours(term: str) -> int:
    if "truecolor" in (os.environ.get("COLORTERM"), os.environ.get("TEXTUAL_COLOR_SYSTEM")):
        return 1 << 24
    if os.environ.get("COLORTERM") == "24bit":
        return 1 << 24
    return 256 if "256" in term or os.environ.get("TMUX") else 16
