"""Jobs: how they stand, and steering them: pause, resume, cancel, take back, answer, try again."""

import asyncio
from contextlib import suppress
from typing import Annotated, Literal

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.model.job import Job, JobState, Question, ScanJob
from cmdr.model.names import display_name, to_wire
from cmdr.model.plans.plan import ConflictPolicy
from cmdr.model.results.jobs import JobFollowed, OperationStatus, ScanStatus
from cmdr.model.results.result import PlainText, Said
from cmdr.model.units import human_size, iso_time
from cmdr.model.yaml_text import Value, document

FOLLOW_TIMEOUT_S = 60.0
"""Seconds that one call follows a job; whoever follows on calls again."""


@command("jobs.list", access=Access.READ, title="Jobs")
def list_jobs(call: Call) -> PlainText:
    """What is running, waiting or over."""
    principal = call.principal
    jobs: list[Value] = [
        _job_facts(job, principal.is_person)
        for job in call.commander.jobs.all()
        if principal.is_person or job.started_by == principal.id
    ]
    jobs += [_scan_facts(scan) for scan in call.commander.scans() if scan.is_seen_by(principal.id, principal.is_person)]
    return PlainText(document({"jobs": jobs}))


@command("jobs.show", access=Access.READ, title="Show job")
def show_job(call: Call, *, job: str) -> PlainText:
    """How far one job has come."""
    scan = call.commander.scan_job(job, call.principal)
    if scan is not None:
        return PlainText(document(_scan_facts(scan)))
    return PlainText(document(_job_facts(call.commander.jobs.get(job, call.principal), call.principal.is_person)))


@command("job.status", access=Access.READ, toolset="index", programs_only=True)
def job_status(call: Call, *, job_id: str) -> ScanStatus | OperationStatus:
    """A job: how far it is. With `Accept: text/event-stream` every step is told."""
    scan = call.commander.scan_job(job_id, call.principal)
    if scan is not None:
        return ScanStatus.of(scan)
    return OperationStatus.of(call.commander.jobs.get(job_id, call.principal))


def _scan_facts(scan: ScanJob) -> dict[str, Value]:
    """A scan as it is told."""
    told: dict[str, Value] = {"id": scan.id, "title": f"Index {to_wire(scan.root)}", "state": scan.state.value}
    told |= {"by": scan.owner, "entries": scan.entries, "bytes": human_size(scan.bytes)}
    if scan.percent is not None:
        told["percent"] = round(scan.percent)
    if scan.seconds_left is not None:
        told["secondsLeft"] = round(scan.seconds_left)
    if scan.problem:
        told["problem"] = scan.problem
    return told | {"index": scan.index}


def _job_facts(job: Job, is_person: bool) -> dict[str, Value]:
    """A job as it is told."""
    progress = job.progress
    told: dict[str, Value] = {"id": job.id, "title": job.title, "state": job.state.value, "by": job.started_by}
    if not job.state.is_over:
        told["items"] = f"{progress.items_done} of {progress.items_total}"
        told["bytes"] = f"{human_size(progress.bytes_done)} of {human_size(progress.bytes_total)}"
        left = progress.seconds_left
        if left is not None:
            told["secondsLeft"] = round(left)
    if job.behind is not None:
        told["waits"] = job.waits_behind if is_person else job.waits_behind_for_agents
    question = job.question
    if question is not None and question.inside:
        folder = display_name(question.target)
        told["question"] = {"id": question.id, "folder": folder, "shown": question.shown, "now": question.inside}
    elif question is not None:
        told["question"] = {
            "id": question.id,
            "taken": display_name(question.target),
            "size": question.target_size,
            "newSize": question.source_size,
        }
    if job.outcome:
        told["outcome"] = job.outcome
    if job.problems:
        told["problems"] = list(job.problems)
    if job.operation:
        told["operation"] = job.operation
    return told


@command("job.follow", access=Access.ACT, title="Follow job", blocking=True)
async def follow(
    call: Call, *, job: str, known: Annotated[str, Doc("what it waits behind, as far as the caller knows")] = ""
) -> JobFollowed:
    """Wait, at most 60 s, until a job asks something, waits behind another that stands still, or is over; as JSON."""
    followed, events = call.commander.jobs.get(job, call.principal), call.events
    with suppress(TimeoutError):
        async with asyncio.timeout(FOLLOW_TIMEOUT_S):
            while followed.question is None and not followed.state.is_over and _held(followed) == known:
                await events.beyond(events.rev)
    return JobFollowed(
        followed.state,
        over=followed.state.is_over,
        done=followed.state is JobState.DONE,
        outcome="\n".join([followed.outcome, *followed.problems, *([followed.output] if followed.output else [])]),
        operation=followed.operation,
        question=_question_facts(followed.question),
        waits_behind=_held(followed),
    )


