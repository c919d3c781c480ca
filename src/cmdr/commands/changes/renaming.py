"""New names: plans for them, what is told of them, and a name for each file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cmdr.commands._paths import PaneRef, pane_of, path_of
from cmdr.commands.changes.named_files import files_in, glob_in, pane_for, some_names
from cmdr.commands.changes.planning import Sources, limits_of, proposed, sources_of, with_real_places
from cmdr.commands.panes.file import under_cursor
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Unlisted
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_names import WHOLE, new_names
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Limits
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.plans.plan import Plan
from cmdr.model.results.changes import Proposed
from cmdr.model.units import count

_ONE_FILE = '"newName" is for the one file at "path"; many are renamed by "match" and "replace".'
_FIELDS = "$1 {n:03} {name} {ext} {date} {year}…"
_WAYS = '"folder", "path", "paths" or "set"'
Pairs = Sequence[tuple[bytes, bytes]]
"""Paths, each with a new name."""
_PREVIEWED = 3


async def rename_planned(call: Call, pairs: Pairs) -> Plan:
    """The plan, with an eye on what an agent may not make unrecognisable."""
    sandbox = call.commander.sandbox
    privacy = None if call.principal.is_person else sandbox.private
    plan = await in_thread(plan_rename, pairs, protection=sandbox.protection, privacy=privacy)
    return await in_thread(with_real_places, plan, sandbox.protection)


def preview_of(pairs: Pairs) -> list[str]:
    """The first of the new names, one a line."""
    lines = [f"{to_wire(os.path.basename(old))} → {to_wire(new)}" for old, new in pairs[:_PREVIEWED]]
    more = [f"… {len(pairs) - _PREVIEWED} more"] if len(pairs) > _PREVIEWED else []
    return [*lines, *more]


@command("rename", access=Access.PROPOSE, toolset="ops")
async def rename(
    call: Call,
    *,
    path: Annotated[str | None, Doc("or a glob")] = None,
    new_name: str | None = None,
    match: str | None = None,
    replace: Annotated[str | None, Doc(_FIELDS)] = None,
    folder: Annotated[str | None, Doc("its files")] = None,
    paths: list[str] | None = None,
    set: str | None = None,
    pane: Annotated[PaneRef | None, Unlisted()] = None,
    reason: str = "",
) -> Proposed:
    """Propose to rename one, or many by regex."""
    if new_name is None and replace is None:
        raise CommandError('rename needs "newName", or "match" and "replace"; "replace" alone is for whole names.')
    if new_name is not None:
        if replace is not None or match is not None or (paths, folder, set) != (None, None, None):
            raise CommandError(_ONE_FILE)
        shown = pane_for(call, "rename", pane, path, ways='"path" beside "newName"')
        one = path_of(path, shown.tab.path) if path is not None else under_cursor(shown)
        if await glob_in(one) is not None:
            raise CommandError(_ONE_FILE)
        pairs = [(one, from_wire(new_name))]
        return await proposed(call, await rename_planned(call, pairs), "Rename", reason, preview=preview_of(pairs))
    match, replace = WHOLE if match is None else match, replace or ""
    tried = await _tried(call, path, paths, folder, set, pane)
    changed = await _changed(tried, match, replace)
    if not changed and path is not None and await in_thread(os.path.isdir, tried.sources.paths[0]):
        # A folder whose own name the pattern leaves alone: its files are meant, or nothing.
        tried = await _files_of(tried.sources.paths[0], tried.sources.limits)
        changed = await _changed(tried, match, replace)
    if not changed:
        raise CommandError(_unchanged(match, tried))
    note = f"{len(changed)} of {tried.words}" if tried.is_folder else tried.sources.note
    plan = await rename_planned(call, changed)
    return await proposed(
        call, plan, "Rename", reason, note=note, preview=preview_of(changed), from_pane=tried.is_from_pane
    )


@dataclass(frozen=True, slots=True)
class _Tried:
    """The files on which a pattern is tried, and how to tell which they are."""

    sources: Sources
    words: str
    is_folder: bool = False
    """Whether they were named by their folder alone."""
    is_from_pane: bool = False


async def _tried(
    call: Call, path: str | None, paths: list[str] | None, folder: str | None, set: str | None, pane: PaneRef | None
) -> _Tried:
    """The files that the caller names in one of these ways."""
    if sum(one is not None for one in (path, paths, folder, set)) > 1:
        raise CommandError('rename takes one of "path", "paths", "folder" and "set".')
    shown = pane_for(call, "rename", pane, path, paths, folder, set, ways=_WAYS)
    limits = limits_of(call)
    if folder is not None:
        return await _files_of(path_of(folder, shown.tab.path), limits)
    if path is not None and (found := await glob_in(path_of(path, shown.tab.path))) is not None:
        return await _files_of(found[0], limits, found[1])
    if path is not None:
        paths = [path]
    sources = await sources_of(call, shown, paths, set)
    if paths is not None:
        return _Tried(sources, count(len(sources.paths), "path"))
    if set is not None:
        return _Tried(sources, f"the set {printable(set, 40)}")
    return _Tried(sources, f"what is chosen in the {shown.side} pane", is_from_pane=True)


async def _files_of(folder: bytes, limits: Limits, glob: bytes = b"") -> _Tried:
    found = await files_in(folder, limits.top, glob)
    return _Tried(Sources(found.paths, limits), found.words, is_folder=True)


async def _changed(tried: _Tried, match: str, replace: str) -> list[tuple[bytes, bytes]]:
    """The files that get another name, each with it."""
    paths = tried.sources.paths
    names = await in_thread(new_names, paths, match, replace)
    return [(old, new) for old, new in zip(paths, names, strict=True) if os.path.basename(old) != new]


def _unchanged(match: str, tried: _Tried) -> str:
    """That a pattern changes no name, on what it was tried, and some of those names."""
    told = f'"{printable(match)}" changes none of these names: {some_names(tried.sources.paths)}.'
    return f"{told} It was tried on {tried.words}; mend the pattern, or name others by {_WAYS}."


@command("rename_many", access=Access.PROPOSE, title="Rename each")
async def rename_many(
    call: Call, *, paths: list[str], names: Annotated[list[str], Doc("one for each path")], reason: str = ""
) -> Proposed:
    """Propose to give each file its own new name; swaps are possible."""
    if len(paths) != len(names) or not paths:
        raise CommandError("rename_many needs as many names as paths.")
    base = pane_of(call.workspace, "focused").tab.path
    pairs = [(path_of(path, base), from_wire(name)) for path, name in zip(paths, names, strict=True)]
    plan = await rename_planned(call, pairs)
    # The person's table of names lists what is selected.
    return await proposed(call, plan, "Rename", reason, preview=preview_of(pairs), from_pane=call.principal.is_person)
