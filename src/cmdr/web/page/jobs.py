"""Jobs as the page shows them: how far, how long still, what they ask, what came of them."""

from cmdr.core.commander import Commander
from cmdr.core.parameter import Json
from cmdr.model.job import Job, Question, ScanJob
from cmdr.model.names import display_name
from cmdr.model.units import human_size, iso_time

SHOWN = 30


def jobs_told(commander: Commander) -> list[Json]:
    """The newest jobs, oldest first."""
    return [_job(commander, job) for job in list(commander.jobs.all())[-SHOWN:]]


def _job(commander: Commander, job: Job) -> Json:
    progress = job.progress
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 0.0
    left = progress.seconds_left
    return {
        "id": job.id,
        "title": job.title,
        "state": job.state.value,
        "over": job.state.is_over,
        "interrupted": job in commander.jobs.interrupted(),
        "share": round(share, 3),
        "items": f"{progress.items_done:,} of {progress.items_total:,}",
        "bytes": f"{human_size(progress.bytes_done)} of {human_size(progress.bytes_total)}",
        "rate": f"{human_size(int(progress.rate))}/s" if progress.rate else "",
        "left": None if left is None else round(left),
        "current": progress.current,
        "question": _question(job.question),
        "outcome": job.outcome,
        "problems": [*job.problems],
        "operation": job.operation,
        "canRetry": job.can_retry,
        "output": job.output,
    }


def scans_told(commander: Commander) -> list[Json]:
    """The trees that are being read into an index."""
    return [_scan(scan) for scan in commander.scans() if not scan.state.is_over]


def _scan(scan: ScanJob) -> Json:
    return {
        "id": scan.id,
        "title": f"Reading {display_name(scan.root)}",
        "share": None if scan.percent is None else round(scan.percent / 100, 3),
        "entries": f"{scan.entries:,} entries",
    }


def _question(question: Question | None) -> Json:
    if question is None:
        return None
    if question.inside:
        return {
            "id": question.id,
            "folder": display_name(question.target),
            "there": "",
            "thereFacts": question.inside,
            "new": "",
            "newFacts": question.shown,
        }
    return {
        "id": question.id,
        "folder": None,
        "there": display_name(question.target),
        "thereFacts": f"{human_size(question.target_size)}, {iso_time(question.target_modified_ns)}",
        "new": display_name(question.source),
        "newFacts": f"{human_size(question.source_size)}, {iso_time(question.source_modified_ns)}",
    }
