"""Files: look at them, change them. Every change is planned, and a risky one is asked about again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.completion import complete_path
from cmdr.model.entry import Entry
from cmdr.model.names import to_wire
from cmdr.model.units import count
from cmdr.tui.actions import action
from cmdr.tui.windows.line_list import Row

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_TAKEN = (
    ("ask", "ask each time"),
    ("skip", "skip it"),
    ("overwrite", "overwrite; the old one goes to the trash"),
    ("rename", "keep both, with a new name"),
    ("newer", "overwrite only what is older"),
    ("larger", "overwrite only what is smaller"),
)


def _here(screen: MainScreen) -> Entry | None:
    tab = screen.tab
    return None if tab.cursor_name() is None else tab.listing.entry(tab.cursor)


def chosen(screen: MainScreen) -> list[bytes]:
    """The names an operation acts on: the selection, else the entry under the cursor."""
    tab = screen.tab
    if tab.selection.count:
        return [tab.listing.columns.name(row) for row in tab.selection.rows()]
    name = tab.cursor_name()
    return [] if name is None else [name]


def what(names: list[bytes]) -> str:
    """How a window speaks of them."""
    return to_wire(names[0]) if len(names) == 1 else count(len(names), "item")


def _listed(names: list[bytes]) -> list[Row]:
    if len(names) <= 1:
        return []
    rows: list[Row] = [[(f"  {to_wire(name)}", "file")] for name in names[:4]]
    return [*rows, [(f"  … {len(names) - 4} more", "dim")]] if len(names) > 4 else rows


@action("view")
def view(screen: MainScreen) -> None:
    """View a file, or enter a folder."""
    entry = _here(screen)
    if screen.view.on_parent_row:
        screen.act("parent")
    elif entry is not None:
        screen.give("open_under_cursor" if entry.is_folder else "file.quickLook")


@action("info")
def info(screen: MainScreen) -> None:
    """Facts about the entry."""
    screen.give("file.getInfo", lambda: {} if _here(screen) is not None else None)


@action("edit")
def edit(screen: MainScreen) -> None:
    """Edit the file under the cursor."""
    entry = _here(screen)
    if entry is not None and not entry.is_folder:
        path = os.path.join(screen.tab.path, entry.name)
        screen.terminal.run_worker(screen.terminal.edit(path), group="edit")


@action("copy_path")
def copy_path(screen: MainScreen) -> None:
    """The path, to the clipboard."""
    screen.give("file.copyPath", told=True)


@action("copy_name")
def copy_name(screen: MainScreen) -> None:
    """The name, to the clipboard."""
    screen.give("file.copyFilename", told=True)


@action("copy")
def copy(screen: MainScreen) -> None:
    """Copy to the other pane, or wherever is typed."""
    _transfer(screen, "Copy", "copy")


@action("move")
def move(screen: MainScreen) -> None:
    """Move to the other pane, or wherever is typed."""
    _transfer(screen, "Move", "move")


def _transfer(screen: MainScreen, heading: str, command: str) -> None:
    from cmdr.tui.windows.ask import Ask

    names = chosen(screen)
    if not names:
        return
    base = screen.tab.path
    other = screen.commander.workspace.pane(screen.commander.workspace.focused.other).tab.path
    paths = [to_wire(os.path.join(base, name)) for name in names]
    window = Ask(
        f"{heading} {what(names)} to",
        to_wire(other),
        above=_listed(names),
        complete=lambda text: complete_path(text, base),
        options=_TAKEN,
    )
    # The files are named here and now: whatever moves in the pane meanwhile, these are the ones.
    screen.terminal.ask(
        window,
        lambda to: screen.terminal.operate(command, {"paths": [*paths], "to": to, "onConflict": window.option}),
    )


@action("trash")
def trash(screen: MainScreen) -> None:
    """To the trash, after a yes."""
    _remove(screen, permanent=False)


@action("delete")
def delete(screen: MainScreen) -> None:
    """For good, after a word typed."""
    _remove(screen, permanent=True)


def _remove(screen: MainScreen, *, permanent: bool) -> None:
    names = chosen(screen)
    if names:
        paths = [to_wire(os.path.join(screen.tab.path, name)) for name in names]
        screen.terminal.operate("delete", {"paths": [*paths], "permanent": permanent}, sure=False)


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
    """A new empty file."""
    from cmdr.tui.windows.ask import Ask

    screen.terminal.ask(
        Ask("New file", "", placeholder="name"),
        lambda name: screen.terminal.operate("mkfile", {**_new(name)}, then=name) if name else None,
    )


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
    dot = old.rfind(".")
    entry = _here(screen)
    stem = len(old) if dot <= 0 or (entry is not None and entry.is_folder) else dot
    screen.terminal.ask(
        Ask(f"Rename {old}", old, select=(0, stem)),
        lambda new: (
            screen.terminal.operate("rename", {"path": path, "newName": new}, then=new) if new and new != old else None
        ),
    )


@action("bulk_rename")
def bulk_rename(screen: MainScreen) -> None:
    """Rename many in a table."""
    from cmdr.tui.windows.bulk_rename import BulkRename

    names = chosen(screen)
    if len(names) <= 1:
        names = [screen.tab.listing.name(position) for position in range(min(len(screen.tab.listing), 5000))]
    if names:
        screen.terminal.push_screen(BulkRename(screen.tab.path, names, screen))
