"""Wherever the cursor goes, the view follows, and a click finds the row that was drawn there."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.tab import ViewMode
from cmdr.tui.panes.geometry import PaneGeometry

SHAPES = st.builds(
    PaneGeometry,
    st.integers(10, 200),
    st.integers(5, 80),
    st.sampled_from(ViewMode),
    with_tabs=st.booleans(),
)


@given(SHAPES, st.integers(1, 5000), st.data())
def test_the_cursor_is_always_in_view(geometry, total, data):
    cursor = data.draw(st.integers(0, total - 1))
    top = data.draw(st.integers(0, total))
    new = geometry.top_for(cursor, top, total)
    assert new <= cursor < new + geometry.page
    assert geometry.line_of(cursor, new) is not None
    if geometry.columns > 1:
        assert new % geometry.lines == 0


@given(SHAPES, st.integers(0, 5000), st.integers(0, 6000))
def test_the_view_never_leaves_the_listing(geometry, total, top):
    clamped = geometry.clamp_top(top, total)
    assert 0 <= clamped <= max(0, total)


@given(SHAPES, st.integers(1, 300))
def test_a_click_hits_the_row_under_it(geometry, total):
    for position in range(min(total, geometry.page)):
        column, line = divmod(position, geometry.lines)
        x = 1 + column * (geometry.inner // geometry.columns)
        assert geometry.place_at(x, geometry.first_line + line, 0) == position


@given(SHAPES)
def test_columns_fill_the_pane_exactly(geometry):
    assert sum(geometry.column_width(column) for column in range(geometry.columns)) == geometry.inner
