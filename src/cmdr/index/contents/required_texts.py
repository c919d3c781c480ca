"""Texts that a line must contain to match a regular expression at all.

Reads only syntax that it is sure about; anything else answers that nothing is known, which costs time and never an
answer. Python's own parser must not do this: it reads `[[:digit:]]abc` as something else.
"""

from dataclasses import dataclass, field

MAX_TEXTS = 16
"""Of one choice."""
_MAX_CLASS = 4  # letters of a class that are tried one by one
_ENOUGH = 4  # letters of a repeated text
_NO_WIDTH, _ANY_ONE = frozenset("bBAz"), frozenset("dDwWsS")
Choice = frozenset[str]
"""Texts of which a line contains one."""
_EMPTY: Choice = frozenset([""])


class _NotSure(Exception):
    """A piece of syntax that is left to the engine."""


@dataclass(frozen=True)
class _Piece:
    """What a piece of an expression can match: just these texts, or unknown ones; and what it needs besides."""

    exact: Choice | None
    needed: tuple[Choice, ...] = field(default=())

    def all(self) -> tuple[Choice, ...]:
        """All that is needed."""
        return _and(self.needed, self.exact)


def required(pattern: str, case: bool) -> tuple[Choice, ...]:
    """Choices, of each of which every matching line contains one text: in its case, else ASCII in any case."""
    try:
        reader = _Reader(pattern, case)
        piece = reader.alternatives()
    except (_NotSure, IndexError, RecursionError, ValueError):
        return ()
    return piece.all() if reader.at == len(pattern) else ()


def ignores_case(pattern: str) -> bool:
    """Whether an expression says of itself, at its beginning, that case does not matter."""
    return pattern.startswith("(?i)")


def _and(needed: tuple[Choice, ...], exact: Choice | None) -> tuple[Choice, ...]:
    return (*needed, exact) if exact and min(map(len, exact)) else needed


class _Reader:
    def __init__(self, pattern: str, case: bool) -> None:
        self.pattern, self.at, self.case = pattern, 0, case
        if ignores_case(pattern):
            self.at, self.case = 4, False

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def alternatives(self) -> _Piece:
        branches = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence())
        if len(branches) == 1:
            return branches[0]
        every = frozenset[str]().union(*(one.exact or () for one in branches))
        if all(one.exact is not None for one in branches) and len(every) <= MAX_TEXTS:
            return _Piece(every)
        best = [max(one.all(), key=_worth, default=frozenset[str]()) for one in branches]
        if all(best) and sum(map(len, best)) <= MAX_TEXTS:
            return _Piece(None, (frozenset[str]().union(*best),))
        return _Piece(None)

    def sequence(self) -> _Piece:
        whole, ends, needed = True, _EMPTY, tuple[Choice, ...]()  # ends: what all read so far can end with
        while self.peek() not in ("", "|", ")"):
            piece, more = self.repeated(self.one())
            needed += piece.needed
            if piece.exact is not None and len(piece.exact) * len(ends) <= MAX_TEXTS:
                ends = frozenset(first + second for first in ends for second in piece.exact)
            else:
                needed, whole, ends = _and(needed, ends), False, piece.exact or _EMPTY
            if more:
                needed, whole, ends = _and(needed, ends), False, _EMPTY
        return _Piece(ends, needed) if whole else _Piece(None, _and(needed, ends))

    def one(self) -> _Piece:
        char = self.pattern[self.at]
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return _Piece(self.one_of_class())
        if char == "\\":
            return _Piece(self.escape())
        if char in "^$":
            return _Piece(_EMPTY)
        if char in "*+?{":
            raise _NotSure
        return _Piece(None if char == "." else self.text(char))

    def group(self) -> _Piece:
        if self.peek() == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                raise _NotSure  # names and flags
            self.at += 2
        inner = self.alternatives()
        if self.pattern[self.at] != ")":
            raise _NotSure
        self.at += 1
        return inner

    def text(self, char: str) -> Choice | None:
        if self.case:
            return frozenset([char])
        return frozenset([char.lower()]) if char.isascii() else None

    def one_of_class(self) -> Choice | None:
        negated = self.peek() == "^"
        self.at += negated
        chars: set[str] | None = set()
        first = True
        while (char := self.pattern[self.at]) != "]" or first:
            if char == "[":
                raise _NotSure  # classes inside classes
            one = self.text(char)
            plain = char not in "&~\\-" and self.pattern[self.at + 1] != "-" and one is not None
            chars = chars | one if plain and chars is not None and one is not None else None
            self.at, first = self.at + (2 if char == "\\" else 1), False
        self.at += 1
        return None if negated or chars is None or len(chars) > _MAX_CLASS else frozenset(chars)

    def escape(self) -> Choice | None:
        char = self.pattern[self.at]
        self.at += 1
        if char in _ANY_ONE:
            return None
        if char in _NO_WIDTH and self.peek() != "{":
            return _EMPTY
        if char.isascii() and not char.isalnum() and char not in "<>":
            return frozenset([char])
        raise _NotSure

    def repeated(self, piece: _Piece) -> tuple[_Piece, bool]:
        """A piece as often as it must come at least, and whether more of it may follow."""
        least, more = 1, False
        while (char := self.peek()) and char in "*+?{":
            self.at += 1
            low = "0" if char in "*?" else "1"
            if char == "{":
                end = self.pattern.index("}", self.at)
                low = self.pattern[self.at : end].partition(",")[0]
                self.at = end + 1
                if not (low.isascii() and low.isdecimal()):
                    raise _NotSure
            self.at += self.peek() == "?"  # as few as possible is still as many as needed
            least, more = int(low) if not more else min(least, int(low)), True
        if not least:
            return _Piece(None), True
        several = piece.exact
        while (
            several
            and piece.exact
            and least > 1
            and len(several) * len(piece.exact) <= MAX_TEXTS
            and min(map(len, several)) < _ENOUGH
        ):
            several, least = frozenset(a + b for a in several for b in piece.exact), least - 1
        return _Piece(several, piece.needed), more


def _worth(choice: Choice) -> tuple[int, int]:
    """Long texts are rare; many texts are not."""
    return min(*map(len, choice), 8), -len(choice)


def best_choice(choices: tuple[Choice, ...]) -> Choice | None:
    """The one that the fewest lines satisfy, as far as its texts tell; None when there is none."""
    return max(choices, key=_worth, default=None)
