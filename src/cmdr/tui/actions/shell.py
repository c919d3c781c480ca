"""The person's shell in the folder of the pane: a whole one to step aside to, or one command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from cmdr.core.panes.name_input import complete_path
from cmdr.model.panes.tab import SelectedEntries
from cmdr.tui.actions import action
from cmdr.tui.panes.frame import abbreviate_home
from cmdr.tui.terminal.foreground import run_in_foreground, run_suspended
from cmdr.tui.terminal.safe_text import printable
from cmdr.tui.widgets.lines import Row

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_GIVEN: Row = [('"$@" the selected files · $f the one under the cursor · $d the other pane\'s folder', "dim")]


def shell_of_the_person() -> bytes:
    """Their own, or the one that is always there."""
    return os.environb.get(b"SHELL") or b"/bin/sh"


@action("shell")
def shell(screen: MainScreen) -> None:
    """Step aside to a shell in this folder."""
    folder = screen.tab.path

    def use() -> int:
        _say("cmdr waits here and goes on serving agents. “exit” comes back.")
        return run_in_foreground([shell_of_the_person()], folder)

    async def suspended() -> None:
        await run_suspended(screen.terminal, use)

    screen.terminal.work(suspended(), group="suspended")


@action("run")
def run(screen: MainScreen) -> None:
    """Run one command in this folder and show what it says."""
    from cmdr.tui.windows.ask import Ask

    base = screen.tab.path

    async def complete(text: str) -> tuple[str, list[str]]:
        before, space, word = text.rpartition(" ")
        sure, possible = await complete_path(word, base, folders_only=False)
        return before + space + sure, possible

    screen.terminal.ask(
        Ask(
            f"Run in {abbreviate_home(base, screen.terminal.appearance.home)}",
            above=[_GIVEN],
            complete=complete,
            past=screen.prompt_history["run"],
        ),
        lambda command: _start(screen, command) if command.strip() else None,
    )


def _start(screen: MainScreen, command: str) -> None:
    # What is chosen now is what the command gets, however long its names take to list.
    tab, chosen = screen.tab, SelectedEntries.of(screen.tab)
    other = screen.commander.workspace.pane(screen.commander.workspace.focused.other).tab.path
    environment = {**os.environb, b"f": tab.cursor_name() or b"", b"d": other}

    def use() -> int:
        # A name that begins with a dash must not be taken for an option.
        names = [] if chosen is None else [b"./" + name if name[:1] == b"-" else name for name in chosen.names()]
        words = [shell_of_the_person(), b"-c", os.fsencode(command), b"cmdr", *names]
        _say(f"$ {printable(command)}")
        code = run_in_foreground(words, tab.path, environment)
        _say(f"[{'done' if code == 0 else f'ended with {code}'}] Enter goes back to cmdr.")
        os.read(sys.__stdin__.fileno() if sys.__stdin__ else 0, 1024)
        return code

    async def suspended() -> None:
        code = await run_suspended(screen.terminal, use)
        if code:
            screen.show_message(f"{command} ended with {code}.", bad=True)

    screen.terminal.work(suspended(), group="suspended")


def _say(text: str) -> None:
    print(text, file=sys.__stdout__, flush=True)
