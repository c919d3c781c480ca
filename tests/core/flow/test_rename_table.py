"""The table of Rename many: whose names it takes, what a pattern makes of them, and what stops it."""

import os

import pytest

from cmdr import commands
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.core.flow import rename_table
from cmdr.core.flow.rename_table import RenameTable
from cmdr.model.panes.workspace import Workspace


@pytest.fixture
def opened(tmp_path):
    """A tab that shows some names, the first of them selected."""

    async def tab(*names, selected=()):
        for name in names:
            (tmp_path / name).touch()
        here = os.fsencode(tmp_path)
        made = Commander(Workspace.at(here, here), Audit(str(tmp_path.parent / "audit")), watch=False)
        await made.ask(PERSON, "refresh", {"pane": "left"})
        if selected:
            await made.ask(PERSON, "select", {"pane": "left", "names": [*selected]})
        await made.close()
        return made.workspace.left.tab

    commands.register()
    return tab


async def test_several_selected_names_are_taken_else_all_that_are_seen(opened):
    tab = await opened("a", "b", "c", selected=["a", "c"])
    assert RenameTable(tab).old == [b"a", b"c"]
    tab.selection.clear()
    assert RenameTable(tab).old == [b"a", b"b", b"c"]


async def test_too_many_names_are_refused(opened, monkeypatch):
    monkeypatch.setattr(rename_table, "MAX_NAMES", 2)
    with pytest.raises(CommandError, match="takes 2 names at most"):
        RenameTable(await opened("a", "b", "c"))


async def test_a_pattern_and_typed_names_change_what_they_say(opened, tmp_path):
    table = RenameTable(await opened("a1", "a2"))
    assert (table.shown.note, table.arguments) == ("0 names would change, by plain text", None)
    shown = await table.preview("a", "b", regex=False, typed={1: b"c"})
    assert (list(shown.names), shown.note, shown.is_bad) == (
        [b"b1", b"c"],
        "2 names would change, by plain text",
        False,
    )
    assert table.arguments == {"paths": [f"{tmp_path}/a1", f"{tmp_path}/a2"], "names": ["b1", "c"]}
    shown = await table.preview(r"a(\d)", "$1", regex=True, typed={})
    assert list(shown.names) == [b"1", b"2"]


@pytest.mark.parametrize(
    ("typed", "note"),
    [({0: b"a2"}, "two files would get this name"), ({0: b"x/y"}, "no possible name"), ({0: b"there"}, "is taken")],
)
async def test_a_clash_is_named_and_stops_it(opened, typed, note):
    table = RenameTable(await opened("a1", "a2", "there", selected=["a1", "a2"]))
    shown = await table.preview("", "", regex=False, typed=typed)
    assert note in shown.note
    assert shown.is_bad
    assert table.arguments is None


async def test_a_pattern_that_is_none_says_why_and_changes_nothing(opened):
    table = RenameTable(await opened("a1", "a2"))
    shown = await table.preview("(", "", regex=True, typed={})
    assert shown.is_bad
    assert list(shown.names) == table.old
    assert table.arguments is None
