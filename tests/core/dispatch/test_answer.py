"""Answers have a bounded length, and one that was cut says so; what must arrive whole does."""

import json

from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS
from cmdr.core.dispatch.answer import MAX_LINES_CHARACTERS, all_fit, first_that_fit, truncate


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


def test_as_many_lines_come_as_fit():
    lines = ["\u4f60" * 100] * 500
    taken = first_that_fit(lines)
    assert 0 < len(taken) < 500
    assert len(json.dumps(taken, ensure_ascii=False)) <= MAX_LINES_CHARACTERS < MAX_ANSWER_CHARACTERS


def test_a_line_longer_than_an_answer_is_told_as_far_as_it_fits():
    assert first_that_fit(["x" * 30_000, "y"]) == [f"{'x' * (MAX_LINES_CHARACTERS // 3)}…"]
    assert first_that_fit(["a", "x" * 30_000]) == ["a"]
    assert first_that_fit([]) == []


def test_a_summary_of_very_long_names_stays_whole():
    told = all_fit(["title", *("x" * 4000 for _ in range(9)), "RISK: deletes for good"])
    assert (told[0], told[-1], len(told)) == ("title", "RISK: deletes for good", 11)
    assert len(json.dumps(told, ensure_ascii=False)) <= MAX_LINES_CHARACTERS
    assert all(line.endswith("…") for line in told[1:-1])


def test_a_short_summary_stays_as_it_is():
    assert all_fit(["title", "from /src"]) == ["title", "from /src"]
