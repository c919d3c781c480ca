"""Which files a change is about, as its caller names them: a pane, a folder, a glob. Nothing is taken unnamed."""

import fnmatch
import os
from collections.abc import Sequence
from dataclasses import dataclass

from cmdr.commands._paths import PaneRef, pane_of
from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import disk_error
from cmdr.model.filters.filter_terms import without_braces
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.sorting import path_order
from cmdr.model.units import count

WAYS = '"paths", "set", or "pane" for what is selected there'
_WILD = (b"*", b"?", b"[", b"{")
_SHOWN = 3


def pane_for(
    call: Call, verb: str, pane: PaneRef | None, *named: object, ways: str = WAYS, own_selection: bool = False
) -> Pane:
    """The pane from which paths are seen, and whose selection or cursor is meant where nothing else is `named`.

    An agent has to name the pane for that: otherwise it would act on what somebody else chose, unseen. With
    `own_selection` what it selected itself will do. The person's own pane is in front of them.
    """
    shown = pane_of(call.workspace, pane or "focused")
    if pane is not None or call.principal.is_person or any(one is not None for one in named):
        return shown
    selection = shown.tab.selection
    if own_selection and selection.count and selection.chosen_by == call.principal.id:
        return shown
    raise CommandError(f"{verb} needs {ways}.")


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files that were named together by their folder, and how to tell it."""

    paths: tuple[bytes, ...]
    words: str
    """As in `12 files in /home/me/photos that fit *.jpg`."""


async def files_in(folder: bytes, most: int, glob: bytes = b"") -> FolderFiles:
    """The files that lie in a folder, in the order in which one counts them; dot files only where the glob has a dot.

    Raises `CommandError` when there are none, or more than `most`.
    """
    found = await in_thread(_files_in, folder, glob)
    fits = f" that fit {printable(to_wire(glob))}" if glob else ""
    if not found:
        raise CommandError(f"There are no files in {to_wire(folder)}{fits}.")
    if len(found) > most:
        raise CommandError(f"There are {len(found):,} files in {to_wire(folder)}{fits}, at most {most:,} go at once.")
    return FolderFiles(found, f"{count(len(found), 'file')} in {to_wire(folder)}{fits}")


async def fitting(paths: Sequence[bytes], most: int) -> tuple[tuple[bytes, ...], str]:
    """Paths with the files in place of each glob among them, and what the globs stood for in words.

    Raises `CommandError` for a glob that nothing fits, or that more than `most` files fit.
    """
    found: dict[bytes, None] = {}
    words = []
    for path in paths:
        if (glob := await glob_in(path)) is None:
            found[path] = None
            continue
        fit = await files_in(glob[0], most, glob[1])
        found.update(dict.fromkeys(fit.paths))
        words.append(fit.words)
    return tuple(found), "\n".join(words)


async def glob_in(path: bytes) -> tuple[bytes, bytes] | None:
    """The folder and the glob of a path that ends in one; None for the name of a file that is there."""
    folder, name = os.path.split(path)
    return (folder, name) if _is_wild(name) and not await in_thread(os.path.lexists, path) else None


def some_names(paths: Sequence[bytes]) -> str:
    """The first few names, and how many more there are."""
    told = ", ".join(printable(to_wire(os.path.basename(path)), 40) for path in paths[:_SHOWN])
    return f"{told} and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else told


def _is_wild(name: bytes) -> bool:
    return any(sign in name for sign in _WILD)


def _files_in(folder: bytes, glob: bytes) -> tuple[bytes, ...]:
    globs = [os.fsencode(one) for one in without_braces(os.fsdecode(glob))] if glob else [b"*"]
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise disk_error(folder, error) from error
    shows_hidden = glob.startswith(b".")
    fitting = [
        os.path.join(folder, name)
        for name in names
        if (shows_hidden or not name.startswith(b".")) and any(fnmatch.fnmatchcase(name, one) for one in globs)
    ]
    return tuple(fitting[place] for place in path_order(fitting))
