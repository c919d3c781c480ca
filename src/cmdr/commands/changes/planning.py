"""From chosen files to a proposal: which files are meant, their plan, made beside the loop, and staging it.

Planning tells how far it is and stops when nobody waits any more; what is protected is marked by its real place.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cmdr.commands._paths import path_of
from cmdr.commands.changes.named_files import fitting
from cmdr.commands.panes.file import nothing_there
from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.large_plan import make_plan, plan_in_process
from cmdr.engine.plan.refusals import ChangedSince
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.files.protected import Protection
from cmdr.files.sandbox.open_beneath import real_path
from cmdr.model.names import to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.name_fields import FolderPattern
from cmdr.model.plans.packed_items import packed
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Plan, PlanItem, Root, Verb
from cmdr.model.plans.proposal import unkept_text
from cmdr.model.plans.steps import KINDS
from cmdr.model.results.changes import Proposed, RunByRule

# A person may plan whatever a pane can show. While it is planned a chosen file takes about a kilobyte, and several
# agents may plan at once, so theirs are smaller. An agent names at most so many paths one by one; its selections and
# sets may hold more, because they are one thing to look at.
PERSON = Limits(top=1_000_000, leaves=1_000_000)
AGENT = Limits(top=250_000, leaves=250_000)
MAX_NAMED_PATHS = 200
MAX_NAMES_IN_LOOP = 2000
"""So many names are made at once; more of them in a thread."""
LARGE = 20_000
"""From so many entries on a process of its own plans: in a thread of this one it would hold up keys and agents."""
PROGRESS_INTERVAL_S = 0.5
_HANDLE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Sources:
    """The chosen paths, and for rows of a listing the inodes they had when they were shown."""

    paths: tuple[bytes, ...]
    limits: Limits
    inodes: tuple[int, ...] = ()
    note: str = ""
    """What the caller should know of them, such as what became of a set's members since."""

    def note_for(self, plan: Plan) -> str:
        """What the caller should know of them now that there is a plan."""
        inside = len(self.paths) - plan.chosen.count
        along = [f"inside other chosen folders, taken along: {inside}"] if inside > 0 else []
        return "\n".join([*([self.note] if self.note else []), *along])

    def check(self, plan: Plan) -> Plan:
        """Refuse a plan whose files are not the ones that were shown: a name may have passed to another file."""
        if not self.inodes:
            return plan
        shown = dict(zip(self.paths, self.inodes, strict=True))
        for item in plan.items:
            inode = shown.get(item.source.path) if item.source else None
            if inode and item.fingerprint is not None and item.fingerprint.ino != inode:
                path = to_wire(item.place.path)
                raise CommandError(f"{path} is not the file that was listed. Refresh the pane and choose again.")
        return plan


def limits_of(call: Call) -> Limits:
    """How much the caller may plan at once."""
    return PERSON if call.principal.is_person else AGENT


async def sources_of(call: Call, pane: Pane, paths: list[str] | None, set: str | None) -> Sources:
    """The files a caller means."""
    limits = limits_of(call)
    if paths is not None and set is not None:
        raise CommandError('Give "paths" or "set", not both.')
    if paths is not None:
        if not paths:
            raise CommandError('"paths" is empty. Name at least one file, or give "set".')
        if len(paths) > MAX_NAMED_PATHS and not call.principal.is_person:
            most = f"at most {MAX_NAMED_PATHS}. Use a set."
            raise CommandError(f"{len(paths)} paths are too many to name one by one; {most}")
        named, words = await fitting([path_of(path, pane.tab.path) for path in paths], limits.top)
        return Sources(named, limits, note=words)
    if set is not None:
        taken = await call.commander.indexing.sets.worked_on(set, call.principal)
        return Sources(taken.paths, limits, note=taken.note)
    if call.chosen is not None:
        return await _named(call.chosen, lambda chosen: Sources(chosen.paths(), limits))
    listed = SelectedEntries.of(pane.tab)
    if listed is None:
        raise nothing_there(pane)
    return await _named(listed, lambda chosen: Sources(chosen.paths(), limits, chosen.inodes()))


def destination_of(call: Call, pane: Pane, to: str | None) -> bytes:
    """Where files of a pane go: as it was said, or to the folder of the other pane."""
    return call.workspace.pane(pane.side.other).tab.path if to is None else path_of(to, pane.tab.path)


def other_pane(target: bytes) -> str:
    """Where files go, for a caller who did not say it."""
    return f"to the other pane: {to_wire(target)}"


def choices_of(
    call: Call,
    sources: Sources,
    *,
    policy: ConflictPolicy = ConflictPolicy.ASK,
    as_name: bytes | None = None,
    into: FolderPattern | None = None,
    expected: Mapping[bytes, Fingerprint] | None = None,
    attributes: AttributeWish | None = None,
) -> Choices:
    """How a caller's files are planned: within its limits, and for an agent with an eye on private ones."""
    sandbox = call.commander.sandbox
    privacy = None if call.principal.is_person else sandbox.private
    return Choices(
        policy,
        as_name,
        into,
        expected,
        sources.limits,
        sandbox.protection,
        privacy=privacy,
        attributes=attributes,
    )


