"""Changing files directly: through the engine, never over something unasked, never where only the person may."""

import hashlib
import os
import re
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hostile"))

from walls_ground import AGENT, OTHER, Ground

from cmdr.core.dispatch.principals import PERSON, SAME_USER, Principal
from cmdr.model.root_spec import RootSpec

WRITING = {"fs_write", "fs_create", "fs_delete", "fs_move", "fs_copy"}


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Ground(tmp_path) as made:
        yield made


def approve_all(ground):
    for proposal in ground.commander.proposals.pending():
        word = "".join(proposal.plan.verb.value)
        ground.ask("approve", PERSON, proposal=proposal.id, digest=proposal.plan.digest, word=word)
        ground.ask("await", PERSON, proposal=proposal.id)


def test_a_new_file_is_written_and_can_be_undone(ground):
    assert ground.ask("fs_write", path="new.txt", content="héllo\n").startswith("OK: mkfile done: 1 file")
    assert (ground.root / "new.txt").read_text() == "héllo\n"
    assert "new.txt" in ground.ask("history.list", PERSON)
    ground.ask("undo", PERSON)
    approve_all(ground)
    assert not (ground.root / "new.txt").exists()


def test_an_existing_file_is_not_replaced_unasked(ground):
    assert "exists" in ground.ask("fs_write", path="file.txt", content="lost")
    assert (ground.root / "file.txt").read_text() == "inside\n"
    assert ground.ask("fs_write", path="file.txt", content="new", overwrite=True).startswith("OK: ")
    assert (ground.root / "file.txt").read_text() == "new"


def test_what_was_read_can_be_written_back_once(ground):
    mtime = str(os.stat(ground.root / "file.txt").st_mtime_ns)
    assert ground.ask("fs_write", path="file.txt", content="one", expected=mtime).startswith("OK: ")
    assert ground.ask("fs_write", path="file.txt", content="two", expected=mtime).startswith("ERROR: It has changed")
    digest = hashlib.sha256(b"one").hexdigest()
    assert ground.ask("fs_write", path="file.txt", content="two", expected=digest).startswith("OK: ")
    assert "changed" in ground.ask("fs_write", path="file.txt", content="three", expected=digest)
    assert (ground.root / "file.txt").read_text() == "two"
    assert "not there" in ground.ask("fs_write", path="gone.txt", content="x", expected=digest)
    assert "mtime or a sha256" in ground.ask("fs_write", path="file.txt", content="x", expected="yesterday")


def test_writing_keeps_the_mode_and_writes_through_links_that_stay_inside(ground):
    os.chmod(ground.root / "file.txt", 0o640)
    (ground.root / "alias").symlink_to("file.txt")
    assert ground.ask("fs_write", path="alias", content="through", overwrite=True).startswith("OK: ")
    assert (ground.root / "file.txt").read_text() == "through"
    assert (ground.root / "alias").is_symlink()
    assert os.stat(ground.root / "file.txt").st_mode & 0o777 == 0o640


def test_writing_where_a_folder_stands_is_refused_as_such(ground):
    """Hypothesis found it: the look at what stood there failed inside, and left the folder open."""
    for path in ("sub", "."):
        answer = ground.ask("fs_write", path=path, content="x", overwrite=True)
        assert answer.startswith("ERROR: "), answer
        assert "Internal" not in answer
    assert (ground.root / "sub").is_dir()


def test_files_and_folders_are_created_and_never_over_another(ground):
    assert ground.ask("fs_create", path="made").startswith("OK: ")
    assert ground.ask("fs_create", path="box", type="directory").startswith("OK: ")
    assert (ground.root / "made").read_bytes() == b""
    assert (ground.root / "box").is_dir()
    assert "exists" in ground.ask("fs_create", path="made")
    assert ground.ask("fs_create", path="made/inside").startswith("ERROR: Not a folder")


def test_deleting_moves_to_the_trash(ground):
    assert ground.ask("fs_delete", path="sub").startswith("OK: trash done")
    assert not (ground.root / "sub").exists()
    ground.ask("undo", PERSON)
    approve_all(ground)
    assert (ground.root / "sub" / "inner.txt").read_text() == "inner\n"
    assert ground.ask("fs_delete", path="nothing").startswith("ERROR: Path not found")


