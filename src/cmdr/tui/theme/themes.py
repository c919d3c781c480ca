"""The themes to choose from: dark, light, the terminal's own sixteen colours, and the blue of the old commanders.

Each has styles for everything drawn line by line, and Textual's colours for everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from textual.theme import Theme

ROLES = (
    "file folder link special program archive image media document code data text dull "
    "frame frame_active title title_active header dim cursor cursor_other selected selected_cursor changed "
    "bar bar_key warning agent match tile_rest"
).split()
TILES = tuple(f"tile_{number}" for number in range(1, 7))
"""The fields of a treemap, in turn; the one under the cursor is drawn as a match."""
ROLES += TILES


@dataclass(frozen=True, slots=True)
class LineTheme:
    """One theme: the styles of everything drawn line by line."""

    base: str
    """Background and text of the panes."""
    roles: dict[str, str]

    def styles(self, *, colour: bool) -> dict[str, Style]:
        """A style for every role; without colour, what matters is bold, underlined or reversed."""
        if not colour:
            return {role: Style.parse(_WITHOUT_COLOUR.get(role, "none")) for role in ("base", *ROLES)}
        base = Style.parse(self.base)
        styles = {role: base + Style.parse(self.roles.get(role, "none")) for role in ROLES}
        # It lies over whatever colour the row has.
        styles["cursor_other"] = Style.parse(self.roles["cursor_other"])
        return {"base": base, **styles}


_WITHOUT_COLOUR = {
    "folder": "bold", "frame_active": "bold", "title_active": "bold reverse", "header": "underline", "dim": "dim",
    "cursor": "reverse", "cursor_other": "underline", "selected": "bold", "selected_cursor": "bold reverse",
    "bar_key": "bold", "bar": "reverse", "warning": "bold reverse", "agent": "bold", "match": "reverse",
}  # fmt: skip

_DARK = LineTheme(
    "#c8d0e0 on #14181f",
    {
        "folder": "bold #7db8ff", "link": "#56c8d8", "special": "#d787d7", "program": "#9ece6a", "archive": "#f0846e",
        "image": "#d8a0ff", "media": "#c792ea", "document": "#e8d27a", "code": "#8fd6b4", "data": "#a9b8cc",
        "text": "#dfe5f0", "dull": "#6a7587", "frame": "#3a4557", "frame_active": "#4c9df3", "title": "#8b97aa",
        "title_active": "bold #14181f on #4c9df3", "header": "#8b97aa", "dim": "#6a7587",
        "cursor": "bold #ffffff on #2f5d95", "cursor_other": "on #262f3d", "selected": "bold #ffd166",
        "selected_cursor": "bold #ffd166 on #2f5d95", "changed": "#e0af68", "bar": "#c8d0e0 on #252d3a",
        "bar_key": "bold #4c9df3", "warning": "bold #14181f on #e0af68", "agent": "#e0af68",
        "match": "bold #14181f on #ffd166",
        "tile_1": "#e8edf5 on #27507f", "tile_2": "#e8edf5 on #1f5c4d", "tile_3": "#e8edf5 on #5e4b1e",
        "tile_4": "#e8edf5 on #5a3464", "tile_5": "#e8edf5 on #66382c", "tile_6": "#e8edf5 on #3c4270",
        "tile_rest": "#aab4c2 on #2a303a",
    },
)  # fmt: skip

_LIGHT = LineTheme(
    "#1f2733 on #f7f8fa",
    {
        "folder": "bold #1d4f9f", "link": "#00707f", "special": "#8a2f8a", "program": "#2f7d32", "archive": "#b3401e",
        "image": "#7a3fb0", "media": "#6a35a0", "document": "#7d6200", "code": "#0d6b4f", "data": "#4d5b70",
        "text": "#1f2733", "dull": "#7d8796", "frame": "#b4bdca", "frame_active": "#1d5fbf", "title": "#5b6675",
        "title_active": "bold #ffffff on #1d5fbf", "header": "#5b6675", "dim": "#6c7686",
        "cursor": "bold #ffffff on #2f6fc4", "cursor_other": "on #dfe4ec", "selected": "bold #a0451a",
        "selected_cursor": "bold #ffe08a on #2f6fc4", "changed": "#9a5b00", "bar": "#1f2733 on #dfe4ec",
        "bar_key": "bold #1d5fbf", "warning": "bold #ffffff on #9a5b00", "agent": "#9a5b00",
        "match": "bold #1f2733 on #ffd166",
        "tile_1": "#1f2733 on #c9def7", "tile_2": "#1f2733 on #c9ebd8", "tile_3": "#1f2733 on #f3e4b4",
        "tile_4": "#1f2733 on #ead3f0", "tile_5": "#1f2733 on #f6d5c8", "tile_6": "#1f2733 on #d6daf2",
        "tile_rest": "#4d5866 on #e4e7ec",
    },
)  # fmt: skip

_TERMINAL = LineTheme(
    "default on default",
    {
        "folder": "bold blue", "link": "cyan", "special": "magenta", "program": "green", "archive": "red",
        "image": "magenta", "media": "magenta", "document": "yellow", "code": "default", "data": "default",
        "text": "default", "dull": "bright_black", "frame": "default", "frame_active": "bold blue",
        "title": "default", "title_active": "black on cyan", "header": "yellow", "dim": "bright_black",
        "cursor": "black on cyan", "cursor_other": "underline", "selected": "bold yellow",
        "selected_cursor": "bold yellow on cyan", "changed": "yellow", "bar": "black on cyan",
        "bar_key": "bold default", "warning": "black on yellow", "agent": "yellow", "match": "black on yellow",
        "tile_1": "white on blue", "tile_2": "black on green", "tile_3": "white on magenta",
        "tile_4": "white on red", "tile_5": "black on cyan", "tile_6": "black on white",
        "tile_rest": "white on bright_black",
    },
)  # fmt: skip

_CLASSIC = LineTheme(
    "#aaffff on #000084",
    {
        "folder": "bold #ffffff", "link": "#55ffff", "special": "#ff55ff", "program": "#55ff55", "archive": "#ff8a8a",
        "image": "#ffb0ff", "media": "#ffb0ff", "document": "#ffe08a", "code": "#7fffd4", "data": "#aaffff",
        "text": "#aaffff", "dull": "#6f8fbf", "frame": "#55aaff", "frame_active": "#aaffff", "title": "#aaffff",
        "title_active": "#000000 on #00aaaa", "header": "#ffff55", "dim": "#6f8fbf",
        "cursor": "#000000 on #00aaaa", "cursor_other": "on #1010a0", "selected": "bold #ffff55",
        "selected_cursor": "bold #ffff55 on #00aaaa", "changed": "#ffff55", "bar": "#000000 on #00aaaa",
        "bar_key": "#ffffff on #000000", "warning": "bold #000000 on #ffff55", "agent": "#ffff55",
        "match": "#000000 on #ffff55",
        "tile_1": "#ffffff on #0060a8", "tile_2": "#ffffff on #00695c", "tile_3": "#ffffff on #7a5500",
        "tile_4": "#ffffff on #7a2f7a", "tile_5": "#ffffff on #8a3324", "tile_6": "#ffffff on #3f3fb0",
        "tile_rest": "#aaffff on #1a1a9a",
    },
)  # fmt: skip

LINE_THEMES: dict[str, LineTheme] = {"dark": _DARK, "light": _LIGHT, "terminal": _TERMINAL, "classic": _CLASSIC}


def resolve_theme(wanted: str, term: str, colours: int) -> str:
    """The theme to use: the wanted one, or the terminal's own colours where it could not be shown."""
    if wanted in LINE_THEMES and wanted != "auto":
        return wanted
    return "terminal" if term in ("linux", "vt100", "vt220", "dumb") or colours <= 16 else "dark"


