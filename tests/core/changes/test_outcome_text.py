"""What came of an operation, in words that stay few."""

from cmdr.core.changes.outcome_text import SHOWN, outcome_line, problem_lines
from cmdr.engine.journal.records import ItemState
from cmdr.engine.run.item_results import ItemResults
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.steps.step import StepResult
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, StepName, Totals, Verb


def outcome(*results, state=OperationState.DONE):
    items = tuple(
        PlanItem(StepName.COPY, Kind.FILE, Place(b"/s", b"f%d" % n), Place(b"/t", b"f%d" % n), totals=Totals(1, 0, 10))
        for n in range(len(results))
    )
    known = ItemResults(items)
    for index, fate in enumerate(results):
        known.settle(index, fate)
    return Outcome(1, Plan(Verb.COPY, items), state, known)


def test_what_was_done_and_what_was_not_stand_in_one_line():
    mixed = outcome(StepResult(), StepResult(ItemState.SKIPPED, "taken"), StepResult(ItemState.FAILED, "broken"))
    assert outcome_line(mixed) == "copy: 1 done, 1 skipped, 1 failed"
    assert problem_lines(mixed) == ("failed: /s/f2: broken", "skipped: /s/f1: taken")


def test_what_could_not_be_kept_is_told():
    assert problem_lines(outcome(StepResult(warnings=("owner",)))) == ("not kept: /s/f0: owner",)


def test_of_many_problems_the_first_few_are_named_and_the_others_counted():
    many = outcome(*(StepResult(ItemState.FAILED, "broken") for _ in range(SHOWN + 3)))
    *named, last = problem_lines(many)
    assert len(named) == SHOWN
    assert last == "and 3 more"


def test_a_cancelled_operation_says_how_far_it_came():
    assert outcome_line(outcome(StepResult(), state=OperationState.CANCELLED)) == "cancelled after 1 file"
    assert outcome_line(outcome(state=OperationState.CANCELLED)) == "cancelled; nothing was done"


def test_a_name_that_was_chosen_at_the_last_moment_is_told():
    told = problem_lines(outcome(StepResult(target=Place(b"/t", b"f0")), StepResult(target=Place(b"/t", b"f1 (1)"))))
    assert told == ("new name: f1 → f1 (1)",)
    mixed = outcome(StepResult(target=Place(b"/t", b"f0 (1)")), StepResult(ItemState.FAILED, "broken"))
    assert problem_lines(mixed) == ("failed: /s/f1: broken", "new name: f0 → f0 (1)")


def test_a_name_that_the_plan_chose_is_told_unless_another_was_needed():
    items = tuple(
        PlanItem(StepName.COPY, Kind.FILE, Place(b"/s", name), Place(b"/t", name + b" (1)")) for name in (b"a", b"b")
    )
    known = ItemResults(items)
    known.settle(0, StepResult(target=items[0].target))
    known.settle(1, StepResult(target=Place(b"/t", b"b (2)")))
    told = problem_lines(Outcome(1, Plan(Verb.COPY, items), OperationState.DONE, known))
    assert told == ("new name: b → b (2)", "new name: a → a (1)")


def test_a_new_name_of_a_file_that_did_not_arrive_is_not_told():
    lost = outcome(StepResult(ItemState.FAILED, "the disk did not confirm it", target=Place(b"/t", b"f0 (1)")))
    assert problem_lines(lost) == ("failed: /s/f0: the disk did not confirm it",)
