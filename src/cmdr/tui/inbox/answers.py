"""Which key gives which answer, and whether it was meant: a burst of keys, or one held down, decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cmdr.model.results.inbox import LETTERS, QUESTIONS, InboxAnswer, InboxRow

BURST_S = 0.15
"""Keys closer together than this were not meant one by one: a key that repeats itself comes every 0.03 seconds."""
NEXT_S = 0.3
"""Seconds that a row stands there before it can be answered, where the one before it was not like it."""


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """A letter and what it says on a row."""

    answer: InboxAnswer
    words: str

    @property
    def letter(self) -> str:
        """The key."""
        return LETTERS[self.answer]


_KEYS = (
    AnswerKey(InboxAnswer.YES, "yes"),
    AnswerKey(InboxAnswer.NO, "no"),
    AnswerKey(InboxAnswer.RULE, "yes, with a rule"),
    AnswerKey(InboxAnswer.GO_ON, "go on"),
    AnswerKey(InboxAnswer.AGAIN, "again"),
    AnswerKey(InboxAnswer.TAKE_BACK, "take back"),
    AnswerKey(InboxAnswer.LEAVE, "leave it"),
    AnswerKey(InboxAnswer.SKIP, "skip"),
    AnswerKey(InboxAnswer.OVERWRITE, "overwrite"),
    AnswerKey(InboxAnswer.RENAME, "both"),
    AnswerKey(InboxAnswer.NEWER, "newer"),
    AnswerKey(InboxAnswer.LARGER, "larger"),
    AnswerKey(InboxAnswer.SEEN, "seen"),
)
"""In the order they are told."""


def keys_of(row: InboxRow) -> list[AnswerKey]:
    """The keys that answer a row."""
    return [key for key in _KEYS if key.answer in row.answers]


def answer_for(row: InboxRow, letter: str) -> tuple[InboxAnswer, bool] | None:
    """What a letter answers on a row, and whether it goes for all that follow; None when it answers nothing."""
    for key in keys_of(row):
        if key.letter == letter:
            return key.answer, False
        if key.answer in QUESTIONS and key.letter.upper() == letter:
            return key.answer, True
    return None


@dataclass(frozen=True, slots=True)
class Given:
    """An answer to rows as they were drawn when the key came."""

    rows: tuple[InboxRow, ...]
    answer: InboxAnswer
    for_all: bool = False
    reason: str = ""
    word: str = ""
    until: str = ""
    """For how long the rule holds that is made with it: `today` or `always`; empty: none is made."""

    def arguments(self) -> dict[str, object]:
        """For the command that answers."""
        given: dict[str, object] = {
            "ids": [row.id for row in self.rows],
            "digests": [row.digest for row in self.rows],
            "answer": self.answer.value,
        }
        if self.reason:
            given["reason"] = self.reason
        if self.word:
            given["word"] = self.word
        if self.answer in QUESTIONS:
            given |= {"question": self.rows[0].question, "forAll": self.for_all}
        return given


def meant(letter: str, rows: Sequence[InboxRow]) -> Given | str:
    """The answer that a letter gives to rows, as they are; what to say when it gives none, which may be nothing."""
    says_no = letter == "N" and all(InboxAnswer.NO in row.answers for row in rows)
    answers = {answer_for(row, "n" if says_no else letter) for row in rows}
    found = answers.pop() if len(answers) == 1 else None
    if found is None:
        return "Not all that are marked take this answer." if len(rows) > 1 else ""
    if found[0] is InboxAnswer.RULE and len(rows) > 1:
        return "A rule is made from one of them: Space takes marks away."
    return Given(tuple(rows), found[0], found[1])


class DeliberateKeys:
    """Holds a decision back for a moment: it counts when no other key comes right behind it."""

    def __init__(self, clock: Callable[[], float], later: Callable[[float, Callable[[], None]], object]) -> None:
        """`later` calls something after so many seconds."""
        self._clock = clock
        self._later = later
        self._last = float("-inf")
        self._ready_at = float("-inf")
        self._held: tuple[Callable[[], None], ...] = ()

    def wait(self, seconds: float) -> None:
        """Something else stands there: keys count so much later."""
        self._ready_at = self._clock() + seconds

    @property
    def is_ready(self) -> bool:
        """Whether what stands there has stood long enough."""
        return self._clock() >= self._ready_at

    def came(self) -> bool:
        """A key came, whatever it is for: what was held is dropped, if it came in a burst. Whether it did."""
        now = self._clock()
        is_burst, self._last = now - self._last < BURST_S, now
        if is_burst:
            self._held = ()
        return is_burst

    def hold(self, decide: Callable[[], None]) -> None:
        """Decide in a moment, unless another key comes right behind."""
        self._held = held = (decide,)

        def now() -> None:
            if self._held is held:
                self._held = ()
                decide()

        self._later(BURST_S, now)

    @property
    def holds(self) -> bool:
        """Whether a decision is about to be made."""
        return bool(self._held)

    def drop(self) -> None:
        """Nothing is decided after all."""
        self._held = ()


def looks_like(row: InboxRow, others: Sequence[InboxRow]) -> list[InboxRow]:
    """The rows that can be answered together with one, itself among them."""
    return [other for other in others if other.alike == row.alike] if row.alike else [row]
