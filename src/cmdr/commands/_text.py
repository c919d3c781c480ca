"""How entries of a tree and long work are told: in the caller's units, unknown as `?` and never as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.job import CONTENTS_PHASE, Job, JobState, ScanJob
from cmdr.model.units import count, iso_date
from cmdr.model.units import size_text as size_text

if TYPE_CHECKING:
    from cmdr.model.trees.node import Node


def day_of(node: Node) -> str:
    """The day on which an entry was last changed."""
    return iso_date(node.mtime_ns) if node.mtime_ns is not None else "?"


def scan_counts(scan: ScanJob) -> str:
    """What a scan has seen."""
    if scan.phase == CONTENTS_PHASE:
        told = f"contents of {count(scan.entries, 'file')}, {size_text(scan.bytes)} of text in {scan.seconds:.1f} s"
        return told if scan.state is not JobState.RUNNING else told + _share(scan.percent, scan.seconds_left)
    seen = f"{count(scan.entries, 'entry', 'entries')}, {count(scan.folders, 'dir')}, {size_text(scan.bytes)}"
    told = f"{seen} in {scan.seconds:.1f} s"
    if scan.state is not JobState.RUNNING:
        return told
    return f"{told}, {scan.rate:.0f}/s{_share(scan.percent, scan.seconds_left)}"


def job_counts(job: Job) -> str:
    """What an operation has done of what it has to do."""
    progress = job.progress
    told = f"{progress.items_done} of {count(progress.items_total, 'item')}"
    if progress.bytes_total:
        told += f", {size_text(progress.bytes_done)} of {size_text(progress.bytes_total)}"
    if job.state is not JobState.RUNNING or not progress.bytes_total:
        return told
    return told + _share(100 * progress.bytes_done / progress.bytes_total, progress.seconds_left)


def job_line(job: Job) -> str:
    """An operation: how it stands, and what came of it."""
    told = f"{job.state}: {job.title}, {job_counts(job)}"
    return f"{told}\n{job.outcome}" if job.outcome else told


def _share(percent: float | None, seconds_left: float | None) -> str:
    share = "" if percent is None else f", {percent:.0f}%"
    return share if seconds_left is None else f"{share}, about {seconds_left:.0f} s left"
