"""Answers have a bounded length, and one that was cut says so."""

from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS
from cmdr.core.dispatch.answer import truncate


def test_a_long_answer_is_cut_at_a_line_and_says_how_much_is_missing():
    whole = "".join(f"line {number}\n" for number in range(5000))
    cut = truncate(whole)
    kept, _, last = cut.rstrip("\n").rpartition("\n")
    assert len(cut) <= MAX_ANSWER_CHARACTERS
    assert whole.startswith(kept)
    missing = int(last.split()[1])
    assert kept.count("\n") + 1 + missing == 5000


def test_a_short_answer_is_left_alone():
    assert truncate("x" * MAX_ANSWER_CHARACTERS) == "x" * MAX_ANSWER_CHARACTERS
