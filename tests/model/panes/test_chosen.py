"""What was chosen stays chosen, whatever happens in the pane."""

from cmdr.model.panes.chosen import Chosen
from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.tab import Tab


def tab_of(*names, path=b"/here"):
    tab = Tab("t1", path)
    columns = Columns.pack(names, ["f"] * len(names), range(1, len(names) + 1))
    tab.show(Listing.of(columns, SortOrder(), show_hidden=True), path=path)
    return tab


def test_the_selection_is_chosen_or_else_what_is_under_the_cursor():
    tab = tab_of(b"a", b"b", b"c")
    tab.put_cursor(1)
    assert Chosen.of(tab).paths() == (b"/here/b",)
    tab.selection.add([0, 2])
    chosen = Chosen.of(tab)
    assert (chosen.count, chosen.paths(), chosen.inodes()) == (2, (b"/here/a", b"/here/c"), (1, 3))


def test_it_stays_when_the_selection_the_cursor_and_the_folder_change():
    tab = tab_of(b"a", b"b", b"c")
    tab.selection.add([0, 1])
    chosen = Chosen.of(tab)
    tab.selection.clear()
    tab.show(tab_of(b"x").listing, path=b"/elsewhere")
    assert chosen.paths() == (b"/here/a", b"/here/b")
    assert chosen.first_names(1) == [b"a"]


def test_nothing_is_chosen_in_an_empty_folder_and_on_the_way_up():
    assert Chosen.of(tab_of()) is None
    tab = tab_of(b"a")
    tab.on_parent_row = True
    assert Chosen.of(tab) is None


def test_in_the_root_folder_paths_begin_with_one_slash():
    assert Chosen.of(tab_of(b"etc", path=b"/")).paths() == (b"/etc",)
