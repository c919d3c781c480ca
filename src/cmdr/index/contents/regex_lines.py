"""Lines that match a regular expression: the library finds those that can, polars' engine decides.

Where an expression needs a text, only lines with it are looked at. Where it needs none, whole pieces of text are asked
first whether they hold a match at all, which is many times quicker than line by line. The engine takes UTF-8 alone:
what is none is mended in a copy.
"""

import ctypes
import re
import time
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

import numpy as np

from cmdr.index.contents.arrow_lines import ArrowLines
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.required_texts import Choice, best_choice, ignores_case, required
from cmdr.index.contents.scan_job import LINE_RECORD, NOT_UTF8, Chunk, JobOptions, Mode, run_job
from cmdr.index.contents.spellings import exact_needle, folded_needle
from cmdr.index.snapshots.columns import Column
from cmdr.model.contents import ContentPattern, FileMatches, LineMatch, line_part

_COMMON = " etrnaiosldcpumfhg_.,()=\"'-:;/b0y1kvw"
"""Letters that are on so many lines that looking for one of them alone does not pay."""
_SLICE_BYTES, _MIN_SLICE_BYTES, _MAX_SLICE_BYTES = 1 << 18, 1 << 14, 1 << 24
"""Given to the engine at once: a slow expression looks at the clock between two slices."""
_QUICK_S, _SLOW_S = 0.02, 0.1
_PORTION, _SMALL_PORTION = 256, 64  # files that are decided together; less where somebody waits for the first ones
_FIRST_LINES = 16  # of a file, looked at before the others: most files that match do so early
T = TypeVar("T")
GoOn = Callable[[], bool]
"""Whether there is time left; raises when somebody stopped the search."""


