"""Lists to choose from: the command palette, bookmarks, visited folders, volumes and reports."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.await_complete import AwaitComplete

from cmdr.core.dispatch.principals import PERSON, Access
from cmdr.core.dispatch.registry import Command
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Dialog
from cmdr.model.report_kinds import REPORT_KINDS
from cmdr.model.units import human_size
from cmdr.tui.input.key_map import ACTIONS
from cmdr.tui.panes.frame import abbreviate_home
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


# What the panes' own actions already do better, or what only makes sense with arguments a program fills in.
_COVERED = frozenset(
    """state command commands_list dialogs_available await approve reject proposal.show job.answer job.pause
    job.resume job.cancel job.rollback job.retry scroll_to dialog selection.toggle settings.set settings.bind
    find.run find.open find.go cursor.up_row report.open app.quitAnyway job.follow
    proposal.name app.hide inbox inbox.answer agents agents.undo agents.undoOffer job.seen rules.list rules.offer
    rules.make rules.suspend rules.allow
    rules.remove context_get_selection context_get_current_paths context_get_focused_pane""".split()
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
            screen.enqueue(command.name, {**given}, show_answer=True)
        return
    parameter = next(p for p in command.parameters if p.wire == missing[0])
    screen.terminal.ask(
        Ask(
            f"{command.title}: {parameter.wire}", "", above=[[(f"{parameter.doc or ''} ({parameter.wanted()})", "dim")]]
        ),
        lambda text: _ask_next(screen, command, missing[1:], {**given, parameter.wire: text}),
    )


def bookmark_window(screen: MainScreen) -> Choose:
    """Bookmarks first, then what is used most; Del takes a bookmark away, Ins adds the present folder."""

    def listed() -> list[Choice]:
        home = screen.terminal.appearance.home
        bookmarks = screen.commander.bookmarks
        marked = bookmarks.marked()
        rest = [path for path in bookmarks.frequent(limit=30) if path not in marked and path != screen.tab.path]
        return [
            Choice(to_wire(path), abbreviate_home(path, home), "", "★" if path in marked else "")
            for path in [*marked, *rest]
        ]

    def remove(window: Choose, choice: Choice) -> None:
        screen.enqueue("bookmark.remove", {"path": choice.value}, done=lambda _: window.replace(listed(), stay=True))

    def add(window: Choose, choice: Choice) -> None:
        screen.enqueue("bookmark.add", done=lambda _: window.replace(listed()))

    found = listed()
    if not found:
        screen.commander.bookmarks.visit(os.path.expanduser(b"~"))
        found = listed() or [Choice("~", "~")]
    return Choose(
        "Bookmarks and frequent folders",
        found,
        extra={"delete": remove, "insert": add},
        hint="type to narrow · Ins adds this folder · Del removes · Enter goes",
    )


def visited_window(screen: MainScreen) -> Choose | None:
    """The folders a tab has been in, the last one first; None when it has been nowhere else."""
    tab, home = screen.tab, screen.terminal.appearance.home
    paths = dict.fromkeys(visit.path for visit in reversed(tab.history.visits) if visit.path != tab.path)
    choices = [Choice(to_wire(path), abbreviate_home(path, home)) for path in paths]
    return Choose("Folders this tab has been in", choices) if choices else None


class VolumePicker(Choose):
    """The volumes of one pane."""

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        self._screen = screen
        self._opened = False
        self._side = dialog.pane or screen.commander.workspace.focused
        super().__init__(f"Volumes, {self._side} pane", self._listed())
        self.dialog = dialog.id

    def _listed(self) -> list[Choice]:
        choices = []
        for volume in self._screen.commander.workspace.volumes:
            space = None if volume.remote else self._screen.commander.space.at(volume.path, self._space_changed)
            free = f"{human_size(space.free)} free of {human_size(space.total)}" if space else ""
            choices.append(Choice(volume.name, volume.name, f"{to_wire(volume.path)}  {volume.kind}", free))
        return choices

    def opened(self) -> None:
        """What was learned about the volumes while the window was put up is shown, too."""
        super().opened()
        self._opened = True
        self.replace(self._listed())

    def _space_changed(self) -> None:
        if self._opened and self.is_attached:
            self.replace(self._listed())

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Go there."""
        if result is not None and self.app.screen is self:
            self._screen.enqueue("select_volume", {"pane": self._side.value, "name": result}, show_answer=True)
        return super().dismiss(result)


def report_window(screen: MainScreen) -> Choose:
    """The reports there are on the folder that is shown."""
    where = abbreviate_home(screen.tab.path, screen.terminal.appearance.home)
    reports = [Choice(*kind) for kind in REPORT_KINDS]
    return Choose(f"Report on {where}", reports, hint="Enter opens it in a new tab · Esc closes")
