"""A disk that is full while contents are indexed: what was there stays, it is said why, and room comes back."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from index_ground import alone, needs_own_mounts

from cmdr.index.contents.compiled import contents_library

pytestmark = [
    needs_own_mounts,
    pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here"),
]

BUILDS = """
import random
from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.segments.build import BuildOptions
from cmdr.index.contents.segments.tree_contents import TreeContents
from cmdr.model.contents import ContentPattern
mount(place + "/disk", "8m")
chance, tree = random.Random(1), place + "/tree"
for number in range(300):
    os.makedirs(f"{tree}/{number % 7}", exist_ok=True)
    with open(f"{tree}/{number % 7}/{number}.txt", "wb") as out:
        out.write(b"".join(b"word%d other%d" % (chance.randrange(10**6), number) for _ in range(200)) + b"\\n")
with Library.open(place + "/disk/state") as library:
    answers = library.get(library.index(os.fsencode(tree), FEW).id)
    view, rows = answers.view, answers.view.live_rows()
    contents = TreeContents(contents_library(), answers.indexed.home)
    options = BuildOptions(1, 0, 0)
    contents.build(view, lambda path: False, options)
    before, size = contents.manifest, contents.manifest.size
    def likely():
        return len(contents.candidates(view, ContentPattern("other77"), rows))
    expected = likely()
    for leave in (0, 4096, 40_000, 80_000, size // 2, size - 8192, size + 4096, size + 40_000):
        fill_up(place + "/disk", leave)
        room, said = free(place + "/disk"), ""
        try:
            contents.build(view, lambda path: False, options)
        except DiskFull as trouble:
            said = str(trouble)
        again = TreeContents(contents_library(), answers.indexed.home)
        tell(said=said, same=contents.manifest is before, fine=likely() == expected, lost=room - free(place + "/disk"),
             troubles=list(again.troubles), names=len(os.listdir(answers.indexed.home + "/contents")))
        make_room(place + "/disk")
    contents.build(view, lambda path: False, options)
    tell(fine=likely() == expected, new=contents.manifest is not before)
"""


def test_contents_without_room_keep_the_old_index_and_give_the_room_back(tmp_path):
    *tries, last = alone(BUILDS, str(tmp_path))
    refused = [one for one in tries if one["said"]]
    assert len(refused) >= 4
    assert {one["said"] for one in refused} <= {
        "There is no room on the disk for the index of contents; what was there stays in use.",
        "There is no room on the disk for the list of files to index.",
        "There is no room on the disk for a place to build the index of contents.",
    }
    for one in tries:
        assert one["fine"]
        assert one["troubles"] == []
        assert one["names"] == 3
        assert not one["said"] or (one["same"] and one["lost"] <= 4096 * 4)
    assert last == {"fine": True, "new": True}