def textual_themes() -> tuple[Theme, ...]:
    """The colours of what is not drawn line by line, windows and fields, for every theme."""
    from textual.theme import Theme  # the first frame is drawn before Textual is loaded

    return (
        Theme(
            name="dark", dark=True, primary="#4c9df3", secondary="#7aa2c8", accent="#e0af68", warning="#e0af68",
            error="#f7768e", success="#9ece6a", foreground="#c8d0e0", background="#14181f", surface="#1b212b",
            panel="#252d3a",
        ),
        Theme(
            name="light", dark=False, primary="#1d5fbf", secondary="#48709c", accent="#9a5b00", warning="#9a5b00",
            error="#b3261e", success="#2f7d32", foreground="#1f2733", background="#f7f8fa", surface="#eceff4",
            panel="#dfe4ec",
        ),
        Theme(
            name="terminal", ansi=True, dark=True, primary="ansi_blue", secondary="ansi_cyan", accent="ansi_yellow",
            warning="ansi_yellow", error="ansi_red", success="ansi_green", foreground="ansi_default",
            background="ansi_default", surface="ansi_default", panel="ansi_default", boost="ansi_default",
            variables={
                "ansi-background": "ansi_black", "ansi-foreground": "ansi_white",
                "input-cursor-text-style": "none", "screen-selection-background": "ansi_blue",
                "screen-selection-foreground": "ansi_white",
                "block-cursor-foreground": "ansi_black", "block-cursor-background": "ansi_cyan",
                "input-cursor-background": "ansi_white", "input-cursor-foreground": "ansi_black",
                "input-selection-background": "ansi_blue", "input-selection-foreground": "ansi_white",
                "border-blurred": "ansi_blue",
            },
        ),
        Theme(
            name="classic", dark=True, primary="#55ffff", secondary="#aaaaaa", accent="#ffff55", warning="#ffff55",
            error="#ff5555", success="#55ff55", foreground="#e0e0e0", background="#000084", surface="#0a0a70",
            panel="#005f87",
        ),
    )  # fmt: skip
