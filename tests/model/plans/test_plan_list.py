"""All of a plan can be read before one decides, and what is unlike the rest is named at once."""

from hypothesis import example, given
from hypothesis import strategies as st

from cmdr.model.plans import packed_items
from cmdr.model.plans.command_plan import CommandPlan
from cmdr.model.plans.packed_items import packed
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb
from cmdr.model.plans.plan_facts import MAX_GROUPS
from cmdr.model.plans.plan_list import LOOKED_AT, length_of, line_of, lines_at, page_of, places_of
from cmdr.model.plans.plan_text import SHOWN, summary_of

ROOT = Root(b"/src", 1, 2)
THERE = Fingerprint(1, 9, 5, 0, Kind.FILE)


def removal(name, root=b"/src", kind=Kind.FILE, **how):
    return PlanItem(StepName.REMOVE, kind, Place(root, name), totals=Totals(1, 0, 2048), **how)


def deletion(*items):
    return Plan(Verb.DELETE, packed(items), (ROOT,))


def pictures(count, first=0):
    return [removal(b"img%05d.jpg" % number) for number in range(first, first + count)]


def test_one_program_among_sixty_pictures_is_named():
    """It was never named anywhere: the summary said `and 56 more`."""
    plan = deletion(*pictures(40), removal(b"hello.py"), *pictures(20, 40))
    told = summary_of(plan)
    assert "   2.0 KiB  hello.py  (unlike most)" in told
    assert "   2.0 KiB  img00000.jpg" in told
    assert "and 56 more" in told
    assert "kinds: 60 .jpg, 1 .py" in told


def test_one_from_another_folder_is_named():
    plan = deletion(*pictures(30), removal(b"img.jpg", root=b"/elsewhere"))
    told = summary_of(plan)
    assert "   2.0 KiB  /elsewhere/img.jpg  (unlike most)" in told
    assert not any(line.startswith("kinds:") for line in told)


def test_a_folder_among_files_is_unlike_them():
    told = summary_of(deletion(*pictures(30), removal(b"all", kind=Kind.FOLDER)))
    assert "   2.0 KiB  all/  (unlike most)" in told
    assert "kinds: 30 .jpg, 1 folder" in told


def test_the_rarest_come_first_and_no_more_than_ten_are_named():
    notes = [removal(b"%02d.txt" % number) for number in range(20)]
    plan = deletion(*pictures(200), *notes, removal(b"only.sh"))
    named = [line for line in summary_of(plan) if line.endswith("(unlike most)")]
    assert len(named) == 10
    assert named[0] == "   2.0 KiB  only.sh  (unlike most)"


def test_of_a_few_different_ones_nobody_is_odd_and_of_very_many_kinds_the_first_are_counted():
    many = deletion(*(removal(b"a.%d" % number) for number in range(MAX_GROUPS + 50)))
    assert (len(many.odd), len(many.kinds)) == (10, MAX_GROUPS)
    few = deletion(*(removal(b"a.%d" % number) for number in range(3)))
    assert few.odd == ()
    assert [line for line in summary_of(few) if "unlike" in line] == []


def test_when_all_are_named_their_order_stays():
    plan = deletion(*pictures(4), removal(b"b.py"))
    rows = [line for line in summary_of(plan) if line.startswith("   2.0 KiB")]
    assert rows[-1] == "   2.0 KiB  b.py"


def test_an_odd_pair_among_many_renames_is_named():
    def renamed(old, new):
        return PlanItem(StepName.RENAME, Kind.FILE, Place(b"/src", old), Place(b"/src", new), totals=Totals(1))

    pairs = [renamed(b"a%02d.txt" % n, b"b%02d.txt" % n) for n in range(30)]
    told = summary_of(Plan(Verb.RENAME, (*pairs, renamed(b"keys.gpg", b"old.bak")), (ROOT,)))
    assert "keys.gpg → old.bak  (unlike most)" in told
    assert "and 21 more" in told


def test_protected_places_and_folders_that_are_not_named_are_counted():
    plan = deletion(*(removal(b"f", root=b"/d%02d" % number, protected="runs at login") for number in range(13)))
    told = summary_of(plan)
    assert "protected: and 3 more" in told
    assert "from 3 more folders" in told


