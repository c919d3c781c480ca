"""The audit log: every record in order, and no change to it goes unseen."""

import asyncio
import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.core.audit import log as auditing
from cmdr.core.audit.anchor import anchor_path
from cmdr.core.audit.chain import is_cut_off, log_path, read_log, verify
from cmdr.core.audit.log import Audit, AuditRecord, digest_of
from cmdr.core.errors import NotRecorded

TEXT = st.text(st.characters(), max_size=8)
"""Lone surrogates among it: names of files become such text."""


def write(folder, count, *, start=0, rotate_at=auditing.ROTATE_AT):
    audit = Audit(str(folder), rotate_at=rotate_at)
    for number in range(start, start + count):
        audit.record(AuditRecord("agent:é", f"call {number}", digest_of({"n": number}), "ok", number, ("/ä",)))
    audit.close()


def anchor(folder):
    """Where the newest hash is kept."""
    return Path(anchor_path(str(folder)))


def failing(monkeypatch, name):
    """While the event is set, a call to the system says that the disk is full."""
    full, real = threading.Event(), getattr(os, name)

    def call(*arguments):
        if full.is_set():
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(auditing.os, name, call)
    return full


def is_sound(folder):
    verdict = verify(str(folder))
    return verdict.broken_at is None and not verdict.cut_off


@pytest.fixture
def log(tmp_path):
    write(tmp_path / "audit", 5)
    return tmp_path / "audit"


def change(folder, edit):
    path = log_path(str(folder))
    with open(path, "rb") as file:
        lines = file.readlines()
    with open(path, "wb") as file:
        file.writelines(edit(lines))


def test_records_come_back_in_order(log):
    assert [row["what"] for row in read_log(str(log))] == [f"call {number}" for number in range(5)]
    assert [row["seq"] for row in read_log(str(log))] == [1, 2, 3, 4, 5]
    assert verify(str(log)).lines == 5
    assert is_sound(log)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT, st.integers(0), st.lists(TEXT).map(tuple), TEXT, TEXT), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_whatever_a_record_says_its_line_is_the_one_that_checking_expects(tmp_path_factory, told):
    folder = str(tmp_path_factory.mktemp("audit"))
    audit = Audit(folder)
    for facts in told:
        audit.record(AuditRecord(*facts))
    audit.close()
    assert is_sound(folder)
    kept = [
        tuple(row[key] for key in ("who", "what", "arguments", "result", "ms", "paths")) for row in read_log(folder)
    ]
    assert kept == [(*facts[:5], list(facts[5])) for facts in told]


def test_an_empty_or_absent_log_is_sound(tmp_path):
    assert is_sound(tmp_path / "none")
    write(tmp_path / "empty", 0)
    assert is_sound(tmp_path / "empty")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_changed_byte_goes_unseen(log, data):
    path = log_path(str(log))
    with open(path, "rb") as file:
        whole = file.read()
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[place]))
    try:
        with open(path, "wb") as file:
            file.write(whole[:place] + bytes([byte]) + whole[place + 1 :])
        assert not is_sound(log)
    finally:
        with open(path, "wb") as file:
            file.write(whole)


def test_a_change_that_reads_the_same_is_seen_too(log):
    """Other white space or another spelling of an escape gave the same record, and passed."""
    change(log, lambda lines: [lines[0].replace(b'", "', b'",  "'), *lines[1:]])
    assert verify(str(log)).broken_at == 1


def test_an_escape_in_other_letters_is_seen(log):
    change(log, lambda lines: [lines[0], lines[1].replace(b"\\u00e4", b"\\u00E4"), *lines[2:]])
    assert verify(str(log)).broken_at == 2


@pytest.mark.parametrize("gone", range(5))
def test_no_removed_line_goes_unseen(log, gone):
    """The very first one did: nothing tied the chain to its beginning."""
    change(log, lambda lines: lines[:gone] + lines[gone + 1 :])
    verdict = verify(str(log))
    assert verdict.cut_off if gone == 4 else verdict.broken_at == gone + 1


@pytest.mark.parametrize("kept", range(5))
def test_a_cut_tail_is_seen(log, kept):
    change(log, lambda lines: lines[:kept])
    assert verify(str(log)).cut_off


