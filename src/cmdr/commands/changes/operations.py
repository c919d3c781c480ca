"""Changes to files: each becomes a proposal that the person answers."""

import os
from collections.abc import Callable
from typing import Annotated, Literal

from cmdr.commands._paths import PaneRef, path_of
from cmdr.commands.changes.history import line_of
from cmdr.commands.changes.named_files import pane_for
from cmdr.commands.changes.planning import (
    choices_of,
    destination_of,
    other_pane,
    planned,
    proposed,
    sources_of,
    with_real_places,
)
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs.names import free_name
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile
from cmdr.engine.plan.survey import Choices
from cmdr.files.errors import disk_error
from cmdr.files.protected import Protection
from cmdr.model.names import from_wire, printable
from cmdr.model.plans.name_fields import BadField, FolderPattern
from cmdr.model.plans.plan import ConflictPolicy, Plan, Verb
from cmdr.model.results.changes import Proposed

_MAX_TOLD_OPERATIONS = 3


@command("copy", access=Access.PROPOSE, toolset="ops")
async def copy(
    call: Call,
    *,
    pane: Annotated[PaneRef | None, Doc("its selection")] = None,
    paths: list[str] | None = None,
    set: str | None = None,
    to: Annotated[str | None, Doc("or Sorted/{ext}; default: the other pane")] = None,
    on_conflict: ConflictPolicy = ConflictPolicy.ASK,
    reason: str = "",
) -> Proposed:
    """Propose to copy paths, a set or a pane's selection."""
    return await _relocate(call, Verb.COPY, pane, paths, set, to, on_conflict, reason)


@command("move", access=Access.PROPOSE, toolset="ops", destructive=True)
async def move(
    call: Call,
    *,
    pane: Annotated[PaneRef | None, Unlisted()] = None,
    paths: list[str] | None = None,
    set: str | None = None,
    to: str | None = None,
    on_conflict: Annotated[ConflictPolicy, Unlisted()] = ConflictPolicy.ASK,
    reason: str = "",
) -> Proposed:
    """Propose to move files; as in copy."""
    return await _relocate(call, Verb.MOVE, pane, paths, set, to, on_conflict, reason)


@command("delete", access=Access.PROPOSE, toolset="ops", destructive=True)
async def delete(
    call: Call,
    *,
    pane: Annotated[PaneRef | None, Unlisted()] = None,
    paths: list[str] | None = None,
    set: str | None = None,
    permanent: bool = False,
    reason: str = "",
) -> Proposed:
    """Propose to trash or delete files; as in copy."""
    shown = pane_for(call, "delete", pane, paths, set)
    sources = await sources_of(call, shown, paths, set)
    choices = Choices(limits=sources.limits, protection=call.commander.sandbox.protection)
    plan = await planned(call, Verb.DELETE if permanent else Verb.TRASH, sources, choices)
    return await proposed(
        call, plan, "Delete", reason, chosen=paths is None and set is None, note=sources.note_for(plan)
    )


@command("mkdir", access=Access.PROPOSE, toolset="ops")
async def mkdir(
    call: Call, *, pane: PaneRef | None = None, name: str | None = None, path: str | None = None, reason: str = ""
) -> Proposed:
    """Propose to create a folder: its path, or a name in a pane."""
    target = await _new_path(call, "mkdir", pane, name, path, b"New folder")
    plan = await in_thread(_created, plan_mkdir, target, call.commander.sandbox.protection)
    return await proposed(call, plan, "Create folder", reason)


@command("mkfile", access=Access.PROPOSE, title="New file")
async def mkfile(
    call: Call, *, pane: PaneRef | None = None, name: str | None = None, path: str | None = None, reason: str = ""
) -> Proposed:
    """Propose to create an empty file."""
    target = await _new_path(call, "mkfile", pane, name, path, b"New file")
    plan = await in_thread(_created, plan_mkfile, target, call.commander.sandbox.protection)
    return await proposed(call, plan, "Create file", reason)


@command("undo", access=Access.PROPOSE, toolset="ops")
async def undo(
    call: Call, *, operation: Annotated[int | Literal["last"] | None, Whole(1)] = None, reason: str = ""
) -> Proposed:
    """Propose to undo an operation."""
    if operation is None and not call.principal.is_person:
        raise CommandError(await _what_to_undo(call))
    number = operation if isinstance(operation, int) else None
    return await proposed(call, await call.commander.engine.undo_plan(number), "Undo", reason)


async def _what_to_undo(call: Call) -> str:
    """For an agent that does not say which operation: the last ones, newest first."""
    entries = await call.commander.engine.history(_MAX_TOLD_OPERATIONS)
    if not entries:
        return "There is nothing to undo: no operation was carried out yet."
    told = "; ".join(printable(line_of(entry), 120) for entry in entries)
    return f'undo needs "operation": a number, or "last". The last ones: {told}.'


async def _relocate(
    call: Call,
    verb: Verb,
    pane: PaneRef | None,
    paths: list[str] | None,
    set: str | None,
    to: str | None,
    on_conflict: ConflictPolicy,
    reason: str,
) -> Proposed:
    # The first design has agents select files and then copy, without a word more.
    shown = pane_for(call, verb.value, pane, paths, set, own_selection=verb is Verb.COPY)
    sources = await sources_of(call, shown, paths, set)
    target, into, name = destination_of(call, shown, to), None, None
    if to:
        target, into = await _sorted_into(target)
    if call.principal.is_person and to and not into and len(sources.paths) == 1 and not to.endswith("/"):
        target, name = await in_thread(_renamed, target)
    choices = choices_of(call, sources, policy=on_conflict, as_name=name, into=into)
    plan = await planned(call, verb, sources, choices, target)
    what = verb.value.capitalize()
    note = "\n".join(filter(None, ["" if to else other_pane(target), sources.note_for(plan)]))
    return await proposed(call, plan, what, reason, chosen=paths is None and set is None, note=note)


def _created(plan: Callable[..., Plan], target: bytes, protection: Protection) -> Plan:
    return with_real_places(plan(target, protection=protection), protection)


def _renamed(target: bytes) -> tuple[bytes, bytes | None]:
    """Where one file goes: into a folder, or under a name that is not taken yet into the folder that is there."""
    above, name = os.path.split(target)
    return (above, name) if not os.path.lexists(target) and os.path.isdir(above) else (target, None)


async def _new_path(
    call: Call, verb: str, pane: PaneRef | None, name: str | None, path: str | None, usual: bytes
) -> bytes:
    folder = pane_for(call, verb, pane, name, path, ways='"path", or "name" for one in the focused pane').tab.path
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
