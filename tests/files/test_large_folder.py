"""The helper process: its failures are told, its end is quick, and it leaves nothing behind."""

import os
import resource
import threading
import time

import pytest

from cmdr.files import large_folder, worker_process
from cmdr.files.errors import NotAFolder, PathNotFound, ReadFailed, ScanStopped
from cmdr.files.folder_reader import FolderReader
from cmdr.files.large_folder import scan_in_process
from cmdr.model.panes.sorting import SortKey, SortOrder


def never():
    return False


def test_what_the_helper_cannot_read_is_told_as_here(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(PathNotFound):
        scan_in_process(bytes(tmp_path / "gone"), SortOrder(), show_hidden=True, stopped=never)
    with pytest.raises(NotAFolder):
        scan_in_process(bytes(tmp_path / "file"), SortOrder(), show_hidden=True, stopped=never)


def test_a_helper_that_dies_is_a_failed_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_process, "_PROGRAM", "raise SystemExit")
    with pytest.raises(ReadFailed, match="the reading broke off"):
        scan_in_process(bytes(tmp_path), SortOrder(), show_hidden=True, stopped=never)


def test_the_helper_gives_signs_of_life_while_it_reads(tmp_path):
    for number in range(9000):
        (tmp_path / str(number)).touch()
    signs = []
    for sort, least in ((SortOrder(), 4), (SortOrder(SortKey.SIZE), 9)):
        signs.clear()
        listing = scan_in_process(bytes(tmp_path), sort, show_hidden=True, alive=lambda: signs.append(1))
        assert len(listing) == 9000
        assert len(signs) >= least


def test_a_helper_that_hangs_is_ended_as_soon_as_nobody_waits(tmp_path, monkeypatch):
    pids = tmp_path / "pid"
    program = f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    monkeypatch.setattr(worker_process, "_PROGRAM", program)
    with pytest.raises(ScanStopped):
        scan_in_process(bytes(tmp_path), SortOrder(), show_hidden=True, stopped=pids.exists)
    deadline = time.monotonic() + 60
    while not pids.read_text() and time.monotonic() < deadline:
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(int(pids.read_text()), 0)


@pytest.mark.parametrize("sort", [SortOrder(), SortOrder(SortKey.SIZE)], ids=str)
def test_the_worker_answers_with_the_columns_of_the_folder(hostile, sort):
    task = (sort.by.encode(), sort.direction.encode(), b"1", hostile)
    blocks = large_folder.work(iter(task), lambda _sign: None)
    reading = FolderReader(hostile)
    with os.scandir(hostile) as entries:
        reading.take(entries)
    assert blocks[1] == reading.listing(sort, show_hidden=True).columns.names
    assert len(blocks) == 9


def test_a_program_with_a_thousand_open_files_can_still_read_large_folders(tmp_path):
    """`select` cannot wait for a descriptor beyond 1023."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("not so many files allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = []
    try:
        held.extend(os.open("/dev/null", os.O_RDONLY) for _ in range(1040))
        (tmp_path / "a").touch()
        assert len(scan_in_process(bytes(tmp_path), SortOrder(), show_hidden=True, stopped=never)) == 1
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_helper_knows_nothing_of_the_users_python_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "evil.py"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "struct.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    listing = scan_in_process(bytes(tmp_path), SortOrder(), show_hidden=True, stopped=never)
    assert listing.name(0) == b"struct.py"


def test_two_large_folders_are_read_side_by_side(tmp_path):
    found = []

    def read(name):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
        found.append(scan_in_process(bytes(tmp_path / name), SortOrder(), show_hidden=True, stopped=never).name(0))

    threads = [threading.Thread(target=read, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [b"a", b"b"]