def test_every_page_together_is_every_step_in_its_order():
    plan = deletion(*pictures(40), removal(b"hello.py"), *pictures(20, 40))
    lines = [line for start in range(0, 70, 7) for line in page_of(plan, start, 7).lines]
    assert lines == [line_of(item, plan) for item in plan.items]
    assert lines[40] == "   2.0 KiB  /src/hello.py"
    assert page_of(plan, 60, 7) == page_of(plan, 60, 1)
    assert (page_of(plan, 1000, 5).start, page_of(plan, 1000, 5).lines, length_of(plan)) == (61, (), 61)


def test_a_page_of_a_large_plan_opens_no_more_than_the_blocks_it_lies_in(monkeypatch):
    plan = deletion(*pictures(packed_items.PLAIN + 5 * packed_items.BLOCK))
    opened = []
    unpack = packed_items._unpack
    monkeypatch.setattr(packed_items, "_unpack", lambda block: opened.append(1) or unpack(block))
    page = page_of(plan, 2 * packed_items.BLOCK + 5, 200)
    assert (len(page.lines), len(opened)) == (200, 1)


COPY = Plan(Verb.COPY, (), destination=b"/dst")
UNDO = Plan(Verb.UNDO, ())


def test_each_line_says_what_is_special_about_it():
    copy = Place(b"/src", b"a"), Place(b"/dst", b"b")
    told = [
        line_of(PlanItem(StepName.COPY, Kind.FILE, *copy, decision=Decision.REPLACE, existing=THERE), COPY),
        line_of(PlanItem(StepName.COPY, Kind.FILE, *copy, decision=Decision.ASK), COPY),
        line_of(PlanItem(StepName.COPY, Kind.FILE, *copy, decision=Decision.SKIP, reason="it is older"), COPY),
        line_of(PlanItem(StepName.NOTHING, Kind.FILE, copy[0]), COPY),
        line_of(PlanItem(StepName.REMOVE, Kind.FOLDER, copy[0], existing=THERE), COPY),
        line_of(PlanItem(StepName.REMOVE, Kind.FILE, copy[0], protected="runs at login"), deletion()),
        line_of(PlanItem(StepName.TRASH, Kind.FILE, copy[0]), UNDO),
    ]
    assert told == [
        "            /src/a → b (replaces what is there)",
        "            /src/a → b (name taken: you will be asked)",
        "            /src/a → b (left alone: it is older)",
        "            /src/a (left alone)",
        "            /src/a/ (removed once its copy is safe)",
        "            /src/a (protected: runs at login)",
        "moves to trash /src/a",
    ]


def test_a_text_is_found_wherever_it_stands_whatever_its_case():
    plan = deletion(*pictures(40), removal(b"Hello.py"), *pictures(20, 40))
    assert places_of(plan, "hello") == [40]
    assert lines_at(plan, [40, 0]) == ["   2.0 KiB  /src/Hello.py", "   2.0 KiB  /src/img00000.jpg"]


def test_a_search_that_is_not_wanted_any_more_ends():
    asked = []
    plan = deletion(*pictures(3 * LOOKED_AT))
    assert places_of(plan, "img", lambda: asked.append(1) or len(asked) < 2) == []
    assert len(asked) == 2


def test_a_command_is_listed_as_it_is_told():
    plan = CommandPlan(Verb.RUN, (), command="ls\nrm x")
    assert page_of(plan, 0, 100).lines == tuple(plan.summary)
    assert length_of(plan) == len(plan.summary)
    assert lines_at(plan, places_of(plan, "rm x")) == ["│ rm x"]


@example("passwd\u00a0".encode())
@given(st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name)))
def test_every_line_stays_one_printable_line(name):
    for item in (removal(name), removal(name, kind=Kind.FOLDER)):
        assert _shows(line_of(item, deletion(item)))
    odd = summary_of(deletion(*pictures(SHOWN * 3), removal(name)))
    assert all(map(_shows, odd))


def _shows(line: str) -> bool:
    return line.replace("\u3000", "").isprintable()  # the wide space is a space that can be seen
