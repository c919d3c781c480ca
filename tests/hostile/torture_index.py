"""An index killed at many moments of its work: `python tests/hostile/torture_index.py [--kills N] [--seed N]`.

A program scans, refreshes, compacts and keeps sets and queries, without pause, over a tree that it changes. It is
killed at a random moment. Then the library must open, the newest epoch be whole, every set be readable, nothing be
left over, and no node id stand for another file than before.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from index_ground import leavings, plant

from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)
WORK = """
import os, random, sys
from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_text import from_text
state, tree, chance = sys.argv[1], os.fsencode(sys.argv[2]), random.Random(int(sys.argv[3]))
library = Library.open(state)
index = library.index(tree, WalkOptions(workers=2, nice=0)).id
answers = library.get(index)
print("ready", flush=True)
number = 0
while True:
    number += 1
    folder = tree + b"/folder %d" % chance.randrange(8)
    for name in os.listdir(folder)[:3]:
        if name != b"anchor":
            os.unlink(folder + b"/" + name)
    for other in range(chance.randrange(1, 6)):
        with open(folder + b"/%d %d %d" % (os.getpid(), number, other), "wb") as out:
            out.write(b"x" * chance.randrange(2000))
    what = chance.choice(("scan", "refresh", "compact", "compact", "set", "query"))
    if what == "scan":
        library.index(tree, WalkOptions(workers=2, nice=0))
    elif what in ("refresh", "compact"):
        library.refresh(index)
        if what == "compact":
            answers.indexed.compact()
    elif what == "set":
        made = library.sets.create_from(index, "all", answers.ask(from_text("kind:file")))
        library.sets.add(made.id, [folder])
        for old in library.sets.all()[:-4]:
            library.sets.delete(old.id)
    else:
        library.queries.save(f"query {number % 5}", Question(from_text(f"size>{number}")))
"""


@dataclass
class OperationProgress:
    """What was seen, and what was wrong."""

    kills: int = 0
    epochs: set[int] = field(default_factory=set)
    identities: dict[int, tuple[int, int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def torture(place: str, kills: int, seed: int) -> OperationProgress:
    """Kill the work again and again, and look after each time."""
    chance = random.Random(seed)
    tree, state = f"{place}/tree", f"{place}/state"
    plant(tree, 8, 30)
    for folder in range(8):
        with open(f"{tree}/folder {folder}/anchor", "wb") as out:
            out.write(b"x" * folder)
    with Library.open(state) as library:
        index = library.index(os.fsencode(tree), FEW).id
        anchors = {f: library.get(index).node(os.fsencode(f"{tree}/folder {f}/anchor")).id for f in range(8)}
    tally = OperationProgress()
    while tally.kills < kills:
        command = [sys.executable, "-c", WORK, state, tree, str(chance.randrange(1 << 30))]
        # Its own session: the walkers must go by themselves when their application is killed.
        work = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        assert work.stdout is not None and work.stderr is not None
        if chance.random() < 0.8:
            work.stdout.readline()
        time.sleep(chance.random() * 0.25)
        work.send_signal(signal.SIGKILL)
        said = work.stderr.read().decode()
        work.stdout.close()
        work.stderr.close()
        if work.wait() != -signal.SIGKILL:
            tally.wrong.append(f"the work ended by itself: {said[-500:]}")
            return tally
        tally.kills += 1
        _look(state, tree, index, anchors, tally)
    return tally


def _look(state: str, tree: str, index: str, anchors: dict[int, str], tally: OperationProgress) -> None:
    wrong = tally.wrong
    with Library.open(state) as library:
        answers = library.get(index)
        if not answers.indexed.scanned or answers.indexed.set_aside:
            wrong.append(f"kill {tally.kills}: no epoch opened; set aside {answers.indexed.set_aside}")
            library.index(os.fsencode(tree), FEW)
            return
        tally.epochs.add(answers.view.epoch)
        if not answers.indexed.verify():
            wrong.append(f"kill {tally.kills}: epoch {answers.view.epoch} is damaged")
            return
        for folder, node in anchors.items():
            if answers.node(node).size != folder:
                wrong.append(f"kill {tally.kills}: an anchor changed")
        if left := leavings(state):
            wrong.append(f"kill {tally.kills}: left over: {left}")
        for one in library.sets.all():
            if len(library.sets.members(one.id)) != one.count:
                wrong.append(f"kill {tally.kills}: set {one.id} has {one.count} members in the catalogue only")
        for query in library.queries.all():
            library.get(index).ask(library.queries.get(query.id)[1].filter)
            library.queries.note_run(query.id)
        library.report(index, "growth", limit=5)
        library.refresh(index)
        _compare(answers, tree, tally)


def _compare(answers, tree: str, tally: OperationProgress) -> None:
    """Every file of the disk is known, under an id that always meant this very file."""
    for folder, _, files in os.walk(os.fsencode(tree)):
        for name in files:
            path = folder + b"/" + name
            facts = os.stat(path)
            row = answers.row(path)
            nid = answers.view.id_of(row)
            identity = (facts.st_ino, answers.view.value("born", row))
            before = tally.identities.setdefault(nid, identity)
            if before != identity:
                tally.wrong.append(f"kill {tally.kills}: id {nid} means another file now: {path!r}")
            if answers.view.value("size", row) != facts.st_size:
                tally.wrong.append(f"kill {tally.kills}: the size of {path!r} is wrong")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    place = tempfile.mkdtemp(prefix="cmdr-index-torture-")
    try:
        tally = torture(place, chosen.kills, chosen.seed)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(
        f"{tally.kills} kills, {len(tally.epochs)} epochs seen, {len(tally.identities)} ids checked, seed {chosen.seed}"
    )
    for sentence in tally.wrong:
        print("WRONG:", sentence)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
