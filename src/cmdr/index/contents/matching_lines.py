"""The lines of a few files that match, with lines around them: what somebody gets to read of what a search found."""

from collections.abc import Callable, Iterator, Sequence

from cmdr.index.contents.line_matching import LineMatcher, Place, line_matcher
from cmdr.index.contents.searching import Opener
from cmdr.index.contents.text_file import LeftOut, read_text
from cmdr.index.errors import Cancelled
from cmdr.model.contents import MAX_LINE_BYTES, ContentPattern, FileLines, ShownLine, line_part

_AT_ONCE = 1 << 12  # lines between two looks at whether it is to stop


class MatchingLines:
    """Reads files for the lines that match one of several patterns."""

    def __init__(
        self,
        patterns: Sequence[ContentPattern],
        context: int = 0,
        opener: Opener | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`context` lines before and behind each are told as well; raises BadPattern."""
        self._matchers = [line_matcher(pattern) for pattern in dict.fromkeys(patterns)]
        self._context, self._opener, self._stop = context, opener, stop

    def of(self, path: bytes, most: int) -> FileLines | None:
        """The first lines of a file that match, at most so many, and how many there are; None when there are none."""
        text = read_text(path, self._opener)
        if isinstance(text, LeftOut):
            return None
        places: dict[int, Place] = {}
        seen: set[int] = set()  # lines that an earlier pattern found: each counts once
        count = 0
        for number, matcher in enumerate(self._matchers, 1):
            for found, place in enumerate(self._places(matcher, text)):
                if found < most:
                    places.setdefault(place[0], place)
                count += place[0] not in seen
                if number < len(self._matchers):
                    seen.add(place[0])
        kept = [places[begin] for begin in sorted(places)[:most]]
        return FileLines(path, count, tuple(self._shown(text, kept))) if count else None

    def _places(self, matcher: LineMatcher, text: bytes) -> Iterator[Place]:
        for number, place in enumerate(matcher.lines(text)):
            if (place is None or not number % _AT_ONCE) and self._stop():
                raise Cancelled("The search was stopped.")
            if place is not None:
                yield place

    def _shown(self, text: bytes, places: list[Place]) -> list[ShownLine]:
        """The lines with those around them, each once and in order."""
        shown: list[ShownLine] = []
        number, counted = 1, 0
        for at, (begin, end, start, stop) in enumerate(places):
            number += text.count(b"\n", counted, begin)
            counted = begin
            last = shown[-1].line if shown else 0
            before = _before(text, begin, min(self._context, number - last - 1))
            shown += [_plain(line, number - len(before) + place) for place, line in enumerate(before)]
            shown.append(_matching(text[begin:end], number, start, stop))
            following = places[at + 1][0] if at + 1 < len(places) else len(text)
            behind = _behind(text, end, self._context, following)
            shown += [_plain(line, number + 1 + place) for place, line in enumerate(behind)]
        return shown


def _matching(line: bytes, number: int, start: int, end: int) -> ShownLine:
    first, last, part = line_part(line, start, end)
    before, found = _text(part[:first]), _text(part[first:last])
    text = (before + found + _text(part[last:])).rstrip("\r")
    return ShownLine(number, text, True, len(before), len(before) + len(found), len(part) < len(line))


def _plain(line: bytes, number: int) -> ShownLine:
    text = _text(line[:MAX_LINE_BYTES]).rstrip("\r")
    return ShownLine(number, text, is_match=False, is_cut=len(line) > MAX_LINE_BYTES)


def _text(line: bytes) -> str:
    return line.decode(errors="replace")


def _before(text: bytes, begin: int, most: int) -> list[bytes]:
    """Up to so many lines that end before a line begins."""
    lines: list[bytes] = []
    while begin > 0 and len(lines) < most:
        start = text.rfind(b"\n", 0, begin - 1) + 1
        lines.insert(0, text[start : begin - 1])
        begin = start
    return lines


def _behind(text: bytes, end: int, most: int, following: int) -> list[bytes]:
    """Up to so many lines behind the end of one, and before the next that matches begins."""
    lines: list[bytes] = []
    begin = end + 1
    while begin < min(following, len(text)) and len(lines) < most:
        stop = text.find(b"\n", begin)
        stop = len(text) if stop < 0 else stop
        lines.append(text[begin:stop])
        begin = stop + 1
    return lines
