"""Archives in the terminal: packed and unpacked by keys, looked into, and asked about when they are opened."""

import os
import tarfile
import zipfile

import pytest


@pytest.fixture
def archive(places):
    path = places[0] / "given.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("a", "one")
        made.writestr("sub/b", "two" * 1000)
        made.writestr("../\x1b]0;evil\x07", "evil")
    return path


async def to_archive(it):
    await it.press("home")
    while it.name != "given.zip":
        await it.press("down")


async def test_unpacking_shows_the_plan_before_anything_is_written(face, archive):
    async with face(size=(120, 30)) as it:
        await to_archive(it)
        await it.press("alt+f9")
        assert it.window == "Ask"
        assert "Unpack given.zip into a folder of its own in" in it.drawn
        await it.press("enter")
        await it.until(lambda: it.window == "Confirm")
        assert "1 will be skipped: its name leads out of the folder" in it.drawn
        assert not (it.right / "given").exists()
        it.clock.forward(5)
        await it.press("y")
        await it.until(lambda: (it.right / "given/sub/b").exists())
        await it.until(lambda: "unpack done: 2 files, 2 folders" in it.status)


async def test_unpacking_can_be_left(face, archive):
    async with face() as it:
        await to_archive(it)
        await it.press("alt+f9", "enter")
        await it.until(lambda: it.window == "Confirm")
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        assert not (it.right / "given").exists()


async def test_what_is_no_archive_is_told_in_a_line(face):
    async with face(size=(200, 30)) as it:
        await it.press("end", "alt+f9", "enter")
        await it.until(lambda: "it is not an archive that cmdr knows" in it.status)


async def test_packing_asks_for_the_name_and_the_kind(face):
    async with face() as it:
        await it.press("end", "insert", "up", "insert", "alt+f5")
        assert it.window == "Ask"
        assert "Pack 2 items into" in it.drawn
        assert "left.zip" in it.drawn
        await it.press("enter")
        await it.until(lambda: (it.right / "left.zip").exists())
        with zipfile.ZipFile(it.right / "left.zip") as made:
            assert made.namelist() == ["main.py", "readme.md"]
        await it.until(lambda: "pack done: 2 files" in it.status and it.selected == [])
        await it.press("ctrl+z")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(5)
        await it.press("y")
        await it.until(lambda: not (it.right / "left.zip").exists())


async def test_the_ending_of_the_typed_name_decides(face):
    async with face() as it:
        await it.press("home", "down", "alt+f5")
        await it.type("mine.tar.gz")
        for _ in range(4):
            await it.press("delete")
        await it.press("enter")
        await it.until(lambda: (it.right / "mine.tar.gz").exists())
        with tarfile.open(it.right / "mine.tar.gz") as made:
            assert made.getnames() == ["docs"]


async def test_packing_what_may_not_be_read_is_asked_about_first(face, places):
    os.mkfifo(places[0] / "docs" / "pipe")
    async with face(size=(120, 30)) as it:
        await it.press("home", "down", "alt+f5", "enter")
        await it.until(lambda: it.window == "Confirm")
        assert "1 will be skipped: pipes, sockets and devices are not packed" in it.drawn
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        assert not (it.right / "docs.zip").exists()


@pytest.mark.parametrize(("downs", "where"), [(1, "right"), (2, "left")])
async def test_enter_on_an_archive_asks_what_is_wanted(face, archive, downs, where):
    async with face(size=(120, 30)) as it:
        await to_archive(it)
        await it.press("enter")
        assert it.window == "Choose"
        assert "Look inside" in it.drawn
        await it.press(*["down"] * downs, "enter")
        await it.until(lambda: it.window == "Confirm")
        it.clock.forward(5)
        await it.press("y")
        await it.until(lambda: (getattr(it, where) / "given/a").exists())


async def test_looking_inside_shows_the_list_and_f4_the_bytes(face, archive):
    async with face(size=(120, 30)) as it:
        await to_archive(it)
        await it.press("enter", "enter")
        await it.until(lambda: it.window == "Viewer" and "sub/b" in it.drawn)
        assert "3 names, 2.9 KiB when unpacked" in it.drawn
        assert "3,000" in it.drawn
        assert "../\\u{1b}]0;evil\\u{7}" in it.drawn
        assert "\x1b" not in it.drawn
        await it.press("f4")
        await it.until(lambda: "50 4b 03 04" in it.drawn.lower())
        await it.press("f8", "f4")
        await it.until(lambda: "3 names" in it.drawn)
        await it.press("f8")
        assert "3 names" in it.drawn


async def test_showing_it_in_the_file_manager_needs_a_desktop(face, archive, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    async with face(size=(160, 30)) as it:
        await to_archive(it)
        await it.press("enter", "down", "down", "down", "enter")
        await it.until(lambda: "No desktop here" in it.status)


async def test_quick_view_shows_the_list_too(face, archive):
    async with face(size=(160, 30)) as it:
        await to_archive(it)
        await it.press("ctrl+x")
        await it.until(lambda: "3 names" in it.drawn)


async def test_a_file_that_only_begins_like_an_archive_is_shown_as_it_is(face, places):
    (places[0] / "given.zip").write_bytes(b"PK\3\4 not really")
    async with face(size=(120, 30)) as it:
        await to_archive(it)
        await it.press("f3")
        await it.until(lambda: it.window == "Viewer" and "not really" in it.drawn)
