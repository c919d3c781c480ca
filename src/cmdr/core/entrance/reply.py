"""A command's answer as it crosses the control socket: the same, whether the core is in this process or another."""

from dataclasses import dataclass
from typing import Any

from cmdr.core.answer import Answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What the command line gets."""

    words: str
    """What to print, whole and without a sign before it."""
    result: dict[str, Any]
    """The result's JSON, with its `kind`."""
    failed: bool = False

    @classmethod
    def of(cls, answer: Answer) -> "Reply":
        """An answer of a core in this process."""
        return cls(answer.words, answer.json, answer.failed)
