"""Worker processes: an answer is whole or there is none."""

import io
import struct

import pytest

from cmdr.files import worker_process
from cmdr.files.worker_process import WorkerEnded


def answer(*blocks):
    sent = struct.pack("=Q", len(blocks))
    return sent + b"".join(struct.pack("=Q", len(block)) + block for block in blocks)


def test_an_answer_that_breaks_off_anywhere_is_no_answer():
    """A worker killed while it wrote left columns that did not fit each other."""
    blocks = [b"names", b"", b"x" * 30]
    whole = answer(*blocks)
    assert worker_process._receive(io.BytesIO(whole)) == blocks
    for end in range(len(whole)):
        with pytest.raises(WorkerEnded):
            worker_process._receive(io.BytesIO(whole[:end]))


def test_what_the_listener_raises_ends_the_worker(monkeypatch):
    monkeypatch.setattr(worker_process, "_PROGRAM", "import time; time.sleep(600)")

    def listen(sign):
        assert sign == b""
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        worker_process.run_worker("cmdr.files.large_folder", [b"task"] * 100_000, listen)


def test_a_worker_that_fails_has_no_answer():
    with pytest.raises(WorkerEnded):
        worker_process.run_worker("cmdr.files.no_such_module", [b"task"], lambda _sign: None)
