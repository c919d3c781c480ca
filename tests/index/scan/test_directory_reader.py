"""Both readers of directories: what they tell, where they stop, and that they tell the same."""

import os
import shutil
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from cmdr.index.scan import compiled_reader, directory_reader
from cmdr.index.scan.compiled_reader import CompiledReader, compiled_library
from cmdr.index.scan.compiled_reader import directory_reader as reader_for
from cmdr.index.scan.directory_reader import TIME_COLUMNS, WIDTHS, DirectoryReader, PythonReader
from cmdr.index.scan.part_file import PartFile
from cmdr.index.scan.scan import scan
from cmdr.index.scan.statx import packed_device
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


@pytest.fixture(params=["compiled", "python"])
def reader(request, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # and back again: readers go where they read
    return make(request.param)


def make(kind: str) -> DirectoryReader:
    made = reader_for(compiled_library() if kind == "compiled" else None)
    if kind == "compiled" and not isinstance(made, CompiledReader):
        pytest.skip("read_directory.c was not built here")
    return made


def visit(reader: DirectoryReader, folder: bytes | str) -> bool:
    return reader.visit(os.fsencode(folder), os.stat(folder).st_ino, None)


def read_out(reader: DirectoryReader) -> dict[bytes, dict[str, int]]:
    """What a reader holds, by name; the reader is empty afterwards."""
    names = bytes(reader.names[: reader.name_bytes]).split(b"\0")[:-1]
    columns: dict[str, list[int]] = {}
    for name, values in reader.columns():
        if name not in TIME_COLUMNS:
            columns[name] = np.frombuffer(values, f"<u{WIDTHS[name]}").tolist()
        elif reader.time_bytes == 8:
            columns[name] = np.frombuffer(values, "<i8").tolist()
        else:
            pairs = np.frombuffer(values, [("s", "<i8"), ("ns", "<u4"), ("unused", "<u4")])
            columns[name] = (pairs["s"] * 10**9 + pairs["ns"]).tolist()
    assert all(len(values) == len(names) == reader.rows for values in columns.values())
    assert reader.size_sum() == sum(columns["size"])
    reader.clear()
    assert (reader.rows, reader.name_bytes, reader.size_sum()) == (0, 0, 0)
    return {name: {key: columns[key][at] for key in columns} for at, name in enumerate(names)}


def by_stat(path: bytes) -> dict[str, int]:
    facts = os.lstat(path)
    return {
        "mtime": facts.st_mtime_ns,
        "ctime": facts.st_ctime_ns,
        "ino": facts.st_ino,
        "size": facts.st_size,
        "blocks": facts.st_blocks,
        "device": packed_device(facts.st_dev),
        "nlink": facts.st_nlink,
        "uid": facts.st_uid,
        "mode": facts.st_mode,
    }


def test_every_name_comes_with_what_stat_tells_of_it(reader, tree):
    for folder in (b"", b"/docs", b"/bad", b"/src", b"/empty"):
        place = tree + folder
        assert visit(reader, place)
        assert not reader.more
        found = {name: (row, mode, inode, device) for row, name, mode, inode, device in reader.found}
        names = bytes(reader.names[: reader.name_bytes]).split(b"\0")[:-1]
        told = read_out(reader)
        assert sorted(told) == sorted(os.listdir(place))
        for name, facts in told.items():
            facts.pop("born")
            assert facts == by_stat(place + b"/" + name)
        special = [name for name in names if os.path.isdir(place + b"/" + name) or os.path.islink(place + b"/" + name)]
        assert found == {
            name: (names.index(name), told[name]["mode"], told[name]["ino"], told[name]["device"]) for name in special
        }


def test_both_readers_tell_the_same_down_to_the_time_of_birth(tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    told = []
    for kind in ("compiled", "python"):
        reader = make(kind)
        visit(reader, tree + b"/src")
        told.append(read_out(reader))
    assert told[0] == told[1]


def test_directories_follow_each_other_in_one_buffer(reader, tree):
    visit(reader, tree + b"/docs")
    first = reader.rows
    visit(reader, tree + b"/src")
    assert all(row >= first for row, *_ in reader.found)
    assert sorted(read_out(reader)) == sorted(os.listdir(tree + b"/docs") + os.listdir(tree + b"/src"))


def test_a_directory_that_is_not_the_one_that_is_meant_is_not_read(reader, tree):
    docs, src = os.stat(tree + b"/docs"), os.stat(tree + b"/src")
    assert not reader.visit(tree + b"/src", docs.st_ino, None)
    assert not reader.visit(tree + b"/src", src.st_ino, packed_device(src.st_dev) + 1)
    assert reader.rows == 0
    assert reader.visit(tree + b"/src", src.st_ino, packed_device(src.st_dev))


@pytest.mark.parametrize(
    ("place", "error"), [(b"/nowhere", FileNotFoundError), (b"/archive.tar.gz", NotADirectoryError)]
)
def test_what_cannot_be_visited_is_an_error_and_nothing_is_left_open(reader, tree, place, error, nothing_left_open):
    visit(reader, tree + b"/docs")
    rows = reader.rows
    with nothing_left_open():
        with pytest.raises(error):
            reader.visit(tree + place, 1, None)
        assert not reader.visit(tree, 1, None)
        assert reader.rows == rows


@pytest.mark.parametrize(("rows", "name_bytes"), [(4, 1 << 16), (100, 300), (1, 256)])
@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_when_the_buffer_is_full_reading_goes_on_where_it_stopped(tmp_path, monkeypatch, kind, rows, name_bytes):
    monkeypatch.chdir(tmp_path)
    for module in (compiled_reader, directory_reader):
        monkeypatch.setattr(module, "CHUNK", rows)
        monkeypatch.setattr(module, "NAME_CAPACITY", name_bytes)
    many = tmp_path / "many"
    many.mkdir()
    names = {b"%03d" % one * (1 + one % 20) for one in range(100)}
    for number, name in enumerate(sorted(names)):
        if number % 7 == 0:
            os.mkdir(os.fsencode(many) + b"/" + name)
        else:
            os.close(os.open(os.fsencode(many) + b"/" + name, os.O_CREAT | os.O_WRONLY))
    reader = make(kind)
    visit(reader, str(many))
    seen: list[bytes] = []
    folders: list[bytes] = []
    for _ in range(1000):
        folders += [name for _, name, *_ in reader.found]
        seen += read_out(reader)
        if not reader.more:
            break
        reader.read_on()
    assert sorted(seen) == sorted(names)
    assert sorted(folders) == sorted(names)[::7]


def test_the_rest_of_a_directory_can_be_left_unread(reader, tmp_path, monkeypatch, nothing_left_open):
    for number in range(40):
        (tmp_path / f"{number}").touch()
    if isinstance(reader, CompiledReader):
        reader.state.row_capacity = 5
    else:
        monkeypatch.setattr(directory_reader, "CHUNK", 5)
    with nothing_left_open():
        visit(reader, str(tmp_path))
        assert reader.more
        reader.leave()
        assert not reader.more
    reader.clear()
    os.mkdir("empty")
    visit(reader, "empty")
    assert (reader.rows, reader.more) == (0, False)


def test_names_can_be_taken_without_looking_at_them(reader, tree, monkeypatch):
    visit(reader, tree + b"/src")  # with a link in it, which is not to be told again
    assert list(reader.found)
    reader.clear()
    if isinstance(reader, CompiledReader):
        reader.state.row_capacity = 2
    else:
        monkeypatch.setattr(directory_reader, "CHUNK", 2)
    reader.take_blindly([b"one", b"two", b"three"])
    assert reader.more
    assert not list(reader.found)
    told = read_out(reader)
    reader.read_on()
    assert not reader.more
    told |= read_out(reader)
    assert list(told) == [b"one", b"two", b"three"]
    assert not any(any(facts.values()) for facts in told.values())
    assert not list(reader.found)


def test_what_comes_and_goes_meanwhile_is_there_or_not_and_the_rest_is_always_there(reader, tmp_path):
    """Names vanish between being listed and being looked at."""
    steady = {f"steady-{number}" for number in range(50)}
    for name in steady:
        (tmp_path / name).touch()
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            for number in range(50):
                os.close(os.open(tmp_path / f"brief-{number}", os.O_CREAT | os.O_WRONLY))
            for number in range(50):
                os.unlink(tmp_path / f"brief-{number}")

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(200):
            visit(reader, str(tmp_path))
            names = bytes(reader.names[: reader.name_bytes]).decode().split("\0")[:-1]
            assert len(names) == len(set(names))
            told = read_out(reader)
            assert steady <= {name.decode() for name in told}
            assert all(facts["mode"] for facts in told.values())
    finally:
        done.set()
        changing.join()


NAMES = some.binary(min_size=1, max_size=255).filter(lambda name: not {0, 47} & set(name) and name not in (b".", b".."))


@settings(max_examples=30, deadline=None)
@given(names=some.sets(NAMES, max_size=12))
@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_any_name_that_the_kernel_takes_is_told_as_it_is(tmp_path_factory, kind, names):
    folder, before = os.fsencode(tmp_path_factory.mktemp("names")), os.getcwd()
    for name in names:
        os.close(os.open(folder + b"/" + name, os.O_CREAT | os.O_WRONLY))
    reader = make(kind)
    try:
        visit(reader, folder)
    finally:
        os.chdir(before)
    assert set(read_out(reader)) == names


def test_a_part_holds_the_facts_of_its_names(reader, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / name).write_bytes(name.encode() * 100)
    visit(reader, str(folder))
    names = bytes(reader.names[: reader.name_bytes])
    part = PartFile(str(tmp_path / "part"), reader.time_bytes)
    part.add(reader)
    assert (tmp_path / "part.names").read_bytes() == names
    assert part.constants()["size"] == (300).to_bytes(8, "little")
    inodes = np.fromfile(tmp_path / "part.ino", "<u8").tolist()
    assert inodes == [os.stat(folder / name.decode()).st_ino for name in names.split(b"\0")[:-1]]


def test_a_library_that_cannot_be_used_is_left_alone(tmp_path):
    (tmp_path / "broken.so").write_bytes(b"not a library")
    assert isinstance(reader_for(str(tmp_path / "broken.so")), PythonReader)
    assert isinstance(reader_for(str(tmp_path / "missing.so")), PythonReader)


def test_a_library_from_another_source_is_left_alone(monkeypatch):
    make("compiled")
    monkeypatch.setattr(compiled_reader, "_VERSION", 0)
    assert isinstance(reader_for(compiled_library()), PythonReader)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_where_there_is_a_compiler_the_library_was_built():
    assert compiled_library() is not None
    assert isinstance(reader_for(compiled_library()), CompiledReader)


def test_a_snapshot_is_the_same_whichever_reader_walked(tree, tmp_path, monkeypatch):
    def known(home: str) -> dict[bytes, tuple[int, ...]]:
        view = scan(tree, str(tmp_path / home), FEW)
        columns = ("mode", "size", "allocated", "mtime", "ctime", "born", "ino", "flags")
        return {view.path(row): tuple(int(view.base[name][row]) for name in columns) for row in range(view.base_rows)}

    make("compiled")
    compiled = known("compiled")
    monkeypatch.setattr("cmdr.index.scan.walk.compiled_library", lambda: None)
    assert known("python") == compiled
    assert len(compiled) == sum(1 + len(files) for _, _, files in os.walk(tree)) + 1  # a link to a folder is no folder