def test_deleting_a_link_leaves_what_it_leads_to(ground):
    (ground.root / "out").symlink_to(ground.outside)
    assert ground.ask("fs_delete", path="out").startswith("OK: ")
    assert (ground.outside / "secret.txt").exists()


def test_moving_renames_and_moves_into_folders(ground):
    assert ground.ask("fs_move", **{"from": "file.txt", "to": "renamed.txt"}).startswith("OK: ")
    assert ground.ask("fs_move", **{"from": "renamed.txt", "to": "sub"}).startswith("OK: ")
    assert (ground.root / "sub" / "renamed.txt").read_text() == "inside\n"
    assert "root itself" in ground.ask("fs_move", **{"from": str(ground.root), "to": "sub"})
    assert ground.ask("fs_move", **{"from": "sub", "to": "sub/deep"}).startswith("ERROR: ")


def test_copying_keeps_the_source_and_never_overwrites_unasked(ground):
    assert ground.ask("fs_copy", **{"from": "sub", "to": "twin"}).startswith("OK: copy done")
    assert (ground.root / "twin" / "inner.txt").read_text() == "inner\n"
    assert "exists already" in ground.ask("fs_copy", **{"from": "file.txt", "to": "twin/inner.txt"})
    assert ground.ask("fs_copy", **{"from": "file.txt", "to": "twin/inner.txt", "overwrite": True}).startswith("OK: ")
    assert (ground.root / "twin" / "inner.txt").read_text() == "inside\n"


@pytest.mark.parametrize("path", [".bashrc", ".git/hooks/pre-commit", ".vscode/tasks.json", "CLAUDE.md", ".mcp.json"])
def test_protected_places_wait_for_the_person(ground, path):
    (ground.root / path).parent.mkdir(parents=True, exist_ok=True)
    answer = ground.ask("fs_write", path=path, content="evil")
    assert answer.startswith("OK: This needs the person (touches protected places)")
    assert not (ground.root / path).exists()
    approve_all(ground)
    assert (ground.root / path).read_text() == "evil"


def held_back(answer):
    return answer.startswith("OK: This needs the person (touches protected places)")


def test_a_copy_that_can_be_run_waits_for_the_person(ground):
    script = ground.root / "sub" / "run.sh"
    script.write_text("#!/bin/sh")
    script.chmod(0o755)
    assert held_back(ground.ask("fs_copy", **{"from": "sub/run.sh", "to": "other.sh"}))
    assert held_back(ground.ask("fs_copy", **{"from": "sub", "to": "twin"}))
    assert not (ground.root / "other.sh").exists()
    approve_all(ground)
    assert (ground.root / "other.sh").stat().st_mode & 0o111
    # Where a program stood before, nothing is gained; nor is a program that only gets another name a new one.
    again = ground.ask("fs_copy", **{"from": "sub/run.sh", "to": "other.sh", "overwrite": True})
    assert again.startswith("OK: copy done")
    assert ground.ask("fs_move", **{"from": "sub/run.sh", "to": "renamed.sh"}).startswith("OK: move done")


@pytest.mark.parametrize("name", [".git", ".config", ".local", ".CONFIG", "sub/Library", ".husky"])
def test_no_folder_is_prepared_under_a_harmless_name_and_then_moved_to_where_others_obey_it(ground, name):
    ground.ask("fs_create", path="harmless", type="directory")
    ground.ask("fs_write", path="harmless/config", content="[core]\nfsmonitor = evil")
    assert ground.ask("fs_move", **{"from": "harmless", "to": "still-harmless"}).startswith("OK: move done")
    assert held_back(ground.ask("fs_move", **{"from": "still-harmless", "to": name}))
    assert not (ground.root / name).exists()


def test_a_pointer_to_another_repository_waits_for_the_person(ground):
    assert held_back(ground.ask("fs_write", path="sub/.git", content="gitdir: ../harmless"))


