"""Questions to an index and what is true, found by hand in a walk."""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.truth_ground import Changers, Seen, walked

from cmdr.index.library import Library
from cmdr.index.query.queries import IndexQueries
from cmdr.model.filters.filter_text import from_text

Test = Callable[[bytes, Seen], bool]
QUESTIONS: tuple[tuple[str, Test], ...] = (
    ("name:*", lambda name, seen: True),
    ("kind:file", lambda name, seen: seen.kind == "file"),
    ("kind:dir", lambda name, seen: seen.kind == "dir"),
    ("ext:txt", lambda name, seen: name.endswith(b".txt")),
    ("ext:log", lambda name, seen: name.endswith(b".log")),
    ("name:*_b*", lambda name, seen: b"_b" in name),
    ("kind:file size>=1000", lambda name, seen: seen.kind == "file" and seen.size >= 1000),
    ("kind:file size<=100", lambda name, seen: seen.kind == "file" and seen.size <= 100),
    ("kind:file mtime<2010-01-01", lambda name, seen: seen.kind == "file" and seen.mtime_ns < 1262304000 * 10**9),
)


@dataclass
class Score:
    """How the questions were answered."""

    asked: int = 0
    marked: int = 0
    wrong: int = 0
    first_wrong: str = ""

    def add(self, other: "Score") -> None:
        """Count both together."""
        self.asked += other.asked
        self.marked += other.marked
        self.wrong += other.wrong
        self.first_wrong = self.first_wrong or other.first_wrong

    def text(self) -> str:
        """The score in a line."""
        first = f": {self.first_wrong}" if self.wrong else ""
        return f"{self.asked} asked, {self.marked} marked, {self.wrong} wrong and not marked{first}"


class Asker:
    """Asks one index about a world that several processes change."""

    def __init__(self, library: Library, root: bytes, seed: int) -> None:
        self.library, self.root, self.random = library, root, random.Random(seed)
        self.index = library.index(root).id
        self.score = Score()

    def answers(self) -> IndexQueries:
        """The index."""
        return self.library.get(self.index)

    def round(self, changers: Changers, questions: int) -> None:
        """Let the world be changed and, the moment that is over, ask; every answer is compared with a walk."""
        changers.change(self.random.randrange(1, 8))
        found = [self._ask() for _ in range(questions)]
        truth = walked(self.root)
        for text, test, place, known in found:
            self.score.asked += 1
            if known is None:
                self.score.marked += 1
                continue
            below = {path: seen for path, seen in truth.items() if path.startswith(place + b"/")}
            true = {path: seen for path, seen in below.items() if test(os.path.basename(path), seen)}
            if known != true and place in {self.root, *truth}:
                self.score.wrong += 1
                self.score.first_wrong = self.score.first_wrong or _difference(text, place, known, true)

    def _ask(self) -> tuple[str, Test, bytes, dict[bytes, Seen] | None]:
        text, test = self.random.choice(QUESTIONS)
        place = self._place()
        answers = self.answers().as_of(None, place)
        if answers.behind:
            return text, test, place, None
        answer = answers.ask(from_text(text), place)
        view, rows = answer.view, answer.rows
        sizes, times = view.gather("size", rows).tolist(), view.gather("mtime", rows).tolist()
        kinds = ["dir" if mode >> 12 == 4 else "file" for mode in view.gather("mode", rows).tolist()]
        facts = zip(view.paths(rows), kinds, sizes, times, strict=True)
        known = {path: Seen(kind, 0 if kind == "dir" else size, mtime) for path, kind, size, mtime in facts}
        known.pop(place, None)
        assert answer.count == len(rows)
        return text, test, place, known

    def _place(self) -> bytes:
        folders = [os.fsencode(entry.path) for entry in os.scandir(os.fsdecode(self.root)) if entry.is_dir()]
        return self.random.choice([self.root, self.root, *sorted(folders)])


def ask_while_files_move(library: Library, root: bytes, questions: int, files: int) -> Score:
    """Ask how many files there are while they move from folder to folder: at every moment there are `files`."""
    index = library.index(root).id
    library.get(index).indexed.watch()
    score = Score()
    while score.asked < questions:
        score.asked += 1
        answers = library.get(index).as_of(None, root)
        found = answers.ask(from_text("kind:file"), root).count
        if answers.behind:
            score.marked += 1
        elif found != files:
            score.wrong += 1
            score.first_wrong = score.first_wrong or f"{found} of {files} files while they move"
    return score


def _difference(text: str, place: bytes, known: dict[bytes, Seen], true: dict[bytes, Seen]) -> str:
    missing = {path: seen for path, seen in true.items() if known.get(path) != seen}
    extra = {path: seen for path, seen in known.items() if true.get(path) != seen}
    return f"{text} below {place!r}: true {dict(list(missing.items())[:3])}, answered {dict(list(extra.items())[:3])}"
