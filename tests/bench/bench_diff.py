"""The diff engine against `difflib` and `git diff --no-index`, in one run on one machine, in CPU time.

Run as `python tests/bench/bench_diff.py [--full]`; `--full` lets difflib try the largest text too, for minutes.
"""

import difflib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from cmdr.model.texts.diff import diff_lines, diff_texts
from cmdr.model.texts.diff_rows import DiffRows

SIZES = ((1_000, 50), (5_000, 200), (20_000, 500), (100_000, 1_000))
TARGET = 0.3


def texts(lines, changes):
    """Code-like text with repeated blank lines and braces, and edits, insertions and deletions all over it."""
    rng = random.Random(2)
    old = [f"    value_{i} = compute({i})  # some comment\n" if i % 5 else ("\n", "}\n")[i % 2] for i in range(lines)]
    new = old[:]
    for number in range(changes):
        at, roll = rng.randrange(len(new)), rng.random()
        if roll < 0.4:
            new[at] = f"    changed_{number} = calculate({at})\n"
        elif roll < 0.7:
            new.insert(at, f"    inserted({number})\n")
        else:
            del new[at]
    return "".join(old), "".join(new)


def cpu_seconds():
    """Of this process and its finished children: other programs on the machine do not count."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def best(work, times=3):
    found = float("inf")
    for _ in range(times):
        start = cpu_seconds()
        work()
        found = min(found, cpu_seconds() - start)
    return found


def git_seconds(folder, old, new):
    if shutil.which("git") is None:
        return None
    for name, text in (("old", old), ("new", new)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    command = ["git", "diff", "--no-index", "--patience", "--no-color", "old", "new"]
    return best(lambda: subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False))


def difflib_seconds(old, new):
    old_lines, new_lines = old.splitlines(True), new.splitlines(True)
    return best(lambda: difflib.SequenceMatcher(None, old_lines, new_lines).get_opcodes(), 1)


def ratio(other, ours):
    return "–" if other is None else f"{other * 1000:8.1f} ms {other / ours:8.1f}×"


def main():
    full = "--full" in sys.argv
    ok = True
    print("lines/changes     cmdr        difflib             git diff --no-index    hunks  added+removed")
    with tempfile.TemporaryDirectory(prefix="cmdr-bench-") as folder:
        for lines, changes in SIZES:
            old, new = texts(lines, changes)
            ours = best(lambda old=old, new=new: diff_texts(old, new), 5)
            diff = diff_texts(old, new)
            slow = difflib_seconds(old, new) if lines <= 20_000 or full else None
            git = git_seconds(folder, old, new)
            print(
                f"{lines:>7}/{changes:<6} {ours * 1000:7.1f} ms  {ratio(slow, ours):>20}  {ratio(git, ours):>20}"
                f"  {len(diff.hunks):>6}  {diff.added + diff.removed}"
            )
            if lines == 100_000:
                ok = ours <= TARGET
                rows = best(lambda diff=diff: DiffRows(diff, context=3)[:60])
                print(f"rows ready to draw (60 of {len(DiffRows(diff))}): {rows * 1000:.2f} ms")
    same = random.Random(1).choices(["a\n", "b\n"], k=100_000)
    hostile = best(lambda: diff_lines(same, same[::-1]), 1)
    print(f"100,000 lines of only two kinds, reversed: {hostile * 1000:.0f} ms")
    print(f"target 100,000/1,000 within {TARGET} s: {'met' if ok else 'MISSED'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
