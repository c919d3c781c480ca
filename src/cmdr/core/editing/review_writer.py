"""Writes an accepted edit: through the engine, journalled, and only onto the file that was reviewed."""

import os

from cmdr.core.changes.jobs import Jobs
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_plan import plan_mkfile, plan_write
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_move
from cmdr.files.protected import Protection
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import ConflictPolicy, Plan
from cmdr.model.texts.text_format import FileText, write_text


class ReviewWriter:
    """Plans and carries out what an accepted edit changes on disk."""

    def __init__(self, jobs: Jobs, protection: Protection) -> None:
        self._jobs = jobs
        self._protection = protection

    async def plan(self, record: ReviewRecord) -> Plan:
        """How the file would be written; refused when it is not the file that was reviewed."""
        review = record.review
        content = write_text(review.result_text, review.format)
        try:
            if review.is_rename:
                await in_thread(self._move, review.path, review.new_path)  # before anything is written
            return await in_thread(self._write, review.path, content, review.base)
        except PlanRefused as error:
            raise CommandError(str(error)) from error

    async def carry_out(self, record: ReviewRecord, plan: Plan) -> None:
        """Write, then rename where that was proposed too; the record learns how it went."""
        review = record.review
        problem = await self._run(record, plan)
        if not problem and review.is_rename:
            try:
                move = await in_thread(self._move, review.path, review.new_path)
                problem = await self._run(record, move)
            except PlanRefused as error:
                problem = str(error)
            if problem:
                problem = f"Saved, but not renamed: {problem}"
        elif problem:
            problem = f"Accepted, but not saved: {problem}"
        record.problem = problem
        if not problem:
            record.saved = f"{to_wire(review.new_path)}"

    async def _run(self, record: ReviewRecord, plan: Plan) -> str:
        job = record.job = self._jobs.start(plan, record.owner)
        await self._jobs.finished(job)
        record.job = None
        if job.state is JobState.DONE and job.operation is not None:
            record.operations.append(job.operation)
        return "" if job.state is JobState.DONE else "; ".join([job.outcome, *job.problems])

    def _write(self, path: bytes, content: bytes, base: FileText | None) -> Plan:
        if base is None:
            return plan_mkfile(path, content, protection=self._protection)
        return plan_write(path, content, base.digest, protection=self._protection)

    def _move(self, path: bytes, new_path: bytes) -> Plan:
        folder, name = os.path.split(new_path)
        if os.path.lexists(new_path):
            raise CommandError(f"{to_wire(new_path)} exists already; the edit cannot be renamed to it.")
        return plan_move([path], folder, Choices(as_name=name, policy=ConflictPolicy.SKIP, protection=self._protection))
