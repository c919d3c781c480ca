"""Rules as they are listed and offered: in words for people, with their fields for faces."""

from dataclasses import dataclass

from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule of the settings."""

    number: int
    """0 where the entry is so wrong that it has none."""
    client: str
    words: str
    """All of it in one line."""
    verbs: tuple[str, ...]
    roots: tuple[bytes, ...]
    overwrites: bool
    until: float | None
    files: int
    bytes: int
    operations: int
    files_left: int
    bytes_left: int
    operations_left: int
    """What may still be admitted in this hour."""
    holds: bool
    suspended: str
    """Why it rests; empty while it does not."""
    problem: str
    """What else keeps it from holding: a mistake with its line, a folder that is gone, its time."""
    line: int
    """Where it begins in the settings."""


@dataclass(frozen=True, slots=True)
class RuleList(Data):
    """Every rule of the settings."""

    kind = "rules"
    rows: tuple[RuleRow, ...]
    settings: str
    """The file that holds them; empty where none is kept."""
    trouble: str = ""
    """Why none of them holds just now."""


@dataclass(frozen=True, slots=True)
class RuleOffer(Data):
    """The rule that would answer the next proposals like one; without words, none may be made."""

    kind = "ruleOffer"
    proposal: str
    today: str
    """In words, when it is to hold until the end of the day."""
    always: str
    client: str = ""
    verbs: tuple[str, ...] = ()
    roots: tuple[bytes, ...] = ()
    files: int = 0
    bytes: int = 0
    operations: int = 0


@dataclass(frozen=True, slots=True)
class RuleChanged(Data):
    """A rule that was made, suspended, allowed or removed."""

    kind = "ruleChanged"
    rule: int
    words: str
    said: str
    """What to tell the person, in one line."""

    def text(self) -> str:
        return self.said
