"""The sizes of folders as indexes told them last: asked again only when an index knows something else."""

from cmdr.model.panes.entry import FolderSize

_FOLDERS = 8  # both panes and the tabs that somebody goes to and fro between
Sizes = dict[bytes, FolderSize | None]
"""By name; None for what no index knows."""


class KeptSizes:
    """What was told of the folders that were looked at last."""

    def __init__(self) -> None:
        self._moment: object = None
        self._folders: dict[bytes, Sizes] = {}

    def of(self, folder: bytes, moment: object) -> Sizes:
        """What is known of a folder at this moment of the indexes; whoever finds out more adds it."""
        if moment != self._moment:
            self._moment, self._folders = moment, {}
        known = self._folders.pop(folder, {})
        self._folders[folder] = known
        if len(self._folders) > _FOLDERS:
            del self._folders[next(iter(self._folders))]
        return known
