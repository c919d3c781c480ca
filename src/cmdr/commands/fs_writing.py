"""Changing files directly, inside the roots: through the engine, journalled, undoable, protected places asked about."""

import asyncio
import os
import re
import stat
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from cmdr.commands.becoming_protected import known_as, with_protection
from cmdr.commands.name_to_write import landing_name, name_to_write
from cmdr.commands.reach import as_asked, named, reach_of
from cmdr.commands.written_text import after_writing, encoded, standing_bytes
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.engine.fs import fingerprint
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.files.errors import DiskError, PathNotFound
from cmdr.files.sandbox.found import HeldName
from cmdr.files.sandbox.reach import Reach, Sandbox
from cmdr.files.sandbox.refused_paths import PrivatePlace
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Plan

PATIENCE = 50.0
"""Seconds a call waits for the disk; longer work goes on as a job."""
_LIMITS = Limits(top=1, leaves=100_000)
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_NANOSECONDS = re.compile(r"[0-9]{1,20}")
_CHANGED = "It has changed since you looked. Read it again, then repeat."

Overwrite = Annotated[bool, Doc("replace what stands there; it goes to the trash")]


@command("fs_write", access=Access.ACT, toolset="fs", destructive=True)
async def fs_write(
    call: Call,
    *,
    path: str,
    content: str,
    expected: Annotated[str | None, Doc("mtime or sha256 you saw: refuse if it changed")] = None,
    overwrite: Overwrite = False,
    encoding: str = "utf-8",
) -> str:
    """Write a text file inside the roots, whole."""
    data = encoded(content, encoding)
    reach = reach_of(call)
    held = await in_thread(landing_name, reach, named(path))
    before = await in_thread(standing_bytes, held)
    return await _carried_out(
        call,
        [held],
        lambda: _write_plan(call.commander.sandbox, held, data, expected, overwrite),
        asked=[path],
        adds=lambda: after_writing(held, None if before is None else before[0], data),
    )


@command("fs_create", access=Access.ACT, toolset="fs")
async def fs_create(call: Call, *, path: str, type: Literal["file", "directory"] = "file") -> str:
    """Create an empty file or a folder inside the roots."""
    held = await in_thread(name_to_write, reach_of(call), named(path))
    make = plan_mkdir if type == "directory" else plan_mkfile
    protection = call.commander.sandbox.protection
    return await _carried_out(call, [held], lambda: make(held.path, protection=protection), asked=[path])


@command("fs_delete", access=Access.ACT, toolset="fs", destructive=True)
async def fs_delete(call: Call, *, path: str) -> str:
    """Move a file or folder inside the roots to the trash."""
    held = await in_thread(reach_of(call).held_name, named(path))
    protection = call.commander.sandbox.protection
    return await _carried_out(
        call,
        [held],
        lambda: plan_trash([_standing(held)], Choices(limits=_LIMITS, protection=protection)),
        leaves=held,
        asked=[path],
    )


@command("fs_move", access=Access.ACT, toolset="fs", destructive=True)
async def fs_move(call: Call, *, from_: str, to: str, overwrite: Overwrite = False) -> str:
    """Move or rename a file or folder inside the roots; into `to` when that is a folder."""
    return await _relocated(call, plan_move, from_, to, overwrite, moves=True)


@command("fs_copy", access=Access.ACT, toolset="fs", destructive=True)
async def fs_copy(call: Call, *, from_: str, to: str, overwrite: Overwrite = False) -> str:
    """Copy a file or folder inside the roots; into `to` when that is a folder."""
    return await _relocated(call, plan_copy, from_, to, overwrite, moves=False)


async def _relocated(
    call: Call, plan: Callable[..., Plan], from_: str, to: str, overwrite: bool, *, moves: bool
) -> str:
    reach = reach_of(call)
    source = await in_thread(_source, reach, named(from_), moves)
    try:
        target = await in_thread(_target, reach, named(to), source.name)
    except BaseException:
        source.close()
        raise

    def planned() -> Plan:
        if target.seen() is not None and not overwrite:
            raise CommandError(f"{to_wire(target.path)} exists already. Choose another name, or set overwrite.")
        return plan(
            [_standing(source)],
            os.path.dirname(target.path),
            Choices(
                as_name=os.path.basename(target.path),
                policy=ConflictPolicy.OVERWRITE if overwrite else ConflictPolicy.SKIP,
                limits=_LIMITS,
                protection=call.commander.sandbox.protection,
                privacy=call.commander.sandbox.private,
            ),
        )

    asked = [to, from_] if moves else [to]
    return await _carried_out(call, [source, target], planned, leaves=source if moves else None, asked=asked)


