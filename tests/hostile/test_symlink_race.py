"""A folder that keeps turning into a link that leads outside is never followed. `make torture` races longer."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from walls_ground import SECRET, Ground, Swapper

from cmdr.files.errors import DiskError

SWAPS = 20_000


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Ground(tmp_path) as made:
        (made.root / "sub" / "secret.txt").write_text("inside")
        yield made


def read_while(ground, swapper, swaps, *, kernel):
    """Open and read through the folder until it was swapped so often; how often that worked, and how often not."""
    from cmdr.files.sandbox.path_resolver import Sandbox

    sandbox = Sandbox(ground.sandbox.roots, ground.sandbox.private, kernel=kernel)
    reach = sandbox.resolver()
    opened = refused = 0
    while swapper.swaps < swaps:
        for path in (b"sub/secret.txt", b"sub/../sub/secret.txt", b"sub/deep/../secret.txt"):
            try:
                with reach.find(path) as found, open(found.open(), "rb") as file:
                    assert file.read() != SECRET.encode()
                    opened += 1
            except DiskError:
                refused += 1
    sandbox.close()
    return opened, refused


@pytest.mark.parametrize("kernel", [True, False], ids=["kernel", "walk"])
def test_reading_never_follows_a_folder_that_becomes_a_link(ground, kernel):
    swapper = Swapper(ground.root / "sub", ground.outside)
    swapper.start()
    try:
        opened, refused = read_while(ground, swapper, SWAPS, kernel=kernel)
    finally:
        swapper.stop()
    assert opened
    assert refused


def test_writing_never_follows_a_folder_that_becomes_a_link(ground):
    before = sorted(os.listdir(ground.outside))
    swapper = Swapper(ground.root / "sub", ground.outside)
    swapper.start()
    done = 0
    try:
        for number in range(40):
            done += ground.ask("fs_write", path=f"sub/new{number}.txt", content="x").startswith("OK")
            ground.ask("fs_write", path="sub/secret.txt", content="overwritten", overwrite=True)
            ground.ask("fs_copy", **{"from": "file.txt", "to": f"sub/copy{number}.txt"})
            ground.ask("fs_delete", path="sub/secret.txt")
    finally:
        swapper.stop()
    assert sorted(os.listdir(ground.outside)) == before
    assert (ground.outside / "secret.txt").read_text() == SECRET
