"""A plan in words is drawn from the plan, and nothing in a name can change what the words say."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.plans.command_plan import CommandPlan
from cmdr.model.plans.plan import (
    ConflictPolicy,
    Decision,
    Fingerprint,
    Kind,
    Place,
    Plan,
    PlanItem,
    Root,
    StepName,
    Totals,
    Verb,
)
from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.plan_text import SHOWN, amount_of, chosen_of, facts_of, summary_of, title_of, word_to_type

ROOT = Root(b"/src", 1, 2)
THERE = Root(b"/dst", 1, 3)


def copy_of(name, size=10, **how):
    return PlanItem(
        StepName.COPY, Kind.FILE, Place(b"/src", name), Place(b"/dst", name), totals=Totals(files=1, bytes=size), **how
    )


def copies(*items):
    return Plan(Verb.COPY, tuple(items), (ROOT, THERE), destination=b"/dst", free_bytes=2**20, need_bytes=2**10)


def test_a_copy_says_what_goes_where_and_how_much_room_is_left():
    told = summary_of(copies(copy_of(b"a", 2048), copy_of(b"b", 0)))
    assert told == [
        "Copy 2 files, 2.0 KiB to /dst",
        "from /src",
        "   2.0 KiB  a",
        "            b",
        "free there: 1.0 MiB, after: 1023.0 KiB",
    ]


def test_names_that_would_be_mistaken_are_marked_and_the_mark_is_explained():
    told = summary_of(copies(copy_of("p\u0430y.txt".encode()), copy_of(b"end "), copy_of("Отчёт.txt".encode())))
    assert told[2:5] == ["      10 B  p\\u{430}y.txt", "      10 B  end\\u{20}", "      10 B  Отчёт.txt"]
    assert told[-1] == "mind \\u{…}: a character that cannot be seen, or passes for another"


def removal(path, kind=Kind.FILE, size=0):
    totals = Totals(0, 1) if kind is Kind.FOLDER else Totals(1, 0, size)
    return PlanItem(StepName.REMOVE, kind, Place(b"/src", path), totals=totals)


def test_a_folder_of_empty_files_is_named_before_it_is_deleted_for_good():
    inside = [removal(b"old/%d" % number) for number in range(7)]
    told = summary_of(Plan(Verb.DELETE, (*inside, removal(b"old", Kind.FOLDER)), (ROOT,)))
    assert told == [
        "Delete for good 1 folder, 7 files",
        "from /src",
        "            old/",
        "RISK: deletes for good",
    ]


def test_of_many_chosen_the_first_are_named_and_the_rest_counted_where_no_name_can_say_so():
    told = summary_of(Plan(Verb.TRASH, tuple(trashed(b"and %d more" % number) for number in range(9)), (ROOT,)))
    assert told[2:] == [*(f"            and {number} more" for number in range(5)), "and 4 more"]


def trashed(name):
    return PlanItem(StepName.TRASH, Kind.FILE, Place(b"/src", name), totals=Totals(1))


def test_files_chosen_in_several_folders_are_named_with_their_folders():
    items = (trashed(b"a"), PlanItem(StepName.TRASH, Kind.FILE, Place(b"/other", b"b"), totals=Totals(1)))
    told = summary_of(Plan(Verb.TRASH, items, (ROOT, Root(b"/other", 1, 4))))
    assert told[1:] == ["from /other", "from /src", "            /src/a", "            /other/b"]


def test_the_largest_files_inside_a_chosen_folder_are_named_too():
    folder = PlanItem(StepName.MAKE, Kind.FOLDER, Place(b"/src", b"d"), Place(b"/dst", b"d"), totals=Totals(0, 1))
    told = summary_of(copies(folder, copy_of(b"d/big", 2048), copy_of(b"d/empty", 0)))
    assert told[2] == "            d/"
    assert told[-2:] == ["largest:", "   2.0 KiB  /src/d/big"]


def test_a_copy_under_another_name_says_so():
    item = PlanItem(StepName.COPY, Kind.FILE, Place(b"/src", b"a.md"), Place(b"/src", b"a (1).md"), totals=Totals(1))
    assert "new name: a.md → a (1).md" in summary_of(copies(item))


def test_undoing_names_the_operation_and_what_becomes_of_each_file():
    items = (
        PlanItem(StepName.REMOVE, Kind.FILE, Place(b"/dst", b"a"), Place(b"/src", b"a"), totals=Totals(1, 0, 9)),
        PlanItem(StepName.RENAME, Kind.FILE, Place(b"/trash", b"b.2"), Place(b"/src", b"b"), totals=Totals(1)),
        PlanItem(StepName.NOTHING, Kind.FILE, Place(b"/dst", b"c"), reason="it has changed since, so it is left alone"),
    )
    plan = Plan(Verb.UNDO, items, (ROOT, THERE, Root(b"/trash", 1, 5)), undoes=12, undone=Verb.COPY)
    assert summary_of(plan) == [
        "Undo copy (operation 12): 2 files, 9 B",
        "removes /dst/a",
        "puts back /src/b",
        "leaves /dst/c: it has changed since, so it is left alone",
    ]
    assert Plan.decode(plan.encoded).undone is Verb.COPY


def test_a_new_file_is_named_with_its_size():
    item = PlanItem(StepName.CREATE, Kind.FILE, target=Place(b"/dst", b"n"), totals=Totals(1, 0, 9), data=b"123456789")
    assert summary_of(Plan(Verb.WRITE, (item,), (THERE,))) == ["Write /dst/n", "       9 B  /dst/n"]


def test_what_is_overwritten_is_listed_and_the_rest_counted():
    there = Fingerprint(1, 9, 5, 0, Kind.FILE)
    plan = copies(*(copy_of(b"f%02d" % n, decision=Decision.REPLACE, existing=there) for n in range(SHOWN + 3)))
    told = [line for line in summary_of(plan) if line.startswith("overwrites")]
    assert told[0] == "overwrites: /dst/f00"
    assert told[-1] == "overwrites: and 3 more"
    assert len(told) == SHOWN + 1


def test_deleting_for_good_needs_the_typed_word():
    plan = Plan(Verb.DELETE, (PlanItem(StepName.REMOVE, Kind.FILE, Place(b"/src", b"a"), totals=Totals(1)),), (ROOT,))
    assert word_to_type(plan) == "delete"
    assert any(line.startswith("RISK: deletes for good") for line in summary_of(plan))
    assert [fact.tone for fact in facts_of(plan) if fact.text.startswith("RISK: ")] == ["risk"]
    assert word_to_type(copies(copy_of(b"a"))) is None


def test_who_said_yes_is_asked_again_where_the_plan_holds_more_than_they_could_see():
    there, pipe = Fingerprint(1, 9, 5, 0, Kind.FILE), Place(b"/src", b"p")
    lacking = PlanItem(
        StepName.NOTHING, Kind.SPECIAL, pipe, None, Fingerprint(1, 2, 0, 0, Kind.SPECIAL), reason="a pipe"
    )
    packed = PlanItem(StepName.PACK, Kind.FILE, None, Place(b"/dst", b"a.zip"))
    assert not copies(copy_of(b"a")).asks_again
    assert not copies(copy_of(b"a"), lacking).asks_again
    assert not Plan(Verb.PACK, (packed,), (ROOT, THERE)).asks_again
    assert copies(copy_of(b"a", decision=Decision.REPLACE, existing=there)).asks_again
    assert copies(copy_of(b".bashrc", protected="runs at login")).asks_again
    assert Plan(Verb.PACK, (packed, lacking), (ROOT, THERE)).asks_again


def test_protected_places_and_open_questions_are_told():
    plan = copies(copy_of(b".bashrc", protected="runs at login"), copy_of(b"b", decision=Decision.ASK))
    told = summary_of(plan)
    assert "protected: /src/.bashrc → /dst/.bashrc (runs at login)" in told
    assert "1 name taken: you will be asked" in told
    assert word_to_type(plan) == "copy"


def test_a_new_folder_is_named_in_the_title():
    plan = Plan(
        Verb.MKDIR,
        (PlanItem(StepName.MAKE, Kind.FOLDER, target=Place(b"/dst", b"new"), totals=Totals(0, 1)),),
        (THERE,),
    )
    assert summary_of(plan) == [title_of(plan)] == ["Create folder /dst/new"]


def test_renames_show_old_and_new_names():
    items = [
        PlanItem(StepName.RENAME, Kind.FILE, Place(b"/src", b"a%d" % n), Place(b"/src", b"b%d" % n), totals=Totals(1))
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


def test_beside_its_title_a_plan_names_the_first_of_what_was_chosen():
    assert chosen_of(copies(copy_of(b"a"))) == "/src/a"
    assert chosen_of(copies(copy_of(b"a"), copy_of(b"b"), copy_of(b"b/inside"), copy_of(b"c"))) == "/src/a and 2 more"
    assert chosen_of(Plan(Verb.COPY, ())) == ""


def test_two_renames_are_told_apart_by_what_becomes_of_what():
    step = PlanItem(StepName.RENAME, Kind.FILE, Place(b"/src", b"a"), Place(b"/src", b"b"), totals=Totals(files=1))
    assert chosen_of(Plan(Verb.RENAME, (step,), (ROOT,))) == "/src/a → b"


def test_a_command_speaks_for_itself():
    plan = CommandPlan(Verb.RUN, (), command="ls")
    assert (title_of(plan), summary_of(plan), chosen_of(plan)) == (plan.title, plan.summary, "")


def test_the_way_back_says_what_becomes_of_each_file():
    here, there = Place(b"/src", b"a"), Place(b"/dst", b"a")
    plan = Plan(
        Verb.UNDO,
        (
            PlanItem(StepName.REMOVE, Kind.FILE, there),
            PlanItem(StepName.TRASH, Kind.FILE, there),
            PlanItem(StepName.RENAME, Kind.FILE, there, here),
            PlanItem(StepName.SWAP, Kind.FILE, there, here),
            PlanItem(StepName.NOTHING, Kind.FILE, there, reason="it has changed since"),
            PlanItem(StepName.NOTHING, Kind.FILE, there),
        ),
        (ROOT, THERE),
        undoes=3,
        undone=Verb.MOVE,
    )
    assert [line for line in summary_of(plan) if "/a" in line] == [
        "removes /dst/a",
        "moves to trash /dst/a",
        "puts back /src/a",
        "puts the earlier /src/a back",
        "leaves /dst/a: it has changed since",
        "leaves /dst/a",
    ]


def test_amounts_add_up():
    assert Totals(1, 2, 3) + Totals(10, 20, 30) == Totals(11, 22, 33)


def test_a_link_says_where_it_leads_and_a_hard_one_which_file_gets_another_name():
    soft = PlanItem(StepName.LINK, Kind.LINK, None, Place(b"/dst", b"l"), totals=Totals(1, 0, 0), data=b"../a\n")
    hard = PlanItem(StepName.LINK, Kind.FILE, Place(b"/src", b"a"), Place(b"/dst", b"l"), totals=Totals(1, 0, 5))
    plans = [Plan(Verb.LINK, (item,), (ROOT, THERE)) for item in (soft, hard)]
    assert [summary_of(plan) for plan in plans] == [
        ["Link /dst/l to ../a\\u{a}", "mind \\u{…}: a character that cannot be seen, or passes for another"],
        ["Give /src/a the further name /dst/l"],
    ]
    assert [page_of(plan, 0, 1).lines[0].strip() for plan in plans] == [
        "/dst/l leads to ../a\\u{a}",
        "5 B  /src/a also as /dst/l",
    ]
