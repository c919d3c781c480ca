"""Agents' shell commands: planned for the person to see, run in a sandbox, listed as jobs, ended by one switch."""

import asyncio
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from cmdr.core.admission.command_slots import CommandSlots, NeverRan, Slot
from cmdr.core.admission.limits import COMMANDS
from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.changes.jobs import Jobs
from cmdr.core.dispatch.principals import Principal
from cmdr.core.environment import Environment
from cmdr.core.errors import CommandError, TooMany
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.files.process_sandbox.backend import ALLOWS_WHOLE_FOLDERS_ONLY, Backend, CannotHide, probe, sandboxed_command
from cmdr.files.process_sandbox.read_only_paths import protected_below
from cmdr.files.process_sandbox.runner import RunResult, SandboxedRun
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
from cmdr.files.sandbox.path_resolver import PathResolver, Sandbox
from cmdr.model.job import Job, JobState
from cmdr.model.launch_spec import LaunchSpec
from cmdr.model.names import raw_bytes, to_wire
from cmdr.model.plans.command_plan import LONGEST, MAX_LINES, CommandPlan
from cmdr.model.plans.plan import Verb

COMMANDS_PER_MINUTE = 10
OUTPUT_END_CHARS = 9_000
"""Characters of the beginning and of the end of the output that an answer carries."""
_NO_SANDBOX = (
    "No sandbox works on this machine, so no commands are run. Install bubblewrap (apt install bubblewrap), then "
    "restart cmdr; `cmdr doctor` says more."
)


P = TypeVar("P", bound=CommandPlan)


@dataclass(slots=True, eq=False)
class _Current:
    slot: Slot
    task: "asyncio.Task[None]"
    running: SandboxedRun | None = None
    """None while it waits for its turn."""

    def stop(self, why: str) -> None:
        if not self.slot.stop(why) and self.running is not None:
            self.running.stop(why)


class ShellCommands:
    """Belongs to the loop; commands run in threads and in processes of their own."""

    def __init__(self, sandbox: Sandbox, jobs: Jobs, events: Events, audit: Audit) -> None:
        self._sandbox = sandbox
        self._jobs = jobs
        self._events = events
        self._audit = audit
        self._current: dict[str, _Current] = {}
        self.slots = CommandSlots()
        self._started: dict[str, list[float]] = {}
        self.backend: Backend | None = None
        """The sandbox in use; None until one was found by running it, and when there is none."""
        self._probing: asyncio.Task[None] | None = None
        self.rate_scale = Environment.read().rate_scale

    def start_probe(self) -> None:
        """Begin to find out which sandbox works here, by running one; commands wait for the answer."""
        self._probing = asyncio.get_running_loop().create_task(self._probe())

    async def ready(self) -> Backend | None:
        """The sandbox in use, once it is known; None when none works here."""
        if self.backend is None and self._probing is None:
            self.start_probe()
        if self._probing is not None:
            await asyncio.shield(self._probing)
        return self.backend

    async def _probe(self) -> None:
        self.backend = await in_thread(probe)

    async def plan(self, command: str, folder: bytes | None, seconds: int, principal: Principal) -> CommandPlan:
        """What running a command would mean, for the person to look at."""
        if self._probing is not None:
            await asyncio.shield(self._probing)
        if self.backend is None:
            raise CommandError(_NO_SANDBOX)
        if not command.strip() or "\0" in command:
            raise CommandError("That is no command.")
        if len(command) > LONGEST:
            raise CommandError(f"The command is too long to show: {len(command)} characters, at most {LONGEST}.")
        if command.count("\n") >= MAX_LINES:
            raise CommandError(
                f"The command has too many lines to show; at most {MAX_LINES}. Write a script file first."
            )
        reach = self._sandbox.resolver(principal.roots, read_only=principal.read_only)
        profile = await in_thread(profile_for, self._sandbox, reach, folder)
        _check_hidable(profile, self.backend)
        can_keep = self.backend not in ALLOWS_WHOLE_FOLDERS_ONLY
        return CommandPlan(
            Verb.RUN,
            (),
            command=command,
            folder=profile.folder,
            seconds=seconds,
            sandbox=self.backend.value,
            trees=reach.trees,
            hidden=profile.hide,
            kept=profile.read_only if can_keep else (),
            unkept=() if can_keep else profile.read_only,
        )

    def launcher(self, command: Sequence[bytes], profile: SandboxProfile) -> LaunchSpec:
        """What runs any program in the sandbox in use; it ends with whoever starts it.

        With no command it is what goes before one, as a kernel needs it. Behind Landlock there are no sockets at all.
        """
        if self.backend is None:
            raise CommandError(_NO_SANDBOX)
        return sandboxed_command(command, profile, self.backend)

    def check_quota(self, principal: Principal) -> None:
        """Refuse a client that runs too many at once or too often."""
        if self.slots.count(principal.id) >= COMMANDS.per_caller:
            raise CommandError(f"{COMMANDS.per_caller} of your commands are running. Wait for one to end.")
        now = time.monotonic()
        recent = [at for at in self._started.get(principal.id, []) if now - at < 60]
        if len(recent) >= COMMANDS_PER_MINUTE * self.rate_scale:
            raise TooMany("shell", max(1, round((recent[0] + 60 - now) * 1000)))
        self._started = {who: times for who, times in self._started.items() if now - times[-1] < 60}
        self._started[principal.id] = [*recent, now]

    def begin(self, plan: CommandPlan, by: str) -> Job:
        """Run a command that the person has seen, or need not see, now or in its turn; the job carries its outcome."""
        slot = self.slots.claim(by)
        job = new_job(plan, by, slot)
        task = asyncio.get_running_loop().create_task(self._run_to_end(job, plan, slot))
        self._current[job.id] = current = _Current(slot, task)
        self._jobs.adopt(job, lambda: current.stop("cancelled"))
        return job

    def walls_now(self, plan: P) -> P:
        """The same plan behind the walls that were shown, and around what became private or protected since then.

        Looks at the disk: a plan may have waited for a day.
        """
        hidden = {path for tree in plan.trees for path in self._sandbox.private.below(tree.path)}
        kept: set[bytes] = set()
        if Backend(plan.sandbox) not in ALLOWS_WHOLE_FOLDERS_ONLY:
            writable = [tree.path for tree in plan.trees if not tree.read_only]
            kept = {path for tree in writable for path in protected_below(tree, self._sandbox.protection)}
        hidden |= set(plan.hidden)
        return replace(plan, hidden=tuple(sorted(hidden)), kept=tuple(sorted((kept | set(plan.kept)) - hidden)))

    def _prepared(self, plan: CommandPlan) -> SandboxedRun:
        profile = SandboxProfile(
            plan.folder,
            write=tuple(tree.path for tree in plan.trees if not tree.read_only),
            read=tuple(tree.path for tree in plan.trees if tree.read_only),
            hide=plan.hidden,
            read_only=plan.kept,
        )
        words = [b"/bin/sh", b"-c", raw_bytes(plan.command)]
        return SandboxedRun(words, profile, Backend(plan.sandbox), timeout_s=plan.seconds)

    def stop_all(self, why: str = "stopped by the person") -> None:
        """The kill switch: end every command at once."""
        for current in self._current.values():
            current.stop(why)

    async def close(self) -> None:
        """End every command and wait until its processes are gone."""
        self.stop_all("cmdr ended")
        if self._probing is not None:
            self._probing.cancel()
        if self._current:
            await asyncio.wait([current.task for current in self._current.values()])

    async def _run_to_end(self, job: Job, plan: CommandPlan, slot: Slot) -> None:
        state = JobState.FAILED
        current = self._current[job.id]
        try:
            walled = await in_thread(self.walls_now, plan)
            await wait_for_slot(job, slot, self._events)
            current.running = self._prepared(walled)
            ended = await in_thread(current.running.run)
            job.outcome, job.output = format_result(ended, plan)
            state = JobState.CANCELLED if ended.why in ("cancelled", "cmdr ended") else JobState.DONE
        except (OSError, CannotHide) as error:
            job.outcome = f"could not be run: {error}"
        except NeverRan as why:
            job.outcome, state = str(why), JobState.CANCELLED
        finally:
            del self._current[job.id]
            slot.give_back()
            self._audit.record(
                AuditRecord(job.started_by, f"shell {job.id}", "", job.outcome, decision=state.value, plan=plan.digest)
            )
            job.state = state
            self._events.changed()


