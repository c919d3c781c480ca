r"""A regular expression of the index, said so that RE2 understands the same by it.

Both engines take linear time and share most of their syntax, but `\d`, `\w` and `\s` mean all of Unicode to the one and
ASCII to the other. What cannot be said in both is refused. One difference stays: `\b` of other engines only
knows the letters of ASCII.
"""

import re
from typing import Never

from cmdr.index.errors import BadPattern
from cmdr.index.query.regexes import check_regex

_DIGIT = r"\p{Nd}"
_WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}" + (
    r"\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}"  # letters in circles and boxes
)
_SPACE = r"\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_MEANING = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_ESCAPE = re.compile(
    r"\\(?:[uUx]\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([pP](?:\{[^}]*\}|.))|(.))", re.DOTALL
)
_GROUP = re.compile(r"\(\?(?:(P?<)(\w+)>|(-?[imsU]+(?:-[imsU]+)?[:)])|(:))")
_CLASS_NAME = re.compile(r"\[:\^?[a-z]+:\]")
_ODD_ESCAPES = "<>"


def portable(pattern: str, case: bool) -> str:
    """The same expression for another engine; one that the index would refuse is refused here too."""
    _check(pattern)
    return ("" if case else "(?i)") + _Translator(pattern).all()


def as_written(pattern: str, case: bool) -> str:
    """The expression itself, for engines whose classes are Unicode's but not written as RE2 writes them."""
    _check(pattern)
    return ("" if case else "(?i)") + pattern


def _check(pattern: str) -> None:
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise BadPattern("The expression holds half a character.") from None
    check_regex(pattern)


class _Translator:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def all(self) -> str:
        out = []
        while self.at < len(self.pattern):
            match self.pattern[self.at]:
                case "\\":
                    out.append(self.escape(inside=False))
                case "[":
                    out.append(self.members())
                case "(" if self.pattern.startswith("(?", self.at):
                    out.append(self.group())
                case other:
                    self.at += 1
                    out.append(r"\x00" if other == "\0" else other)
        return "".join(out)

    def escape(self, inside: bool) -> str:
        found = _ESCAPE.match(self.pattern, self.at)
        if found is None:
            self.refuse(self.pattern[self.at :])
        self.at = found.end()
        *points, of_unicode, one = found.groups()
        for point in points:
            if point is not None:
                return f"\\x{{{point}}}"
        if of_unicode is not None or one.lower() not in _MEANING:
            if one is not None and (one in _ODD_ESCAPES or (one == "b" and self.pattern.startswith("{", self.at))):
                self.refuse(found[0])
            return found[0]
        meaning = _MEANING[one.lower()]
        if one.islower():
            return meaning if inside else f"[{meaning}]"
        if one == "D":
            return r"\P{Nd}"
        if inside:
            self.refuse(f"{found[0]} inside [ ]")
        return f"[^{meaning}]"

    def members(self) -> str:
        """A class of characters, up to its bracket."""
        start = self.at
        out = ["[^"] if self.pattern.startswith("[^", start) else ["["]
        self.at += len(out[0])
        while self.pattern.startswith(("]", "-"), self.at) and len(out) < 2:  # as the first, they are plain
            out.append("\\" + self.pattern[self.at])
            self.at += 1
        while not self.pattern.startswith("]", self.at):
            named = _CLASS_NAME.match(self.pattern, self.at)
            if named is not None:
                out.append(named[0])
                self.at = named.end()
            elif self.pattern.startswith("\\", self.at):
                out.append(self.escape(inside=True))
            elif self.pattern.startswith(("[", "&&", "--", "~~"), self.at):
                self.refuse(f"{self.pattern[self.at : self.at + 2]} inside [ ]")
            else:
                out.append(self.pattern[self.at])
                self.at += 1
        self.at += 1
        return "".join(out) + "]"

    def group(self) -> str:
        found = _GROUP.match(self.pattern, self.at)
        if found is None:
            self.refuse(self.pattern[self.at : self.at + 4])
        self.at = found.end()
        if found[0].endswith(":") and self.pattern.startswith(")", self.at):
            return "("  # DuckDB 2.0 takes an empty group that is not counted for the end of the name
        return f"(?P<{found[2]}>" if found[1] else found[0]

    def refuse(self, what: str) -> Never:
        raise BadPattern(
            f"The expression {self.pattern[:80]!r} cannot be asked of other engines: they know no {what[:20]}."
        )
