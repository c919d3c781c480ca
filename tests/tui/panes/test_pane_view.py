"""The panes: going about, selecting, searching, filtering, tabs."""

import os
import shutil


async def test_the_folders_are_shown_with_folders_first(face):
    async with face() as it:
        assert [it.tab.listing.name(n) for n in range(3)] == [b"docs", b"src", b"file1.txt"]
        assert "file5.txt" in it.drawn
        assert "9 entries, 1 hidden" in it.drawn


async def test_arrows_home_and_end_move_the_cursor(face):
    async with face() as it:
        await it.press("down", "down")
        assert it.name == "file1.txt"
        await it.press("end")
        assert it.name == "readme.md"
        await it.press("home")
        assert it.name == ".."
        await it.press("down")
        assert it.name == "docs"


async def test_enter_goes_in_and_backspace_comes_back_to_the_same_entry(face):
    async with face() as it:
        await it.press("down", "enter")
        assert it.tab.path == os.fsencode(it.left / "src")
        await it.press("backspace")
        assert it.tab.path == os.fsencode(it.left)
        assert it.name == "src"


async def test_tab_changes_the_pane(face):
    async with face() as it:
        await it.press("tab")
        assert it.tab.path == os.fsencode(it.right)
        await it.press("tab")
        assert it.tab.path == os.fsencode(it.left)


async def test_insert_selects_and_goes_down_and_space_stays(face):
    async with face() as it:
        await it.press("insert", "insert", "space")
        assert it.selected == ["docs", "src", "file1.txt"]
        assert it.name == "file1.txt"
        await it.press("escape")
        assert it.selected == []


async def test_masks_select_files_and_a_star_inverts(face):
    async with face() as it:
        await it.press("plus", "backspace")
        await it.type("*.TXT")
        await it.press("enter")
        assert it.selected == []  # capitals were typed, so case counts
        await it.press("plus", "backspace")
        await it.type("*.txt;*.md")
        await it.press("enter")
        assert it.selected == [f"file{n}.txt" for n in range(1, 6)] + ["readme.md"]
        await it.press("asterisk")
        assert it.selected == ["main.py"]


async def test_letters_search_and_arrows_go_to_the_next_match(face):
    async with face() as it:
        await it.type("fi")
        assert it.name == "file1.txt"
        assert "Search: fi_" in it.drawn
        await it.press("down")
        assert it.name == "file2.txt"
        await it.press("up", "up")
        assert it.name == "file5.txt"
        await it.press("escape")
        assert "Search" not in it.drawn


async def test_a_letter_that_leads_nowhere_is_not_taken(face):
    async with face() as it:
        await it.type("mz")
        assert it.name == "main.py"
        assert it.main.quick_search.search == "m"


async def test_a_filter_narrows_as_it_is_typed_and_escape_shows_all(face):
    async with face() as it:
        await it.press("slash")
        await it.type("md")
        assert len(it.tab.listing) == 1
        await it.press("enter")
        assert it.tab.filter == "md"
        assert "Filter: md" in it.drawn
        await it.press("escape")
        assert len(it.tab.listing) == 9


async def test_what_a_filter_hides_is_not_selected(face):
    async with face() as it:
        await it.press("ctrl+a", "slash")
        await it.type("main")
        await it.press("enter")
        assert it.selected == ["main.py"]


async def test_tabs_open_switch_pin_close_and_reopen(face):
    async with face() as it:
        await it.press("ctrl+t")
        assert len(it.main.view.pane.tabs) == 2
        await it.press("enter", "ctrl+pageup")
        assert it.tab.path == os.fsencode(it.left)
        await it.press("ctrl+pagedown")
        assert it.tab.path == os.fsencode(it.left / "docs")
        await it.press("ctrl+w")
        assert len(it.main.view.pane.tabs) == 1
        await it.press("alt+t")
        assert it.tab.path == os.fsencode(it.left / "docs")
        await it.press("alt+p")
        assert "◆" in it.drawn


async def test_sorting_again_by_the_same_key_turns_it_round(face):
    async with face() as it:
        await it.press("ctrl+s", "down", "down", "enter")
        assert str(it.tab.sort) == "size:desc"
        assert it.tab.listing.name(2) == b"file5.txt"
        await it.press("ctrl+s", "enter")
        assert str(it.tab.sort) == "size:asc"


