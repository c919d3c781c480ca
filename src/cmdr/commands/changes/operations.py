"""Changes to files: each becomes a proposal that the person answers."""

import os
from collections.abc import Callable
from typing import Annotated

from cmdr.commands._paths import PaneRef, pane_of, path_of
from cmdr.commands.changes.planning import choices_of, destination_of, planned, proposed, sources_of, with_real_places
from cmdr.commands.changes.renaming import preview_of, rename_planned, unchanged
from cmdr.commands.panes.file import under_cursor
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs.names import free_name
from cmdr.engine.plan.new_names import WHOLE, new_names
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile
from cmdr.engine.plan.survey import Choices
from cmdr.files.errors import disk_error
from cmdr.files.protected import Protection
from cmdr.model.names import from_wire, printable
from cmdr.model.plans.name_fields import BadField, FolderPattern
from cmdr.model.plans.plan import ConflictPolicy, Plan, Verb
from cmdr.model.results.changes import Proposed

_FIELDS = "$1 {n:03} {name} {ext} {date} {year}…"


@command("copy", access=Access.PROPOSE, toolset="ops")
async def copy(
    call: Call,
    *,
    pane: PaneRef = "focused",
    paths: list[str] | None = None,
    set: str | None = None,
    to: Annotated[str | None, Doc("or Sorted/{ext}")] = None,
    on_conflict: ConflictPolicy = ConflictPolicy.ASK,
    reason: str = "",
) -> Proposed:
    """Propose to copy the selection, paths or a set to the other pane."""
    return await _relocate(call, Verb.COPY, pane, paths, set, to, on_conflict, reason)


@command("move", access=Access.PROPOSE, toolset="ops", destructive=True)
async def move(
    call: Call,
    *,
    pane: PaneRef = "focused",
    paths: list[str] | None = None,
    set: str | None = None,
    to: str | None = None,
    on_conflict: ConflictPolicy = ConflictPolicy.ASK,
    reason: str = "",
) -> Proposed:
    """Propose to move files; chosen as in copy."""
    return await _relocate(call, Verb.MOVE, pane, paths, set, to, on_conflict, reason)


@command("delete", access=Access.PROPOSE, toolset="ops", destructive=True)
async def delete(
    call: Call,
    *,
    pane: PaneRef = "focused",
    paths: list[str] | None = None,
    set: str | None = None,
    permanent: bool = False,
    reason: str = "",
) -> Proposed:
    """Propose to trash or delete files; chosen as in copy."""
    shown = pane_of(call.workspace, pane)
    sources = await sources_of(call, shown, paths, set)
    choices = Choices(limits=sources.limits, protection=call.commander.sandbox.protection)
    plan = await planned(call, Verb.DELETE if permanent else Verb.TRASH, sources, choices)
    return await proposed(
        call, plan, "Delete", reason, chosen=paths is None and set is None, note=sources.note_for(plan)
    )


@command("rename", access=Access.PROPOSE, toolset="ops")
async def rename(
    call: Call,
    *,
    path: str | None = None,
    new_name: str | None = None,
    match: str | None = None,
    replace: Annotated[str | None, Doc(_FIELDS)] = None,
    paths: list[str] | None = None,
    set: str | None = None,
    reason: str = "",
) -> Proposed:
    """Propose to rename one, or many by regex."""
    shown, note, from_pane = pane_of(call.workspace, "focused"), "", False
    if new_name is not None:
        one = path_of(path, shown.tab.path) if path is not None else under_cursor(shown)
        pairs = [(one, from_wire(new_name))]
    elif replace is not None:
        match = WHOLE if match is None else match
        sources = await sources_of(call, shown, paths if path is None else [path], set)
        note, from_pane = sources.note, (path, paths, set) == (None, None, None)
        names = await in_thread(new_names, sources.paths, match, replace)
        pairs = [(old, new) for old, new in zip(sources.paths, names, strict=True) if os.path.basename(old) != new]
        if not pairs:
            raise CommandError(unchanged(match, sources.paths, is_chosen=from_pane))
    else:
        raise CommandError('rename needs "newName", or "match" and "replace"; "replace" alone is for whole names.')
    plan = await rename_planned(call, pairs)
    return await proposed(call, plan, "Rename", reason, note=note, preview=preview_of(pairs), from_pane=from_pane)


