"""The palette: every action and every command by name, with its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import PERSON, Access
from cmdr.core.dispatch.registry import Command
from cmdr.tui.key_map import ACTIONS
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

# What the panes' own actions already do better, or what only makes sense with arguments a program fills in.
_COVERED = frozenset(
    """state command commands_list dialogs_available await pending approve reject proposal.show job.answer job.pause
    job.resume job.cancel job.rollback job.retry scroll_to dialog selection.toggle settings.set settings.bind
    find.run find.open find.go cursor.up_row report.open app.quitAnyway job.follow
    proposal.name app.hide""".split()
)
_FOR_PROGRAMS = frozenset({"fs", "ide", "shell"})
"""Toolsets whose answers are text for a program; a person has the panes, the viewer and the editor."""


def palette_window(screen: MainScreen) -> Choose:
    """Everything that can be done."""
    titles = {action.title for action in ACTIONS}
    choices = [Choice(f"action:{action.id}", action.title, "", screen.keys.first_key(action.id)) for action in ACTIONS]
    choices += [
        Choice(f"command:{command.id}", command.title, command.description, screen.keys.first_key(command.id))
        for command in screen.commander.available(PERSON)
        if command.name not in _COVERED and command.title not in titles and not _is_for_programs(command)
    ]
    return Choose("Commands", choices, lines=30)


def _is_for_programs(command: Command) -> bool:
    return command.programs_only or command.toolset in _FOR_PROGRAMS


def run_choice(screen: MainScreen, value: str) -> None:
    """Do what was chosen; a command that needs to know something asks for it."""
    kind, _, id = value.partition(":")
    if kind == "action":
        screen.act(id)
        return
    command = screen.commander.registry.find(id)
    needed = [parameter for parameter in command.parameters if parameter.required and parameter.wire != "pane"]
    start: dict[str, str] = (
        {"pane": "focused"} if any(p.wire == "pane" and p.required for p in command.parameters) else {}
    )
    _ask_next(screen, command, [parameter.wire for parameter in needed], start)


def _ask_next(screen: MainScreen, command: Command, missing: list[str], given: dict[str, str]) -> None:
    from cmdr.tui.windows.ask import Ask

    if not missing:
        if command.access is Access.PROPOSE:
            screen.terminal.operate(command.name, {**given}, sure=False)
        else:
            screen.give(command.name, {**given}, told=True)
        return
    parameter = next(p for p in command.parameters if p.wire == missing[0])
    screen.terminal.ask(
        Ask(
            f"{command.title}: {parameter.wire}", "", above=[[(f"{parameter.doc or ''} ({parameter.wanted()})", "dim")]]
        ),
        lambda text: _ask_next(screen, command, missing[1:], {**given, parameter.wire: text}),
    )
