"""Attributes of files: permissions, owner, time."""

import os
import time
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Annotated

from cmdr.commands._paths import PaneRef, path_of, reach_of
from cmdr.commands.changes.named_files import pane_for
from cmdr.commands.changes.planning import choices_of, planned, proposed, sources_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.threads import in_thread
from cmdr.files.errors import disk_error
from cmdr.files.file_stat import gid_of, uid_of
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import printable, to_wire
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.file_mode import BadMode, ModeChange
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.results.changes import Proposed

_USUAL_MASK = 0o022
_SHOWN = 5


@command("attributes", access=Access.PROPOSE, title="Change attributes")
async def attributes(
    call: Call,
    *,
    pane: PaneRef | None = None,
    paths: list[str] | None = None,
    set: str | None = None,
    mode: Annotated[str | None, Doc("755, or u+x,go-w")] = None,
    modified: Annotated[str | None, Doc("ISO time, now, or a file that has it")] = None,
    owner: str | None = None,
    group: str | None = None,
    into: Annotated[bool, Doc("also what is inside folders")] = False,
    reason: str = "",
) -> Proposed:
    """Propose to change permissions, times or owners; chosen as in copy."""
    if not call.principal.is_person and (owner is not None or group is not None):
        raise NotAllowed("Agents may not change owners. Ask the person to do it.")
    shown = pane_for(call, "attributes", pane, paths, set)
    wish = AttributeWish(
        None if mode is None else _mode(mode),
        None if modified is None else await _moment(call, modified, shown.tab.path),
        None if owner is None else await _number(owner, "user"),
        None if group is None else await _number(group, "group"),
        into,
        await in_thread(_mask),
    )
    if (wish.mode, wish.modified_ns, wish.uid, wish.gid) == (None, None, None, None):
        raise CommandError('attributes needs "mode", "modified", "owner" or "group".')
    sources = await sources_of(call, shown, paths, set)
    plan = await planned(call, Verb.ATTRIBUTES, sources, choices_of(call, sources, attributes=wish))
    # Without what is inside folders nothing is taken along.
    note = sources.note_for(plan) if into else sources.note
    return await proposed(
        call, plan, "Attributes", reason, chosen=paths is None and set is None, note=note, preview=_changes(plan)
    )


def _changes(plan: Plan) -> list[str]:
    """The first few changes, and how many more there are."""
    changes = ((item.place.name, item.change) for item in plan.items if item.change is not None)
    told = [f"{to_wire(name)}: {change.told}" for name, change in islice(changes, _SHOWN)]
    more = plan.totals.files + plan.totals.folders - len(told)
    return [*told, f"and {more} more"] if more else told


def _mode(text: str) -> ModeChange:
    try:
        return ModeChange.of(text.strip())
    except BadMode as error:
        raise CommandError(str(BadMode(printable(text, 40)))) from error


async def _moment(call: Call, text: str, base: bytes) -> int:
    """The time that somebody means, in nanoseconds."""
    if text.strip().lower() == "now":
        return time.time_ns()
    with suppress(ValueError):
        # A time without a zone is one of here.
        moment = datetime.fromisoformat(text.strip()).astimezone()
        return round(moment.timestamp() * 1_000_000) * 1000
    path = path_of(text, base)
    if call.principal.is_person:
        return await in_thread(_modified, path)
    return await in_thread(_modified_within, reach_of(call), path)


def _modified(path: bytes) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError as error:
        raise disk_error(path, error) from error


def _modified_within(reach: PathResolver, path: bytes) -> int:
    with reach.find(path) as found:
        return found.stat.st_mtime_ns


async def _number(text: str, what: str) -> int:
    number = await in_thread(uid_of if what == "user" else gid_of, text.strip())
    if number is None:
        raise CommandError(f'There is no {what} "{printable(text, 40)}" here. Give a name or a number.')
    return number


def _mask() -> int:
    """What this program leaves out of the permissions of new files; it cannot be asked for without setting it."""
    with suppress(OSError, ValueError), open("/proc/self/status", "rb") as lines:
        for line in lines:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    return _USUAL_MASK
