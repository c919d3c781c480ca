"""Worlds for operations to change, and the journals that remember them."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hostile"))

from ops_ground import World


@pytest.fixture
def world(tmp_path):
    """Two folders on one disk, with a file and a small tree in the first."""
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/a", b"12345")
    made.write(made.here + b"/tree/b", b"123")
    made.write(made.here + b"/tree/sub/c", b"1")
    return made


@pytest.fixture
def journal(world):
    """The journal of this world's operations."""
    made = world.journal()
    yield made
    made.close()
