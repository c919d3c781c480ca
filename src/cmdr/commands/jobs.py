"""Steering jobs: pause, resume, cancel, take back, answer, try again."""

from typing import Literal

from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.job import Job
from cmdr.model.names import to_wire
from cmdr.model.plan import ConflictPolicy
from cmdr.model.units import human_size
from cmdr.model.yaml_text import Value, document


@command("jobs.list", access=Access.READ, title="Jobs", plain=True)
def list_jobs(call: Call) -> str:
    """What is running, waiting or over."""
    principal = call.principal
    jobs: list[Value] = [
        told_of(job) for job in call.commander.jobs.all() if principal.is_person or job.started_by == principal.id
    ]
    return document({"jobs": jobs})


@command("jobs.show", access=Access.READ, title="Show job", plain=True)
def show_job(call: Call, *, job: str) -> str:
    """How far one job has come."""
    return document(told_of(call.commander.jobs.get(job, call.principal)))


def told_of(job: Job) -> dict[str, Value]:
    """A job as it is told."""
    progress = job.progress
    told: dict[str, Value] = {"id": job.id, "title": job.title, "state": job.state.value, "by": job.started_by}
    if not job.state.is_over:
        told["items"] = f"{progress.items_done} of {progress.items_total}"
        told["bytes"] = f"{human_size(progress.bytes_done)} of {human_size(progress.bytes_total)}"
        left = progress.seconds_left
        if left is not None:
            told["secondsLeft"] = round(left)
    if job.question is not None:
        told["question"] = {
            "id": job.question.id,
            "taken": to_wire(job.question.target),
            "size": job.question.target_size,
            "newSize": job.question.source_size,
        }
    if job.outcome:
        told["outcome"] = job.outcome
    if job.problems:
        told["problems"] = list(job.problems)
    if job.operation:
        told["operation"] = job.operation
    return told


@command("job.pause", access=Access.ACT, title="Pause job")
def pause(call: Call, *, job: str) -> str:
    """Hold a running job."""
    call.commander.jobs.pause(call.commander.jobs.get(job, call.principal))
    return f"Paused {job}"


@command("job.resume", access=Access.ACT, title="Resume job")
def resume(call: Call, *, job: str) -> str:
    """Let a paused job go on."""
    call.commander.jobs.resume(call.commander.jobs.get(job, call.principal))
    return f"Resumed {job}"


@command("job.cancel", access=Access.PROPOSE, title="Cancel job")
def cancel(call: Call, *, job: str) -> str:
    """Stop a job; what is finished stays. An agent can cancel only what it proposed."""
    call.commander.jobs.cancel(call.commander.jobs.get(job, call.principal))
    return f"Cancelling {job}"


@command("job.rollback", access=Access.ACT, title="Cancel job and take it back")
async def rollback(call: Call, *, job: str) -> str:
    """Stop a job and take back what it has done."""
    jobs = call.commander.jobs
    stopped = jobs.get(job, call.principal)
    jobs.cancel(stopped)
    await jobs.finished(stopped)
    if not stopped.operation:
        return f"{job} had done nothing yet"
    plan = await call.commander.engine.undo_plan(stopped.operation)
    back = jobs.start(plan, call.principal.id)
    return f"Taking back {job}\njob: {back.id}"


@command("job.retry", access=Access.ACT, title="Retry failed items")
def retry(call: Call, *, job: str) -> str:
    """Run the items that failed once more."""
    jobs = call.commander.jobs
    again = jobs.retry(jobs.get(job, call.principal), call.principal.id)
    return f"Retrying what failed\njob: {again.id}"


@command("job.answer", access=Access.ACT, title="Answer a question")
def answer(
    call: Call,
    *,
    job: str,
    question: str,
    answer: Literal["skip", "overwrite", "rename", "newer", "larger"],
    for_all: bool = False,
) -> str:
    """Say what to do about a taken name."""
    jobs = call.commander.jobs
    asked = jobs.get(job, call.principal)
    if asked.question is None:
        raise CommandError(f"Job {asked.id} asks nothing.")
    jobs.answer(asked, question, ConflictPolicy(answer), for_all=for_all)
    return f"Answered: {answer}" + (" for all" if for_all else "")
