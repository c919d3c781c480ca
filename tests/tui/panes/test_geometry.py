"""Wherever the cursor goes, the view follows, and a click finds the row that was drawn there."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.tab import ViewMode
from cmdr.tui.panes.geometry import PaneShape

SHAPES = st.builds(
    PaneShape,
    st.integers(10, 200),
    st.integers(5, 80),
    st.sampled_from(ViewMode),
    with_tabs=st.booleans(),
)


@given(SHAPES, st.integers(1, 5000), st.data())
def test_the_cursor_is_always_in_view(shape, total, data):
    cursor = data.draw(st.integers(0, total - 1))
    top = data.draw(st.integers(0, total))
    new = shape.top_for(cursor, top, total)
    assert new <= cursor < new + shape.page
    assert shape.line_of(cursor, new) is not None
    if shape.columns > 1:
        assert new % shape.lines == 0


@given(SHAPES, st.integers(0, 5000), st.integers(0, 6000))
def test_the_view_never_leaves_the_listing(shape, total, top):
    clamped = shape.clamp_top(top, total)
    assert 0 <= clamped <= max(0, total)


@given(SHAPES, st.integers(1, 300))
def test_a_click_hits_the_row_under_it(shape, total):
    for position in range(min(total, shape.page)):
        column, line = divmod(position, shape.lines)
        x = 1 + column * (shape.inner // shape.columns)
        assert shape.place_at(x, shape.first_line + line, 0) == position


@given(SHAPES)
def test_columns_fill_the_pane_exactly(shape):
    assert sum(shape.column_width(column) for column in range(shape.columns)) == shape.inner
