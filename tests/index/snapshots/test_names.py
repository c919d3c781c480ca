"""Extensions of many names at once are those of each name alone."""

import random

import numpy as np

from cmdr.index.snapshots.names import Extensions, distinct, extension


def test_reads_every_extension_as_one_by_one():
    chance = random.Random(3)
    letters = [b".", b"a", b"bb", b"\xc3\xa9", b"-"]
    names = [b".bashrc", b"a.", b"a.b", b"x.12345678", b"x.123456789", b"...", b"y", b"q.tar.gz", b".a.b"]
    names += [b"".join(chance.choices(letters, k=chance.randint(1, 14))) for _ in range(3000)]
    blob = b"".join(name + b"\0" for name in names)
    extensions = Extensions()
    extensions.collect(blob, np.flatnonzero(np.frombuffer(blob, np.uint8) == 0) + 1)
    codes = extensions.codes(np.ones(len(names), bool))
    table = [bytes.fromhex(one) for one in extensions.table()]
    assert [table[code] for code in codes.tolist()] == [extension(name) for name in names]


def test_one_value_only_and_one_more_at_the_end_are_both_told():
    known, place = distinct(np.full(20_000, 7, np.uint64), np.full(1, 7, np.uint64))
    assert known.tolist() == [7]
    assert not place.any()
    values = np.append(np.full(20_000, 7, np.uint64), np.uint64(9))
    known, place = distinct(values, values[:1])
    assert known.tolist() == [7, 9]
    assert np.array_equal(known[place], values)
