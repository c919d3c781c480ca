"""Rules as data: what their words say, what they match, which one is offered; no disk, no clock."""

import time
from dataclasses import replace

import pytest

from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb
from cmdr.model.rules import (
    Budget,
    Facts,
    Outline,
    Rule,
    Spent,
    Unasked,
    done_words,
    end_of_day,
    matches,
    may_match,
    never_of,
    offered,
    until_words,
    words_of,
)

NOW = 1_790_000_000.0
GIB = 1 << 30
RULE = Rule(2, "claude", frozenset({Verb.MOVE}), (b"/home/me/Downloads",), Budget(200, 2 * GIB, 60))
OUTLINE = Outline("claude", Verb.MOVE, 12, 1000, 0)
FACTS = Facts(OUTLINE, frozenset({b"/home/me/Downloads/a"}), frozenset({(2, b"/home/me/Downloads")}))


def plan(verb=Verb.MOVE, *items, **more):
    mark = Fingerprint(1, 2, 10, 1, Kind.FILE)
    usual = PlanItem(StepName.RENAME, Kind.FILE, Place(b"/d", b"a"), Place(b"/e", b"a"), mark, totals=Totals(1, 0, 10))
    return Plan(verb, items or (usual,), (Root(b"/d", 1, 2), Root(b"/e", 1, 3)), **more)


def test_a_rule_is_told_in_one_line():
    told = words_of(replace(RULE, until=end_of_day(NOW)), NOW, b"/home/me")
    assert told == "claude, move within ~/Downloads, up to 200 files and 2 GiB an hour, today"
    assert words_of(RULE, NOW).endswith("within /home/me/Downloads, up to 200 files and 2 GiB an hour, always")
    other = replace(RULE, overwrites=True, budget=Budget(1, 5, 3), until=NOW + 10 * 86400)
    told = words_of(other, NOW)
    assert "up to 1 file and 5 B an hour in 3 operations, overwriting into the trash, until 20" in told
    assert words_of(Rule(0, "", frozenset(), (), Budget(0, 0, 60)), NOW).startswith("nobody, nothing within no folder")
    assert until_words(NOW - 1, NOW) == "expired"


def test_the_end_of_a_day_is_the_next_midnight():
    end = time.localtime(end_of_day(NOW))
    assert (end.tm_hour, end.tm_min, end.tm_sec) == (0, 0, 0) and 0 < end_of_day(NOW) - NOW <= 90_000


def test_what_fits_in_every_part_is_admitted():
    assert matches(RULE, FACTS, NOW) == ""


NOT = {
    "line 3: verbs": ({"problem": "line 3: verbs"}, {}, {}),
    "suspended: by you": ({"suspended": "by you"}, {}, {}),
    "expired": ({"until": NOW}, {}, {}),
    "it is for claude": ({}, {"client": "codex"}, {}),
    "it does not allow copy": ({}, {"verb": Verb.COPY}, {}),
    "it does not allow delete": ({"verbs": frozenset({Verb.DELETE})}, {"verb": Verb.DELETE}, {}),
    "it lets nothing be overwritten": ({}, {"overwrites": 1}, {}),
    "more than 200 files an hour": ({}, {"files": 201}, {}),
    "more than 2 GiB an hour": ({}, {"bytes": 2 * GIB + 1}, {}),
    "asked": ({}, {"never": "asked"}, {}),
    "a program": ({}, {}, {"never": "a program"}),
    "/home/me/Downloads is gone, or another folder by now": ({}, {}, {"standing": frozenset()}),
    "/home/me lies outside": ({}, {}, {"folders": frozenset({b"/home/me"})}),
    "/home/me/Downloads2 lies outside": ({}, {}, {"folders": frozenset({b"/home/me/Downloads2"})}),
    "nothing is known of where it works": ({}, {}, {"folders": frozenset()}),
    "it names no folder": ({"roots": ()}, {}, {}),
}


@pytest.mark.parametrize("why", NOT)
def test_whatever_does_not_fit_says_why(why):
    rule, outline, facts = NOT[why]
    assert matches(replace(RULE, **rule), replace(FACTS, outline=replace(OUTLINE, **outline), **facts), NOW) == why


