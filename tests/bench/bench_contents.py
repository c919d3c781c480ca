"""Search in contents against ripgrep (or grep): one generated tree, one run, goals as ratios.

    python tests/bench/bench_contents.py [--files 10000] [--dir FOLDER] [--questions 40]

With --dir an existing folder is asked instead of a generated one. Absolute times depend on the machine: compare only
within one run.
"""

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.compiled_scanner import CompiledScanner
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.searching import ScanLimits
from cmdr.index.contents.segments.build import BuildOptions
from cmdr.index.contents.segments.tree_contents import TreeContents
from cmdr.index.library import Library
from cmdr.index.snapshots.columns import FORMAT_FILE, Column
from cmdr.index.snapshots.view import View
from cmdr.model.contents import ContentPattern, SearchCoverage

RG = shutil.which("rg")
PAGE = ScanLimits(lines_per_file=20, files=100)
NO_LITERAL = [r"\w+@\w+\.\w+", r"[0-9]{3}-[0-9]{4}", r"(?:[a-z]+[0-9]+)+z$", r"(\w+\s+){20}x", r"^\s*$", r"(a+)+$"]


def plant(root: str, files: int) -> None:
    """Sources of Python's own library, each several times with other names and lines in it; binaries, empty files."""
    chance = random.Random(7)
    home = os.path.dirname(os.__file__)
    found = (os.path.join(at, one) for at, _, names in os.walk(home) for one in names if one.endswith((".py", ".txt")))
    sources = sorted(one for one in found if "site-packages" not in one)
    for number in range(files):
        folder = f"{root}/{number // 900}/{number // 30}"
        os.makedirs(folder, exist_ok=True)
        kind = chance.random()
        with open(f"{folder}/{number}", "wb") as out:
            if kind < 0.3:
                out.write(b"\0" + chance.randbytes(chance.randrange(100, 4000)))  # later, it is told otherwise by rg -l
            elif kind < 0.98:
                with open(chance.choice(sources), encoding="utf-8", errors="surrogateescape") as source:
                    lines = source.read(1 << 17).splitlines(keepends=True)
                for at in chance.sample(range(len(lines)), len(lines) // 16):
                    lines[at] = re.sub(r"[a-z]{4,}", lambda name: f"{name[0]}_{chance.randrange(9999)}", lines[at])
                out.write("".join(lines).encode("utf-8", "surrogateescape"))


def questions(root: bytes, view: View, rows: Column, count: int) -> dict[str, list[ContentPattern]]:
    """By class, texts drawn from random lines of the tree."""
    chance = random.Random(11)
    found: dict[str, list[ContentPattern]] = {
        one: [] for one in ("identifier", "phrase", "3 chars", "any case", "absent", "regex with a text")
    }
    while any(len(one) < count // 6 for one in found.values()):
        with open(view.path(int(rows[chance.randrange(len(rows))])), "rb") as file:
            data = file.read(1 << 16)
        lines = [one for one in data.split(b"\n") if len(one) > 30 and one.isascii()]
        if b"\0" in data or not lines:
            continue
        line = chance.choice(lines).decode()
        names = re.findall(r"[A-Za-z_]{4,}", line)
        at = chance.randrange(len(line) - 25)
        if names:
            name = chance.choice(names)
            found["identifier"].append(ContentPattern(name, False, True))
            found["any case"].append(ContentPattern(name.upper()))
            found["regex with a text"].append(ContentPattern(re.escape(name) + r"[a-z]{0,3}[:;,( ]", True, True))
        found["phrase"].append(ContentPattern(line[at : at + chance.randrange(10, 25)], False, True))
        found["3 chars"].append(ContentPattern(line[at : at + 3], False, True))
        found["absent"].append(ContentPattern("".join(chance.choices("qxzjvk", k=9)), False, True))
    found = {name: some[: max(1, count // 6)] for name, some in found.items()}
    return found | {"regex without": [ContentPattern(one, True, True) for one in NO_LITERAL]}


def timed(work: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    answer = work()
    return (time.perf_counter() - began) * 1000, answer


def theirs(root: bytes, pattern: ContentPattern) -> set[bytes]:
    """The files that ripgrep, or grep where it is missing, finds."""
    if RG is not None:
        case, kind = "-s" if pattern.case else "-i", [] if pattern.is_regex else ["-F"]
        command = [RG, "-uu", "-l", "-0", case, *kind, "-e", pattern.text, "."]
    else:
        command = ["grep", "-rlIZ", "-P" if pattern.is_regex else "-F", *([] if pattern.case else ["-i"])]
        command += ["-e", pattern.text, "."]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    return {root + one[1:] for one in done.stdout.split(b"\0") if one}


def anonymous_mb() -> float:
    with open("/proc/self/smaps_rollup") as facts:
        return next(int(line.split()[1]) for line in facts if line.startswith("Anonymous")) / 1024


def goal(name: str, value: float, limit: float, unit: str = "", most: bool = True) -> None:
    met = value <= limit if most else value >= limit
    print(f"  {name:<46} {value:>10.2f} {unit:<3} goal {'≤' if most else '≥'} {limit:g}  {'met' if met else 'MISSED'}")


def bench(root: bytes, state: str, count: int) -> None:
    library = contents_library()
    if library is None:
        sys.exit("The library of contents was not built here.")
    lister = f"{RG} --files -uu -0" if RG else "find . -type f -print0"
    reading = [timed(lambda: subprocess.run(f"{lister} | xargs -0 -P2 cat > /dev/null", shell=True, cwd=root))[0]]
    with Library.open(state) as indexes:
        answers = indexes.get(indexes.index(root).id)
        view = answers.view
        contents = TreeContents(library, answers.indexed.home, lambda: True)
        reading.append(
            timed(lambda: subprocess.run(f"{lister} | xargs -0 -P2 cat > /dev/null", shell=True, cwd=root))[0]
        )
        built, _ = timed(lambda: contents.build(view, lambda path: False, BuildOptions(nice=0, racy_ns=0)))
        rows = view.live_rows()
        rows = rows[view.gather("mode", rows) >> 12 == FORMAT_FILE]
        manifest = contents.manifest
        print(f"{len(rows):,} files, {manifest.text_bytes / 1e6:,.1f} MB of text, against {'rg' if RG else 'grep'}")
        goal("index, % of the text", 100 * manifest.size / manifest.text_bytes, 15, "%")
        goal("build / reading all files", built / min(reading), 1.5, "×")
        scanner = CompiledScanner(library)

        def page(pattern: ContentPattern) -> int:
            likely = contents.candidates(view, pattern, rows)
            return len(list(scanner.scan(FileList.of_rows(view, likely), pattern, PAGE, SearchCoverage(), bool)))

        def everything(pattern: ContentPattern) -> Column:
            likely = contents.candidates(view, pattern, rows)
            files = FileList.of_rows(view, likely)
            return likely[scanner.matching(files, pattern, ScanLimits(), SearchCoverage(), bool)]

        page(ContentPattern("warm it up", False, True))
        literal: list[tuple[float, float, float, int]] = []
        worst_regex, differ = 0.0, 0
        for name, some in questions(root, view, rows, count).items():
            told: list[tuple[float, float, float, int]] = []
            for pattern in some:
                first = timed(lambda p=pattern: page(p))[0]
                whole, ours = timed(lambda p=pattern: everything(p))
                slow, expected = timed(lambda p=pattern: theirs(root, p))
                assert isinstance(ours, np.ndarray)
                if set(view.paths(ours)) != expected:
                    differ += 1
                    print(f"  {pattern} differs in {sorted(set(view.paths(ours)) ^ expected)[:3]}")
                told.append((first, whole, slow, len(ours)))
                if name == "regex without":
                    print(
                        f"    {pattern.text:<24} page {first:8.1f} ms  all files {whole:8.1f} ms  theirs {slow:8.1f} ms"
                    )
            pages, wholes, others, _ = (statistics.median(column) for column in zip(*told, strict=True))
            print(f"  {name:<18} page {pages:8.1f} ms  all files {wholes:8.1f} ms  theirs {others:8.1f} ms")
            if "regex" in name:
                worst_regex = max(worst_regex, *(one[1] / one[2] for one in told))
            else:
                literal += told
        pages, wholes = sorted(one[0] for one in literal), sorted(one[1] for one in literal)
        goal("page, p50", statistics.median(pages), 20, "ms")
        goal("page, p95", pages[int(0.95 * (len(pages) - 1))], 100, "ms")
        goal("all files, p50", statistics.median(wholes), 60, "ms")
        goal("all files, worst", wholes[-1], 1000, "ms")
        selective = [one[2] / one[1] for one in literal if one[3] <= len(rows) // 100]
        goal("times as quick on selective texts, p50", statistics.median(selective), 10, "×", most=False)
        goal("worst text / theirs", max(one[1] / one[2] for one in literal), 1.1, "×")
        goal("worst regex / theirs", worst_regex, 1.1, "×")
        goal("questions with other files than theirs", differ, 0)
        goal("memory beyond the page cache", anonymous_mb(), 200, "MB")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--files", type=int, default=10_000)
    asked.add_argument("--dir")
    asked.add_argument("--questions", type=int, default=36)
    chosen = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="contents-bench-") as place:
        root = os.path.realpath(chosen.dir) if chosen.dir else f"{place}/tree"
        if not chosen.dir:
            plant(root, chosen.files)
        bench(os.fsencode(root), f"{place}/state", chosen.questions)


if __name__ == "__main__":
    main()
