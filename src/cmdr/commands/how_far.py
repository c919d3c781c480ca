"""How far long work has come, in a line; a share of the whole only where the whole is known."""

from cmdr.commands.telling import size_text
from cmdr.model.job import Job, JobState, ScanJob
from cmdr.model.units import count


def scan_counts(scan: ScanJob) -> str:
    """What a scan has seen."""
    seen = f"{count(scan.entries, 'entry', 'entries')}, {count(scan.folders, 'dir')}, {size_text(scan.bytes)}"
    told = f"{seen} in {scan.seconds:.1f} s"
    if scan.state is not JobState.RUNNING:
        return told
    return f"{told}, {scan.rate:.0f}/s{_of_the_whole(scan.percent, scan.seconds_left)}"


def job_counts(job: Job) -> str:
    """What an operation has done of what it has to do."""
    progress = job.progress
    told = f"{progress.items_done} of {count(progress.items_total, 'item')}"
    if progress.bytes_total:
        told += f", {size_text(progress.bytes_done)} of {size_text(progress.bytes_total)}"
    if job.state is not JobState.RUNNING or not progress.bytes_total:
        return told
    return told + _of_the_whole(100 * progress.bytes_done / progress.bytes_total, progress.seconds_left)


def job_line(job: Job) -> str:
    """An operation: how it stands, and what came of it."""
    told = f"{job.state}: {job.title}, {job_counts(job)}"
    return f"{told}\n{job.outcome}" if job.outcome else told


def _of_the_whole(percent: float | None, seconds_left: float | None) -> str:
    share = "" if percent is None else f", {percent:.0f}%"
    return share if seconds_left is None else f"{share}, about {seconds_left:.0f} s left"
