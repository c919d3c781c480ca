"""The rows that faces draw hold every line once, in order, however they are folded."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.diff import diff_texts
from cmdr.model.texts.diff_rows import DiffRows, WordMarks, word_marks

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c c\n", "\n", "d\r\n"]), max_size=25).map("".join)
CONTEXT = st.none() | st.integers(0, 3)


def side(rows, name):
    return "".join(line.text + line.ending for row in rows if (line := getattr(row, name)) is not None)


@given(TEXTS, TEXTS, st.booleans())
def test_rows_hold_both_texts_exactly(old, new, unified):
    rows = DiffRows(diff_texts(old, new), unified=unified)
    assert side(rows, "old") == old
    assert side(rows, "new") == new


@given(TEXTS, TEXTS, st.booleans(), CONTEXT)
def test_folds_stand_for_exactly_the_lines_they_hide(old, new, unified, context):
    diff = diff_texts(old, new)
    rows = DiffRows(diff, unified=unified, context=context)
    shown = sum(row.old is not None for row in rows)
    assert shown + sum(row.hidden for row in rows) == len(diff.old_lines)
    assert list(rows) == [rows[index] for index in range(len(rows))] == rows[:]


@given(TEXTS, TEXTS, st.booleans(), CONTEXT)
def test_every_hunk_is_found_in_the_rows(old, new, unified, context):
    rows = DiffRows(diff_texts(old, new), unified=unified, context=context)
    assert [rows[rows.row_of_hunk(hunk)].hunk for hunk in range(len(rows.diff.hunks))] == [*range(len(rows.diff.hunks))]


def test_side_by_side_pairs_changed_lines_and_leaves_gaps():
    rows = DiffRows(diff_texts("a\nb\nc\n", "a\nB\nB2\nc\n"))
    assert [(r.kind, r.old and r.old.number, r.new and r.new.number) for r in rows] == [
        ("equal", 1, 1),
        ("replace", 2, 2),
        ("replace", None, 3),
        ("equal", 3, 4),
    ]


def test_unified_shows_what_goes_before_what_comes():
    rows = DiffRows(diff_texts("a\nb\n", "a\nB\n"), unified=True)
    assert [row.kind for row in rows] == ["equal", "delete", "insert"]


def test_a_fold_names_how_many_lines_it_hides():
    old = "".join(f"{i}\n" for i in range(20))
    rows = DiffRows(diff_texts(old, old.replace("10\n", "ten\n")), context=3)
    assert [(row.kind, row.hidden) for row in rows if row.kind == "fold"] == [("fold", 7), ("fold", 6)]


def test_a_missing_final_newline_can_be_seen():
    rows = DiffRows(diff_texts("a", "a\n"))
    assert (rows[0].old.ending, rows[0].new.ending) == ("", "\n")


def test_marks_name_the_changed_words_of_a_row_in_both_views():
    diff = diff_texts("x = old_name + 1\n", "x = new_name + 1\n")
    assert DiffRows(diff).marks(0) == WordMarks(((4, 12),), ((4, 12),))
    unified = DiffRows(diff, unified=True)
    assert unified.marks(0) == WordMarks(((4, 12),), ())
    assert unified.marks(1) == WordMarks((), ((4, 12),))


def without(line, spans):
    out, at = "", 0
    for start, end in spans:
        assert at <= start < end <= len(line)
        out += line[at:start]
        at = end
    return out + line[at:]


WORDS = st.lists(st.sampled_from(["foo", "bar", " ", "(", ")", "=", "é", "😀", "\t"]), max_size=20).map("".join)


@given(WORDS | st.text(), WORDS | st.text())
def test_what_is_left_unmarked_is_the_same_in_both_lines(old, new):
    marks = word_marks(old, new)
    assert without(old, marks.old) == without(new, marks.new)


def test_a_very_long_line_is_marked_between_its_common_ends():
    old = "start " + "a b " * 5000 + "end"
    marks = word_marks(old, old.replace("end", "finish end"))
    assert without(old, marks.old) == old


@given(WORDS, WORDS, st.sampled_from(["x", "y"]))
def test_long_lines_keep_their_common_ends_unmarked(head, tail, middle):
    long = "w " * 6000
    old, new = head + long + tail, head + middle + long + tail
    marks = word_marks(old, new)
    assert without(old, marks.old) == without(new, marks.new)
    assert sum(end - start for start, end in marks.new) <= len(middle)


def test_lines_with_little_in_common_are_marked_whole():
    assert word_marks("return alpha", "x = [beta]") == WordMarks(((0, 12),), ((0, 10),))