async def test_brief_view_and_hidden_files(face):
    async with face() as it:
        await it.press("ctrl+b")
        assert it.tab.view.value == "brief"
        await it.press("alt+full_stop")
        assert it.tab.listing.position_of(b".hidden") is not None


async def test_the_other_pane_follows_with_ctrl_o_and_panes_swap(face):
    async with face() as it:
        await it.press("enter", "ctrl+o")
        assert it.commander.workspace.right.tab.path == os.fsencode(it.left / "docs")
        await it.press("backspace", "ctrl+u")
        assert it.commander.workspace.right.tab.path == os.fsencode(it.left)


async def test_go_to_path_completes_and_goes(face):
    async with face() as it:
        await it.press("ctrl+g")
        await it.type("sr")
        await it.press("tab")
        await it.until(lambda: it.terminal.screen._input.value == "src/")
        await it.press("enter")
        await it.until(lambda: it.tab.path == os.fsencode(it.left / "src"))


async def test_bookmarks_are_kept_and_gone_to(face):
    async with face() as it:
        await it.press("enter", "alt+b", "backspace", "ctrl+backslash")
        assert it.window == "Choose"
        assert "★" in it.drawn
        await it.press("enter")
        assert it.tab.path == os.fsencode(it.left / "docs")


async def test_a_refused_command_says_why_in_the_status_line(face):
    async with face() as it:
        await it.press("alt+left")
        assert "Nothing to go back to" in it.status


async def test_clicks_move_open_and_select(face):
    async with face() as it:
        await it.pilot.click("#left", offset=(5, 4))
        await it.press()
        assert it.name == "src"
        await it.pilot.click("#left", offset=(5, 3), button=3)
        await it.press()
        assert it.selected == ["docs"]
        await it.pilot.click("#right", offset=(5, 3))
        await it.press()
        assert it.commander.workspace.focused.value == "right"
        await it.pilot.click("#left", offset=(5, 3), times=2)
        await it.until(lambda: it.commander.workspace.left.tab.path.endswith(b"docs"))


async def test_a_folder_that_vanishes_is_told_and_left_behind(face):
    async with face() as it:
        (it.left / "docs" / "deep").mkdir()
        await it.press("enter")
        (it.left / "docs" / "deep").rmdir()
        (it.left / "docs").rmdir()
        await it.press("ctrl+r")
        assert "docs" in it.status
        await it.press("backspace")
        assert it.tab.path == os.fsencode(it.left)


async def test_a_small_window_still_shows_both_panes(face):
    async with face(size=(40, 10)) as it:
        lines = it.drawn.splitlines()
        assert len(lines) == 10
        assert all(len(line) <= 40 for line in lines)
        await it.pilot.resize_terminal(120, 40)
        await it.until(lambda: len(it.drawn.splitlines()) == 40)


async def test_the_view_stays_where_the_person_scrolled_when_files_appear(face, places):
    for number in range(100):
        (places[0] / f"n{number:03}").write_text("")
    async with face() as it:
        await it.press("end", "up", "up")
        view = it.main.left
        name, line = it.name, view.geometry.line_of(it.tab.cursor, view.top)
        for number in range(50):
            (places[0] / f"a{number:03}").write_text("")
        await it.press("ctrl+r")
        assert it.name == name
        assert view.geometry.line_of(it.tab.cursor, view.top) == line


async def test_one_folder_is_one_folder(face, places):
    (places[0] / "src").rmdir()
    (places[0] / ".hidden").unlink()
    async with face() as it:
        assert "8 entries, 1 folder ─" in it.drawn


async def test_alt_o_shows_the_folder_under_the_cursor_in_the_other_pane(face):
    async with face() as it:
        await it.press("home", "down", "alt+o")
        assert it.commander.workspace.right.tab.path == bytes(it.left / "docs")
        assert it.tab.path == bytes(it.left)
        await it.press("end", "alt+o")
        assert it.commander.workspace.right.tab.path == bytes(it.left)


async def test_a_pane_that_is_drawn_before_it_has_a_place_on_the_screen_begins_at_the_top(face, places):
    """The row above the cursor was scrolled out of a view of no lines, and stayed out."""
    for number in range(60):
        (places[0] / f"more{number}").touch()
    async with face() as it:
        view, size = it.main.left, it.main.left._size
        view._tops.clear()
        view._size = size.with_height(0)
        view.redraw(follow=True)
        view._size = size
        view.redraw(follow=True)
        assert view.top == 0