async def _named(chosen: SelectedEntries, made: Callable[[SelectedEntries], Sources]) -> Sources:
    """The names of what was chosen; of many, in a thread."""
    return made(chosen) if chosen.count <= MAX_NAMES_IN_LOOP else await in_thread(made, chosen)


async def planned(call: Call, verb: Verb, sources: Sources, choices: Choices, destination: bytes | None = None) -> Plan:
    """The plan; whoever gives up waiting ends the work on it."""
    planning = _Planning(verb, sources, choices, destination)
    task = asyncio.ensure_future(in_thread(planning.make))
    begun = time.monotonic()
    try:
        while not (await asyncio.wait({task}, timeout=PROGRESS_INTERVAL_S))[0]:
            await call.progress(time.monotonic() - begun, f"{planning.looked_at:,} checks made")
        return task.result()
    finally:
        planning.stopped = True
        task.cancel()


async def proposed(
    call: Call,
    plan: Plan,
    what: str,
    reason: str,
    *,
    chosen: bool = False,
    note: str = "",
    preview: Sequence[str] = (),
    from_pane: bool = False,
) -> Proposed:
    """Stage a plan, or carry an agent's out where a rule of the person's admits it.

    `chosen` names what a pane chose for a caller who named nothing, `from_pane` only knows of it.
    """
    commander = call.commander
    proposal = await commander.rules.run(plan, call.principal, reason)
    if proposal is None:
        proposal = await commander.proposals.propose(plan, call.principal, reason)
    if proposal.unkept:
        note = "\n".join(filter(None, [note, unkept_text(proposal.unkept)]))
    is_from_pane = chosen or from_pane
    if proposal.rule is None or proposal.job is None:
        return Proposed(proposal.id, what, plan, note, chosen, tuple(preview), is_from_pane)
    job = commander.jobs.get(proposal.job, call.principal)
    by_rule = RunByRule(proposal.rule, job.id, job.state, job.outcome, job.problems, job.operation)
    return Proposed(proposal.id, what, plan, note, chosen, tuple(preview), is_from_pane, by_rule)


class _Stopped(Exception):
    """Nobody waits for this plan any more."""


class _TooLarge(Exception):
    """This is more than a thread should plan."""


class _Planning:
    """One plan while it is made; works in a thread, and is looked at from the loop."""

    def __init__(self, verb: Verb, sources: Sources, choices: Choices, destination: bytes | None) -> None:
        self._verb, self._sources, self._destination = verb, sources, destination
        self._choices = choices
        self.looked_at = 0
        self.stopped = False

    def make(self) -> Plan:
        """Plan, and make sure that it is about the files that were shown."""
        return with_real_places(self._sources.check(self._plan()), self._choices.protection)

    def _plan(self) -> Plan:
        paths = self._sources.paths
        if len(paths) < LARGE:
            try:
                return make_plan(self._verb, paths, self._destination, replace(self._choices, check=self._one_more))
            except _TooLarge:
                self.looked_at = 0
        return plan_in_process(self._verb, paths, self._destination, self._choices, self._more)

    def _one_more(self) -> None:
        self._more(1)
        if self.looked_at > LARGE:
            raise _TooLarge

    def _more(self, entries: int) -> None:
        self.looked_at += entries
        if self.stopped:
            raise _Stopped


def with_real_places(plan: Plan, protection: Protection) -> Plan:
    """The same plan with what is protected by its real path marked as such; looks at the disk.

    The folders are those that were planned with, by their identity: a link that was turned meanwhile is refused.
    """
    elsewhere = {root.path: real for root in plan.roots if (real := _real(root)) != root.path}
    if not elsewhere or not any(_reason(item, elsewhere, protection) for item in plan.items):
        return plan
    items = packed(_marked(item, elsewhere, protection) for item in plan.items)
    return replace(plan, items=items).weigh()


def _real(root: Root) -> bytes:
    try:
        folder = os.open(root.path, _HANDLE)
    except OSError as problem:
        raise ChangedSince(root.path) from problem
    try:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) != (root.dev, root.ino):
            raise ChangedSince(root.path)
        return real_path(folder)
    finally:
        os.close(folder)


def _marked(item: PlanItem, elsewhere: dict[bytes, bytes], protection: Protection) -> PlanItem:
    why = _reason(item, elsewhere, protection)
    return replace(item, protected=why) if why else item


def _reason(item: PlanItem, elsewhere: dict[bytes, bytes], protection: Protection) -> str:
    if item.protected or KINDS[item.step].is_left_alone:
        return ""
    is_only_read = item.is_unpacked or (KINDS[item.step].only_reads_source and not item.remove_source)
    for place in (item.target, None if is_only_read else item.source):
        if place is not None and place.root in elsewhere:
            real = elsewhere[place.root].rstrip(b"/") + b"/" + place.rel
            if why := protection.reason(real):
                return f"{why}, as {to_wire(real)}"
    return ""