class RegexLines:
    """One expression that the engine accepts, ready to be looked for."""

    def __init__(
        self, library: ctypes.CDLL, pattern: ContentPattern, lines_per_file: int = 0, count_lines: bool = True
    ) -> None:
        self._library = library
        case = pattern.case and not ignores_case(pattern.text)
        self._expression = pattern.text if pattern.case else f"(?i){pattern.text}"
        self._needles = line_needles(required(pattern.text, case), case)
        self._lines_per_file, self._count_lines = lines_per_file, count_lines
        # What is no UTF-8 becomes what the expression most likely does not match, for it matches no such byte.
        self._mended = 0 if r"\s" in pattern.text and "." not in pattern.text else ord("\n")
        # With `(?m)` a line in a piece begins and ends as one by itself, unless the expression says more about it.
        self._by_piece = re.search(r"\\[Az]|\(\?(?!:)", pattern.text) is None

    def matches(
        self, files: FileList, threads: int, go_on: GoOn
    ) -> Generator[tuple[Column, list[FileMatches]], None, None]:
        """File records chunk by chunk, each with what matches among them."""
        return self._in_threads(files, threads, go_on, self._matches_of)

    def files(self, files: FileList, threads: int, go_on: GoOn) -> Generator[tuple[Column, Column], None, None]:
        """File records chunk by chunk, each with the numbers of the files that match."""
        return self._in_threads(files, threads, go_on, self._files_of)

    def _in_threads(
        self,
        files: FileList,
        threads: int,
        go_on: GoOn,
        work: Callable[[Chunk, GoOn], T | None],
    ) -> Generator[tuple[Column, T], None, None]:
        """Chunks are decided side by side, and told in their order; ends early when `go_on` says no."""
        mode = Mode.CANDIDATES if self._needles else Mode.WHOLE
        options = JobOptions(mode, threads=threads, portion=_PORTION if work == self._files_of else _SMALL_PORTION)
        waiting: deque[tuple[Chunk, Future[tuple[Column, T] | None]]] = deque()
        pool = ThreadPoolExecutor(threads, "cmdr-contents-regex")
        try:
            with closing(run_job(self._library, files, self._needles, options, go_on)) as chunks:
                for chunk in chunks:
                    waiting.append((chunk, pool.submit(self._decide, chunk, go_on, work)))
                    if len(waiting) > threads:
                        said = waiting.popleft()[1].result()
                        if said is None:
                            return
                        yield said
            while waiting and (said := waiting.popleft()[1].result()) is not None:
                yield said
        finally:
            for chunk, future in waiting:
                if future.cancel():
                    chunk.free()
            pool.shutdown(wait=True)

    def _decide(self, chunk: Chunk, go_on: GoOn, work: Callable[[Chunk, GoOn], T | None]) -> tuple[Column, T] | None:
        """What became of a chunk; None when the time was over before all of it was looked at."""
        try:
            said = work(chunk, go_on)
            return None if said is None else (chunk.files.copy(), said)
        finally:
            chunk.free()

    def _likely(self, chunk: Chunk, go_on: GoOn) -> Column | None:
        """Of the pieces of a chunk those that may hold a match; None when the time was over."""
        pieces = chunk.lines
        may = (pieces["facts"] & NOT_UTF8) != 0
        if not self._by_piece:
            return pieces
        found = self._contain(f"(?m){self._expression}", chunk, _without_last_end(chunk, pieces[~may]), go_on)
        if found is None:
            return None
        may[~may] = found
        return np.asarray(pieces[may])

    def _matching(self, chunk: Chunk, go_on: GoOn) -> Column | None:
        """The lines of a chunk that match; None when the time was over before all were looked at."""
        lines: Column | None = chunk.lines
        if not self._needles:
            pieces = self._likely(chunk, go_on)
            lines = None if pieces is None else self._split(chunk, pieces)
        found = None if lines is None else self._contain(self._expression, chunk, lines, go_on)
        return None if lines is None or found is None else lines[found]

    def _files_of(self, chunk: Chunk, go_on: GoOn) -> Column | None:
        """The files of a chunk that match: one line of each is enough, so that few are looked at."""
        lines: Column | None = chunk.lines
        decided = np.empty(0, np.uint32)
        if not self._needles:
            pieces = self._likely(chunk, go_on)
            if pieces is None:
                return None
            if self._by_piece:
                first_lines = self._first_lines(chunk, pieces)
                found = self._contain(self._expression, chunk, first_lines, go_on)
                if found is None:
                    return None
                decided = np.unique(first_lines["file"][found])
            lines = self._split(chunk, pieces[~np.isin(pieces["file"], decided)])
        for most in (_FIRST_LINES, None):
            assert lines is not None
            first = _places_in_file(lines["file"]) < most if most is not None else np.ones(len(lines), bool)
            found = self._contain(self._expression, chunk, lines[first], go_on)
            if found is None:
                return None
            decided = np.union1d(decided, lines["file"][first][found])
            lines = lines[~first & ~np.isin(lines["file"], decided)]
        return decided.astype(np.int64)

    def _first_lines(self, chunk: Chunk, pieces: Column) -> Column:
        """Of each piece that is text the line where its first match begins, which most likely matches by itself."""
        import polars

        pieces = _without_last_end(chunk, pieces[(pieces["facts"] & NOT_UTF8) == 0])
        held = ArrowLines(self._library, chunk, pieces, self._mended)
        places = polars.Series(held).str.find(f"(?m){self._expression}", literal=False).fill_null(0).to_numpy()
        places, lines = np.ascontiguousarray(places, np.uint32), np.empty(len(pieces), LINE_RECORD)
        self._library.cmdr_lines_at(
            chunk.text.ctypes.data, pieces.ctypes.data, len(pieces), places.ctypes.data, lines.ctypes.data
        )
        return lines

    def _split(self, chunk: Chunk, pieces: Column) -> Column:
        pieces = np.ascontiguousarray(pieces)
        ask = (chunk.text.ctypes.data, pieces.ctypes.data, len(pieces))
        lines = np.empty(self._library.cmdr_split_lines(*ask, None, 0), LINE_RECORD)
        self._library.cmdr_split_lines(*ask, lines.ctypes.data, len(lines))
        return lines

    def _contain(self, expression: str, chunk: Chunk, lines: Column, go_on: GoOn) -> Column | None:
        """Which of the lines hold a match; None when the time was over."""
        import polars

        out = np.zeros(len(lines), bool)
        ends = np.cumsum(lines["length"], dtype=np.int64)
        first, step = 0, _SLICE_BYTES
        while first < len(lines):
            began = time.monotonic()
            if not go_on():
                return None
            reached = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, reached + step, side="right")))
            held = ArrowLines(self._library, chunk, lines[first:last], self._mended)
            series = polars.Series(held)
            out[first:last] = series.str.contains(expression).to_numpy()
            del series
            took = time.monotonic() - began
            first = last
            step = min(step * 2, _MAX_SLICE_BYTES) if took < _QUICK_S else step
            step = max(step // 2, _MIN_SLICE_BYTES) if took > _SLOW_S else step
        return out

    def _matches_of(self, chunk: Chunk, go_on: GoOn) -> list[FileMatches] | None:
        lines = self._matching(chunk, go_on)
        if lines is None:
            return None
        files, firsts, counts = np.unique(lines["file"], return_index=True, return_counts=True)
        most = self._lines_per_file if self._count_lines else min(1, self._lines_per_file)
        kept = np.minimum(counts, most)
        # The first lines of every file, one after the other.
        before = np.cumsum(kept) - kept
        chosen = lines[np.repeat(firsts - before, kept) + np.arange(int(kept.sum()))]
        shown = self._shown(chunk, chosen)
        return [
            FileMatches(file, tuple(shown[at : at + some]), count if self._count_lines else 1)
            for file, at, some, count in zip(
                files.tolist(), before.tolist(), kept.tolist(), counts.tolist(), strict=True
            )
        ]

    def _shown(self, chunk: Chunk, lines: Column) -> list[LineMatch]:
        """Lines with the part of their text that is kept, and where in it the first match is."""
        import polars

        if not len(lines):
            return []
        held = ArrowLines(self._library, chunk, lines, self._mended)
        series = polars.Series(held)
        starts = series.str.find(self._expression, literal=False).to_list()
        lengths = series.str.extract(f"(?:{self._expression})", 0).str.len_bytes().to_list()
        del series
        text = chunk.text.data
        return [
            LineMatch(line, offset, *line_part(bytes(text[at : at + size]), start, start + length))
            for (offset, at, line, size, *_), start, length in zip(lines.tolist(), starts, lengths, strict=True)
        ]


def _without_last_end(chunk: Chunk, pieces: Column) -> Column:
    """Pieces without the end of their last line: behind it there is no further line, which an engine would see."""
    out = pieces.copy()
    out["length"] -= chunk.text[pieces["text_at"] + pieces["length"] - np.uint64(1)] == ord("\n")
    return np.asarray(out)


def _places_in_file(files: Column) -> Column:
    """Of each line, how many lines of its file stand before it; the files ascend."""
    _, firsts, counts = np.unique(files, return_index=True, return_counts=True)
    return np.asarray(np.arange(len(files)) - np.repeat(firsts, counts))


def line_needles(choices: tuple[Choice, ...], case: bool) -> list[bytes]:
    """What is looked for in lines before the engine sees them; nothing when it would not pay."""
    best = best_choice(choices)
    if best is None or any(len(text) == 1 and text.lower() in _COMMON for text in best) or any("\n" in t for t in best):
        return []
    return [exact_needle(text.encode("utf-8", "surrogateescape")) if case else folded_needle(text) for text in best]
