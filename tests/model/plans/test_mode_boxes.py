"""Boxes of permissions: what is ticked becomes what `chmod` is told, and nothing else."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.plans.file_mode import ModeChange
from cmdr.model.plans.mode_boxes import ROWS, ModeBoxes

MODES = st.integers(0, 0o7777)


def boxes(*modes):
    made = ModeBoxes()
    every, some = 0o7777, 0
    for mode in modes:
        every, some = every & mode, some | mode
    made.know(every, some)
    return made


def test_one_file_has_a_number_and_ticking_changes_only_that():
    one = boxes(0o644)
    assert (one.octal, one.wish) == ("0644", "")
    one.toggle(0o100)
    one.toggle(0o004)
    assert (one.octal, one.wish) == ("0740", "u+x,o-r")
    one.toggle(0o100)
    one.toggle(0o004)
    assert (one.octal, one.wish) == ("0644", "")


def test_what_differs_is_mixed_and_can_be_left_so_again():
    two = boxes(0o644, 0o755)
    assert (two.octal, two.state(0o100), two.state(0o400), two.state(0o020)) == ("", None, True, False)
    seen = []
    for _ in range(3):
        two.toggle(0o100)
        seen.append((two.state(0o100), two.wish))
    assert seen == [(True, "u+x"), (False, "u-x"), (None, "")]


def test_a_number_sets_every_box():
    two = boxes(0o644, 0o755)
    assert two.take_octal("600")
    assert (two.octal, two.wish) == ("0600", "u-x,g-rx,o-rx")
    assert not two.take_octal("8")
    assert not two.take_octal("")
    assert two.octal == "0600"


def test_what_was_ticked_before_the_files_were_known_stays_ticked():
    early = ModeBoxes()
    early.toggle(0o100)
    early.toggle(0o400)
    early.know(0o600, 0o600)
    assert (early.octal, early.wish) == ("0700", "u+x")


@settings(deadline=None)
@given(before=st.lists(MODES, min_size=1, max_size=4), ticks=st.lists(st.sampled_from([b for r in ROWS for b in r])))
def test_what_chmod_is_told_gives_each_file_what_the_boxes_show(before, ticks):
    shown = boxes(*before)
    for bit in ticks:
        shown.toggle(bit)
    if not shown.wish:
        return
    for mode in before:
        after = ModeChange.of(shown.wish).on(mode, is_folder=True)
        for row in ROWS:
            for bit in row:
                state = shown.state(bit)
                assert bool(after & bit) is (bool(mode & bit) if state is None else state)


@settings(deadline=None)
@given(before=st.lists(MODES, min_size=1, max_size=4), wanted=MODES)
def test_a_typed_number_is_what_every_file_gets(before, wanted):
    shown = boxes(*before)
    assert shown.take_octal(f"{wanted:o}")
    assert shown.octal == f"{wanted:04o}"
    for mode in before:
        after = ModeChange.of(shown.wish).on(mode, is_folder=False) if shown.wish else mode
        assert after == wanted