@command("mkdir", access=Access.PROPOSE, toolset="ops")
async def mkdir(
    call: Call, *, pane: PaneRef = "focused", name: str | None = None, path: str | None = None, reason: str = ""
) -> Proposed:
    """Propose to create a folder."""
    target = await _new_path(call, pane, name, path, b"New folder")
    plan = await in_thread(_created, plan_mkdir, target, call.commander.sandbox.protection)
    return await proposed(call, plan, "Create folder", reason)


@command("mkfile", access=Access.PROPOSE, title="New file")
async def mkfile(
    call: Call, *, pane: PaneRef = "focused", name: str | None = None, path: str | None = None, reason: str = ""
) -> Proposed:
    """Propose to create an empty file."""
    target = await _new_path(call, pane, name, path, b"New file")
    plan = await in_thread(_created, plan_mkfile, target, call.commander.sandbox.protection)
    return await proposed(call, plan, "Create file", reason)


@command("undo", access=Access.PROPOSE, toolset="ops")
async def undo(call: Call, *, operation: int | None = None, reason: str = "") -> Proposed:
    """Propose to undo the last or given operation."""
    return await proposed(call, await call.commander.engine.undo_plan(operation), "Undo", reason)


async def _relocate(
    call: Call,
    verb: Verb,
    pane: PaneRef,
    paths: list[str] | None,
    set: str | None,
    to: str | None,
    on_conflict: ConflictPolicy,
    reason: str,
) -> Proposed:
    shown = pane_of(call.workspace, pane)
    sources = await sources_of(call, shown, paths, set)
    target, into, name = destination_of(call, shown, to), None, None
    if to:
        target, into = await _sorted_into(target)
    if call.principal.is_person and to and not into and len(sources.paths) == 1 and not to.endswith("/"):
        target, name = await in_thread(_renamed, target)
    choices = choices_of(call, sources, policy=on_conflict, as_name=name, into=into)
    plan = await planned(call, verb, sources, choices, target)
    what = verb.value.capitalize()
    return await proposed(call, plan, what, reason, chosen=paths is None and set is None, note=sources.note_for(plan))


def _created(plan: Callable[..., Plan], target: bytes, protection: Protection) -> Plan:
    return with_real_places(plan(target, protection=protection), protection)


def _renamed(target: bytes) -> tuple[bytes, bytes | None]:
    """Where one file goes: into a folder, or under a name that is not taken yet into the folder that is there."""
    above, name = os.path.split(target)
    return (above, name) if not os.path.lexists(target) and os.path.isdir(above) else (target, None)


async def _new_path(call: Call, pane: PaneRef, name: str | None, path: str | None, usual: bytes) -> bytes:
    folder = pane_of(call.workspace, pane).tab.path
    if path is not None and name is None:
        return path_of(path, folder)
    if path is not None:
        folder = path_of(path, folder)
    if name is not None:
        if "/" in name:
            raise CommandError(f'"{printable(name)}" is no name: it holds "/". For another folder give "path".')
        return os.path.join(folder, from_wire(name))
    return os.path.join(folder, await in_thread(_unused, folder, usual))


def _unused(folder: bytes, usual: bytes) -> bytes:
    try:
        taken = frozenset(os.listdir(folder))
    except OSError as error:
        raise disk_error(folder, error) from error
    return usual if usual not in taken else free_name(usual, taken.__contains__)


async def _sorted_into(target: bytes) -> tuple[bytes, FolderPattern | None]:
    """The folder in which the fields begin, and their pattern; none for a plain target."""
    # A folder that is there is meant as it is, braces and all.
    if (b"{" not in target and b"}" not in target) or await in_thread(os.path.lexists, target):
        return target, None
    try:
        start, pattern = FolderPattern.of(os.fsdecode(target))
    except BadField as error:
        raise CommandError(printable(str(error), 300)) from error
    return os.fsencode(start) or b"/", pattern