async def test_another_folder_is_shown_from_its_top_however_far_the_one_before_was_scrolled(face, places):
    for number in range(200):
        (places[0] / f"x{number:03}").touch()
    async with face() as it:
        await it.press("end", "ctrl+g")
        await it.type(str(places[1]))
        await it.press("enter")
        await it.until(lambda: it.tab.path == os.fsencode(places[1]))
        assert "/.." in it.lines(it.main.left)[2]


async def test_the_folder_one_came_from_stands_in_the_middle_when_it_is_far_down(face, places):
    for number in range(200):
        (places[0] / f"d{number:03}").mkdir()
    async with face() as it:
        await it.type("d150")
        await it.press("enter", "backspace")
        await it.until(lambda: it.tab.path == os.fsencode(places[0]))
        shown = [line for line in it.lines(it.main.left) if "/d1" in line]
        assert it.name == "d150" and 5 < next(place for place, line in enumerate(shown) if "d150" in line) < 15


async def test_a_click_on_a_column_head_sorts_and_a_second_one_turns_the_order_round(face):
    async with face() as it:
        head = it.lines(it.main.right)[1]
        await it.pilot.click(it.main.right, offset=(head.index("Size") + 1, 1))
        await it.main.queue.idle()
        assert it.tab is it.main.right.pane.tab
        assert (it.tab.sort.by.value, it.tab.sort.direction.value) == ("size", "desc")
        await it.pilot.click(it.main.right, offset=(head.index("Size") + 1, 1))
        await it.main.queue.idle()
        assert it.tab.sort.direction.value == "asc"
        await it.pilot.click(it.main.right, offset=(head.index("Modified") + 1, 1))
        await it.main.queue.idle()
        assert it.tab.sort.by.value == "modified"
        await it.pilot.click(it.main.right, offset=(4, 1))
        await it.main.queue.idle()
        assert it.tab.sort.by.value == "name"


async def test_shift_with_home_end_and_pages_selects_what_it_passes(face):
    async with face() as it:
        await it.press("home", "down", "down", "down", "shift+end")
        assert it.selected == ["file1.txt", "file2.txt", "file3.txt", "file4.txt", "file5.txt", "main.py", "readme.md"]
        assert it.name == "readme.md"
        await it.press("shift+home")
        assert it.selected == [] and it.name == ".."
        await it.press("shift+pagedown")
        assert len(it.selected) == 9


async def test_a_page_is_selected_up_to_the_row_it_leads_to(face, places):
    for number in range(100):
        (places[0] / f"x{number:03}").touch()
    async with face() as it:
        await it.type("x000")
        await it.press("escape", "shift+pagedown")
        assert it.selected[0] == "x000" and it.name not in it.selected
        assert it.selected[-1] == f"x{int(it.name[1:]) - 1:03}"


async def test_the_folders_a_tab_has_been_in_can_be_chosen_again(face, places):
    async with face() as it:
        await it.press("alt+down")
        assert "nowhere else" in it.status
        await it.type("docs")
        await it.press("enter", "alt+down")
        assert it.window == "Choose" and "left" in it.drawn
        await it.press("enter")
        await it.until(lambda: it.tab.path == os.fsencode(places[0]))


async def test_ctrl_c_says_how_to_quit(face):
    async with face() as it:
        await it.press("ctrl+c")
        assert "F10, Ctrl+Q quits." in it.status


async def test_all_that_is_selected_is_added_up_whether_it_was_seen_or_not(face, places):
    """Files beyond the pages in view counted as nothing."""
    for number in range(400):
        (places[0] / f"x{number:03}").write_bytes(b"x" * 1024)
    async with face() as it:
        await it.press("plus")
        await it.type("x*")
        await it.press("enter")
        await it.until(lambda: "400 of 409 selected, 400.0 KiB" in it.drawn)
        await it.press("home", "down", "insert")
        await it.until(lambda: "401 of 409 selected, ≥ 400.0 KiB" in it.drawn)


async def test_one_leaves_a_folder_that_is_gone_with_those_above_it(face, places):
    """Going up led to the next folder that was gone, and so nowhere."""
    deep = places[0] / "docs" / "x" / "y"
    deep.mkdir(parents=True)
    async with face(left=deep) as it:
        shutil.rmtree(places[0] / "docs")
        await it.press("backspace")
        await it.until(lambda: it.tab.path == os.fsencode(places[0]))
