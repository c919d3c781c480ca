"""Changing files directly, inside the roots: through the engine, journalled, undoable, protected places asked about."""

import asyncio
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from cmdr.commands._paths import as_asked, held_file, held_new_name, named, reach_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs import fingerprint
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.files.errors import DiskError, PathNotFound
from cmdr.files.file_stat import regular_file
from cmdr.files.protected import Protection
from cmdr.files.sandbox.path_resolver import PathResolver, Sandbox
from cmdr.files.sandbox.resolved_path import PrivatePlace, ResolvedName
from cmdr.model.job import JobState
from cmdr.model.names import printable, to_wire
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Kind, Plan, PlanItem
from cmdr.model.plans.proposal import unkept_text
from cmdr.model.plans.steps import KINDS
from cmdr.model.results.result import Said
from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.text_format import FileText, read_text

JOB_TIMEOUT_S = 50.0
"""Seconds a call waits for the disk; longer work goes on as a job."""
_LIMITS = Limits(top=1, leaves=100_000)
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_NANOSECONDS = re.compile(r"[0-9]{1,20}")
_CHANGED = "It has changed since you looked. Read it again, then repeat."

Overwrite = Annotated[bool, Doc("replace what stands there; it goes to the trash")]
_PROGRAM = "becomes a program that can be run"
MAX_TEXT_BYTES = 2 * 2**20
_LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "mixed": "mixed"}


@command("fs_write", access=Access.ACT, toolset="fs", destructive=True)
async def fs_write(
    call: Call,
    *,
    path: str,
    content: str,
    expected: Annotated[str | None, Doc("mtime or sha256 you saw: refuse if it changed")] = None,
    overwrite: Overwrite = False,
    encoding: str = "utf-8",
) -> Said:
    """Write a text file inside the roots, whole."""
    data = _encoded(content, encoding)
    reach = reach_of(call)
    held = await in_thread(held_file, reach, named(path))
    before = await in_thread(current_bytes, held)
    return await _change(
        call,
        [held],
        lambda: _write_plan(call.commander.sandbox, held, data, expected, overwrite),
        asked=[path],
        adds=lambda: after_writing(held, None if before is None else before[0], data),
    )


@command("fs_create", access=Access.ACT, toolset="fs")
async def fs_create(call: Call, *, path: str, type: Literal["file", "directory"] = "file") -> Said:
    """Create an empty file or a folder inside the roots."""
    held = await in_thread(held_new_name, reach_of(call), named(path))
    make = plan_mkdir if type == "directory" else plan_mkfile
    protection = call.commander.sandbox.protection
    return await _change(call, [held], lambda: make(held.path, protection=protection), asked=[path])


@command("fs_delete", access=Access.ACT, toolset="fs", destructive=True)
async def fs_delete(call: Call, *, path: str) -> Said:
    """Move a file or folder inside the roots to the trash."""
    held = await in_thread(reach_of(call).resolve_name, named(path))
    protection = call.commander.sandbox.protection
    return await _change(
        call,
        [held],
        lambda: plan_trash([_existing(held)], Choices(limits=_LIMITS, protection=protection)),
        leaves=held,
        asked=[path],
    )


@command("fs_move", access=Access.ACT, toolset="fs", destructive=True)
async def fs_move(call: Call, *, from_: str, to: str, overwrite: Overwrite = False) -> Said:
    """Move or rename a file or folder inside the roots; into `to` when that is a folder."""
    return await _relocate(call, plan_move, from_, to, overwrite, moves=True)


@command("fs_copy", access=Access.ACT, toolset="fs", destructive=True)
async def fs_copy(call: Call, *, from_: str, to: str, overwrite: Overwrite = False) -> Said:
    """Copy a file or folder inside the roots; into `to` when that is a folder."""
    return await _relocate(call, plan_copy, from_, to, overwrite, moves=False)


async def _relocate(
    call: Call, plan: Callable[..., Plan], from_: str, to: str, overwrite: bool, *, moves: bool
) -> Said:
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
            [_existing(source)],
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
    return await _change(call, [source, target], planned, leaves=source if moves else None, asked=asked)


def _source(reach: PathResolver, path: bytes, moves: bool) -> ResolvedName:
    """What is copied or moved: a link itself, never what it leads to. Reading is enough for a copy."""
    if moves:
        return reach.resolve_name(path)
    with reach.find(path, follow=False) as found:
        above, name = os.path.split(found.real)
        if any(found.real == tree.path for tree in reach.trees):
            raise DiskError(f"{to_wire(found.path)} is a root itself; it stays as it is.")
        return ResolvedName(reach.folder(above), name)


def _target(reach: PathResolver, path: bytes, name: bytes) -> ResolvedName:
    try:
        with reach.find(path) as found:
            if found.is_folder:
                return reach.resolve_name(found.real.rstrip(b"/") + b"/" + name)
    except PathNotFound:
        pass
    return held_new_name(reach, path)


async def _change(
    call: Call,
    held_names: Sequence[ResolvedName],
    make_plan: Callable[[], Plan],
    *,
    leaves: ResolvedName | None = None,
    asked: Sequence[str] = (),
    adds: Callable[[], list[str]] = list,
) -> Said:
    """Plan and run a change; the folders stay open so that nothing else can take their place meanwhile."""
    try:
        sandbox = call.commander.sandbox
        plan = await in_thread(_checked, sandbox, held_names, make_plan, leaves)
        names = [as_asked(call, path) for path in asked]
        plan = await in_thread(_known_as, plan, names, sandbox.protection)
        if plan.protected or plan.risk.is_high:
            return await _ask_person(call, plan)
        return await _run(call, plan, adds)
    finally:
        for held in held_names:
            held.close()


