"""Globs over names: `*` any run, `?` one character, `[a-z]` and `[!a-z]` classes.

The longest literal of the pattern finds candidates in the blob; the whole pattern then verifies them. A pattern that
has no useful literal goes over all names in the linear-time engine instead.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cmdr.index.errors import Cancelled
from cmdr.index.query.name_search import NONE, blob_rows
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.segment import Segment

_STEP = 1 << 14
_MANY = 50_000
# One character: a whole UTF-8 sequence, or a byte that is not part of one. Atomic, so that no character counts as two.
_ONE = rb"(?>[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff])"


@dataclass(frozen=True)
class Glob:
    """A pattern taken apart: runs of tokens between stars."""

    runs: list[list[tuple[str, bytes]]]  # each token is ("literal" | "one" | "class", its bytes)

    @property
    def literal(self) -> bytes:
        """The longest piece of plain text that every match contains."""
        best = b""
        for run in self.runs:
            text = b""
            for kind, piece in [*run, ("end", b"")]:
                if kind == "literal":
                    text += piece
                    continue
                best, text = max(best, text, key=len), b""
        return best

    def plain(self) -> list[bytes] | None:
        """The runs as bytes when nothing but stars is wild."""
        if any(kind != "literal" for run in self.runs for kind, _ in run):
            return None
        return [b"".join(piece for _, piece in run) for run in self.runs]

    def verifier(self) -> "re.Pattern[bytes]":
        """Decides about one name. Every run between stars is atomic: the first place it fits is as good as any, so
        no pattern, however many stars it has, tries its combinations."""
        runs = [b"".join(_bytes_token(kind, piece) for kind, piece in run) for run in self.runs]
        if len(runs) == 1:
            return re.compile(rb"(?s:" + runs[0] + rb")\Z")
        middle = b"".join(b"(?>.*?" + run + b")" for run in runs[1:-1] if run)
        return re.compile(b"(?s:" + runs[0] + middle + b".*" + runs[-1] + rb")\Z")

    def expression(self) -> str:
        """The same for the linear-time engine."""
        runs = ["".join(_text_token(kind, piece) for kind, piece in run) for run in self.runs]
        return "(?s)\\A" + ".*".join(runs) + "\\z"


def parse_glob(pattern: bytes) -> Glob:
    """Take a pattern apart; a bracket that never closes is plain text."""
    runs: list[list[tuple[str, bytes]]] = [[]]
    at = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        at += 1
        if char == b"*":
            if runs[-1] or len(runs) == 1:
                runs.append([])
            continue
        if char == b"?":
            runs[-1].append(("one", b""))
            continue
        if char == b"[":
            negated = pattern[at : at + 1] in (b"!", b"^")
            end = pattern.find(b"]", at + 1 + negated)
            if end > 0:
                runs[-1].append(("class", pattern[at:end]))
                at = end + 1
                continue
        runs[-1].append(("literal", char))
    return Glob(runs)


def _bytes_token(kind: str, piece: bytes) -> bytes:
    if kind == "literal":
        return re.escape(piece)
    if kind == "one":
        return _ONE
    negated, ranges = class_members(piece)
    options = [
        b"[" + re.escape(bytes([a])) + b"-" + re.escape(bytes([b])) + b"]" if a != b else re.escape(bytes([a]))
        for a, b in ranges
    ]
    inner = b"(?:" + b"|".join(options) + b")" if options else b"(?!)"
    return b"(?!" + inner + b")" + _ONE if negated else inner


def _text_token(kind: str, piece: bytes) -> str:
    if kind == "literal":
        # Bytes of a longer character: loosely, as the characters here are whole.
        return "".join(f"\\x{{{byte:x}}}" if byte < 128 else ".?" for byte in piece)
    if kind == "one":
        return "."
    negated, ranges = class_members(piece)
    inside = "".join(f"\\x{{{a:x}}}-\\x{{{b:x}}}" for a, b in ranges)
    if not inside:
        return "." if negated else "[^\\x{0}-\\x{10ffff}]"
    return f"[{'^' if negated else ''}{inside}]"


def class_members(inside: bytes) -> tuple[bool, list[tuple[int, int]]]:
    """Members of a class: ASCII characters and ranges of them."""
    negated = inside[:1] in (b"!", b"^")
    body = inside[1:] if negated else inside
    ranges: list[tuple[int, int]] = []
    at = 0
    while at < len(body):
        end = at + 2 if at + 2 < len(body) and body[at + 1 : at + 2] == b"-" else at
        if body[at] <= body[end] < 128:
            ranges.append((body[at], body[end]))
        at = end + 1
    return negated, ranges


def matching_glob(segment: Segment, pattern: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose whole name fits a glob, ascending."""
    glob = parse_glob(pattern if case else fold(pattern))
    names = segment.names_by(case)
    if not len(rows):
        return NONE
    plain = glob.plain()
    if plain is not None and len(plain) > 1 and not plain[0] and not any(plain[1:-1]):
        if not plain[-1]:
            return np.arange(rows.start, rows.stop)
        return blob_rows(names, plain[-1] + b"\0", rows, stop)  # the usual *.ext
    literal = glob.literal
    candidates = np.arange(rows.start, rows.stop)
    if literal:
        candidates = blob_rows(names, literal, rows, stop)
    if len(candidates) > _MANY:
        candidates = _narrow(segment, glob, case, rows, candidates, stop)
    verify = glob.verifier().match
    kept: list[Column] = []
    for first in range(0, len(candidates), _STEP):
        some = candidates[first : first + _STEP]
        each = segment.names_of(some) if case else segment.folded_of(some)
        kept.append(some[np.fromiter((verify(name) is not None for name in each), bool, len(some))])
        if stop():
            raise Cancelled("The search was stopped.")
    return np.concatenate(kept) if kept else NONE


def _narrow(
    segment: Segment, glob: Glob, case: bool, rows: range, candidates: Column, stop: Callable[[], bool]
) -> Column:
    """Too many candidates to verify one by one: the linear-time engine leaves out most that do not fit."""
    from cmdr.index.query.regexes import loosely_matching  # noqa: PLC0415

    return np.intersect1d(candidates, loosely_matching(segment, glob.expression(), case, rows, stop), True)
