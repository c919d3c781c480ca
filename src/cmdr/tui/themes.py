"""The colours of what is not drawn line by line, windows and fields, for every look."""

from textual.theme import Theme

THEMES: tuple[Theme, ...] = (
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
