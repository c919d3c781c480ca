"""Texts that were written."""

from dataclasses import dataclass

from cmdr.model.names import to_wire
from cmdr.model.results.result import Result


@dataclass(frozen=True, slots=True)
class Saved(Result):
    """A text is on the disk."""

    kind = "saved"
    path: bytes
    digest: str
    """Of what was written: whoever saves again says which text they began with."""

    def text(self) -> str:
        return f"Saved {to_wire(self.path)}\ndigest: {self.digest}"
