"""Two plans meet where one changes what the other changes, reads or works in; folders stand for what is inside."""

import os

import pytest

from cmdr.core.changes.touched_paths import TouchedPaths
from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Root, StepName, Verb


@pytest.fixture
def tree(tmp_path):
    for folder in ("from/inner", "to/inner", "else"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("from/a", "from/b", "from/inner/c", "to/a", "to/inner/d", "else/e"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("from")
    return tmp_path


def at(tree, *names):
    return [os.fsencode(tree / name) for name in names]


def copied(tree, *names):
    return plan_copy(at(tree, *names), os.fsencode(tree / "to"))


OTHERS = {
    "a new folder where it copies from": (lambda t: plan_mkdir(*at(t, "from/new")), False),
    "a new folder where it copies to": (lambda t: plan_mkdir(*at(t, "to/new")), False),
    "a new file in a folder that is joined": (lambda t: plan_mkfile(*at(t, "to/inner/new"), b""), False),
    "another file to the same folder": (lambda t: plan_copy(at(t, "else/e"), os.fsencode(t / "to")), False),
    "the same file to elsewhere": (lambda t: plan_copy(at(t, "from/a"), os.fsencode(t / "else")), False),
    "its source to the trash": (lambda t: plan_trash(at(t, "from/a")), True),
    "its source under another name": (lambda t: plan_trash(at(t, "link/a")), True),
    "its target to the trash": (lambda t: plan_trash(at(t, "to/a")), True),
    "a copy from its target": (lambda t: plan_copy(at(t, "to/a"), os.fsencode(t / "else")), True),
    "the folder it copies from": (lambda t: plan_trash(at(t, "from")), True),
    "the folder it copies to": (lambda t: plan_move(at(t, "to"), os.fsencode(t / "else")), True),
    "a folder inside that is joined": (lambda t: plan_trash(at(t, "to/inner")), True),
    "a file that it would land on inside": (lambda t: plan_mkfile(*at(t, "to/inner/c"), b""), True),
    "a link in its place": (lambda t: plan_link(*at(t, "to/b"), b"x"), True),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_copy_meets_only_what_touches_its_sources_targets_or_folders(tree, other):
    make, meets = OTHERS[other]
    one, two = TouchedPaths.of(copied(tree, "from/a", "from/b", "from/inner")), TouchedPaths.of(make(tree))
    assert one.touches(two) is meets
    assert two.touches(one) is meets


def test_what_is_left_alone_is_no_place(tree):
    skipped = PlanItem(StepName.NOTHING, Kind.FILE, Place(os.fsencode(tree), b"from/a"), reason="a reason")
    plan = Plan(Verb.COPY, (skipped,), (Root(os.fsencode(tree), 1, 1),))
    assert TouchedPaths.of(plan).read == frozenset()


def test_the_notes_of_the_trash_and_second_names_are_places_too():
    root = Root(b"/", 1, 1)
    item = PlanItem(
        StepName.TWIN, Kind.FILE, Place(b"/", b"trash/x"), Place(b"/", b"x"),
        info=Place(b"/", b"trash/x.info"), twin=Place(b"/", b"first"),
    )  # fmt: skip
    places = TouchedPaths.of(Plan(Verb.RESTORE, (item,), (root,)))
    assert places.changed == {b"/x", b"/trash/x.info"}
    assert places.read == {b"/trash/x", b"/first"}
    everything = TouchedPaths(frozenset({b"/"}), frozenset(), frozenset())
    assert everything.touches(places)
    assert TouchedPaths.of(
        Plan(Verb.COPY, (PlanItem(StepName.MAKE, Kind.FOLDER, None, Place(b"/x", b"")),))
    ).changed == {b"/x"}