def _checked(
    sandbox: Sandbox, held_names: Sequence[ResolvedName], make_plan: Callable[[], Plan], leaves: ResolvedName | None
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
    return _with_protection(plan, sandbox.protection)


async def _ask_person(call: Call, plan: Plan) -> Said:
    why = "; ".join(plan.risk.reasons) or plan.protected[0].protected
    proposal = await call.commander.proposals.propose(plan, call.principal)
    told = f"This needs the person ({why}). Waiting for confirmation.\nproposal: {proposal.id} (await it)"
    return Said(f"{told}\n{unkept_text(proposal.unkept)}" if proposal.unkept else told)


async def _run(call: Call, plan: Plan, adds: Callable[[], list[str]]) -> Said:
    jobs = call.commander.jobs
    call.commander.engine  # noqa: B018 - refuses where nothing can change files
    job = jobs.start(plan, call.principal.id)
    try:
        async with asyncio.timeout(JOB_TIMEOUT_S):
            await jobs.finished(job)
    except TimeoutError:
        return Said(f"still running\njob: {job.id} (await it)")
    except asyncio.CancelledError:
        jobs.cancel(job)
        raise
    if job.state is not JobState.DONE:
        raise CommandError("\n".join([job.outcome, *job.problems]))
    return Said("\n".join([job.outcome, *job.problems, f"operation: {job.operation}", *await in_thread(adds)]))


def _write_plan(sandbox: Sandbox, held: ResolvedName, data: bytes, expected: str | None, overwrite: bool) -> Plan:
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


def _existing(held: ResolvedName) -> bytes:
    if held.seen() is None:
        raise PathNotFound(held.path)
    return held.path


def _with_protection(plan: Plan, protection: Protection) -> Plan:
    """The same plan with what becomes protected by it marked as such; looks at the disk."""
    items = tuple(_marked(item, protection) for item in plan.items)
    return plan if items == plan.items else replace(plan, items=items)


def _known_as(plan: Plan, names: Sequence[bytes], protection: Protection) -> Plan:
    """The same plan, protected when one of the names by which it was asked for is: a link may have led elsewhere."""
    if plan.protected:
        return plan
    for name in names:
        if why := protection.reason(name):
            *others, last = plan.items
            return replace(plan, items=(*others, replace(last, protected=f"{why}, as {to_wire(name)}")))
    return plan


def _marked(item: PlanItem, protection: Protection) -> PlanItem:
    if item.protected or item.target is None:
        return item
    if item.kind is Kind.FOLDER and KINDS[item.step].moves_folders:
        why = protection.reason_below(item.target.path)
    else:
        why = _PROGRAM if _gains_leave_to_run(item) else ""
    return replace(item, protected=why) if why else item


def _gains_leave_to_run(item: PlanItem) -> bool:
    """Whether a copy can be run where nothing that could be run has stood."""
    if not KINDS[item.step].brings_contents or item.kind is not Kind.FILE or item.remove_source:
        return False
    source = item.source
    return source is not None and _can_be_run(source.path) and not (item.target and _can_be_run(item.target.path))


def _can_be_run(path: bytes) -> bool:
    try:
        return bool(os.lstat(path).st_mode & 0o111)
    except OSError:
        return False


def _encoded(content: str, encoding: str) -> bytes:
    """The bytes of a text; an error names what cannot be written."""
    try:
        data = content.encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        raise CommandError(f"The text cannot be written as {printable(encoding, 40)}. Use utf-8.") from None
    if len(data) > MAX_TEXT_BYTES:
        raise CommandError(f"{len(data)} bytes are too many for one call; at most {MAX_TEXT_BYTES}.")
    return data


def current_bytes(held: ResolvedName) -> tuple[bytes, os.stat_result] | None:
    """What a file holds, as far as texts go, with what the system says about it; None where there is none to read."""
    try:
        with regular_file(held.name, held.folder.handle) as file:
            seen = os.fstat(file.fileno())
            return file.read(MAX_TEXT_BYTES + 1), seen
    except OSError:
        return None


def after_writing(held: ResolvedName, before: bytes | None, data: bytes) -> list[str]:
    """The lines that an answer adds. The time is told only of the very bytes: others may have written since."""
    now = current_bytes(held)
    told = [f"mtime: {now[1].st_mtime_ns}"] if now is not None and now[0] == data else []
    changed = [] if before is None else format_changes(before, data)
    return [*told, *([f"changed too: {', '.join(changed)}"] if changed else [])]


def format_changes(before: bytes, after: bytes) -> list[str]:
    """How line ends and encoding differ, as in `line ends CRLF → LF`; nothing where one of both has no say."""
    try:
        old, new = read_text(before), read_text(after)
    except BinaryContentError:
        return []
    told = []
    if old.format.eol != new.format.eol and _has_lines(old) and _has_lines(new):
        told.append(f"line ends {_LINE_ENDS[old.format.eol]} → {_LINE_ENDS[new.format.eol]}")
    was, now = _encoding(old), _encoding(new)
    # Plain ASCII reads the same in either, unless a mark or two bytes a letter tell them apart.
    is_plain = before.isascii() or after.isascii()
    if was != now and not (is_plain and {was, now} <= {"utf-8", "cp1252", "latin-1"}):
        told.append(f"encoding {was} → {now}")
    return told


def _has_lines(file: FileText) -> bool:
    return "\n" in file.text or "\r" in file.text


def _encoding(file: FileText) -> str:
    return file.format.encoding + (" with a byte order mark" if file.format.bom else "")
