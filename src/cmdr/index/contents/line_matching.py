"""Which lines of a text match: texts are found in the bytes, expressions by the engine that takes linear time.

Python's `re` never sees what is looked for. What is no UTF-8 is searched as it is for a text, and shown to the engine
as characters that the expression cannot mean.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Protocol

from cmdr.index.errors import BadPattern
from cmdr.index.query.regex_literal import required_texts
from cmdr.index.query.regexes import check_regex
from cmdr.model.contents import ContentPattern

Place = tuple[int, int, int, int]
"""A line that matches: where it begins and ends in the text, and where the first match does, counted from the line."""
_PIECE = 1 << 20
_FOLDS = (b"\xe2\x84\xaa", b"\xc5\xbf")  # the signs of kelvin and the long s, which are a k and an s in any case
_ANCHORS = re.compile(r"\\[Az]|\(\?(?!:|i\))")  # of our own, over what is looked for: beginnings of texts, and flags
_META = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")


def _as_breaks(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\n" * (error.end - error.start), error.end


def _as_zeros(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\0" * (error.end - error.start), error.end


codecs.register_error("cmdr-breaks", _as_breaks)
codecs.register_error("cmdr-zeros", _as_zeros)


class LineMatcher(Protocol):
    """Finds the lines that match in a text."""

    def lines(self, text: bytes) -> Iterator[Place | None]:
        """The lines that match, in their order; None now and then, so that the caller can look at the clock."""


def line_matcher(pattern: ContentPattern) -> LineMatcher:
    """What finds the lines; raises BadPattern for an expression that the engine does not take."""
    if pattern.is_regex:
        check_regex(pattern.text)
        return _Expression(pattern.text, pattern.case)
    if pattern.case or pattern.text.isascii():
        return _Literal(pattern.text, pattern.case)
    return _Expression(_escaped(pattern.text), False)


class _Literal:
    def __init__(self, text: str, case: bool) -> None:
        self.case = case
        self.needle = text.encode() if case else text.lower().encode()
        odd = not case and not set(text.lower()).isdisjoint("ks")
        self.odd = _Expression(_escaped(text), False) if odd else None

    def lines(self, text: bytes) -> Iterator[Place | None]:
        if self.odd is not None and any(sign in text for sign in _FOLDS):
            yield from self.odd.lines(text)
            return
        where, length = text if self.case else text.lower(), len(self.needle)
        at = where.find(self.needle)
        while at >= 0:
            start = where.rfind(b"\n", 0, at) + 1
            end = where.find(b"\n", at)
            end = len(where) if end < 0 else end
            yield start, end, at - start, at - start + length
            at = where.find(self.needle, end)


class _Expression:
    def __init__(self, expression: str, case: bool) -> None:
        self.needed = tuple(one.lower().encode() for one in required_texts(expression))
        self.folds = not case and any(set(one) & set(b"ks") for one in self.needed)
        self.expression = expression if case else f"(?i){expression}"
        self.anywhere = None if _ANCHORS.search(expression) else f"(?m){self.expression}"
        self.errors = "cmdr-zeros" if r"\s" in expression and "." not in expression else "cmdr-breaks"

    def lines(self, text: bytes) -> Iterator[Place | None]:
        import polars

        if self.needed and not (self.folds and any(sign in text for sign in _FOLDS)):
            folded = text.lower()
            if not any(one in folded for one in self.needed):
                return
        try:
            for first, last in _pieces(text):
                yield None
                yield from self._in_piece(text, first, last)
        except polars.exceptions.PolarsError as trouble:
            raise BadPattern("This expression grows too big for the search; make it simpler.") from trouble

    def _in_piece(self, text: bytes, first: int, last: int) -> Iterator[Place]:
        import polars as pl

        piece = text[first:last]
        try:
            whole, is_text = piece.decode(), True
        except UnicodeDecodeError:
            whole, is_text = piece.decode(errors=self.errors), False
        if self.anywhere is not None and not pl.Series([whole]).str.contains(self.anywhere).item():
            return
        ended = piece.removesuffix(b"\n")
        raw = ended.split(b"\n")
        shown = whole.removesuffix("\n").split("\n") if is_text else [one.decode(errors=self.errors) for one in raw]
        lines = pl.Series(shown, dtype=pl.String)
        hits = lines.str.contains(self.expression).arg_true()
        found = lines.gather(hits)
        starts = found.str.find(self.expression).to_list()
        lengths = found.str.extract(f"(?:{self.expression})", 0).str.len_bytes().to_list()
        begin, number = first, 0
        for hit, start, length in zip(hits.to_list(), starts, lengths, strict=True):
            while number < hit:
                begin += len(raw[number]) + 1
                number += 1
            yield begin, begin + len(raw[hit]), start, start + length


def _escaped(text: str) -> str:
    """An expression that means just this text."""
    return _META.sub(r"\\\g<0>", text)


def _pieces(text: bytes) -> Iterator[tuple[int, int]]:
    """A text in pieces of whole lines, about a megabyte each."""
    first = 0
    while first < len(text):
        last = text.find(b"\n", min(first + _PIECE, len(text)))
        last = len(text) if last < 0 else last + 1
        yield first, last
        first = last
