"""Private sources: what an agent wants copied or moved though no agent may read it; its copy could be read."""

import os
from dataclasses import dataclass

from cmdr.files.engine.protected import Privacy
from cmdr.files.engine.walking import Source, Survey
from cmdr.model.names import to_wire


@dataclass(slots=True)
class PrivateSources:
    """Looks at the sources of one plan as they are found."""

    privacy: Privacy | None
    """None for a person, who copies their own files as they like."""
    _shown: bytes = b""
    """The folder in which the current source was chosen, by the path that led there."""
    _real: bytes = b""
    """Where that folder really lies."""
    _inside: str = ""
    """The first private one in a folder that moves as a whole."""

    def reason(self, source: Source) -> str:
        """Why a chosen file or folder, or one inside the folder that was chosen last, is private; or nothing."""
        if self.privacy is None:
            return ""
        self._inside = ""
        if b"/" in source.place.rel:
            return self.privacy.reason_here(self._real_path(source.place.path), source.found)
        self._shown = source.place.root.rstrip(b"/")
        self._real = self.privacy.real(source.folder).rstrip(b"/")
        return self.privacy.reason_of(self._real_path(source.place.path), source.found)

    def look_inside(self, survey: Survey) -> None:
        """Also look at what lies in folders that move as a whole, while it is counted."""
        if self.privacy is not None:
            survey.seen = self._note

    @property
    def inside(self) -> str:
        """Why the folder that was counted last is private, or nothing."""
        return self._inside

    def _note(self, path: bytes, found: os.stat_result) -> None:
        if self.privacy is not None and not self._inside:
            why = self.privacy.reason_here(self._real_path(path), found)
            self._inside = f"holds {to_wire(os.path.basename(path))}, which {why}" if why else ""

    def _real_path(self, path: bytes) -> bytes:
        return self._real + path[len(self._shown) :]
