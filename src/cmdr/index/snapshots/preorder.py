"""Putting directories in block-DFS order, however deep or wide the tree is.

Everything goes level by level with whole-array steps; nothing recurses.
"""

from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import Column


@dataclass(frozen=True)
class Preorder:
    """The order of the directories of a tree; old numbers in, new (pre-order) numbers out."""

    new: Column  # old number -> new number
    old: Column  # new number -> old number
    parent: Column  # by new number
    last: Column  # by new number: one past the subtree
    depth: Column  # by new number
    levels: list[Column]  # new numbers, level by level from the root


def preorder(parent: Column) -> Preorder:
    """Number the directories so that every subtree is contiguous; directory 0 is the root."""
    count = len(parent)
    children = np.argsort(parent[1:], kind="stable") + 1
    first = np.searchsorted(parent[children], np.arange(count + 1))
    levels = [np.zeros(1, np.int64)]
    while True:
        level = levels[-1]
        width = first[level + 1] - first[level]
        total = int(width.sum())
        if not total:
            break
        before = np.cumsum(width) - width
        levels.append(children[np.repeat(first[level] - before, width) + np.arange(total)])
    below = np.ones(count, np.int64)
    for level in reversed(levels[1:]):
        np.add.at(below, parent[level], below[level])
    new = np.zeros(count, np.int64)
    depth = np.zeros(count, np.int64)
    for number, level in enumerate(levels[1:], 1):
        above = parent[level]
        run = np.cumsum(below[level]) - below[level]
        starts = np.empty(len(level), bool)
        starts[0] = True
        np.not_equal(above[1:], above[:-1], out=starts[1:])
        base = np.maximum.accumulate(np.where(starts, np.arange(len(level)), 0))
        new[level] = new[above] + 1 + run - run[base]
        depth[level] = number
    old = np.empty(count, np.int64)
    old[new] = np.arange(count)
    return Preorder(new, old, new[parent[old]], np.arange(count) + below[old], depth[old], [new[x] for x in levels])


def max_blocks(values: Column, start: Column, count: Column, empty: int) -> Column:
    """The greatest value in each directory's own block."""
    return _reduce(np.maximum, values, start, count, empty)


def _reduce(how: np.ufunc, values: Column, start: Column, count: Column, empty: int) -> Column:
    out = np.full(len(start), empty, np.int64)
    full = np.flatnonzero(count)
    if len(full):
        # Blocks are adjacent, so the start of the next full block ends this one; the last ends with the rows.
        out[full] = how.reduceat(values, start[full].astype(np.int64), dtype=np.int64)
    return out


def sum_subtrees(own: Column, last: Column) -> Column:
    """Totals of whole subtrees from each directory's own: a difference of prefix sums."""
    running = np.zeros(len(own) + 1, np.int64)
    np.cumsum(own, out=running[1:])
    return running[last.astype(np.int64)] - running[:-1]


def max_subtrees(own: Column, parent: Column, levels: list[Column]) -> Column:
    """The greatest value in every subtree, from the deepest level up."""
    out = own.copy()
    for level in reversed(levels[1:]):
        np.maximum.at(out, parent[level].astype(np.int64), out[level])
    return out
