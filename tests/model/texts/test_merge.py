"""Two changes of one text join without loss, or the conflict is shown; nothing is ever dropped silently."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.texts.merge import ConflictStandsError, merge_texts

TEXTS = st.builds(
    lambda lines, last: "".join(lines) + last,
    st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "\n"]), max_size=15),
    st.sampled_from(["", "end"]),
)


@given(TEXTS, TEXTS)
def test_a_change_on_one_side_only_is_taken(base, changed):
    assert merge_texts(base, base, changed).text() == changed
    assert merge_texts(base, changed, base).text() == changed
    assert merge_texts(base, changed, changed).text() == changed


@given(TEXTS, TEXTS, TEXTS)
def test_merging_is_the_same_from_both_sides(base, mine, theirs):
    one, other = merge_texts(base, mine, theirs), merge_texts(base, theirs, mine)
    assert len(one.conflicts) == len(other.conflicts)
    if not one.conflicts:
        assert one.text() == other.text()


LONG = [f"line {i}\n" for i in range(40)]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 39), st.booleans()), max_size=6))
def test_clean_merges_agree_with_git(tmp_path_factory, changes):
    mine, theirs = LONG[:], LONG[:]
    for at, ours in changes:
        (mine if ours else theirs)[at] = f"{'mine' if ours else 'theirs'} {at}\n"
    merge = merge_texts("".join(LONG), "".join(mine), "".join(theirs))
    folder = tmp_path_factory.mktemp("merge")
    for name, lines in (("mine", mine), ("base", LONG), ("theirs", theirs)):
        (folder / name).write_text("".join(lines))
    git = subprocess.run(["git", "merge-file", "-p", "mine", "base", "theirs"], cwd=folder, capture_output=True)
    assert bool(git.returncode) == bool(merge.conflicts)
    if not merge.conflicts:
        assert git.stdout.decode() == merge.text()


WHO = st.sampled_from(["nobody", "mine", "theirs", "same", "both", "mine deletes", "theirs adds"])


@given(st.lists(WHO, min_size=20, max_size=20), st.sampled_from(["mine", "theirs", "both", "base"]))
def test_every_change_of_either_side_is_in_the_outcome_exactly_once(who, choice):
    mine, theirs, wanted = [], [], []
    for at, line in enumerate(LONG):
        says = who[at // 2] if at % 2 else "nobody"
        one = {"mine": ["M\n"], "same": ["S\n"], "both": ["M\n"], "mine deletes": []}.get(says, [line])
        other = {"theirs": ["T\n"], "same": ["S\n"], "both": ["T\n"], "theirs adds": [line, "A\n"]}.get(says, [line])
        mine += one
        theirs += other
        if says == "both":
            wanted += {"mine": ["M\n"], "theirs": ["T\n"], "both": ["M\n", "T\n"], "base": [line]}[choice]
        else:
            wanted += other if one == [line] else one
    merge = merge_texts("".join(LONG), "".join(mine), "".join(theirs))
    assert len(merge.conflicts) == who.count("both")
    assert merge.text(dict.fromkeys(range(len(merge.conflicts)), choice)) == "".join(wanted)


def test_both_changing_one_line_is_a_conflict_that_names_how_many_places():
    merge = merge_texts("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")
    with pytest.raises(ConflictStandsError, match="one place"):
        merge.text()
    assert merge.text({0: "mine"}) == "a\nmine\nc\n"
    assert merge.text({0: "theirs"}) == "a\ntheirs\nc\n"
    assert merge.text({0: "both"}) == "a\nmine\ntheirs\nc\n"
    assert merge.text({0: "base"}) == "a\nb\nc\n"


def test_a_conflict_is_written_with_all_three_sides_even_without_a_final_newline():
    marked = merge_texts("b", "mine", "theirs").marked_text()
    assert marked == "<<<<<<< on disk\nmine\n||||||| before\nb\n=======\ntheirs\n>>>>>>> proposed\n"


def test_changes_that_touch_are_a_conflict_so_no_newline_is_lost():
    assert merge_texts("a\nb\n", "a\nb", "a\nb\nc\n").conflicts
