"""A disk that is really full: the old epoch, the sets and the queries stay, it is said why, and room comes back."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from index_ground import alone, needs_own_mounts

pytestmark = needs_own_mounts

READY = """
mount(place + "/disk", "8m")
plant(place + "/tree", 20, 50)
tree, state = os.fsencode(place + "/tree"), place + "/disk/state"
library = Library.open(state)
index = library.index(tree, FEW).id
answers = library.get(index)
kept = library.sets.create(index, "kept", [tree + b"/folder 1"])
anchor = answers.node(tree + b"/folder 3/a file with a rather long name 7.txt")
def check():
    found = answers.node(anchor.id)
    return (found.path, found.size) == (anchor.path, anchor.size) and answers.indexed.verify()
def full(work):
    before = free(place)
    try:
        work()
    except DiskFull as trouble:
        return str(trouble)
    return ""
"""

SCANS = """
with open(place + "/tree/new", "wb") as out: out.write(b"new")
leaves = [0, 4096, 20_000, 60_000, 100_000, 120_000, 140_000, 160_000, 180_000, 200_000, 240_000]
for leave in leaves:
    fill_up(place + "/disk", leave)
    before = free(place + "/disk")
    said = full(lambda: library.index(tree, FEW))
    tell(leave=leave, said=said, fine=check(), lost=before - free(place + "/disk"), left=leavings(state),
         epoch=answers.view.epoch)
    make_room(place + "/disk")
library.index(tree, FEW)
tell(after=answers.node(tree + b"/new").size)
library.close()
with Library.open(state) as again:
    tell(after=again.get(index).node(tree + b"/new").size)
"""


def test_a_scan_without_room_keeps_the_old_epoch_and_gives_the_room_back(tmp_path):
    *tries, resident, reopened = alone(READY + SCANS, str(tmp_path))
    assert all(one["fine"] for one in tries)
    assert all(one["left"] == [] for one in tries)
    refused = [one for one in tries if one["said"]]
    assert len(refused) >= 4
    assert {one["said"] for one in refused} == {
        "There is no room on the disk for the scan's notes; nothing was changed.",
        "There is no room on the disk for the new epoch; the old one stays in use.",
    }
    assert [one["lost"] for one in refused if one["lost"] > 4096 * 4] == []  # the catalogue may have grown by a page
    assert (resident["after"], reopened["after"]) == (3, 3)


COMPACTIONS = """
for number in range(40):
    with open(place + f"/tree/folder 2/new {number}", "wb") as out: out.write(b"new")
library.refresh(index)
for leave in (0, 4096, 30_000, 80_000, 120_000):
    fill_up(place + "/disk", leave)
    before = free(place + "/disk")
    said = full(answers.indexed.compact)
    tell(said=said, fine=check(), lost=before - free(place + "/disk"), left=leavings(state),
         new=answers.node(tree + b"/folder 2/new 7").size)
    make_room(place + "/disk")
answers.indexed.compact()
tell(rows=answers.indexed.delta_rows, new=answers.node(tree + b"/folder 2/new 7").size, fine=check())
"""


def test_a_compaction_without_room_keeps_epoch_and_overlay(tmp_path):
    *tries, last = alone(READY + COMPACTIONS, str(tmp_path))
    assert sum(bool(one["said"]) for one in tries) >= 3
    for one in tries:
        assert one["fine"]
        assert one["new"] == 3
        assert one["left"] == []
        assert not one["said"] or one["lost"] <= 4096 * 4
    assert last == {"rows": 0, "new": 3, "fine": True}


REFRESHES = """
for number in range(2000):
    with open(place + f"/tree/folder 2/new file {number}", "wb") as out: out.write(b"new")
fill_up(place + "/disk", 0)
said = full(lambda: library.refresh(index))
tell(said=said, fine=check(), left=leavings(state), state=answers.indexed.freshness.state)
make_room(place + "/disk")
library.refresh(index)
tell(new=answers.node(tree + b"/folder 2/new file 7").size, fine=check())
"""


def test_a_refresh_without_room_changes_nothing_and_the_next_one_finds_it_all(tmp_path):
    first, then = alone(READY + REFRESHES, str(tmp_path))
    assert first["said"].startswith("There is no room on the disk")
    assert first["fine"]
    assert first["left"] == []
    assert then == {"new": 3, "fine": True}


SHELVES = """
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_text import from_text
question = Question(from_text("file"))
library.queries.save("mine", question)
everything = answers.ask(question.filter)
fill_up(place + "/disk", 0)
tell(said=full(lambda: library.sets.create_from(index, "big", everything)))
tell(said=full(lambda: library.sets.add(kept.id, [b.path for b in answers.children(tree, 100).nodes] +
                                        [b.path for b in answers.children(tree + b"/folder 2", 100).nodes])))
tell(said=full(lambda: [library.queries.save(f"query {n}", Question(from_text(f"name:{'x' * 900}{n}")))
                        for n in range(200)]))
found = answers.ask(library.queries.get("mine")[1].filter)
library.queries.note_run("mine")
tell(count=found.count, sets=[one.count for one in library.sets.all()],
     members=len(library.sets.members(kept.id)), left=leavings(state))
make_room(place + "/disk")
tell(count=library.sets.create_from(index, "big", everything).count)
library.close()
with Library.open(state) as again:
    tell(sets=[one.count for one in again.sets.all()], queries=[one.name for one in again.queries.all()][:1],
         members=len(again.sets.members(kept.id)))
"""


def test_sets_and_queries_without_room_stay_as_they_were(tmp_path):
    made, added, saved, meanwhile, later, reopened = alone(READY + SHELVES, str(tmp_path))
    assert made["said"] == "There is no room on the disk for this set; it stays as it was."
    assert added["said"].startswith("There is no room on the disk for")
    assert (
        saved["said"] == "There is no room on the disk for the list of indexes, sets and queries; it stays as it was."
    )
    assert meanwhile == {"count": 1000, "sets": [1], "members": 1, "left": []}
    assert later == {"count": 1000}
    assert reopened["sets"] == [1, 1000]
    assert reopened["members"] == 1
    assert reopened["queries"] == ["mine"]


OPENING = """
library.close()
fill_up(place + "/disk", 0)
try:
    with Library.open(state) as again:
        tell(size=again.get(index).node(anchor.id).size, said="")
except DiskFull as trouble:
    tell(size=anchor.size, said=str(trouble))
make_room(place + "/disk")
with Library.open(state) as again:
    tell(size=again.get(index).node(anchor.id).size)
"""


def test_a_library_on_a_full_disk_opens_or_says_why_and_is_whole_afterwards(tmp_path):
    first, then = alone(READY + OPENING, str(tmp_path))
    assert first["size"] == then["size"] == 7
    assert first["said"] in ("", "There is no room on the disk for the list of indexes.")
