"""A plan in words is drawn from the plan, and nothing in a name can change what the words say."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.plan import (
    ConflictPolicy,
    Decision,
    Fingerprint,
    Kind,
    Place,
    Plan,
    PlanItem,
    Root,
    Step,
    Totals,
    Verb,
)
from cmdr.model.plan_text import SHOWN, amount_of, summary_of, title_of, word_to_type

ROOT = Root(b"/src", 1, 2)
THERE = Root(b"/dst", 1, 3)


def copy_of(name, size=10, **how):
    return PlanItem(
        Step.COPY, Kind.FILE, Place(b"/src", name), Place(b"/dst", name), totals=Totals(files=1, bytes=size), **how
    )


def copies(*items):
    return Plan(Verb.COPY, tuple(items), (ROOT, THERE), destination=b"/dst", free_bytes=2**20, need_bytes=2**10)


def test_a_copy_says_what_goes_where_and_how_much_room_is_left():
    told = summary_of(copies(copy_of(b"a", 2048), copy_of(b"b", 0)))
    assert told == [
        "Copy 2 files, 2.0 KiB to /dst",
        "from /src",
        "free there: 1.0 MiB, after: 1023.0 KiB",
        "   2.0 KiB  /src/a",
    ]


def test_what_is_overwritten_is_listed_and_the_rest_counted():
    there = Fingerprint(1, 9, 5, 0, Kind.FILE)
    plan = copies(*(copy_of(b"f%02d" % n, decision=Decision.REPLACE, existing=there) for n in range(SHOWN + 3)))
    told = [line for line in summary_of(plan) if line.startswith("overwrites")]
    assert told[0] == "overwrites: /dst/f00"
    assert told[-1] == "overwrites: and 3 more"
    assert len(told) == SHOWN + 1


def test_deleting_for_good_needs_the_typed_word():
    plan = Plan(Verb.DELETE, (PlanItem(Step.REMOVE, Kind.FILE, Place(b"/src", b"a"), totals=Totals(1)),), (ROOT,))
    assert word_to_type(plan) == "delete"
    assert any(line.startswith("RISK: deletes for good") for line in summary_of(plan))
    assert word_to_type(copies(copy_of(b"a"))) is None


def test_protected_places_and_open_questions_are_told():
    plan = copies(copy_of(b".bashrc", protected="runs at login"), copy_of(b"b", decision=Decision.ASK))
    told = summary_of(plan)
    assert "protected: /src/.bashrc (runs at login)" in told
    assert "1 name taken: you will be asked" in told
    assert word_to_type(plan) == "copy"


def test_a_new_folder_is_named_in_the_title():
    plan = Plan(
        Verb.MKDIR, (PlanItem(Step.MAKE, Kind.FOLDER, target=Place(b"/dst", b"new"), totals=Totals(0, 1)),), (THERE,)
    )
    assert title_of(plan) == "Create folder /dst/new"


def test_renames_show_old_and_new_names():
    items = [
        PlanItem(Step.RENAME, Kind.FILE, Place(b"/src", b"a%d" % n), Place(b"/src", b"b%d" % n), totals=Totals(1))
        for n in range(SHOWN + 2)
    ]
    told = summary_of(Plan(Verb.RENAME, tuple(items), (ROOT,)))
    assert "a0 → b0" in told
    assert told[-1] == "and 2 more"


def test_nothing_at_all_is_no_files():
    assert amount_of(Plan(Verb.TRASH, ())) == "0 files"


@given(st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name)))
def test_every_line_stays_one_printable_line(name):
    there = Fingerprint(1, 9, 5, 0, Kind.FILE)
    plan = copies(copy_of(name, decision=Decision.REPLACE, existing=there, protected="x"))
    for line in [*summary_of(plan), title_of(plan)]:
        assert line.isprintable()


def test_plans_that_differ_in_one_decision_have_different_digests():
    one = copies(copy_of(b"a"))
    assert one.digest == copies(copy_of(b"a")).digest
    assert one.digest != copies(copy_of(b"a", decision=Decision.SKIP)).digest
    assert one.digest != copies(copy_of(b"b")).digest
    assert one.digest != Plan(Verb.COPY, one.items, one.roots, ConflictPolicy.SKIP, b"/dst", 2**20, 2**10).digest
