"""Rows in a new order, told as stretches of the old one."""

import numpy as np
import pytest

from cmdr.index.snapshots.source import row_runs


@pytest.mark.parametrize("size", [1, 3, 500])
def test_stretches_and_single_rows_give_the_same_order(size):
    chance = np.random.default_rng(size)
    count = chance.integers(0, size + 1, 40)
    begin = 1 + np.cumsum(count) - count
    order = chance.permutation(40)
    runs = row_runs(begin[order], count[order])
    rows = int(count.sum()) + 1
    expected = np.concatenate([[0], *(np.arange(begin[one], begin[one] + count[one]) for one in order)])
    values = chance.integers(0, 10**9, rows)
    assert runs.rows == rows
    assert runs.gather([values]).tolist() == values[expected].tolist()
    assert runs.gather([values[:1], values[1 : rows // 2], values[rows // 2 :]]).tolist() == values[expected].tolist()
    assert runs.now_at(expected).tolist() == list(range(rows))


def test_blocks_that_follow_each_other_are_one_stretch():
    runs = row_runs(np.array([1, 4, 9, 6]), np.array([3, 2, 1, 0]))
    assert (runs.begin.tolist(), runs.end.tolist()) == ([0, 9], [6, 10])
    assert runs.stretches((1, 2, 7)) == [(0, 0, 1), (1, 0, 2), (2, 0, 3), (2, 6, 7)]
