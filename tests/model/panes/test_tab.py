"""A tab keeps cursor and selection on their entries while the folder changes under them."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.tab import MAX_VISITS, History, SelectedEntries, Tab


def listing_of(names, *, show_hidden=True, inodes=None):
    inodes = inodes or {}
    columns = Columns.pack(names, ["f"] * len(names), [inodes.get(name, hash(name) & 0xFFFF | 1) for name in names])
    return Listing.of(columns, SortOrder(), show_hidden=show_hidden)


def tab_on(names, cursor, **how):
    tab = Tab("t1", b"/here")
    tab.show(listing_of(names, **how), path=b"/here")
    tab.put_cursor(tab.listing.position_of(cursor))
    return tab


NAMES = st.lists(st.integers(0, 40).map(lambda n: b"n%02d" % n), unique=True, min_size=1, max_size=40)


@given(NAMES, NAMES, st.data())
def test_the_cursor_stays_on_its_entry_or_goes_to_the_next_one_left(before, after, data):
    cursor = data.draw(st.sampled_from(before))
    inodes = {name: number + 1 for number, name in enumerate(sorted({*before, *after}))}
    tab = tab_on(before, cursor, inodes=inodes)
    tab.show(listing_of(after, inodes=inodes))
    if cursor in after:
        assert tab.cursor_name() == cursor
    else:
        later = [name for name in sorted(before) if name > cursor and name in after]
        earlier = [name for name in sorted(before) if name < cursor and name in after]
        if later:
            assert tab.cursor_name() == later[0]
        elif earlier:
            shown = sorted(after)
            assert tab.cursor_name() == shown[min(shown.index(earlier[-1]) + 1, len(shown) - 1)]
    assert 0 <= tab.cursor < len(after)


def test_when_several_entries_vanish_at_once_the_neighbour_gets_the_cursor():
    """The cursor stayed at its row number and so jumped by as many rows as had vanished above it."""
    tab = tab_on([b"a", b"b", b"c", b"d", b"e"], b"c")
    tab.show(listing_of([b"d", b"e"]))
    assert tab.cursor_name() == b"d"


def test_a_renamed_entry_keeps_the_cursor():
    tab = tab_on([b"a", b"b", b"z"], b"b", inodes={b"a": 1, b"b": 2, b"z": 3})
    tab.show(listing_of([b"a", b"y", b"z"], inodes={b"a": 1, b"y": 2, b"z": 3}))
    assert tab.cursor_name() == b"y"


def test_hiding_the_entry_under_the_cursor_moves_it_to_the_next_that_is_shown():
    tab = tab_on([b".a", b".b", b"x", b"y"], b".b")
    tab.show(tab.listing.arranged(SortOrder(), show_hidden=False))
    assert tab.cursor_name() == b"x"


def test_sorting_moves_the_rows_and_not_the_cursors_entry():
    tab = tab_on([b"a.z", b"b.y", b"c.x"], b"a.z")
    tab.selection.add([0])
    tab.show(tab.listing.arranged(SortOrder(SortKey.EXT, Direction.DESC), show_hidden=True))
    assert tab.cursor_name() == b"a.z"
    tab.show(tab.listing.arranged(SortOrder(SortKey.EXT), show_hidden=True))
    assert (tab.cursor, tab.cursor_name()) == (2, b"a.z")
    assert [tab.listing.columns.name(row) for row in tab.selection.rows()] == [b"a.z"]


def test_another_folder_starts_at_the_top_with_nothing_selected():
    tab = tab_on([b"a", b"b"], b"b")
    tab.selection.add([0])
    tab.window = 1
    tab.show(listing_of([b"c", b"d"]), path=b"/there")
    assert (tab.cursor, tab.window, tab.selection.count, tab.path) == (0, 0, 0, b"/there")


def test_another_folder_can_be_entered_with_the_cursor_on_a_name():
    tab = tab_on([b"a"], b"a")
    tab.show(listing_of([b"c", b"d"]), path=b"/there", cursor=b"d")
    assert tab.cursor_name() == b"d"


def test_a_folder_that_became_empty_has_no_cursor_and_a_window_at_its_start():
    tab = tab_on([b"a", b"b"], b"b")
    tab.window = 1
    tab.show(listing_of([]))
    assert (tab.cursor, tab.window, tab.cursor_name()) == (0, 0, None)


def test_what_was_wrong_is_forgotten_when_the_folder_can_be_shown_again():
    tab = tab_on([b"a"], b"a")
    tab.problem = "gone"
    tab.show(listing_of([b"a"]))
    assert tab.problem is None


@given(st.integers(-5, 10))
def test_the_cursor_never_leaves_the_listing(position):
    tab = tab_on([b"a", b"b", b"c"], b"a")
    tab.put_cursor(position)
    assert 0 <= tab.cursor <= 2


def tab_of(*names, path=b"/here"):
    tab = Tab("t1", path)
    columns = Columns.pack(names, ["f"] * len(names), range(1, len(names) + 1))
    tab.show(Listing.of(columns, SortOrder(), show_hidden=True), path=path)
    return tab


def test_the_selection_is_chosen_or_else_what_is_under_the_cursor():
    tab = tab_of(b"a", b"b", b"c")
    tab.put_cursor(1)
    assert SelectedEntries.of(tab).paths() == (b"/here/b",)
    tab.selection.add([0, 2])
    chosen = SelectedEntries.of(tab)
    assert (chosen.count, chosen.paths(), chosen.inodes()) == (2, (b"/here/a", b"/here/c"), (1, 3))


def test_it_stays_when_the_selection_the_cursor_and_the_folder_change():
    tab = tab_of(b"a", b"b", b"c")
    tab.selection.add([0, 1])
    chosen = SelectedEntries.of(tab)
    tab.selection.clear()
    tab.show(tab_of(b"x").listing, path=b"/elsewhere")
    assert chosen.paths() == (b"/here/a", b"/here/b")
    assert chosen.first_names(1) == [b"a"]


def test_nothing_is_chosen_in_an_empty_folder_and_on_the_way_up():
    assert SelectedEntries.of(tab_of()) is None
    tab = tab_of(b"a")
    tab.on_parent_row = True
    assert SelectedEntries.of(tab) is None


def test_in_the_root_folder_paths_begin_with_one_slash():
    assert SelectedEntries.of(tab_of(b"etc", path=b"/")).paths() == (b"/etc",)


STEPS = st.lists(
    st.integers(0, 5).map(lambda n: b"/%d" % n) | st.sampled_from(["back", "forward", "forget"]), max_size=60
)


@given(STEPS)
def test_it_behaves_like_a_browsers_history(steps):
    history, past, future = History(), [], []
    for step in steps:
        if step == "back" and len(past) > 1:
            assert history.peek(-1).path == past[-2]
            history.move(-1)
            future.append(past.pop())
        elif step == "forward" and future:
            assert history.peek(1).path == future[-1]
            history.move(1)
            past.append(future.pop())
        elif step == "forget" and len(past) > 1:
            history.forget(-1)
            del past[-2]
        elif isinstance(step, bytes):
            history.visit(step)
            if not past or past[-1] != step:
                past.append(step)
                future.clear()
        assert (history.peek(-1) is None) == (len(past) < 2)
        assert (history.peek(1) is None) == (not future)
        if past:
            assert history.visits[history.here].path == past[-1]


def test_the_cursor_is_remembered_for_each_visit():
    history = History()
    history.visit(b"/a")
    history.remember_cursor(b"x")
    history.visit(b"/b")
    history.remember_cursor(b"y")
    assert history.peek(-1).cursor == b"x"
    assert history.last_cursor(b"/b") == b"y"
    assert history.last_cursor(b"/c") is None


def test_only_the_last_hundred_visits_are_kept():
    history = History()
    for number in range(MAX_VISITS + 50):
        history.visit(b"/%d" % number)
    assert len(history.visits) == MAX_VISITS
    assert history.visits[history.here].path == b"/149"
    assert history.visits[0].path == b"/50"


def test_forgetting_what_lies_ahead_leaves_the_current_visit():
    history = History()
    for path in (b"/a", b"/b", b"/c"):
        history.visit(path)
    history.move(-1)
    history.forget(1)
    assert history.visits[history.here].path == b"/b"
    assert history.peek(1) is None


def test_nothing_is_remembered_before_the_first_visit():
    history = History()
    history.remember_cursor(b"x")
    assert history.visits == []
