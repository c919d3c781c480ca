"""A diff loses nothing: every choice of hunks gives an exact text, whatever the two texts hold."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.texts.diff import MAX_LINES, BinaryContentError, TooManyLinesError, diff_lines, diff_texts
from cmdr.model.texts.text_selection import split_lines
from cmdr.model.texts.unified_diff import patch_text

# Few different lines, so that repeats, moves and empty ranges are common; ends that files really have.
LINES = st.sampled_from(["a", "b", "c", "", "}", "unique one", "x\rlone", "\ufeffbom", "\u2028sep", "日本"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n"])
TEXTS = st.builds(
    lambda lines, last: "".join(line + end for line, end in lines) + last,
    st.lists(st.tuples(LINES, ENDS), max_size=30),
    st.sampled_from(["", "", "no newline", "\r"]),
)


@given(TEXTS | st.text(alphabet=st.characters(exclude_characters="\0")))
def test_lines_joined_give_the_text_back(text):
    assert "".join(split_lines(text)) == text


@given(TEXTS, TEXTS)
def test_accepting_all_gives_the_new_text_and_rejecting_all_the_old_one(old, new):
    diff = diff_texts(old, new)
    assert diff.text_with(range(len(diff.hunks))) == new
    assert diff.text_with(()) == old


@given(TEXTS, TEXTS, st.data())
def test_any_choice_is_what_the_opposite_choice_gives_from_the_other_side(old, new, data):
    diff = diff_texts(old, new)
    chosen = {i for i in range(len(diff.hunks)) if data.draw(st.booleans())}
    swapped = diff_texts(new, old)
    if [(h.old_start, h.old_end, h.new_start, h.new_end) for h in diff.hunks] == [
        (h.new_start, h.new_end, h.old_start, h.old_end) for h in swapped.hunks
    ]:
        assert diff.text_with(chosen) == swapped.text_with(set(range(len(diff.hunks))) - chosen)
    # Taken one after another, the hunks of any choice lead to the same text, and its lines come from the two sides.
    assert set(split_lines(diff.text_with(chosen))) <= set(diff.old_lines) | set(diff.new_lines)


@given(TEXTS, TEXTS)
def test_hunks_are_in_order_never_touch_and_what_lies_between_is_equal(old, new):
    diff = diff_texts(old, new)
    old_at = new_at = 0
    for index, hunk in enumerate(diff.hunks):
        assert hunk.old_size or hunk.new_size
        assert diff.old_lines[old_at : hunk.old_start] == diff.new_lines[new_at : hunk.new_start]
        assert index == 0 or hunk.old_start > old_at
        old_at, new_at = hunk.old_end, hunk.new_end
    assert diff.old_lines[old_at:] == diff.new_lines[new_at:]


@given(TEXTS)
def test_a_text_has_no_difference_from_itself(text):
    assert diff_texts(text, text).hunks == ()


def test_a_missing_final_newline_is_a_change_of_its_own():
    diff = diff_texts("one\ntwo", "one\ntwo\n")
    assert [(hunk.kind, hunk.old_start, hunk.new_end) for hunk in diff.hunks] == [("replace", 1, 2)]


def test_changed_line_ends_are_changes():
    assert diff_texts("a\r\nb\r\n", "a\nb\r\n").removed == 1


def test_unique_lines_hold_the_diff_together_where_difflib_would_match_braces():
    old = "def one():\n    pass\n}\n\n"
    new = "def two():\n    pass\n}\n\ndef one():\n    pass\n}\n\n"
    assert [(hunk.kind, hunk.new_size) for hunk in diff_texts(old, new).hunks] == [("insert", 4)]


def test_contents_with_nul_are_refused_with_the_name_of_the_file():
    with pytest.raises(BinaryContentError, match=r"photo\.jpg is binary"):
        diff_texts("a\0b", "text", what="photo.jpg")


def test_more_lines_than_a_diff_can_hold_are_refused():
    with pytest.raises(TooManyLinesError, match="1,000,000 lines"):
        diff_texts("", "\n" * (MAX_LINES + 1))


def large(count, changes):
    rng = random.Random(2)
    old = [f"    value_{i} = compute({i})  # text\n" if i % 5 else "\n" for i in range(count)]
    new = old[:]
    for _ in range(changes):
        at, roll = rng.randrange(len(new)), rng.random()
        if roll < 0.4:
            new[at] = new[at].replace("compute", "calculate") + "# changed\n"
        elif roll < 0.7:
            new.insert(at, "    inserted()\n")
        else:
            del new[at]
    return old, new


def steps_per_line(old, new):
    """How many lines of the program are run for each line of the texts: the same on every machine."""
    steps = 0

    def count(_frame, event, _arg):
        nonlocal steps
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: count if "/cmdr/model/texts/" in frame.f_code.co_filename else None)
    try:
        diff_lines(old, new)
    finally:
        sys.settrace(before)
    return steps / (len(old) + len(new))


def test_a_hundred_thousand_lines_with_a_thousand_changes_are_looked_at_a_few_times_each():
    old, new = large(100_000, 1_000)
    assert 1 < steps_per_line(old, new) < 6


RNG = random.Random(7)
HOSTILE = {
    "one line over and over": (["x\n"] * 50_000, ["x\n", "y\n"] * 25_000),
    "two lines in disorder": (RNG.choices(["x\n", "y\n"], k=50_000), RNG.choices(["x\n", "y\n"], k=50_000)),
    "everything moved": ([f"{i}\n" for i in range(50_000)], [f"{i * 7919 % 50_000}\n" for i in range(50_000)]),
    "anchors found one at a time": (
        [f"{i // 2}\n" for i in range(20_000)],
        [f"{(20_001 - i) // 2}\n" for i in range(20_000)],
    ),
    "many gaps without anchors": (
        [line for i in range(200) for line in [f"u{i}\n", *RNG.choices("ab", k=300)]],
        [line for i in range(200) for line in [f"u{i}\n", *RNG.choices("ab", k=300)]],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_cost_little_more_than_others(name):
    old, new = HOSTILE[name]
    assert 1 < steps_per_line(old, new) < 15
    diff = diff_lines(old, new)
    assert diff.text_with(range(len(diff.hunks))) == "".join(new)


PATCHABLE = st.builds(
    lambda lines, last: "".join(line + "\n" for line in lines) + last,
    st.lists(st.sampled_from(["a", "b", "", "}", "-- x", "++ y", "\\ z", "ünï"]), max_size=25),
    st.sampled_from(["", "end"]),
)


@settings(max_examples=25, deadline=None)
@given(PATCHABLE, PATCHABLE, st.integers(0, 4))
def test_git_applies_our_patches(tmp_path_factory, old, new, context):
    patch = patch_text(diff_texts(old, new), "a/f.txt", "b/f.txt", context=context)
    if not patch:
        assert old == new
        return
    folder = tmp_path_factory.mktemp("patch")
    (folder / "f.txt").write_bytes(old.encode())
    # --unidiff-zero only allows what context 0 needs; the patch must still match exactly.
    command = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"]
    if old and new:
        subprocess.run(command, cwd=folder, input=patch.encode(), check=True, capture_output=True)
        assert (folder / "f.txt").read_bytes() == new.encode()


@pytest.mark.parametrize("name", ["with space", "two\nlines", 'quo"te', "back\\slash", "tab\there", "ünï 日本"])
def test_git_applies_patches_of_files_with_hostile_names(tmp_path, name):
    (tmp_path / name).write_bytes(b"a\n")
    patch = patch_text(diff_texts("a\n", "b\n"), f"a/{name}", f"b/{name}")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch.encode(), check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == b"b\n"
