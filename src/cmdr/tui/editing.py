"""Editing a file: small text in cmdr itself, everything else in the person's own editor."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.invisible_chars import INVISIBLE
from cmdr.tui.lent_terminal import lend, run_in_front

if TYPE_CHECKING:
    from cmdr.tui.terminal import Terminal


async def edit(terminal: Terminal, path: bytes) -> None:
    """Open the right editor."""
    settings = terminal.commander.settings
    chosen = settings.text("advanced.editor")
    if chosen:
        await edit_outside(terminal, path, chosen)
        return
    try:
        file = await load_text(path, settings.number("advanced.editor_limit_kib") * 1024)
    except CommandError as error:
        await _elsewhere(terminal, path, str(error))
        return
    if INVISIBLE.search(file.text):
        await _elsewhere(terminal, path, "The file holds characters that cannot be seen.")
        return
    from cmdr.tui.windows.editor import Editor

    terminal.push_screen(Editor(path, file, terminal))


async def _elsewhere(terminal: Terminal, path: bytes, why: str) -> None:
    if not await in_thread(os.access, path, os.R_OK):
        terminal.main.tell(why, bad=True)
        return
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if editor:
        await edit_outside(terminal, path, editor)
    else:
        terminal.main.tell(f"{why} Set $EDITOR to edit it, or view it with F3.", bad=True)


async def edit_outside(terminal: Terminal, path: bytes, editor: str) -> None:
    """Give the terminal to an editor; agents are served meanwhile."""
    try:
        # The path is absolute, so it never looks like an option; not every editor knows `--`.
        argv = [*shlex.split(editor), os.fsdecode(path)]
    except ValueError:
        terminal.main.tell(f"The editor setting cannot be read: {editor}", bad=True)
        return
    await lend(terminal, lambda: run_in_front(argv))
