"""Questions to an index while several processes change its tree: what is wrong must be marked.

    python tests/hostile/torture_truth.py [--questions 100000] [--seed 1] [--changers 3]

Three ways in turn: the world is changed, stands still, and is asked about at once, with no time to settle, watched and
not watched; and changes go on while it is asked, where an answer must have been true at some moment of the call.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.hostile.truth_ground import changers, moving
from tests.hostile.truth_questions import Asker, Score, ask_while_files_move

from cmdr.index.library import Library

ROUND = 10  # questions after each round of changes
PART = 2_000  # questions to one world before another is made


def stands_still(home: str, questions: int, seed: int, count: int, *, watched: bool) -> Score:
    """Questions to a world that was changed a moment ago."""
    root = home + "/world"
    os.mkdir(root)
    with Library.open(home + "/state") as library, changers(root, seed, count) as some:
        some.change(60)
        asker = Asker(library, os.fsencode(root), seed)
        if watched:
            asker.answers().indexed.watch()
        while asker.score.asked < questions:
            asker.round(some, ROUND)
        return asker.score


def goes_on(home: str, questions: int, seed: int) -> Score:
    """Questions to a world in which files move all the time: there are always as many."""
    root = home + "/world"
    with Library.open(home + "/state") as library, moving(root, seed) as files:
        return ask_while_files_move(library, os.fsencode(root), questions, files)


def main() -> int:
    """Ask, and say how it went; 1 when an answer was wrong and not marked."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--questions", type=int, default=100_000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--changers", type=int, default=3)
    chosen = reader.parse_args()
    total, seed, begun = Score(), chosen.seed, time.monotonic()
    while total.asked < chosen.questions:
        left = min(PART, chosen.questions - total.asked)
        home = tempfile.mkdtemp(prefix="cmdr-truth-")
        try:
            if seed % 10 == 9:
                score = goes_on(home, min(left, 500), seed)
            else:
                score = stands_still(home, left, seed, chosen.changers, watched=seed % 10 != 8)
        finally:
            shutil.rmtree(home)
        total.add(score)
        print(f"seed {seed}: {score.text()}; in all {total.text()}, {time.monotonic() - begun:.0f} s", flush=True)
        seed += 1
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
