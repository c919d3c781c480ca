"""A diagnostic: an error or warning at a place in a file, and who says so."""

from dataclasses import dataclass
from typing import Literal

from cmdr.model.texts.text_selection import TextSelection

Severity = Literal["Error", "Warning", "Info", "Hint"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a checker says about a place in a file."""

    message: str
    severity: Severity
    range: TextSelection
    source: str | None = None
    code: str | None = None