@pytest.mark.parametrize("tool", ["fs_write", "fs_copy", "fs_move", "fs_create"])
def test_what_lands_where_programs_are_looked_for_by_name_waits_for_the_person(tmp_path, tool):
    programs = tmp_path / "root" / "sub" / "tools"
    with Ground(tmp_path, run_from=(os.fsencode(programs),)) as ground:
        programs.mkdir()
        arguments = {
            "fs_write": {"path": "sub/tools/ls", "content": "evil"},
            "fs_create": {"path": "sub/tools/ls"},
        }.get(tool, {"from": "file.txt", "to": "sub/tools/ls"})
        assert held_back(ground.ask(tool, **arguments))
        # The folder that holds it cannot be exchanged for another one either.
        ground.ask("fs_create", path="fake", type="directory")
        assert held_back(ground.ask("fs_move", **{"from": "sub/tools", "to": "away"}))
        assert not (programs / "ls").exists()


def test_many_files_at_once_wait_for_the_person(ground):
    (ground.root / "crowd").mkdir()
    for number in range(120):
        (ground.root / "crowd" / str(number)).touch()
    assert "needs the person" in ground.ask("fs_delete", path="crowd")
    assert (ground.root / "crowd" / "0").exists()


def test_nothing_private_is_copied_or_moved_along_with_a_folder(ground):
    (ground.root / "home" / ".ssh").mkdir(parents=True)
    (ground.root / "home" / ".ssh" / "id").write_text("key")
    (ground.root / "home" / ".config" / "gh").mkdir(parents=True)
    (ground.root / "home" / ".config" / "gh" / "hosts.yml").write_text("token")
    for tool in ("fs_copy", "fs_move", "fs_delete"):
        arguments = {"path": "home"} if tool == "fs_delete" else {"from": "home", "to": "open"}
        assert ground.ask(tool, **arguments).startswith("ERROR: "), tool
    assert ground.ask("fs_move", **{"from": "home/.config", "to": "cfg"}).startswith("ERROR: ")
    assert not (ground.root / "open").exists()


def test_a_read_only_root_and_a_read_only_client_change_nothing(ground):
    reader = Principal("agent", "reader", token=True, read_only=True)
    assert not WRITING & set(ground.names(reader))
    assert "shell_run" not in ground.names(reader)
    assert "copy" not in ground.names(reader)
    assert ground.ask("fs_write", reader, path="x", content="x").startswith("UNKNOWN")
    held = Principal("agent", "held", token=True, roots=(RootSpec(os.fsencode(ground.root), read_only=True),))
    assert "may only read" in ground.ask("fs_write", held, path="x", content="x")
    assert "may only read" in ground.ask("fs_copy", held, **{"from": "file.txt", "to": "x"})
    assert not (ground.root / "x").exists()


def test_a_copy_may_come_from_a_read_only_root(ground):
    roots = (RootSpec(os.fsencode(ground.root)), RootSpec(os.fsencode(ground.outside), read_only=True))
    wide = Principal("agent", "wide", token=True, roots=roots)
    source = str(ground.outside / "folder")
    assert ground.ask("fs_copy", wide, **{"from": source, "to": "here"}).startswith("OK: ")
    assert ground.ask("fs_move", wide, **{"from": source, "to": "there"}).startswith("ERROR: ")


def test_without_the_switch_the_tools_are_absent_and_refused(tmp_path):
    with Ground(tmp_path, write=False) as made:
        assert "fs_read" in made.names()
        assert not WRITING & set(made.names())
        for tool in WRITING:
            assert made.ask(tool, path="x", content="x").startswith("UNKNOWN")
            made.ask("command", id=tool, args={"path": "x", "content": "x"})
        assert not (made.root / "x").exists()


def test_callers_without_a_token_never_write(ground):
    for tool in WRITING:
        assert ground.ask(tool, SAME_USER, path="x", content="x").startswith("UNKNOWN")


def test_the_person_can_withdraw_writing_from_one_client_and_give_it_back(ground):
    ground.ask("grants.revoke", PERSON, client=AGENT.name, grant="write")
    assert "withdrawn" in ground.ask("fs_write", path="a", content="x")
    assert ground.ask("fs_write", OTHER, path="b", content="x").startswith("OK: ")
    ground.ask("grants.give", PERSON, client=AGENT.name, grant="write")
    assert ground.ask("fs_write", path="a", content="x").startswith("OK: ")


