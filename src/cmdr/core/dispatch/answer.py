"""What the dispatcher hands back: a command's result as text and JSON of bounded length, and errors as its own."""

import json
import os
from dataclasses import dataclass
from typing import Any

from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS
from cmdr.core.errors import CommandError, NotThere, Vanished
from cmdr.files.errors import PathNotFound
from cmdr.index.errors import BadHandle, Gone, NoSuchIndex, NoSuchQuery, NoSuchSet, NotIndexed, StaleCursor
from cmdr.model.names import printable, to_wire
from cmdr.model.results.result import Data, Json, Result


@dataclass(frozen=True, slots=True)
class Answer:
    """A result in its envelope. Faces with windows read `result`; what agents and prompts are shown is `text`."""

    result: Result
    is_bare: bool = False
    """Told as it is, whole and without `OK:`, as editors want it; data for programs always is."""

    @property
    def failed(self) -> bool:
        """Whether it tells of a failure."""
        return self.result.failed

    @property
    def text(self) -> str:
        """The text for agents and prompts, with `OK:` or `ERROR:` before it."""
        text = self.result.text()
        if self.is_bare or isinstance(self.result, Data):
            return text
        return truncate(text if self.result.is_plain else f"{'ERROR' if self.failed else 'OK'}: {text}")

    @property
    def words(self) -> str:
        """What a face shows a person: the text without the sign before it."""
        return self.result.text()

    @property
    def json(self) -> dict[str, Json]:
        """The result for programs."""
        return self.result.json()


def command_error(error: Exception) -> CommandError:
    """The command's error for an error of files, plans or indexes."""
    if isinstance(error, Gone | StaleCursor):
        return Vanished(str(error))
    if isinstance(error, PathNotFound | NoSuchIndex | NoSuchSet | NoSuchQuery | BadHandle | NotIndexed):
        return NotThere(str(error))
    return CommandError(str(error))


def where_else(path: bytes) -> str:
    """What to do about a path that is not there: the nearest folder that is, and how to find the name below it.

    Looks at the disk.
    """
    name = os.path.basename(path.rstrip(b"/"))
    while not os.path.isdir(path := os.path.dirname(path.rstrip(b"/")) or b"/") and path != b"/":
        pass
    asked = json.dumps({"root": to_wire(path), "name": printable(to_wire(name))}, ensure_ascii=False)
    return f". To look below the nearest folder that is there: query_run {asked}."


def truncate(answer: str) -> str:
    """An answer of bounded length; one that was cut says so in its last line."""
    if len(answer) <= MAX_ANSWER_CHARACTERS:
        return answer
    kept = answer[: MAX_ANSWER_CHARACTERS - 100]
    kept = kept[: kept.rfind("\n") + 1] or kept
    left_out = answer.count("\n", len(kept))
    return f"{kept}# {left_out} more lines left out; ask for less, with limit or pane\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it crosses the control socket: the same, whether the core is in this process or another."""

    words: str
    """What to print, whole and without a sign before it."""
    result: dict[str, Any]
    """The result's JSON, with its `kind`."""
    failed: bool = False

    @classmethod
    def of(cls, answer: Answer) -> "Reply":
        """An answer of a core in this process."""
        return cls(answer.words, answer.json, answer.failed)