def new_job(plan: CommandPlan, by: str, slot: Slot) -> Job:
    """The job of a command that runs, or says why it does not yet."""
    job = Job(f"j_{secrets.token_urlsafe(9)}", plan.title, by, frozenset(), JobState.RUNNING)
    if slot.why:
        job.state, job.outcome, job.progress.current = JobState.QUEUED, slot.why, slot.why
    return job


async def wait_for_slot(job: Job, slot: Slot, events: Events) -> None:
    """Wait until a command may run."""
    await slot.begin()
    if job.state is JobState.QUEUED:
        job.state, job.outcome, job.progress.current = JobState.RUNNING, "", ""
        events.changed()


def format_result(ended: RunResult, plan: CommandPlan) -> tuple[str, str]:
    """One line about the end, and the output."""
    how = f"exit code {ended.code}" if not ended.why else ended.why
    line = f"{how}, {ended.seconds:.1f} s, {plan.sandbox}"
    return line, ended.output.text(OUTPUT_END_CHARS).rstrip("\n")


def profile_for(sandbox: Sandbox, reach: PathResolver, folder: bytes | None) -> SandboxProfile:
    """Everything a caller can reach, with what is private in there out of sight; looks at the disk."""
    if not reach.trees:
        raise CommandError("There is no folder to run in. The person starts cmdr with --root.")
    start = reach.trees[0].path if folder is None else folder
    with reach.folder(start) as found:
        where = found.real
    hide = {path for tree in reach.trees for path in sandbox.private.below(tree.path)}
    writable = [tree.path for tree in reach.trees if not tree.read_only]
    keep = {path for tree in writable for path in protected_below(tree, sandbox.protection)}
    return SandboxProfile(
        where,
        write=tuple(tree.path for tree in reach.trees if not tree.read_only),
        read=tuple(tree.path for tree in reach.trees if tree.read_only),
        hide=tuple(sorted(hide)),
        read_only=tuple(sorted(keep - hide)),
    )


def _check_hidable(profile: SandboxProfile, backend: Backend) -> None:
    if profile.hide and backend in ALLOWS_WHOLE_FOLDERS_ONLY:
        raise CommandError(
            str(CannotHide(profile.hide[0], backend)).replace(os.fsdecode(profile.hide[0]), to_wire(profile.hide[0]))
        )
