"""Control of one running job from the loop: pause, cancel, answers; and how fast it goes."""

import threading
import time
from collections.abc import Callable

from cmdr.engine.run.control import Answer, Cancelled, Conflict, Progress

REPORT_INTERVAL_S = 0.1


class JobControl:
    """Pause, cancel and answer from the loop; wait and report in the operation's thread."""

    def __init__(
        self,
        report: Callable[[Progress], None],
        ask: Callable[[Conflict], None],
        begun: Callable[[int], None] = lambda operation: None,
    ) -> None:
        """`report`, `ask` and `begun` are called in the operation's thread; the last with its number in the journal."""
        self._report = report
        self._ask = ask
        self.begun = begun
        self._changed = threading.Condition()
        self._paused = False
        self._cancelled = False
        self._answers: dict[str, Answer] = {}
        self._reported = 0.0

    @property
    def is_paused(self) -> bool:
        """Whether the operation is held."""
        return self._paused

    def pause(self) -> None:
        """Hold at the next chunk."""
        with self._changed:
            self._paused = True

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def cancel(self) -> None:
        """Stop at the next chunk; what is finished stays."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def answer(self, question: str, answer: Answer) -> None:
        """Answer a question by its id."""
        with self._changed:
            self._answers[question] = answer
            self._changed.notify_all()

    def checkpoint(self) -> None:
        """Called by the operation between chunks."""
        if not (self._paused or self._cancelled):
            return
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or not self._paused)
            if self._cancelled:
                raise Cancelled

    def progress(self, progress: Progress) -> None:
        """Called by the operation after each chunk; told on only now and then."""
        now = time.monotonic()
        if now - self._reported >= REPORT_INTERVAL_S or progress.items_done == progress.items_total:
            self._reported = now
            self._report(progress)

    def ask(self, conflict: Conflict) -> Answer:
        """Called by the operation for a taken name; waits for the answer to this very question."""
        self._ask(conflict)
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or conflict.id in self._answers)
            if self._cancelled:
                raise Cancelled
            return self._answers.pop(conflict.id)


class Meter:
    """Bytes a second, smoothed over a few seconds so that the estimate does not jump."""

    def __init__(self) -> None:
        self._bytes = 0
        self.restart()

    def restart(self) -> None:
        """Begin to count anew: time that passed without work says nothing about the speed."""
        self._at = time.monotonic()
        self._rate = 0.0

    def rate(self, done: int) -> float:
        """The speed, now that so much is done."""
        now = time.monotonic()
        passed = now - self._at
        if passed >= 0.5:
            speed = (done - self._bytes) / passed
            self._rate = speed if not self._rate else 0.7 * self._rate + 0.3 * speed
            self._at, self._bytes = now, done
        return self._rate
