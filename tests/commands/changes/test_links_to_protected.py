"""A place that programs obey is protected under each of its names: as it was asked for, and where it really lies."""

import asyncio
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hostile"))

from walls_ground import Ground

from cmdr.commands.changes.planning import with_real_places
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.engine.plan.new_plan import plan_mkfile
from cmdr.engine.plan.refusals import ChangedSince
from cmdr.files.protected import Protection
from cmdr.model.plans.plan_text import summary_of, word_to_type

NEEDED = "OK: This needs the person (touches protected places)"


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Ground(tmp_path) as made:
        (made.root / "dotfiles").mkdir()
        (made.root / "dotfiles" / "zrc").write_text("old\n")
        (made.root / ".zshrc").symlink_to("dotfiles/zrc")
        (made.root / "shared").mkdir()
        (made.root / "shared" / "tasks.json").write_text("{}")
        (made.root / "project").mkdir()
        (made.root / "project" / ".vscode").symlink_to("../shared")
        (made.root / ".config" / "autostart").mkdir(parents=True)
        (made.root / "auto").symlink_to(".config/autostart")
        yield made


def asked(ground):
    """The last plan that the person is asked about."""
    return ground.commander.proposals.pending()[-1].plan


def test_writing_through_a_link_with_a_protected_name_needs_the_person(ground):
    """`.zshrc` that leads into a folder of settings was written without a word."""
    answer = ground.ask("fs_write", path=".zshrc", content="evil", overwrite=True)
    assert answer.startswith(NEEDED)
    assert (ground.root / "dotfiles" / "zrc").read_text() == "old\n"
    assert any("runs when a shell starts, as " in line and ".zshrc" in line for line in summary_of(asked(ground)))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fs_write", {"path": "project/.vscode/tasks.json", "content": "x", "overwrite": True}),
        ("fs_create", {"path": "project/.vscode/new.json"}),
        ("fs_delete", {"path": "project/.vscode/tasks.json"}),
        ("fs_move", {"from": "project/.vscode/tasks.json", "to": "elsewhere.json"}),
        ("fs_move", {"from": "file.txt", "to": "project/.vscode/x"}),
        ("fs_copy", {"from": "file.txt", "to": "project/.vscode"}),
        ("fs_create", {"path": "auto/evil.desktop"}),
        ("fs_copy", {"from": "file.txt", "to": "auto"}),
    ],
)
def test_a_protected_folder_behind_a_link_is_protected_from_both_sides(ground, tool, arguments):
    assert ground.ask(tool, **arguments).startswith(NEEDED), tool


def test_what_is_only_read_through_a_protected_name_is_not_asked_about(ground):
    answer = ground.ask("fs_copy", **{"from": "project/.vscode/tasks.json", "to": "copy.json"})
    assert answer.startswith("OK: copy done")


def test_an_edit_through_a_link_needs_the_typed_word_and_says_which_name(ground):
    """Only where the file lies was looked at, so a plain key was enough."""

    async def case():
        call = asyncio.ensure_future(
            ground.commander.run(
                Principal("agent", "tester", token=True), "open_diff", {"path": ".zshrc", "contents": "evil\n"}
            )
        )
        while not ground.commander.editor.reviews.waiting:
            await asyncio.wait({call}, timeout=0.01)
        (waiting,) = ground.commander.editor.reviews.waiting
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        return waiting

    waiting = ground.run(case())
    assert waiting.word == "write"
    assert waiting.protected.startswith("runs when a shell starts, as ")


def test_a_proposal_into_a_protected_folder_behind_a_link_needs_the_typed_word(ground):
    """Only the path as it was written was looked at."""
    for tool, arguments in [
        ("copy", {"paths": [str(ground.root / "file.txt")], "to": str(ground.root / "auto")}),
        ("mkfile", {"path": str(ground.root / "auto" / "x")}),
        ("mkdir", {"path": str(ground.root / "auto" / "y")}),
    ]:
        assert ground.ask(tool, **arguments).startswith("OK: "), tool
        assert word_to_type(asked(ground)) == asked(ground).verb.value
        assert any("autostart" in line for line in summary_of(asked(ground)) if line.startswith("protected:")), tool


def test_removing_and_renaming_through_a_link_need_the_typed_word_too(ground):
    (ground.root / ".config" / "autostart" / "x.desktop").write_text("x")
    path = str(ground.root / "auto" / "x.desktop")
    for tool, arguments in [("delete", {"paths": [path]}), ("rename", {"path": path, "newName": "y"})]:
        assert ground.ask(tool, **arguments).startswith("OK: "), tool
        assert word_to_type(asked(ground)), tool


def test_a_link_that_leads_to_an_ordinary_folder_changes_nothing(ground):
    (ground.root / "plain").symlink_to("shared")
    ground.ask("copy", paths=[str(ground.root / "file.txt")], to=str(ground.root / "plain"))
    assert word_to_type(asked(ground)) is None


def test_a_name_that_the_person_gives_is_judged_where_it_lies(ground):
    ground.ask("mkfile", path=str(ground.root / "auto" / "x"))
    (proposal,) = ground.commander.proposals.pending()
    ground.ask("proposal.name", PERSON, proposal=proposal.id, name="z")
    assert word_to_type(asked(ground)) == "mkfile"


def test_a_link_that_is_turned_after_the_plan_was_made_is_noticed(tmp_path):
    (tmp_path / "harmless").mkdir()
    (tmp_path / ".config" / "autostart").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to("harmless")
    plan = plan_mkfile(os.fsencode(link / "x"))
    assert with_real_places(plan, Protection()) is plan
    link.unlink()
    link.symlink_to(".config/autostart")
    with pytest.raises(ChangedSince):
        with_real_places(plan, Protection())
    link.unlink()
    with pytest.raises(ChangedSince):
        with_real_places(plan, Protection())
