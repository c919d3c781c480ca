"""What agents want from the person: their proposals and the windows they opened, one key away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.core.principals import PERSON
from cmdr.model.dialog import Dialog
from cmdr.model.names import to_wire
from cmdr.model.plan_text import title_of
from cmdr.tui.review import queue
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def show_next(screen: MainScreen) -> None:
    """Show what waits: at once when it is one thing, as a list when it is several."""
    waiting = screen.terminal.windows.waiting()
    edits = {case.id: case for case in queue.waiting(screen)}
    if not edits and not waiting:
        screen.tell("Nothing waits for you.")
        return
    if len(edits) + len(waiting) == 1:
        if edits:
            queue.show_next(screen)
        else:
            screen.terminal.windows.admit(waiting[0])
        return
    by_id = {dialog.id: dialog for dialog in waiting}
    choices = [queue.choice_of(case) for case in edits.values()]
    choices += [Choice(dialog.id, _title(screen, dialog), "", dialog.opened_by.partition(":")[2]) for dialog in waiting]

    def chosen(id: str) -> None:
        if id in edits:
            queue.show(screen, edits[id])
        else:
            screen.terminal.windows.admit(by_id[id])

    screen.terminal.ask(Choose("Waiting for you", choices), chosen)


def _title(screen: MainScreen, dialog: Dialog) -> str:
    if dialog.proposal:
        return title_of(screen.commander.proposals.get(dialog.proposal, PERSON).plan)
    return f"{dialog.type} {to_wire(dialog.path) if dialog.path else ''}".strip()
