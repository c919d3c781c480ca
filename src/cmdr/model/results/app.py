"""What the program opened, saved and allows: dialogs, texts, the access of agents."""

from dataclasses import dataclass

from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import DialogType
from cmdr.model.results.result import Data, Result

SPOKEN = {
    DialogType.SETTINGS: "settings",
    DialogType.VOLUME_PICKER: "volume picker",
    DialogType.FILE_VIEWER: "file viewer",
    DialogType.INFO: "info",
    DialogType.ABOUT: "about",
    DialogType.CONFIRMATION: "confirmation dialog",
}


@dataclass(frozen=True, slots=True)
class Opened(Result):
    """A dialog is open, or in front again."""

    kind = "opened"
    dialog: str
    type: DialogType
    path: bytes | None = None
    what: str = ""
    """What else to say of it."""
    is_seen: bool = True
    """Whether the person sees it: an agent's window never pops up by itself."""

    def text(self) -> str:
        told = f"Opened {SPOKEN[self.type]}" + (f" for {to_wire(self.path)}" if self.path else self.what)
        return told if self.is_seen else f"{told}\nwaiting: it shows once the person asks for it"


@dataclass(frozen=True, slots=True)
class Saved(Result):
    """A text is on the disk."""

    kind = "saved"
    path: bytes
    digest: str
    """Of what was written: whoever saves again says which text they began with."""

    def text(self) -> str:
        return f"Saved {to_wire(self.path)}\ndigest: {self.digest}"


@dataclass(frozen=True, slots=True)
class AgentAccess(Data):
    """What this run lets agents do, and what keeps it from recording what is done."""

    kind = "agentAccess"
    toolsets: tuple[str, ...]
    switches: tuple[str, ...]
    roots: tuple[str, ...]
    warnings: tuple[str, ...]