def test_a_cut_tail_is_still_seen_after_the_next_start(log):
    """Going on from what was left blessed the cut."""
    change(log, lambda lines: lines[:3])
    write(log, 2)
    assert verify(str(log)).broken_at == 4


def test_swapped_and_doubled_lines_are_seen(log):
    change(log, lambda lines: [lines[1], lines[0], *lines[2:]])
    assert verify(str(log)).broken_at == 1
    change(log, lambda lines: [lines[1], lines[0], lines[0], *lines[2:]])
    assert not is_sound(log)


def test_a_forged_record_is_seen(log):
    change(log, lambda lines: [*lines, lines[-1].replace(b'"seq": 5', b'"seq": 6')])
    assert verify(str(log)).broken_at == 6


@pytest.mark.parametrize("torn", [1, 20, 200])
def test_a_line_torn_by_a_crash_is_taken_off_at_the_next_start(log, torn):
    with open(log_path(str(log)), "rb") as file:
        half = file.readlines()[0][:torn]
    with open(log_path(str(log)), "ab") as file:
        file.write(half)
    assert verify(str(log)).broken_at == 6
    write(log, 1, start=5)
    assert is_sound(log)
    assert [row["seq"] for row in read_log(str(log))] == [1, 2, 3, 4, 5, 6]


def test_a_log_that_is_ahead_of_the_kept_hash_was_not_cut(log):
    """A crash between the two writes leaves them so; that was told as a cut."""
    kept = anchor(log).read_text()
    write(log, 2, start=5)
    anchor(log).write_text(kept)
    assert is_sound(log)


def test_a_lost_anchor_is_suspicious_and_stays_so_after_the_next_start(log):
    anchor(log).unlink()
    assert verify(str(log)).cut_off
    write(log, 1, start=5)
    (gap,) = verify(str(log)).gaps
    assert "anchor was missing" in gap.why


@pytest.mark.parametrize(
    "text", ["", "garbage", "1", '{"seq": "x", "head": "y", "gap": null}', '{"seq": 5, "head": "0", "gap": null}', "[]"]
)
def test_a_damaged_anchor_is_suspicious_and_stops_nothing(log, text):
    anchor(log).write_text(text)
    assert verify(str(log)).cut_off
    write(log, 1)


def test_a_log_of_an_earlier_version_goes_on_with_the_hash_it_kept_inside(log):
    kept = json.loads(anchor(log).read_text())
    anchor(log).unlink()
    (log / "audit.head").write_text(f"{kept['seq']} {kept['head']}\n")
    assert is_sound(log)
    change(log, lambda lines: lines[:4])
    assert verify(str(log)).cut_off
    write(log, 1, start=5)
    assert not (log / "audit.head").exists()
    assert verify(str(log)).broken_at == 5


def test_a_deleted_log_is_seen_before_and_after_the_next_start(log):
    """Nothing outside the folder knew of it: an empty record was a whole one."""
    shutil.rmtree(log)
    verdict = verify(str(log))
    assert (verdict.cut_off, verdict.lines, verdict.kept) == (True, 0, 5)
    write(log, 1)
    verdict = verify(str(log))
    assert (verdict.broken_at, verdict.is_missing) == (1, True)


@pytest.mark.parametrize("taken", ["log", "folder", "moved", "replaced"])
def test_a_log_that_is_taken_away_while_it_is_written_is_begun_anew_and_the_gap_is_seen(tmp_path, taken):
    """Every later record went into a file without a name."""
    folder = tmp_path / "audit"
    audit = Audit(str(folder))
    audit.record(AuditRecord("a", "before", "", "ok"))
    audit.flush()
    if taken == "folder":
        shutil.rmtree(folder)
    elif taken == "log":
        os.unlink(log_path(str(folder)))
    else:
        os.rename(log_path(str(folder)), tmp_path / "elsewhere")
    if taken == "replaced":
        (folder / "audit.jsonl").touch()
    audit.record(AuditRecord("a", "after", "", "ok"))
    audit.close()
    assert [row["what"] for row in read_log(str(folder))] == ["gap", "after"]
    verdict = verify(str(folder))
    assert (verdict.broken_at, verdict.is_missing) == (1, True)


