"""Every key in one place, and what this program is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr import __version__
from cmdr.model.actions import SECTIONS, Risk
from cmdr.model.keys import KeyMap
from cmdr.tui.key_map import ACTIONS
from cmdr.tui.windows.line_list import Row

if TYPE_CHECKING:
    from cmdr.tui.terminal import Terminal

_TYPING: tuple[tuple[str, str], ...] = (
    ("letters", "search for a name; ↑↓ next and previous, Esc ends"),
    ("/", "filter as you type; Enter keeps it, Esc shows all"),
    ("Esc", "give up waiting, clear the filter, clear the selection"),
    ("mouse", "click moves, double click opens, right click selects, a column head sorts"),
)
_ROLES = {Risk.DESTROYS: "agent"}
"""What no undo takes back stands out."""


def help_rows(keys: KeyMap) -> list[Row]:
    """The key map by section."""
    rows: list[Row] = []
    for section in SECTIONS:
        rows.append([(f" {section}", "header")])
        rows += [
            [(f"   {keys.all_keys(action.id) or '–':<24}", "bar_key"), (action.title, _ROLES.get(action.risk, "file"))]
            for action in ACTIONS
            if action.section == section
        ]
    rows.append([(" Typing", "header")])
    rows += [[(f"   {key:<24}", "bar_key"), (does, "file")] for key, does in _TYPING]
    if keys.problems:
        rows.append([(" Problems", "header")])
        rows += [[(f"   {problem}", "warning")] for problem in keys.problems]
    return rows


def about_rows(terminal: Terminal) -> list[Row]:
    """Version, where things are kept, where agents connect."""
    settings = terminal.commander.settings
    listens = terminal.listens_at or "not running"
    facts = (
        ("Version", __version__),
        ("Agents", listens),
        ("Settings", settings.path or "not kept"),
        ("Process", str(os.getpid())),
    )
    return [
        [(" A two-pane file commander that a person and their AI agents share.", "file")],
        [("", "file")],
        *([(f" {name:<10}", "dim"), (value, "file")] for name, value in facts),
        [("", "file")],
        [(" F1 shows every key, F9 every command.", "dim")],
    ]
