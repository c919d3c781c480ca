"""Writes an accepted edit: through the engine, journalled, and only onto the files that were reviewed."""

import os

from cmdr.core.changes.jobs import Jobs
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_plan import Writing, plan_mkfile, plan_write, plan_writes
from cmdr.engine.plan.refusals import ChangedSince, PlanRefused, TargetTaken
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_move
from cmdr.files.protected import Protection
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import ConflictPolicy, Plan
from cmdr.model.texts.files_review import FilesReview
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import FileText, write_text


class ReviewWriter:
    """Plans and carries out what an accepted edit changes on disk."""

    def __init__(self, jobs: Jobs, protection: Protection) -> None:
        self._jobs = jobs
        self._protection = protection

    async def plan(self, record: ReviewRecord) -> Plan:
        """How the file would be written; refused when it is not the file that was reviewed."""
        review = record.one
        content = write_text(review.result_text, review.format)
        try:
            if review.is_rename:
                await in_thread(self._move, review.path, review.new_path)  # before anything is written
            return await in_thread(self._write, review.path, content, review.base)
        except PlanRefused as error:
            raise CommandError(str(error)) from error

    async def plan_many(self, review: FilesReview) -> tuple[Plan | None, dict[int, str]]:
        """How the files would be written as one operation, and why some are left out, by number.

        None: nothing is left to write. Raises what an encoding refuses, and `CommandError`.
        """
        wanted = review.wanted
        writings = [_writing(review.files[number]) for number in wanted]

        def plan() -> tuple[Plan | None, dict[int, PlanRefused]]:
            return plan_writes(writings, protection=self._protection)

        try:
            planned, refused = await in_thread(plan)
        except PlanRefused as error:
            raise CommandError(str(error)) from error
        return planned, {wanted[number]: _why(error) for number, error in refused.items()}

    async def carry_out(self, record: ReviewRecord, plan: Plan) -> None:
        """Write, then rename where that was proposed too; the record learns how it went."""
        if isinstance(record.review, FilesReview):
            await self._carry_out_many(record, record.review, plan)
            return
        review = record.one
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

    async def _carry_out_many(self, record: ReviewRecord, review: FilesReview, plan: Plan) -> None:
        job = record.job = self._jobs.start(plan, record.owner)
        await self._jobs.finished(job)
        record.job = None
        if job.operation is not None and (job.can_undo or job.state is JobState.DONE):
            record.operations.append(job.operation)
        if job.state is not JobState.DONE:
            why = "; ".join([job.outcome, *job.problems])
            unfinished = job.unfinished if job.operation is not None else None
            for number in review.wanted:
                if number not in review.unwritten and _is_among(review.files[number].path, unfinished):
                    record.left[number] = f"not written: {why}"
        written = len(review.wanted) - len(record.left)
        record.problem = "" if written else f"Accepted, but not saved: {'; '.join([job.outcome, *job.problems])}"
        record.saved = f"{written} files" if written else ""

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


def _writing(review: Review) -> Writing:
    content = write_text(review.result_text, review.format)
    if review.base is None:
        return Writing(review.path, content, is_new=True)
    return Writing(review.path, content, review.base.digest)


def _why(error: PlanRefused) -> str:
    """Why a file is left out, behind its name."""
    if isinstance(error, ChangedSince):
        return "changed on disk"
    return "is there by now" if isinstance(error, TargetTaken) else str(error)


def _is_among(path: bytes, unfinished: frozenset[bytes] | None) -> bool:
    """Whether a file, or a folder on the way to it, is one of those that were not dealt with; None: all are."""
    return unfinished is None or any(path == each or path.startswith(each + b"/") for each in unfinished)
