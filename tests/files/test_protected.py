"""Places that programs run or trust are named as such, and nothing else is."""

import pytest

from cmdr.files.engine.protected import Protection

OURS = Protection(own=(b"/home/ada/.config/cmdr",), run_from=(b"/home/ada/bin",))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (b"/home/ada/.BashRC", "runs when a shell starts"),
        (b"/work/CLAUDE.md", "tells agents what to do"),
        (b"/home/ada/.ssh/authorized_keys", "decides who may log in"),
        (b"/work/.git/hooks/pre-commit", "holds keys or is run by other programs"),
        (b"/home/ada/.config/cmdr/settings.toml", "belongs to cmdr itself"),
        (b"/home/ada/.config/cmdr", "belongs to cmdr itself"),
        (b"/home/ada/bin/ls", "is where programs are started from by name"),
        (b"/home/ada/binary", ""),
        (b"/home/ada/notes.txt", ""),
    ],
)
def test_a_protected_place_says_why(path, why):
    assert OURS.reason(path) == why


@pytest.mark.parametrize("path", [b"/home", b"/home/ada", b"/home/ada/.config", b"/home/ada/bin"])
def test_no_whole_folder_takes_a_place_above_protected_ones(path):
    assert OURS.reason_below(path) == "may bring along what other programs run"


def test_a_folder_anywhere_else_may_come_as_a_whole():
    assert OURS.reason_below(b"/home/ada/photos") == ""
