"""Killed at any moment of scanning, refreshing, compacting or keeping a set, an index opens and answers."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from torture_index import torture


def test_an_index_killed_at_random_moments_always_opens_whole(tmp_path):
    tally = torture(str(tmp_path), kills=8, seed=7)
    assert tally.wrong == []
    assert tally.kills == 8
