"""Exports and questions to them, against the index itself, in processor time.

python tests/bench/bench_fleet.py [--files 50000] [--rows 1000000]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from bench_index import Big, grow, multiply

from cmdr.index.fleets.parquet_export import export
from cmdr.index.query.queries import IndexQueries
from cmdr.index.scan.scan import scan
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import stored_view
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_text import from_text

LINES = ("report", "ext:py size>10K", 'name:regex"report.*py$"', "path:invoice", "", "rep*.p?", "is:empty")


def spent(work):
    """What a piece of work gave, and the processor time it took."""
    began = time.process_time()
    given = work()
    return given, time.process_time() - began


def peak():
    """The most memory of its own that this process had, in MB; mapped columns are not counted."""
    with open("/proc/self/status") as told:
        facts = dict(line.split(":", 1) for line in told)
    return int(facts["RssAnon"].split()[0]) / 1000


def exporting(epoch, to):
    """In a process of its own, for its memory."""
    import polars  # noqa: F401

    answers = IndexQueries(Big(stored_view(StoredColumns(epoch))), None)
    most = before = peak()

    def watch():
        nonlocal most
        most = max(most, peak())
        return False

    made, seconds = spent(lambda: export(answers, answers.view.root, to, "host", watch))
    print(f"export {made.rows:,} rows: {seconds:.2f} s, {made.bytes / 1e6:.0f} MB; memory {before:.0f} → {most:.0f} MB")


def asking(epoch, to):
    from cmdr.index.fleets.fleet import Fleet

    answers = IndexQueries(Big(stored_view(StoredColumns(epoch))), None)
    root = answers.view.root
    with Fleet(to) as fleet:
        for line in LINES:
            wanted = from_text(line)
            own, by_index = spent(lambda wanted=wanted: answers.ask(wanted, root).count)
            found, by_fleet = spent(lambda wanted=wanted: fleet.totals(wanted))
            _, listing = spent(lambda wanted=wanted: len(list(fleet.find(Question(wanted, "size", True, 20)))))
            assert own == found.entries, line
            told = f"{line or 'everything':26} {own:>9,} found: totals {by_fleet * 1000:6.0f} ms, the biggest 20"
            print(f"{told} {listing * 1000:6.0f} ms, the index {by_index * 1000:6.0f} ms")
    print(f"memory {peak():.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=int, default=50_000)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.step:
        step, *rest = chosen.step
        return {"export": exporting, "ask": asking}[step](*rest)
    work = tempfile.mkdtemp(prefix="fleet-bench-")
    try:
        grow(os.path.join(work, "tree"), chosen.files)
        small = scan(os.fsencode(os.path.join(work, "tree")), os.path.join(work, "small"))
        big = multiply(small, os.path.join(work, "big"), chosen.rows)
        for step in ("export", "ask"):
            command = [sys.executable, __file__, "--step", step, big.stored.folder, os.path.join(work, "out")]
            subprocess.run(command, check=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
