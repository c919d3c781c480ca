"""Which words changed inside a changed line; worked out only for the rows that are drawn."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from cmdr.model.texts.lines import common_start

Span = tuple[int, int]

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_MOST_WORDS = 300
"""Above this, only what both lines begin and end with is left unmarked: nobody reads such a line word by word."""
_LONGEST = 10_000
"""Characters of a line beyond which the same holds without counting words."""
_LEAST_ALIKE = 0.25
"""Below this share of common characters, marks inside the lines would be confetti."""


@dataclass(frozen=True, slots=True)
class WordMarks:
    """The changed parts of two lines as half-open character ranges; what is left unmarked is the same in both."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


def word_marks(old: str, new: str) -> WordMarks:
    """Mark what differs between two lines given without their ends."""
    if old == new:
        return WordMarks((), ())
    if max(len(old), len(new)) > _LONGEST:
        return _between_common_ends(old, new)
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if max(len(old_words), len(new_words)) > _MOST_WORDS:
        return _between_common_ends(old, new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    blocks = matcher.get_matching_blocks()
    same = sum(
        len(word) for block in blocks for word in old_words[block.a : block.a + block.size] if not word.isspace()
    )
    letters = max(_letters(old), _letters(new))
    if letters and same < _LEAST_ALIKE * letters:
        return WordMarks(_spans([(0, len(old))]), _spans([(0, len(new))]))
    old_ends, new_ends = _word_ends(old_words), _word_ends(new_words)
    changes = [op[1:] for op in matcher.get_opcodes() if op[0] != "equal"]
    return WordMarks(
        _spans([(old_ends[a], old_ends[b]) for a, b, _, _ in changes]),
        _spans([(new_ends[a], new_ends[b]) for _, _, a, b in changes]),
    )


def _letters(line: str) -> int:
    return sum(len(part) for part in line.split())


def _word_ends(words: list[str]) -> list[int]:
    """Where each word begins, and where the last one ends."""
    out = [0]
    for word in words:
        out.append(out[-1] + len(word))
    return out


def _spans(spans: list[Span]) -> tuple[Span, ...]:
    return tuple(span for span in spans if span[0] < span[1])


def _between_common_ends(old: str, new: str) -> WordMarks:
    start = common_start(old, new)
    tail = common_start(old[start:][::-1], new[start:][::-1])
    return WordMarks(_spans([(start, len(old) - tail)]), _spans([(start, len(new) - tail)]))
