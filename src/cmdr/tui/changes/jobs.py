"""Every job: running, waiting, over; steered from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.model.job import Job, JobState
from cmdr.tui.changes.progress import answer_question, progress_rows
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


class JobsWindow(Window[str]):
    """A list above, the job under the cursor below."""

    heading = "Jobs"
    hint = "p pause · c cancel · b take back · t try again · Esc closes"

    def __init__(self, screen: MainScreen, at: Job | None = None) -> None:
        """`at` is the job that the cursor stands on."""
        super().__init__()
        self._screen = screen
        self._at = at

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, [], lines=8)
        self._details = LineList(self.appearance, [], lines=8, cursor=False)
        return [self._list, self._details]

    def opened(self) -> None:
        if self._at in self._jobs:
            self._list.show([[("", "dim")]] * len(self._jobs))
            self._list.cursor = self._jobs.index(self._at)
        self.follow(self._show)

    @property
    def _jobs(self) -> list[Job]:
        return sorted(self._screen.commander.jobs.all(), key=lambda job: job.state.is_over)

    @property
    def _here(self) -> Job | None:
        jobs = self._jobs
        return jobs[self._list.cursor] if self._list.cursor < len(jobs) else None

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            self._show()
            return True
        job = self._here
        if job is None:
            return False
        if job.question is not None and event.character and event.character.lower() in "sornl":
            answer_question(self._screen, job, event.character)
        elif event.key == "p":
            self._screen.enqueue("job.resume" if job.state is JobState.PAUSED else "job.pause", {"job": job.id})
        elif event.key == "c":
            self._screen.enqueue("job.cancel", {"job": job.id})
        elif event.key == "b":
            self._screen.enqueue("job.rollback", {"job": job.id}, show_answer=True)
        elif event.key == "t":
            self._screen.enqueue("job.retry", {"job": job.id}, show_answer=True)
        else:
            return False
        return True

    def _show(self) -> None:
        jobs = self._jobs
        rows: list[Row] = [[(f" {job.state:<10}", _ROLES.get(job.state, "dim")), (job.title, "file")] for job in jobs]
        self._list.show(rows or [[(" No jobs yet.", "dim")]], keep=True)
        job = self._here
        details: list[Row] = []
        if job is not None and not job.is_seen:
            self._screen.enqueue("job.seen", {"job": job.id})
        if job is not None and job.state.is_over:
            details = [
                [("", "dim")],
                [(f" {job.outcome}", "file")],
                *([(f"   {line}", "agent")] for line in job.problems),
            ]
            details.append([(f" by {job.started_by}", "dim")])
        elif job is not None:
            details = [[("", "dim")], *progress_rows(job, self._details.size.width or 70)]
        self._details.show(details)


_ROLES = {JobState.RUNNING: "bar_key", JobState.WAITING: "warning", JobState.FAILED: "agent", JobState.PAUSED: "agent"}
