"""Segments as they are built: full to the last document, a file never in two of them."""

import os

import numpy as np
import pytest

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.scan_job import FileState
from cmdr.index.contents.segments.build import BuildOptions, build_segments
from cmdr.index.contents.segments.content_keys import key_program
from cmdr.index.contents.segments.segment_file import SegmentFile
from cmdr.model.contents import ContentPattern

pytestmark = pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here")
FULL = 1 << 14
AT_ONCE = BuildOptions(1, 0, 0)


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "tiny").write_bytes(b"one fox\n")
    (tmp_path / "long").write_bytes(b"nothing at all, line by line\n" * 12_000 + b"behind it a zebra\n")
    (tmp_path / "binary").write_bytes(b"\0")
    (tmp_path / "scratch").mkdir()
    return os.fsencode(tmp_path)


def built(texts, names, options=AT_ONCE):
    paths = [texts + b"/" + name for name in names]
    scratch = os.fsdecode(texts + b"/scratch")
    made = build_segments(FileList.of_paths(paths), np.arange(len(paths)), scratch, options)
    segments = [SegmentFile(contents_library(), scratch, one) for one in made.segments]
    for one in segments:
        one.verify()
    return made, segments


def holding(segments, text):
    program = key_program(contents_library(), ContentPattern(text))
    return [sorted(set(one.docs["id"][one.candidates(program)].tolist())) for one in segments]


@pytest.mark.parametrize("before", [FULL, FULL - 1, FULL - 5, FULL - 13, FULL - 14])
def test_all_parts_of_a_file_are_in_one_segment(texts, before):
    made, segments = built(texts, [b"tiny"] * before + [b"long", b"tiny"])
    assert sum(one.docs for one in made.segments) == before + 7
    found = holding(segments, "behind it a zebra")
    assert [one for some in found for one in some] == [before]
    (owner,) = (one for one in segments if before in one.docs["id"])
    assert (owner.docs["id"] == before).sum() == 6
    parts = owner.docs[owner.docs["id"] == before]
    assert parts["start"][0] == 0
    assert (parts["start"][1:] == (parts["start"] + parts["length"])[:-1]).all()
    assert parts["lines"][-1] < 12_001
    assert sum(map(len, holding(segments, "one fox"))) == before + 1
    assert max(len(one.docs) for one in segments) <= FULL


def test_each_file_is_noted_as_what_it_was(texts):
    made, _ = built(texts, [b"tiny", b"binary", b"nowhere", b"long"])
    assert made.states.tolist() == [FileState.TEXT, FileState.BINARY, FileState.GONE, FileState.TEXT]
    assert (made.stamps != 0).tolist() == [True, True, False, True]


def test_several_workers_build_one_index(texts):
    made, segments = built(texts, ([b"tiny", b"tiny", b"binary"] * 1500 + [b"long"]) * 2, BuildOptions(2, 0, 0))
    assert len(made.segments) >= 2
    assert sum(map(len, holding(segments, "behind it a zebra"))) == 2
    assert sum(map(len, holding(segments, "one fox"))) == 6000
