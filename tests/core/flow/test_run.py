"""A change carried through its states: what the panes show and what is said in the end."""

from cmdr.core.flow.run import outcome_line
from cmdr.model.job import Job, JobState


def test_a_lone_failure_tells_its_reason_without_the_folder_one_sees():
    job = Job("j", "Create folder new", "person:terminal", frozenset(), JobState.FAILED)
    job.progress.items_total = 1
    job.outcome, job.problems = "mkdir done: nothing; 1 failed", ("failed: /a/b/new: permission denied",)
    assert outcome_line(job, [b"/a/b", b"/"]) == "Create folder new: failed: new: permission denied"
    job.progress.items_total = 2
    assert outcome_line(job, [b"/a"]) == "mkdir done: nothing; 1 failed; failed: b/new: permission denied"
