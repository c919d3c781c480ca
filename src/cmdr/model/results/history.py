"""Operations of the journal."""

import json
from dataclasses import dataclass

from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One operation."""

    operation: int
    when: str
    verb: str
    first: bytes
    """The first path it was about."""
    new_name: bytes | None
    items: int
    done: int
    to: bytes | None
    state: str
    by: str
    undone_by: int | None
    left: int
    """What an undo did not take back."""


@dataclass(frozen=True, slots=True)
class HistoryEntries(Data):
    """Some operations, newest first; their text is a list."""

    kind = "historyEntries"
    entries: tuple[HistoryRow, ...]

    def text(self) -> str:
        return json.dumps(self.data()["entries"], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class HistoryBeginning(Data):
    """What came before the history and could not go on, one sentence each; their text is a list."""

    kind = "historyBeginning"
    sentences: tuple[str, ...]

    def text(self) -> str:
        return json.dumps(self.sentences, ensure_ascii=False)
