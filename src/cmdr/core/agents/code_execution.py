"""Agents' code: planned for the person to see, run in a sandboxed Jupyter kernel of the client's own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import fields
from typing import TYPE_CHECKING

from cmdr.core.admission.command_slots import NeverRan, Slot
from cmdr.core.agents.shell_commands import ShellCommands, new_job, wait_for_slot
from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.changes.jobs import Jobs
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
from cmdr.model.content_part import AnswerPart, ImagePart, TextPart
from cmdr.model.job import Job, JobState
from cmdr.model.launch_spec import LaunchSpec
from cmdr.model.plans.command_plan import CodePlan

if TYPE_CHECKING:
    from cmdr.editor.kernel import KernelSession
    from cmdr.editor.kernel_output import CodeResult

TIME_LIMIT_S = 30
MAX_KERNELS = 4
MAX_OUTPUT_CHARS = 16_000
MAX_UNFETCHED_RUNS = 20
"""Runs whose output is kept until it is fetched."""


class CodeExecution:
    """Belongs to the loop. One kernel for each client; the least lately used one ends when there are too many."""

    def __init__(self, shells: ShellCommands, jobs: Jobs, events: Events, audit: Audit) -> None:
        self._shells = shells
        self._jobs = jobs
        self._events = events
        self._audit = audit
        self._sessions: dict[str, KernelSession] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots: set[Slot] = set()
        self._parts: dict[str, list[AnswerPart]] = {}

    async def plan(self, code: str, client: str, principal: Principal) -> CodePlan:
        """What running the code would mean, for the person to look at; refused where code cannot run at all."""
        from cmdr.editor.kernel import KernelMissingError, check_installed

        try:
            check_installed()
        except KernelMissingError as error:
            raise CommandError(str(error)) from error
        shown = await self._shells.plan(code, None, TIME_LIMIT_S, principal)
        return CodePlan(**{each.name: getattr(shown, each.name) for each in fields(shown)}, client=client)

    def begin(self, plan: CodePlan, by: str) -> Job:
        """Run code that the person has seen, or need not see."""
        slot = self._shells.slots.claim(by)
        job = new_job(plan, by, slot)
        self._slots.add(slot)
        self._start(self._run_to_end(job, plan, slot))
        self._jobs.adopt(job, lambda: None if slot.stop("cancelled") else self._stop(plan.client))
        return job

    def parts_of(self, job: Job) -> list[AnswerPart]:
        """What a run printed and drew, byte for byte; handed out once."""
        return self._parts.pop(job.id, [])

    async def forget(self, client: str) -> None:
        """The client is gone: its kernel ends, whatever it is doing."""
        if session := self._sessions.pop(client, None):
            await session.close()

    def stop_all(self) -> None:
        """The kill switch: end every kernel at once, whatever it is doing."""
        for slot in self._slots:
            slot.stop("stopped by the person")
        for client in list(self._sessions):
            self._stop(client)

    async def close(self) -> None:
        """End every kernel, and wait until its processes are gone."""
        self.stop_all()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _stop(self, client: str) -> None:
        # A run takes notice that its kernel is gone, and ends by itself.
        self._start(self.forget(client))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_to_end(self, job: Job, plan: CodePlan, slot: Slot) -> None:
        from cmdr.editor.kernel import KernelMissingError, KernelStartError

        state = JobState.FAILED
        try:
            await wait_for_slot(job, slot, self._events)
            session = await self._session_of(plan)
            result = await session.run(plan.command, timeout_s=plan.seconds, cwd=os.fsdecode(plan.folder))
            ended = plan.client not in self._sessions
            job.outcome = "stopped; the kernel's state is lost" if ended else _outcome_line(result, plan)
            state = JobState.CANCELLED if ended else JobState.DONE
            self._parts[job.id] = parts = _parts(result)
            job.output = "".join(part.text for part in parts if isinstance(part, TextPart))[:MAX_OUTPUT_CHARS]
            while len(self._parts) > MAX_UNFETCHED_RUNS:
                del self._parts[next(iter(self._parts))]
        except (KernelMissingError, KernelStartError, CommandError) as error:
            job.outcome = str(error)
        except NeverRan as why:
            job.outcome, state = str(why), JobState.CANCELLED
        finally:
            self._slots.discard(slot)
            slot.give_back()
            self._audit.record(
                AuditRecord(job.started_by, f"code {job.id}", "", job.outcome, decision=state.value, plan=plan.digest)
            )
            job.state = state
            self._events.changed()

    async def _session_of(self, plan: CodePlan) -> KernelSession:
        from cmdr.editor.kernel import KernelSession

        if plan.client not in self._sessions:
            plan = await in_thread(self._shells.walls_now, plan)
        session = self._sessions.pop(plan.client, None)
        if session is None:
            session = KernelSession(lambda folder: self._launch_in_sandbox(plan, folder))
        self._sessions[plan.client] = session
        while len(self._sessions) > MAX_KERNELS:
            await self.forget(next(iter(self._sessions)))
        return session

    def _launch_in_sandbox(self, plan: CodePlan, folder: str) -> LaunchSpec:
        """What starts a kernel in the sandbox; `folder` holds its sockets and its own settings."""
        profile = SandboxProfile(
            plan.folder,
            write=(*(tree.path for tree in plan.trees if not tree.read_only), os.fsencode(folder)),
            read=(*(tree.path for tree in plan.trees if tree.read_only), *_python()),
            hide=plan.hidden,
            read_only=plan.kept,
        )
        inside = ["/usr/bin/env", f"IPYTHONDIR={folder}/ipython", f"JUPYTER_RUNTIME_DIR={folder}", f"HOME={folder}"]
        return self._shells.launcher([os.fsencode(word) for word in inside], profile)


def _python() -> tuple[bytes, ...]:
    """Where this Python and its libraries stand."""
    found = {os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)} | {sys.prefix}
    return tuple(os.fsencode(prefix) for prefix in sorted(found) if not prefix.startswith("/usr"))


def _outcome_line(result: CodeResult, plan: CodePlan) -> str:
    how = {"ok": "done", "error": "raised an error", "interrupted": f"stopped after {plan.seconds} s"}
    killed = f"ended after {plan.seconds} s; the kernel's state is lost"
    more = ", output shortened" if result.truncated else ""
    return f"{how.get(result.status, killed)}{more}, {plan.sandbox}"


def _parts(result: CodeResult) -> list[AnswerPart]:
    from cmdr.editor.kernel_output import TextOutput

    return [
        TextPart(output.text) if isinstance(output, TextOutput) else ImagePart(output.media_type, output.data)
        for output in result.outputs
    ]
