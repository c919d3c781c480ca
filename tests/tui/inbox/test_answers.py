"""Which letter answers what, and that a burst of keys decides nothing."""

from dataclasses import replace

from tests.tui.conftest import Clock

from cmdr.model.results.inbox import InboxAnswer, InboxKind, InboxRow
from cmdr.tui.inbox.answers import BURST_S, DeliberateKeys, Given, keys_of, looks_like, meant

YES_NO = InboxRow("p_1", InboxKind.PROPOSAL, "claude", "Move", digest="d", answers=(InboxAnswer.YES, InboxAnswer.NO))
QUESTION = InboxRow(
    "j_1",
    InboxKind.QUESTION,
    "",
    "Copy",
    question="q",
    answers=(InboxAnswer.SKIP, InboxAnswer.OVERWRITE, InboxAnswer.RENAME, InboxAnswer.NEWER, InboxAnswer.LARGER),
)
PAUSED = replace(YES_NO, kind=InboxKind.PAUSED, answers=(InboxAnswer.GO_ON, InboxAnswer.TAKE_BACK, InboxAnswer.LEAVE))
FAILED = replace(YES_NO, kind=InboxKind.FAILED, answers=(InboxAnswer.AGAIN, InboxAnswer.TAKE_BACK, InboxAnswer.SEEN))


def letters(row):
    return "".join(key.letter for key in keys_of(row))


def test_each_kind_has_its_letters_and_none_of_them_twice():
    assert [letters(row) for row in (YES_NO, QUESTION, PAUSED, FAILED)] == ["yn", "sornl", "gbl", "aby"]


def test_a_capital_answers_all_questions_that_follow_and_says_no_with_words_elsewhere():
    assert meant("N", [YES_NO]) == Given((YES_NO,), InboxAnswer.NO)
    assert meant("N", [QUESTION]) == Given((QUESTION,), InboxAnswer.NEWER, for_all=True)
    assert meant("o", [QUESTION]) == Given((QUESTION,), InboxAnswer.OVERWRITE)
    assert meant("O", [QUESTION]).arguments() == {
        "ids": ["j_1"],
        "digests": [""],
        "answer": "overwrite",
        "question": "q",
        "forAll": True,
    }


def test_a_letter_that_is_no_answer_to_all_of_them_answers_none():
    assert meant("z", [YES_NO]) == ""
    assert "Not all" in meant("n", [YES_NO, QUESTION])
    ruled = replace(YES_NO, answers=(*YES_NO.answers, InboxAnswer.RULE))
    assert "one of them" in meant("R", [ruled, ruled])
    assert meant("R", [ruled]).answer is InboxAnswer.RULE


def test_only_rows_of_one_kind_look_alike():
    one, two, other = (replace(YES_NO, id=id, alike=alike) for id, alike in (("1", "a"), ("2", "a"), ("3", "b")))
    assert looks_like(one, [one, two, other]) == [one, two]
    alone = replace(YES_NO, alike="")
    assert looks_like(alone, [alone, replace(alone, id="9")]) == [alone]


def test_a_key_decides_when_nothing_comes_right_behind_it():
    clock, later, done = Clock(), [], []
    keys = DeliberateKeys(clock, lambda _, call: later.append(call))
    assert not keys.came()
    keys.hold(lambda: done.append(1))
    clock.forward(BURST_S)
    later.pop()()
    assert done == [1] and not keys.holds


def test_the_first_key_of_a_burst_decides_nothing_either():
    clock, later, done = Clock(), [], []
    keys = DeliberateKeys(clock, lambda _, call: later.append(call))
    keys.came()
    keys.hold(lambda: done.append(1))
    clock.forward(BURST_S / 5)
    assert keys.came()
    later.pop()()
    assert not done


def test_what_has_just_come_to_stand_there_waits():
    clock = Clock()
    keys = DeliberateKeys(clock, lambda _, call: None)
    keys.wait(0.3)
    assert not keys.is_ready
    clock.forward(0.3)
    assert keys.is_ready
