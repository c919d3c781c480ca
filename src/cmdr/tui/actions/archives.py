"""Archives: pack what is chosen, unpack, and ask what is wanted of one that is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.panes.name_input import complete_path
from cmdr.model.names import default_archive_name, to_wire
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.plan_text import TAKEN_NAMES
from cmdr.tui.actions import action
from cmdr.tui.actions.files import listed, what

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


@action("pack")
def pack(screen: MainScreen) -> None:
    """Pack what is chosen into a new archive, in the other pane or wherever is typed."""
    from cmdr.tui.windows.ask import Ask

    chosen = SelectedEntries.of(screen.tab)
    if chosen is None:
        return
    base = screen.tab.path
    name = default_archive_name(os.path.join(base, chosen.first_names(1)[0]), is_only=chosen.count == 1)
    path = to_wire(os.path.join(_other(screen), name))
    window = Ask(
        f"Pack {what(chosen)} into (.zip or .tar.gz)",
        path,
        above=listed(chosen),
        select=(len(path) - len(to_wire(name)), len(path) - len(".zip")),
        complete=lambda text: complete_path(text, base),
    )
    screen.terminal.ask(window, lambda to: screen.terminal.operate("pack", {"to": to}, chosen=chosen))


@action("unpack")
def unpack(screen: MainScreen) -> None:
    """Unpack the chosen archives, each into a folder of its own, in the other pane or wherever is typed."""
    chosen = SelectedEntries.of(screen.tab)
    if chosen is not None:
        _ask_where(screen, chosen, _other(screen))


def open_archive(screen: MainScreen) -> None:
    """Ask what is wanted of the archive under the cursor."""
    from cmdr.tui.windows.choose import Choice, Choose

    chosen = SelectedEntries.of(screen.tab)
    name = screen.tab.cursor_name()
    if chosen is None or name is None:
        return
    path, here = to_wire(os.path.join(screen.tab.path, name)), screen.tab.path
    choices = [
        Choice("look", "Look inside", note=screen.keys.first_key("view")),
        Choice("other", "Unpack to the other pane", to_wire(_other(screen)), screen.keys.first_key("unpack")),
        Choice("here", "Unpack here", to_wire(here)),
        Choice("system", "Show in the file manager"),
    ]

    def done(answer: str) -> None:
        match answer:
            case "look":
                screen.enqueue("file.quickLook")
            case "system":
                screen.enqueue("file.showInFinder", show_answer=True)
            case _:
                to = here if answer == "here" else _other(screen)
                screen.terminal.operate("unpack", {"paths": [path], "to": to_wire(to)}, sure=False)

    screen.terminal.ask(Choose(to_wire(name), choices), done)


def _ask_where(screen: MainScreen, chosen: SelectedEntries, folder: bytes) -> None:
    from cmdr.tui.windows.ask import Ask

    base = screen.tab.path
    window = Ask(
        f"Unpack {what(chosen)} into a folder of its own in",
        to_wire(folder),
        above=listed(chosen),
        complete=lambda text: complete_path(text, base),
        options=TAKEN_NAMES,
    )
    screen.terminal.ask(
        window,
        lambda to: screen.terminal.operate(
            "unpack", {"to": to, "onConflict": window.option}, sure=False, chosen=chosen
        ),
    )


def _other(screen: MainScreen) -> bytes:
    workspace = screen.commander.workspace
    return workspace.pane(workspace.focused.other).tab.path