def test_an_anchor_that_is_taken_away_while_the_log_is_written_is_made_again(tmp_path):
    audit = Audit(str(tmp_path / "audit"))
    anchor(tmp_path / "audit").unlink()
    audit.record(AuditRecord("a", "call", "", "ok"))
    audit.close()
    assert is_sound(tmp_path / "audit")


def test_the_chain_goes_on_over_restarts(tmp_path):
    for start in range(0, 9, 3):
        write(tmp_path / "audit", 3, start=start)
    assert is_sound(tmp_path / "audit")
    assert verify(str(tmp_path / "audit")).lines == 9


def test_the_chain_goes_on_over_rotated_files(tmp_path):
    folder = tmp_path / "audit"
    write(folder, 10, rotate_at=1500)
    write(folder, 10, start=10, rotate_at=1500)
    finished = sorted(path.name for path in folder.glob("audit-*.jsonl"))
    assert len(finished) >= 3
    assert is_sound(folder)
    assert [row["what"] for row in read_log(str(folder))] == [f"call {number}" for number in range(20)]
    os.unlink(folder / finished[1])
    assert not is_sound(folder)


def test_a_missing_oldest_file_is_seen(tmp_path):
    folder = tmp_path / "audit"
    write(folder, 10, rotate_at=1500)
    os.unlink(min(folder.glob("audit-*.jsonl")))
    assert verify(str(folder)).broken_at == 1


def test_a_log_rotated_with_its_last_record_goes_on(tmp_path):
    folder = tmp_path / "audit"
    write(folder, 1, rotate_at=1)
    write(folder, 1, rotate_at=1)
    assert is_sound(folder)
    assert verify(str(folder)).lines == 2


