"""Folders among what was found are counted and shown beside the files."""

import os

from cmdr.index.query.answers import KindCounts
from cmdr.model.filters.filter_text import from_text


def shown(indexed, line, count):
    answer = indexed.ask(from_text(line))
    return [(one.kind, one.size) for one in indexed.biggest(answer, count)]


def test_what_was_found_is_counted_by_kind_and_files_hold_nothing_twice(indexed, tree):
    answer = indexed.ask(from_text("under:" + os.fsdecode(tree) + "/docs"))
    # docs/main-again.py has a second name elsewhere and is one file.
    assert answer.kinds() == KindCounts(5, 2, 0, 5000 + 120_000 + 10 + 2048)
    assert answer.bytes == 5000 + 120_000 + 10 + 2048
    assert indexed.ask(from_text("kind:dir")).kinds() == KindCounts(0, 6, 0, 0)
    assert indexed.ask(from_text("kind:link,fifo")).kinds() == KindCounts(0, 0, 3, 0)


def test_all_that_was_found_is_shown_where_there_is_room(indexed):
    everything = indexed.ask(from_text("")).count
    assert len(shown(indexed, "", everything)) == len(shown(indexed, "", 100)) == everything
    kinds = [kind if kind in ("file", "dir") else "other" for kind, _ in shown(indexed, "", 100)]
    assert kinds == sorted(kinds, key=["file", "dir", "other"].index)


def test_where_there_is_no_room_for_all_both_files_and_folders_are_shown_the_biggest_first(indexed):
    found = shown(indexed, "", 5)
    assert [kind for kind, _ in found] == ["file", "file", "file", "dir", "dir"]
    assert [size for _, size in found][:3] == [120_000, 9999, 5000]
    assert [kind for kind, _ in shown(indexed, "kind:dir", 3)] == ["dir"] * 3
    assert [kind for kind, _ in shown(indexed, "kind:file", 3)] == ["file"] * 3
    assert shown(indexed, "", 0) == []
    assert [kind for kind, _ in shown(indexed, "", 1)] == ["file"]
