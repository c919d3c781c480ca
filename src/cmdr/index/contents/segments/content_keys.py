"""Which documents of a segment can match a pattern: a small program over sets of documents.

A text must have all its keys. In any case only what is ASCII of it is relied on: the keys are made of folded letters,
but the bytes of other letters differ by case.
"""

import ctypes
import re
from dataclasses import dataclass

import numpy as np

from cmdr.index.contents.required_texts import ignores_case, required
from cmdr.index.snapshots.columns import Column
from cmdr.model.contents import ContentPattern

KEYS = 1 << 20
AND, OR, ALL = KEYS, KEYS + 1, KEYS + 2
_FOLLOWERS = 4  # keys of three bytes, whatever follows them
_MIN_BYTES = 3
_ASCII_RUNS = re.compile(r"[^\x80-\U0010ffff\n]{3,}")


@dataclass(frozen=True, eq=False)
class KeyProgram:
    """What segments are asked."""

    steps: Column
    folds_odd: bool
    """Whether texts with odd letters (the signs of kelvin and the long s) may match without having these keys."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing is known about what matches."""
        return len(self.steps) == 1 and int(self.steps[0]) == ALL


def key_program(library: ctypes.CDLL, pattern: ContentPattern) -> KeyProgram:
    """What a document must have to match a pattern."""
    case = pattern.case
    if pattern.is_regex:
        case = case and not ignores_case(pattern.text)
        choices = [list(choice) for choice in required(pattern.text, case)]
    elif case:
        choices = [[pattern.text]]
    else:
        choices = [[run] for run in _ASCII_RUNS.findall(pattern.text)]
    asked = [texts for texts in (_encoded(choice) for choice in choices) if min(map(len, texts)) >= _MIN_BYTES]
    steps: list[int] = []
    for number, texts in enumerate(asked):
        for place, text in enumerate(texts):
            steps += _text_steps(library, text) + [OR] * (place > 0)
        steps += [AND] * (number > 0)
    odd = not case and any(set(text.lower()) & set(b"ks") for texts in asked for text in texts)
    return KeyProgram(np.array(steps or [ALL], np.uint32), odd)


def _encoded(texts: list[str]) -> list[bytes]:
    return sorted(text.encode("utf-8", "surrogateescape") for text in texts)


def _text_steps(library: ctypes.CDLL, text: bytes) -> list[int]:
    keys, last = np.empty(2 * len(text), np.uint32), ctypes.c_uint32()
    count = library.cmdr_keys_of(text, len(text), keys.ctypes.data, len(keys), ctypes.byref(last))
    steps = [last.value]
    for follower in range(1, _FOLLOWERS):
        steps += [last.value + follower, OR]
    for key in np.unique(keys[:count]).tolist():
        steps += [key, AND]
    return steps