def test_a_full_disk_costs_records_and_nothing_else(tmp_path, monkeypatch):
    """One failed write ended the writer: later records were lost and whoever flushed waited for ever."""
    audit = Audit(str(tmp_path))
    full = threading.Event()
    real = os.write

    def write_some(descriptor, data):
        if not full.is_set():
            return real(descriptor, data)
        real(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(auditing.os, "write", write_some)
    audit.record(AuditRecord("a", "before", "", "ok"))
    audit.flush()
    full.set()
    audit.record(AuditRecord("a", "lost", "", "ok"))
    audit.flush()
    full.clear()
    audit.record(AuditRecord("a", "after", "", "ok"))
    audit.close()
    assert [row["what"] for row in read_log(str(tmp_path))] == ["before", "gap", "after"]
    (gap,) = verify(str(tmp_path)).gaps
    assert (gap.unrecorded, gap.refused, gap.why) == (1, 0, "No space left on device")
    assert gap.since <= gap.until
    assert "1 call not recorded, 0 calls refused (No space left on device)" in gap.text()
    assert is_sound(tmp_path)


def test_a_write_that_fell_short_leaves_no_torn_line(tmp_path, monkeypatch):
    audit = Audit(str(tmp_path))
    short = threading.Event()
    real = os.write
    monkeypatch.setattr(
        auditing.os, "write", lambda fd, data: real(fd, data[: len(data) // 2 if short.is_set() else None])
    )
    short.set()
    audit.record(AuditRecord("a", "short", "", "ok"))
    audit.flush()
    short.clear()
    audit.record(AuditRecord("a", "whole", "", "ok"))
    audit.close()
    assert [row["what"] for row in read_log(str(tmp_path))] == ["gap", "whole"]
    assert is_sound(tmp_path)


def test_whoever_needs_a_record_is_told_when_there_is_none_and_a_retry_ends_the_gap(tmp_path, monkeypatch):
    audit, heard = Audit(str(tmp_path / "audit")), []
    audit.changed = lambda: heard.append(audit.gap)
    full = failing(monkeypatch, "write")

    async def scene():
        await audit.ready()  # nothing is wrong yet: nobody is asked
        full.set()
        with pytest.raises(NotRecorded, match="No space left"):
            await audit.written(AuditRecord("agent:a", "fs_read", "", "ok"))
        for _ in range(3):
            with pytest.raises(NotRecorded):
                await audit.ready()
        assert (audit.gap.unrecorded, audit.gap.refused) == (1, 3)
        (lasting,) = verify(str(tmp_path / "audit")).gaps  # the anchor knows, though the log could not be told
        assert (lasting.unrecorded, lasting.refused) == (1, 3)
        full.clear()
        await audit.ready()
        assert audit.gap is None
        await audit.written(AuditRecord("agent:a", "fs_read", "", "ok"))

    asyncio.run(scene())
    assert [gap is None for gap in heard] == [False, True]
    assert [row["what"] for row in read_log(str(tmp_path / "audit"))] == ["gap", "fs_read"]
    audit.close()


def test_writing_is_tried_again_though_nobody_calls(tmp_path, monkeypatch):
    monkeypatch.setattr(auditing, "RETRY_S", 0.01)
    audit, mended = Audit(str(tmp_path / "audit")), threading.Event()
    full = failing(monkeypatch, "write")
    full.set()
    audit.record(AuditRecord("a", "lost", "", "ok"))
    audit.flush()
    audit.changed = mended.set
    full.clear()
    assert mended.wait(10)
    assert audit.gap is None
    audit.close()


def test_a_caller_that_gave_up_is_in_the_log_all_the_same(tmp_path, monkeypatch):
    audit, holds = Audit(str(tmp_path / "audit")), threading.Event()
    real, reached = os.fdatasync, threading.Event()

    def slow(descriptor):
        reached.set()
        holds.wait(10)
        real(descriptor)

    async def scene():
        first = asyncio.create_task(audit.written(AuditRecord("a", "first", "", "ok")))
        await asyncio.to_thread(reached.wait, 10)
        second = asyncio.create_task(audit.written(AuditRecord("a", "second", "", "ok")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait([second])
        holds.set()
        await first

    monkeypatch.setattr(auditing.os, "fdatasync", slow)
    asyncio.run(scene())
    audit.close()
    assert [row["what"] for row in read_log(str(tmp_path / "audit"))] == ["first", "second"]


@pytest.mark.parametrize("call", ["fdatasync", "pwrite"])
def test_a_record_that_does_not_reach_the_disk_counts_as_lost(tmp_path, monkeypatch, call):
    audit = Audit(str(tmp_path / "audit"))
    full = failing(monkeypatch, call)
    full.set()

    async def scene():
        with pytest.raises(NotRecorded, match="No space left"):
            await audit.written(AuditRecord("a", "call", "", "ok"))
        full.clear()
        await audit.ready()

    asyncio.run(scene())
    audit.close()
    assert [row["what"] for row in read_log(str(tmp_path / "audit"))] == ["call", "gap"]
    assert is_sound(tmp_path / "audit")


def test_a_gap_outlives_the_program(tmp_path, monkeypatch):
    audit = Audit(str(tmp_path / "audit"))
    full = failing(monkeypatch, "write")
    full.set()
    audit.record(AuditRecord("a", "lost", "", "ok"))
    audit.close()
    full.clear()
    write(tmp_path / "audit", 1)
    assert [row["what"] for row in read_log(str(tmp_path / "audit"))] == ["gap", "call 0"]
    assert verify(str(tmp_path / "audit")).gaps[0].unrecorded == 1
    assert is_sound(tmp_path / "audit")


def test_an_anchor_that_cannot_be_brought_to_the_disk_at_the_end_is_logged(tmp_path, monkeypatch, caplog):
    audit = Audit(str(tmp_path / "audit"))
    failing(monkeypatch, "fdatasync").set()
    audit.close()
    assert "anchor cannot be written" in caplog.text


def test_a_log_that_cannot_be_begun_anew_is_a_gap(tmp_path, monkeypatch):
    folder = tmp_path / "audit"
    audit = Audit(str(folder))
    shutil.rmtree(folder)
    folder.write_text("in the way")
    audit.record(AuditRecord("a", "lost", "", "ok"))
    audit.flush()
    assert audit.gap is not None
    folder.unlink()
    audit.record(AuditRecord("a", "kept", "", "ok"))
    audit.close()
    assert [row["what"] for row in read_log(str(folder))] == ["gap", "kept"]


@pytest.mark.parametrize("way", ["anchor", "log"])
def test_a_log_that_cannot_be_opened_at_all_is_an_error_at_once(tmp_path, way):
    (tmp_path / ("audit.anchor" if way == "anchor" else "audit/audit.jsonl")).mkdir(parents=True)
    with pytest.raises(OSError, match="Is a directory"):
        Audit(str(tmp_path / "audit"))


def test_an_anchor_that_cannot_be_written_at_the_start_is_an_error_at_once(tmp_path, monkeypatch):
    failing(monkeypatch, "pwrite").set()
    with pytest.raises(OSError, match="No space left"):
        Audit(str(tmp_path / "audit"))


def test_the_end_of_a_log_is_looked_at_without_checking_all_of_it(log, tmp_path):
    assert not is_cut_off(str(tmp_path / "none"))
    assert not is_cut_off(str(log))
    change(log, lambda lines: [*lines, b"torn"])
    assert not is_cut_off(str(log))
    change(log, lambda lines: lines[:3])
    assert is_cut_off(str(log))
    shutil.rmtree(log)
    assert is_cut_off(str(log))
    write(tmp_path / "other", 3, rotate_at=1)
    assert not is_cut_off(str(tmp_path / "other"))
    anchor(tmp_path / "other").unlink()
    assert is_cut_off(str(tmp_path / "other"))


def test_looks_that_do_not_pause_are_brought_to_the_disk_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(auditing, "KEEP_EVERY_S", 0.0)
    audit = Audit(str(tmp_path / "audit"))
    for number in range(auditing.BATCH + 1):
        audit.record(AuditRecord("a", str(number), "", "ok"))
    audit.close()
    assert verify(str(tmp_path / "audit")).lines == auditing.BATCH + 1
    assert is_sound(tmp_path / "audit")


def test_a_record_that_comes_while_the_writer_looks_away_is_written_next(tmp_path):
    audit, come = Audit(str(tmp_path)), threading.Event()

    class Meanwhile(threading.Event):
        """Somebody calls just while the writer waits for a pause."""

        def wait(self, timeout=None):
            if not come.is_set():
                audit.record(AuditRecord("agent:a", "second", "", "ok"))
                come.set()
            return True

    audit._hurry = Meanwhile()
    audit.record(AuditRecord("agent:a", "first", "", "ok"))
    assert come.wait(60)
    audit.close()
    assert [row["what"] for row in read_log(str(tmp_path))] == ["first", "second"]
    assert is_sound(tmp_path)


@pytest.mark.parametrize("last", [b"no record", b"[]", b'{"seq": 3}', b'{"seq": "x", "hash": "y"}'])
def test_a_log_whose_last_line_is_no_record_starts_anew_and_shows_the_break(log, last):
    change(log, lambda lines: [*lines[:-1], last + b"\n"])
    anchor(log).unlink()
    write(log, 1)
    assert verify(str(log)).broken_at == 5


def test_a_folder_without_a_log_holds_no_records(tmp_path):
    assert list(read_log(str(tmp_path))) == []


def test_records_from_many_threads_are_each_kept_once(tmp_path):
    audit = Audit(str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        for number in range(200):
            pool.submit(audit.record, AuditRecord("a", str(number), "", "ok"))
    audit.close()
    assert sorted(int(row["what"]) for row in read_log(str(tmp_path))) == list(range(200))
    assert is_sound(tmp_path)


def test_a_flush_means_it_is_on_the_disk(tmp_path):
    audit = Audit(str(tmp_path))
    audit.record(AuditRecord("a", "b", "", "ok"))
    audit.flush()
    assert verify(str(tmp_path)).lines == 1
    assert is_sound(tmp_path)
    audit.close()


def test_the_log_is_the_users_alone(log):
    assert os.stat(log_path(str(log))).st_mode & 0o777 == 0o600
    assert os.stat(log).st_mode & 0o777 == 0o700


def test_arguments_are_kept_only_as_a_digest(tmp_path, log):
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})
    assert len(digest_of({"secret": "x", "odd": "\ud800"})) == 64
    assert b"secret" not in b"".join(json.dumps(row).encode() for row in read_log(str(log)))