def test_no_agent_can_change_what_it_may_do(ground):
    for tool in ("grants.give", "grants.list", "grants.revoke"):
        for caller in (AGENT, SAME_USER):
            answer = ground.ask(tool, caller, client=caller.name, grant="shell")
            assert "for the person only" in answer
            via = ground.ask("command", caller, id=tool, args={"client": caller.name, "grant": "shell"})
            assert "for the person only" in via


def test_too_much_or_impossible_text_is_refused(ground):
    assert "too many" in ground.ask("fs_write", path="big", content="x" * (3 << 20))
    assert "cannot be written" in ground.ask("fs_write", path="odd", content="€", encoding="latin-1")
    assert "cannot be written" in ground.ask("fs_write", path="odd", content="x", encoding="klingon")


def test_missing_folders_are_made_with_the_file_and_undone_with_it(ground):
    assert ground.ask("fs_write", path="new/deep/text", content="x").startswith("OK: mkfile done: 1 file")
    assert (ground.root / "new/deep/text").read_text() == "x"
    ground.ask("undo", PERSON)
    approve_all(ground)
    assert not (ground.root / "new").exists()
    assert ground.ask("fs_create", path="a/b/c", type="directory").startswith("OK: ")
    assert ground.ask("fs_create", path="a/d/e").startswith("OK: ")
    assert ground.ask("fs_copy", **{"from": "a/d/e"}, to="copies/of/e").startswith("OK: ")
    assert ground.ask("fs_move", **{"from": "a/d/e"}, to="moved/e").startswith("OK: ")
    assert (ground.root / "copies/of/e").is_file()
    assert (ground.root / "moved/e").is_file()


def test_missing_folders_are_made_only_inside_and_never_through_a_link(ground):
    outside = ground.root.parent / "not-yours"
    os.symlink(outside, ground.root / "dangling")
    os.symlink(ground.root.parent, ground.root / "up")
    for path in ("dangling", "dangling/x", "dangling/x/y", "up/x/y", "none/../../x/y", "../x/y", str(outside / "x")):
        assert ground.ask("fs_write", path=path, content="x").startswith("ERROR: "), path
        assert ground.ask("fs_create", path=path + "/z").startswith("ERROR: "), path
    assert not outside.exists()
    assert not (ground.root / "none").exists()


def test_private_and_protected_places_are_kept_when_they_would_be_made(ground):
    answer = ground.ask("fs_write", path=".git/hooks/pre-commit", content="x")
    assert "needs the person" in answer
    assert not (ground.root / ".git").exists()
    assert ground.ask("fs_write", path=".ssh/deep/key", content="x").startswith("ERROR: ")
    assert not (ground.root / ".ssh").exists()
    assert ground.ask("fs_write", path="/".join("x" * 300), content="x").startswith("ERROR: ")


def test_an_answer_carries_the_time_that_the_next_write_expects(ground):
    answer = ground.ask("fs_write", path="file.txt", content="one", overwrite=True)
    mtime = re.search(r"^mtime: (\d+)$", answer, re.MULTILINE)[1]
    assert mtime == str(os.stat(ground.root / "file.txt").st_mtime_ns)
    assert "mtime: " in ground.ask("fs_write", path="file.txt", content="two", expected=mtime)
    assert "mtime: " in ground.ask("fs_write", path="new/deep/file.txt", content="three")


def test_an_overwrite_that_changes_line_ends_or_encoding_says_so(ground):
    (ground.root / "file.txt").write_bytes(b"one\r\ntwo\r\n")
    answer = ground.ask("fs_write", path="file.txt", content="one\ntwo\n", overwrite=True)
    assert answer.splitlines()[-1] == "changed too: line ends CRLF → LF"
    (ground.root / "file.txt").write_bytes("gr\u00fcn\n".encode("latin-1"))
    answer = ground.ask("fs_write", path="file.txt", content="gr\u00fcner\n", overwrite=True)
    assert answer.splitlines()[-1] == "changed too: encoding cp1252 → utf-8"
    assert "changed too" not in ground.ask("fs_write", path="file.txt", content="blau\n", overwrite=True)
