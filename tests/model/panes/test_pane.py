"""A pane has tabs, one of them in front, and is never without one."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.pane import MAX_CLOSED_TABS, Pane, Side
from cmdr.model.panes.tab import Tab


@given(st.lists(st.integers(-1, 6), max_size=40))
def test_the_tab_in_front_stays_in_front_unless_it_is_closed(steps):
    pane = Pane(Side.LEFT, [Tab("t0", b"/")])
    made = 1
    for step in steps:
        front = pane.tab
        if step < 0:
            pane.open_tab(Tab(f"t{made}", b"/"))
            assert pane.tab.id == f"t{made}"
            assert pane.tabs[pane.active - 1] is front
            made += 1
        elif len(pane.tabs) > 1:
            place = step % len(pane.tabs)
            closed = pane.tabs[place]
            pane.close_tab(place)
            assert pane.closed[-1] is closed
            assert closed is front or pane.tab is front
        assert 0 <= pane.active < len(pane.tabs)
        assert len(pane.closed) <= MAX_CLOSED_TABS


def test_tabs_are_found_by_their_id():
    pane = Pane(Side.RIGHT, [Tab("t1", b"/"), Tab("t2", b"/")])
    assert (pane.find_tab("t2"), pane.find_tab("t3")) == (1, None)


def test_each_side_has_the_other():
    assert Side.LEFT.other is Side.RIGHT
    assert Side.RIGHT.other is Side.LEFT
