"""What the dispatcher hands back: a command's result, and how it is told to whoever called."""

from dataclasses import dataclass

from cmdr.core.spoken import shortened
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
        told = self.result.text()
        if self.is_bare or isinstance(self.result, Data):
            return told
        return shortened(told if self.result.is_plain else f"{'ERROR' if self.failed else 'OK'}: {told}")

    @property
    def words(self) -> str:
        """What a face shows a person: the text without the sign before it."""
        return self.result.text()

    @property
    def json(self) -> dict[str, Json]:
        """The result for programs."""
        return self.result.json()
