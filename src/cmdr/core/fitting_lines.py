"""Lines that must arrive whole: an answer is cut at some length, and half a JSON document says nothing."""

import json
from collections.abc import Iterable, Sequence

from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS

ROOM = MAX_ANSWER_CHARACTERS - 1000
"""Characters that lines may take in one answer, as JSON, beside what stands around them."""


def first_that_fit(lines: Iterable[str]) -> list[str]:
    """The first lines that fit into one answer, at least one; the caller asks again for the rest."""
    taken: list[str] = []
    room = ROOM
    for line in lines:
        room -= len(json.dumps(line, ensure_ascii=False)) + 2
        if room < 0 and taken:
            break
        taken.append(line if room >= 0 else f"{line[: ROOM // 3]}…")
    return taken


def all_fit(lines: Sequence[str]) -> list[str]:
    """All lines in one answer; where very long names leave no room for that, the longest are cut."""
    if len(json.dumps(lines, ensure_ascii=False)) <= ROOM:
        return list(lines)
    most = ROOM // len(lines) // 2  # a character may take two there
    return [line if len(line) <= most else f"{line[: most - 1]}…" for line in lines]
