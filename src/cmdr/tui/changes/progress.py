"""One job while the person waits for it: how far, how fast, how long, and its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.flow.change import ANSWERS
from cmdr.model.job import Job, JobState
from cmdr.model.names import display_name
from cmdr.model.units import human_size, iso_time, span
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


class Progress(Window[str]):
    """Can be sent to the background, paused, cancelled; a taken name is asked about right here."""

    def __init__(self, job: Job, screen: MainScreen) -> None:
        super().__init__()
        self._job = job
        self._screen = screen
        self.heading = job.title

    def contents(self) -> list[Widget]:
        """Always the same lines."""
        self._lines = LineList(self.appearance, progress_rows(self._job, 70), lines=7, cursor=False)
        return [self._lines]

    def opened(self) -> None:
        """Follow the job."""
        self.follow(self._show)

    def _show(self) -> None:
        asks = self._job.question is not None
        self._lines.show(progress_rows(self._job, self._lines.size.width or 70))
        hint = "s skip · o overwrite · r both · n newer · l larger · capital: all"
        if self._job.question is not None and self._job.question.inside:
            hint = "s leave it · o take all of it · capital: all"
        self.title_box(self._job.title, hint if asks else "Enter: background · p: pause · Esc: cancel")

    def pressed(self, event: events.Key) -> bool:
        """Answer, or steer."""
        job = self._job
        if job.question is not None and event.character and event.character.lower() in ANSWERS:
            answer_question(self._screen, job, event.character)
        elif event.key == "p":
            command = "job.resume" if job.state is JobState.PAUSED else "job.pause"
            self._screen.enqueue(command, {"job": job.id})
        elif event.key == "c" and job.question is not None:
            self._cancel()
        elif event.key in ("enter", "b"):
            self._put_aside()
        else:
            return False
        return True

    def leave(self) -> None:
        """Leave a question for later; else cancel the job, of which what is finished stays."""
        if self._job.question is not None:
            self._put_aside()
        else:
            self._cancel()

    def _cancel(self) -> None:
        self._screen.enqueue("job.cancel", {"job": self._job.id})
        self.dismiss(None)

    def _put_aside(self) -> None:
        if self._job.asks:
            self._screen.show_message(f"{self._job.asks}: {self._screen.keys.all_keys('approvals')}")
        self.dismiss(None)


def answer_question(screen: MainScreen, job: Job, letter: str) -> None:
    """Answer the question that is on the screen; a capital answers all that follow."""
    if job.question is not None and letter.lower() in ANSWERS:
        screen.enqueue(
            "job.answer",
            {
                "job": job.id,
                "question": job.question.id,
                "answer": ANSWERS[letter.lower()],
                "forAll": letter.isupper(),
            },
        )


_ASIDE: Row = [("   Esc: later, other work goes on · c: cancel the job", "dim")]


def progress_rows(job: Job, width: int) -> list[Row]:
    """A job in seven lines."""
    done = job.progress
    share = done.bytes_done / done.bytes_total if done.bytes_total else done.items_done / max(1, done.items_total)
    room = max(10, width - 8)
    full = round(share * room)
    bar: Row = [(" " + "█" * full, "bar_key"), ("░" * (room - full), "dim"), (f" {share * 100:3.0f}%", "file")]
    left = done.seconds_left
    pace = f"{human_size(round(done.rate))}/s" if done.rate else ""
    rest = f"{span(left)} left" if left is not None else ""
    rows: list[Row] = [
        bar,
        [(f" {done.items_done:,} of {done.items_total:,} items   {human_size(done.bytes_done)} of "
          f"{human_size(done.bytes_total)}   {pace}   {rest}", "file")],
    ]  # fmt: skip
    question = job.question
    if question is None:
        return [*rows, [("", "dim")], [(f" {done.current}", "dim")], [(f" {job.waits_behind or job.state}", "dim")]]
    folder, _, name = question.target.rpartition(b"/")
    rows.append([(f" {display_name(name)} {question.about} ", "warning"), (f" in {display_name(folder)}", "dim")])
    if question.inside:
        return [
            *rows,
            [(f"   shown: {question.shown}", "file")],
            [(f"   now:   {question.inside}", "file")],
            [("   o takes all of it, s leaves the folder where it is", "dim")],
            _ASIDE,
        ]
    return [
        *rows,
        [(f"   there: {question.target_size:>14,} B  {iso_time(question.target_modified_ns)}", "file")],
        [(f"   new:   {question.source_size:>14,} B  {iso_time(question.source_modified_ns)}", "file")],
        [(f"   from {display_name(question.source)}", "dim")],
        _ASIDE,
    ]