@pytest.mark.parametrize(
    ("spent", "why"),
    [
        (Spent(188, 0, 0), ""),
        (Spent(189, 0, 0), "more than 200 files an hour"),
        (Spent(0, 2 * GIB - 999, 0), "more than 2 GiB an hour"),
        (Spent(0, 0, 59), ""),
        (Spent(0, 0, 60), "60 operations an hour are used up"),
    ],
)
def test_what_was_admitted_within_the_hour_counts(spent, why):
    assert matches(RULE, FACTS, NOW, spent) == why
    assert may_match(RULE, OUTLINE, NOW, spent) == why


def test_overwriting_needs_a_rule_that_says_so():
    facts = replace(FACTS, outline=replace(OUTLINE, overwrites=3))
    assert matches(replace(RULE, overwrites=True), facts, NOW) == ""


def test_the_outline_of_a_plan_counts_all_that_it_touches():
    outline = Outline.of(plan(), "claude")
    assert outline == Outline("claude", Verb.MOVE, 1, 10, 0)
    whole = PlanItem(StepName.RENAME, Kind.FOLDER, Place(b"/d", b"f"), Place(b"/e", b"f"), totals=Totals(30, 4, 99))
    assert Outline.of(plan(Verb.MOVE, whole), "claude").files == 34
    assert Outline.of(plan(Verb.DELETE), "claude").never == "delete is always asked about"


def test_what_a_plan_tells_of_itself_may_keep_every_rule_away():
    item = plan().items[0]
    assert never_of(plan()) == ""
    assert never_of(plan(Verb.UNDO)) == "undo is always asked about"
    assert never_of(plan(undoes=3)) == never_of(plan(continues=3)) == "move is always asked about"
    assert never_of(Plan(Verb.MOVE, ())) == "nothing is known of what it does"
    assert never_of(plan(Verb.MOVE, replace(item, protected="is run"))) == "touches a protected place: is run"
    assert never_of(plan(emptied=(b"/d",))) == "takes more than half of a folder"
    assert never_of(plan(Verb.MOVE, replace(item, decision=Decision.ASK))).startswith("a name is taken")
    odd = [replace(item, source=Place(b"/d", name)) for name in (b"1.jpg", b"2.jpg", b"3.jpg", b"4.jpg", b"t.pdf")]
    assert never_of(plan(Verb.MOVE, *odd)) == "t.pdf is unlike the others"


def test_the_offered_rule_names_the_smallest_folders_and_has_room_for_more():
    rule = offered(OUTLINE, [b"/h/in/a", b"/h/in/b"], [b"/h/out"], [b"/h"])
    assert rule == Rule(0, "claude", frozenset({Verb.MOVE}), (b"/h/in", b"/h/out"), Budget(200, 2 * GIB, 60))
    inside = offered(replace(OUTLINE, files=1000, bytes=3 * GIB), [b"/h/in"], [b"/h/in/deep"], [b"/h"])
    assert (inside.roots, inside.budget) == ((b"/h/in",), Budget(5000, 20 * GIB, 60))
    two = offered(OUTLINE, [b"/h/in", b"/k/in"], [], [b"/h", b"/k"])
    assert two.roots == (b"/h/in", b"/k/in")


@pytest.mark.parametrize(
    "outline",
    [
        replace(OUTLINE, never="risk"),
        replace(OUTLINE, overwrites=1),
        replace(OUTLINE, verb=Verb.DELETE),
        replace(OUTLINE, files=100_000),
        replace(OUTLINE, bytes=1 << 50),
    ],
)
def test_no_rule_is_offered_for_what_has_to_be_asked(outline):
    assert offered(outline, [b"/h/in"], [b"/h/in"], [b"/h"]) is None


def test_no_rule_is_offered_outside_what_the_agent_may_change():
    assert offered(OUTLINE, [b"/other"], [b"/other"], [b"/h"]) is None


def test_what_was_done_is_told_in_the_past():
    assert done_words(Verb.TRASH, "3 files") == "moved 3 files to the trash"
    assert done_words(Verb.TRASH) == "moved to the trash"
    assert done_words(Verb.ATTRIBUTES) == "changed attributes"
    assert done_words(Verb.RUN) == "did"
    assert Unasked("claude", "claude moved 1 file", 9, 2, NOW).told == "claude moved 1 file · Ctrl+Z undoes"