def _source(reach: Reach, path: bytes, moves: bool) -> HeldName:
    """What is copied or moved: a link itself, never what it leads to. Reading is enough for a copy."""
    if moves:
        return reach.held_name(path)
    with reach.find(path, follow=False) as found:
        above, name = os.path.split(found.real)
        if any(found.real == tree.path for tree in reach.trees):
            raise DiskError(f"{to_wire(found.path)} is a root itself; it stays as it is.")
        return HeldName(reach.folder(above), name)


def _target(reach: Reach, path: bytes, name: bytes) -> HeldName:
    try:
        with reach.find(path) as found:
            if found.is_folder:
                return reach.held_name(found.real.rstrip(b"/") + b"/" + name)
    except PathNotFound:
        pass
    return name_to_write(reach, path)


async def _carried_out(
    call: Call,
    held_names: Sequence[HeldName],
    make_plan: Callable[[], Plan],
    *,
    leaves: HeldName | None = None,
    asked: Sequence[str] = (),
    adds: Callable[[], list[str]] = list,
) -> str:
    """Plan and run a change; the folders stay open so that nothing else can take their place meanwhile."""
    try:
        sandbox = call.commander.sandbox
        plan = await in_thread(_checked, sandbox, held_names, make_plan, leaves)
        names = [as_asked(call, path) for path in asked]
        plan = await in_thread(known_as, plan, names, sandbox.protection)
        if plan.protected or plan.risk.is_high:
            return _asked(call, plan)
        return await _run(call, plan, adds)
    finally:
        for held in held_names:
            held.close()


def _checked(
    sandbox: Sandbox, held_names: Sequence[HeldName], make_plan: Callable[[], Plan], leaves: HeldName | None
) -> Plan:
    """A plan that works in the very folders that were found inside the roots, and takes nothing private along."""
    plan = make_plan()
    known = {held.folder.identity for held in held_names}
    if any((root.dev, root.ino) not in known for root in plan.roots):
        raise CommandError("The folders changed while this was planned. Look again, then repeat.")
    for item in plan.items:
        for place in (item.source, item.target):
            if place is not None and (why := sandbox.private.reason(place.path)):
                raise PrivatePlace(place.path, why)
    if leaves is not None and (inside := sandbox.private.below(leaves.path)):
        raise PrivatePlace(inside[0], "is private and lies in that folder")
    return with_protection(plan, sandbox.protection)


def _asked(call: Call, plan: Plan) -> str:
    why = "; ".join(plan.risk.reasons) or plan.protected[0].protected
    proposal = call.commander.proposals.add(plan, call.principal)
    return f"This needs the person ({why}). Waiting for confirmation.\nproposal: {proposal.id} (await it)"


async def _run(call: Call, plan: Plan, adds: Callable[[], list[str]]) -> str:
    jobs = call.commander.jobs
    call.commander.engine  # noqa: B018 - refuses where nothing can change files
    job = jobs.start(plan, call.principal.id)
    try:
        async with asyncio.timeout(PATIENCE):
            await jobs.finished(job)
    except TimeoutError:
        return f"still running\njob: {job.id} (await it)"
    except asyncio.CancelledError:
        jobs.cancel(job)
        raise
    if job.state is not JobState.DONE:
        raise CommandError("\n".join([job.outcome, *job.problems]))
    return "\n".join([job.outcome, *job.problems, f"operation: {job.operation}", *await in_thread(adds)])


def _write_plan(sandbox: Sandbox, held: HeldName, data: bytes, expected: str | None, overwrite: bool) -> Plan:
    seen = held.seen()
    if seen is None:
        if expected is not None:
            raise CommandError(f"{to_wire(held.path)} is not there any more. Leave out expected to create it.")
        return plan_mkfile(held.path, data, protection=sandbox.protection)
    if not stat.S_ISREG(seen.st_mode):
        raise CommandError(f"{to_wire(held.path)} is not a file, so it cannot be written.")
    if expected is None and not overwrite:
        raise CommandError(f"{to_wire(held.path)} exists. Give expected (its mtime from fs_read), or set overwrite.")
    return plan_write(held.path, data, _expectation(expected, fingerprint.of_stat(seen)), protection=sandbox.protection)


def _expectation(expected: str | None, standing: Fingerprint) -> Fingerprint | str:
    if expected is not None and _SHA256.fullmatch(expected):
        return expected
    if expected is not None:
        if not _NANOSECONDS.fullmatch(expected):
            raise CommandError("expected is an mtime or a sha256, as fs_read and fs_stat tell it.")
        if int(expected) != standing.mtime_ns:
            raise CommandError(_CHANGED)
    return standing


def _standing(held: HeldName) -> bytes:
    if held.seen() is None:
        raise PathNotFound(held.path)
    return held.path
