"""The lines around the rows."""

import os


def test_the_home_folder_is_shortened():
    from cmdr.tui.panes.frame import abbreviate_home

    home = os.fsencode("/home/ann")
    assert [abbreviate_home(path, home) for path in (b"/home/ann", b"/home/ann/x", b"/home/anna")] == [
        "~",
        "~/x",
        "/home/anna",
    ]
