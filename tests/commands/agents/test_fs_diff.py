"""Only the changed lines: between two files, and since the version that an operation replaced."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hostile"))

from walls_ground import Ground


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Ground(tmp_path) as made:
        yield made


def lines(*changes, of=40):
    told = {number: f"line {number}\n" for number in range(1, of)} | dict(changes)
    return "".join(told.values())


def test_what_a_write_changed_is_told_without_the_rest(ground):
    (ground.root / "file.txt").write_text(lines())
    ground.ask("fs_write", path="file.txt", content=lines((20, "twenty\n")), overwrite=True)
    answer = ground.ask("fs_diff", path="file.txt")
    assert answer.splitlines()[0] == "OK: 1 line added, 1 removed"
    assert answer.splitlines()[1].startswith("--- before operation 1")
    assert answer.splitlines()[3:] == ["@@ -20 +20 @@", "-line 20", "+twenty"]
    around = ground.ask("fs_diff", path="file.txt", context=1)
    assert " line 19\n-line 20\n+twenty\n line 21" in around


def test_an_earlier_operation_is_compared_with_how_it_is_now(ground):
    (ground.root / "file.txt").write_text(lines())
    for change in ((5, "five\n"), (9, "nine\n")):
        ground.ask("fs_write", path="file.txt", content=lines(change), overwrite=True)
    assert "+nine" in ground.ask("fs_diff", path="file.txt", operation=1)
    assert "five" not in ground.ask("fs_diff", path="file.txt", operation=1)
    assert "-five" in ground.ask("fs_diff", path="file.txt")
    assert "-five" in ground.ask("fs_diff", path="file.txt", operation=2)


def test_two_files_are_compared(ground):
    (ground.root / "a.txt").write_text("one\ntwo\n")
    (ground.root / "b.txt").write_text("one\nzwei\n")
    assert ground.ask("fs_diff", path="b.txt", other="a.txt").endswith("@@ -2 +2 @@\n-two\n+zwei\n")
    assert "no line differs from" in ground.ask("fs_diff", path="a.txt", other="a.txt")
    (ground.root / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    assert ground.ask("fs_diff", path="b.txt", other="a.txt").endswith("; line ends or encoding do")


def test_what_cannot_be_compared_says_why(ground, monkeypatch):
    assert "No earlier version" in ground.ask("fs_diff", path="file.txt")
    assert "No earlier version" in ground.ask("fs_diff", path="file.txt", operation=77)
    ground.ask("fs_write", path="new.txt", content="new\n")
    assert "No earlier version" in ground.ask("fs_diff", path="new.txt", operation=1)
    assert "not both" in ground.ask("fs_diff", path="file.txt", other="new.txt", operation=1)
    assert "is a folder" in ground.ask("fs_diff", path=".", other="new.txt")
    (ground.root / "b.bin").write_bytes(b"\0\1\2")
    assert ground.ask("fs_diff", path="b.bin", other="new.txt").startswith("ERROR: ")
    monkeypatch.setattr("cmdr.commands.agents.fs_diff.MAX_READ_BYTES", 3)
    assert "larger than" in ground.ask("fs_diff", path="file.txt", other="new.txt")


def test_what_was_taken_back_or_is_gone_from_the_trash_is_no_earlier_version(ground, tmp_path):
    ground.ask("fs_write", path="file.txt", content="one\n", overwrite=True)
    ground.ask("fs_write", path="file.txt", content="two\n", overwrite=True)
    kept = sorted((tmp_path / "data" / "Trash" / "files").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    kept[-1].unlink()
    assert "before operation 1" in ground.ask("fs_diff", path="file.txt")
    kept[0].rename(kept[0].with_name("aside"))
    kept[0].symlink_to(kept[0].with_name("aside"))
    assert "No earlier version" in ground.ask("fs_diff", path="file.txt")
    (tmp_path / "data" / "Trash" / "files").rename(tmp_path / "elsewhere")
    (tmp_path / "data" / "Trash" / "files").mkdir()
    assert "No earlier version" in ground.ask("fs_diff", path="file.txt")


def test_a_long_patch_is_cut_at_a_line_and_says_how_much_is_missing(ground, monkeypatch):
    monkeypatch.setattr("cmdr.commands.agents.fs_diff.MAX_PATCH_CHARS", 300)
    (ground.root / "a.txt").write_text(lines())
    (ground.root / "b.txt").write_text("nothing\n")
    answer = ground.ask("fs_diff", path="b.txt", other="a.txt")
    assert answer.endswith(" lines more; read them with fs_read")
    assert len(answer) < 450