def _held(job: Job) -> str:
    """What it waits behind, where that stands still until the person says a word."""
    return job.waits_behind if job.is_held else ""


def _question_facts(question: Question | None) -> dict[str, str] | None:
    if question is None:
        return None
    if question.inside:
        return {
            "id": question.id,
            "folder": display_name(question.target),
            "shown": question.shown,
            "now": question.inside,
        }
    there, new = question.target_modified_ns, question.source_modified_ns
    return {
        "id": question.id,
        "there": f"{display_name(question.target)} ({human_size(question.target_size)}, {iso_time(there)})",
        "new": f"{display_name(question.source)} ({human_size(question.source_size)}, {iso_time(new)})",
    }


@command("job.pause", access=Access.ACT, title="Pause job")
def pause(call: Call, *, job: str) -> Said:
    """Hold a running job."""
    call.commander.jobs.pause(_operation(call, job))
    return Said(f"Paused {job}")


@command("job.resume", access=Access.ACT, title="Resume job")
def resume(call: Call, *, job: str) -> Said:
    """Let a paused job go on."""
    call.commander.jobs.go_on(_operation(call, job))
    return Said(f"Resumed {job}")


@command("job.cancel", access=Access.PROPOSE, title="Cancel job")
def cancel(call: Call, *, job: str) -> Said:
    """Stop a job; what is finished stays. An agent can cancel only what it proposed or started."""
    scan = call.commander.scan_job(job, call.principal)
    if scan is not None:
        return Said(_cancel_scan(call, scan))
    call.commander.jobs.cancel(call.commander.jobs.get(job, call.principal))
    return Said(f"Cancelling {job}")


def _cancel_scan(call: Call, scan: ScanJob) -> str:
    if scan.owner != call.principal.id and not call.principal.is_person:
        raise NotAllowed(f"{scan.id} was started by somebody else, who waits for it.")
    if scan.state.is_over:
        raise CommandError(f"Nothing to cancel: the scan is {scan.state}.")
    call.commander.indexing.cancel(scan)
    return f"Cancelling {scan.id}: what was read stays, marked partial"


def _operation(call: Call, job: str) -> Job:
    """A job that changes files; a scan is none."""
    if call.commander.scan_job(job, call.principal) is not None:
        raise CommandError(f"{job[:40]} reads a tree: it can be cancelled, and nothing else.")
    return call.commander.jobs.get(job, call.principal)


@command("job.rollback", access=Access.ACT, title="Cancel job and take it back")
async def rollback(call: Call, *, job: str) -> Said:
    """Stop a job and take back what it has done."""
    back = await call.commander.jobs.take_back(_operation(call, job), call.principal.id)
    if back is None:
        return Said(f"{job} had done nothing yet")
    return Said(f"Taking back {job}\njob: {back.id}")


@command("job.retry", access=Access.ACT, title="Retry failed items")
async def retry(call: Call, *, job: str) -> Said:
    """Run the items that failed or were not reached."""
    jobs = call.commander.jobs
    again = await jobs.retry(_operation(call, job), call.principal.id)
    return Said(f"Retrying what failed\njob: {again.id}")


@command("job.seen", access=Access.ACT, title="Failure seen")
def seen(call: Call, *, job: str) -> Said:
    """The person has looked at what failed: it is not told any more."""
    call.commander.jobs.seen(_operation(call, job))
    return Said(f"{job} is known")


@command("job.answer", access=Access.ACT, title="Answer a question")
def answer(
    call: Call,
    *,
    job: str,
    question: str,
    answer: Literal["skip", "overwrite", "rename", "newer", "larger"],
    for_all: bool = False,
) -> Said:
    """Say what to do about a taken name; of a folder that holds more than was shown, overwrite takes all, skip none."""
    jobs = call.commander.jobs
    asked = jobs.get(job, call.principal)
    if asked.question is None:
        raise CommandError(f"Job {asked.id} asks nothing.")
    jobs.answer(asked, question, ConflictPolicy(answer), for_all=for_all)
    return Said(f"Answered: {answer}" + (" for all" if for_all else ""))
