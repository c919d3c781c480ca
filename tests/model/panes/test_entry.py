"""The kind of a file decides its colour, and both faces know the same kinds."""

import re
from pathlib import Path

import pytest

from cmdr.model.panes.entry import FILE_KINDS, Entry, Facts, Kind, file_kind
from cmdr.tui.theme.themes import LINE_THEMES, ROLES

STYLES = Path(__file__).parents[3] / "src" / "cmdr" / "web" / "static" / "page" / "page.css"
PLAIN = {"folder", "text", "file"}
"""What has the colour of all text in the page; a folder is told by its weight and its slash."""


def entry(name, kind=Kind.FILE, mode=0o100644):
    return Entry(name, kind, kind is Kind.FOLDER, Facts(1, 1, None, mode, 1, 1))


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (entry(b"src", Kind.FOLDER), "folder"),
        (entry(b"a.zip", Kind.LINK), "link"),
        (entry(b"a.zip", Kind.SOCKET), "special"),
        (entry(b"run.py", mode=0o100755), "program"),
        (entry(b"a.ZIP"), "archive"),
        (entry(b"a.jpeg"), "image"),
        (entry(b"a.mkv"), "media"),
        (entry(b"a.odt"), "document"),
        (entry(b"a.rs"), "code"),
        (entry(b"a.toml"), "data"),
        (entry(b"README.md"), "text"),
        (entry(b"a.txt~"), "dull"),
        (entry(b".profile"), "file"),
        (Entry(b"a.py", Kind.FILE, False), "code"),
    ],
)
def test_an_entry_has_the_kind_of_its_name_and_mode(found, kind):
    assert file_kind(found) == kind
    assert kind in FILE_KINDS


def test_both_faces_have_a_colour_for_every_kind():
    """The terminal knew eight kinds of files, the page three others."""
    coloured = set(re.findall(r"\.row\.kind-(\w+) \.name \{ color", STYLES.read_text(encoding="utf-8")))
    assert coloured == set(FILE_KINDS) - PLAIN
    assert set(FILE_KINDS) <= set(ROLES)
    for look in LINE_THEMES.values():
        assert set(FILE_KINDS) - {"file"} <= set(look.roles)
