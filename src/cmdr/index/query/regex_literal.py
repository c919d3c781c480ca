"""The plain text that every match of a regular expression contains, so that most names need not be tried at all.

Reads only the part of the syntax that it is sure about; for anything else it answers that nothing is known, which
costs time and never an answer.
"""

from dataclasses import dataclass

_ZERO_WIDTH, _ANY_ONE = frozenset("bBAz"), frozenset("dDwWsS")


class _NotSure(Exception):
    """A piece of syntax that is left to the engine."""


@dataclass(frozen=True)
class _Known:
    """What is known about the text that a piece of an expression matches."""

    whole: str | None = None  # it matches just this
    first: str = ""  # what it matches begins so
    last: str = ""  # and ends so
    best: str = ""  # the longest text that is somewhere in it

    def then(self, other: "_Known") -> "_Known":
        whole = None if self.whole is None or other.whole is None else self.whole + other.whole
        first = self.first if self.whole is None else self.whole + other.first
        last = other.last if other.whole is None else self.last + other.whole
        best = max(self.best, other.best, self.last + other.first, first, last, key=len)
        return _Known(whole, first, last, best)


_NOTHING = _Known()


def required_texts(pattern: str) -> tuple[str, ...]:
    """ASCII texts of which every match contains one, letter for letter or in the other case; none when not sure."""
    try:
        reader = _Reader(pattern)
        branches = [reader.sequence().best]
        while reader.peek() == "|":
            reader.at += 1
            branches.append(reader.sequence().best)
    except (_NotSure, IndexError, RecursionError):
        return ()
    return tuple(branches) if reader.at == len(pattern) and all(branches) else ()


def _text(text: str) -> _Known:
    return _Known(text, text, text, text)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def alternatives(self) -> _Known:
        known = self.sequence()
        several = False
        while self.peek() == "|":
            several = True
            self.at += 1
            self.sequence()
        return _NOTHING if several else known

    def sequence(self) -> _Known:
        known = _text("")
        while self.peek() not in ("", "|", ")"):
            known = known.then(self.repeated(self.one()))
        return known

    def one(self) -> _Known:
        char = self.pattern[self.at]
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return self.one_of_class()
        if char == "\\":
            return self.escape()
        if char in "^$":
            return _text("")
        if char in "*+?{":
            raise _NotSure
        return _text(char) if char != "." and char.isascii() else _NOTHING

    def group(self) -> _Known:
        if self.peek() == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                raise _NotSure  # flags and names
            self.at += 2
        known = self.alternatives()
        if self.pattern[self.at] != ")":
            raise _NotSure
        self.at += 1
        return known

    def one_of_class(self) -> _Known:
        self.at += self.peek() == "^"
        self.at += self.peek() == "]"
        while (char := self.pattern[self.at]) != "]":
            if char == "[":
                raise _NotSure  # classes inside classes
            self.at += 2 if char == "\\" else 1
        self.at += 1
        return _NOTHING

    def escape(self) -> _Known:
        char = self.pattern[self.at]
        self.at += 1
        if char in _ANY_ONE:
            return _NOTHING
        if char in _ZERO_WIDTH and self.peek() != "{":
            return _text("")
        if char.isascii() and not char.isalnum():
            return _text(char)
        raise _NotSure

    def repeated(self, known: _Known) -> _Known:
        """What is known of a piece that may occur several times, or not at all."""
        while self.peek() in ("*", "+", "?", "{"):
            char = self.pattern[self.at]
            self.at += 1
            least = 1 if char == "+" else 0
            if char == "{":
                end = self.pattern.index("}", self.at) if "}" in self.pattern[self.at :] else -1
                count = self.pattern[self.at : end].split(",")[0].strip()
                if end < 0 or not count.isdecimal():
                    raise _NotSure
                least, self.at = int(count), end + 1
            known = _Known(None, known.first, known.last, known.best) if least else _NOTHING
        return known
