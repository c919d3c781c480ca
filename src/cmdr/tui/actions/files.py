"""Files: look at them, change them. Every change is planned, and a risky one is asked about again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.errors import CommandError
from cmdr.core.panes.name_input import complete_path
from cmdr.model.names import display_name, from_wire, to_wire
from cmdr.model.panes.entry import Entry
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.plan_text import TAKEN_NAMES
from cmdr.tui.actions import action
from cmdr.tui.widgets.lines import Row

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def _here(screen: MainScreen) -> Entry | None:
    tab = screen.tab
    return None if tab.cursor_name() is None else tab.listing.entry(tab.cursor)


def what(chosen: SelectedEntries) -> str:
    """How a window speaks of what was chosen."""
    return display_name(chosen.first_names(1)[0]) if chosen.count == 1 else f"{chosen.count:,} items"


def listed(chosen: SelectedEntries) -> list[Row]:
    """The first of several chosen, above the line that is asked for."""
    if chosen.count <= 1:
        return []
    rows: list[Row] = [[(f"  {display_name(name)}", "file")] for name in chosen.first_names(4)]
    return [*rows, [(f"  … {chosen.count - 4:,} more", "dim")]] if chosen.count > 4 else rows


@action("view")
def view(screen: MainScreen) -> None:
    """View a file, or enter a folder."""
    entry = _here(screen)
    if screen.view.on_parent_row:
        screen.act("parent")
    elif entry is not None:
        screen.enqueue("open_under_cursor" if entry.is_folder else "file.quickLook")


@action("attributes")
def attributes(screen: MainScreen) -> None:
    """Permissions and time of what is chosen."""
    from cmdr.tui.windows.attributes import AttributesWindow

    chosen = SelectedEntries.of(screen.tab)
    if chosen is not None:
        screen.terminal.push_screen(AttributesWindow(chosen, what(chosen), screen))


@action("info")
def info(screen: MainScreen) -> None:
    """Facts about the entry."""
    screen.enqueue("file.getInfo", lambda: {} if _here(screen) is not None else None)


@action("edit")
def edit(screen: MainScreen) -> None:
    """Edit the file under the cursor."""
    entry = _here(screen)
    if entry is not None and entry.is_folder:
        screen.show_message(f"{to_wire(entry.name)} is a folder. Enter goes into it.", bad=True)
    elif entry is not None:
        path = os.path.join(screen.tab.path, entry.name)
        screen.terminal.edit(path)


@action("copy_here")
def copy_here(screen: MainScreen) -> None:
    """Copy the entry under the cursor beside itself, under another name."""
    from cmdr.tui.windows.ask import Ask

    name, folder = screen.tab.cursor_name(), screen.tab.path
    if name is None:
        return
    old, path = to_wire(name), to_wire(os.path.join(folder, name))
    screen.terminal.ask(
        Ask(f"Copy {old} here as", old, select=(0, _stem(screen, old))),
        lambda new: (
            screen.terminal.operate(
                "copy", {"paths": [path], "to": to_wire(os.path.join(folder, from_wire(new)))}, then=new
            )
            if new and new != old
            else None
        ),
    )


def _stem(screen: MainScreen, name: str) -> int:
    """How long a name is without its extension."""
    entry, dot = _here(screen), name.rfind(".")
    return len(name) if dot <= 0 or (entry is not None and entry.is_folder) else dot


def _transfer(screen: MainScreen, heading: str, command: str) -> None:
    """Copy or move to the other pane, or wherever is typed."""
    from cmdr.tui.windows.ask import Ask

    # The files are chosen here and now: whatever moves in the pane meanwhile, these are the ones.
    chosen = SelectedEntries.of(screen.tab)
    if chosen is None:
        return
    base = screen.tab.path
    other = screen.commander.workspace.pane(screen.commander.workspace.focused.other).tab.path
    window = Ask(
        f"{heading} {what(chosen)} to",
        to_wire(other),
        above=listed(chosen),
        complete=lambda text: complete_path(text, base),
        options=TAKEN_NAMES,
    )
    screen.terminal.ask(
        window,
        lambda to: screen.terminal.operate(command, {"to": to, "onConflict": window.option}, chosen=chosen),
    )


action("copy")(lambda screen: _transfer(screen, "Copy", "copy"))
action("move")(lambda screen: _transfer(screen, "Move", "move"))


def _remove(screen: MainScreen, *, permanent: bool) -> None:
    """To the trash after a yes, or for good after a typed word."""
    chosen = SelectedEntries.of(screen.tab)
    if chosen is not None:
        screen.terminal.operate("delete", {"permanent": permanent}, sure=False, chosen=chosen)


action("trash")(lambda screen: _remove(screen, permanent=False))
action("delete")(lambda screen: _remove(screen, permanent=True))


def _new(typed: str) -> dict[str, str]:
    """What was typed for something new: a name, or the way to it."""
    return {"path" if "/" in typed else "name": typed}


@action("mkdir")
def mkdir(screen: MainScreen) -> None:
    """A new folder."""
    from cmdr.tui.windows.ask import Ask

    screen.terminal.ask(
        Ask("New folder", "", placeholder="name"),
        lambda name: screen.terminal.operate("mkdir", {**_new(name)}, then=name) if name else None,
    )


@action("new_file")
def new_file(screen: MainScreen) -> None:
    """A new empty file, to be edited at once."""
    from cmdr.tui.windows.ask import Ask

    def made(name: str) -> None:
        if name:
            path = os.path.join(screen.tab.path, os.path.expanduser(from_wire(name)))
            screen.terminal.operate("mkfile", {**_new(name)}, then=name, opens=path)

    screen.terminal.ask(Ask("New file", "", placeholder="name"), made)


@action("rename")
def rename(screen: MainScreen) -> None:
    """Rename the entry; several selected ones in a table."""
    from cmdr.tui.windows.ask import Ask

    if screen.tab.selection.count > 1:
        bulk_rename(screen)
        return
    name = screen.tab.cursor_name()
    if name is None:
        return
    old = to_wire(name)
    path = to_wire(os.path.join(screen.tab.path, name))
    screen.terminal.ask(
        Ask(f"Rename {old}", old, select=(0, _stem(screen, old))),
        lambda new: (
            screen.terminal.operate("rename", {"path": path, "newName": new}, then=new) if new and new != old else None
        ),
    )


@action("bulk_rename")
def bulk_rename(screen: MainScreen) -> None:
    """Rename many in a table."""
    from cmdr.core.flow.rename_table import RenameTable
    from cmdr.tui.windows.bulk_rename import BulkRename

    try:
        table = RenameTable(screen.tab)
    except CommandError as error:
        screen.show_message(str(error), bad=True)
        return
    if table.old:
        screen.terminal.push_screen(BulkRename(table, screen))
