"""A file goes for good only when it is the very one, or when its copy is the same."""

import os

import pytest

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.removal import verified_by_copy
from cmdr.engine.fs.syscalls import Syscalls


def test_a_file_that_was_written_to_stays_though_its_copy_is_whole(tmp_path):
    for name in ("original", "copy"):
        (tmp_path / name).write_bytes(b"text")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        marks = [fingerprint.of_name(name, folder) for name in (b"original", b"copy")]
        (tmp_path / "original").write_bytes(b"another text")
        with pytest.raises(Drifted, match="it has changed since the plan"):
            verified_by_copy(
                Syscalls(), Spot(folder, b"original"), marks[0], Spot(folder, b"copy"), marks[1], lambda _: None
            )
    finally:
        os.close(folder)
