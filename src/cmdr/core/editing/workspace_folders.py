"""The folders a coding agent takes for the project: where cmdr was started and where the person brought the panes."""

import asyncio
import os
from collections.abc import Callable

from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.editor.diagnostics.known_servers import REPOSITORY, nearest_holding
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.names import is_within
from cmdr.model.panes.workspace import Workspace

DISK_TIMEOUT_S = 1.0
"""Seconds that a start waits for a disk that may be dead."""


class WorkspaceFolders:
    """By real path, each the enclosing repository where there is one; follows the panes."""

    def __init__(self, start: bytes, workspace: Workspace, events: Events, private: PrivatePlaces) -> None:
        self._start = start
        self._workspace = workspace
        self._events = events
        self._private = private
        self._shown: tuple[bytes, ...] = ()
        self._looking: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[], None]] = []
        self._stop: Callable[[], None] | None = None
        self.folders: tuple[bytes, ...] = ()
        """The start folder's first, then the left and the right pane's."""

    async def start(self) -> None:
        """Look once, and from now on whenever a pane moves."""
        if self._stop is None:
            self._stop = self._events.listen(lambda _: self._changed())
            self._looking = asyncio.get_running_loop().create_task(self._look())
            await asyncio.wait({self._looking}, timeout=DISK_TIMEOUT_S)

    def close(self) -> None:
        """Follow no more."""
        if self._stop is not None:
            self._stop()
            self._stop = None
        if self._looking is not None:
            self._looking.cancel()

    def on_change(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever the folders are others; returns how to stop."""
        self._listeners.append(call)
        return lambda: self._listeners.remove(call)

    def contains(self, real: bytes) -> bool:
        """Whether a real path lies in one of them."""
        return any(is_within(real, folder) for folder in self.folders)

    def may_tell(self, path: bytes) -> bool:
        """Whether a client may hear about a file: inside the folders and nothing private; looks at the disk."""
        real = os.path.realpath(path)
        if not self.contains(real):
            return False
        try:
            return not self._private.reason_of(real, os.stat(real))
        except OSError:
            return not self._private.reason(real)

    def _changed(self) -> None:
        if self._paths() != self._shown and (self._looking is None or self._looking.done()):
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def _paths(self) -> tuple[bytes, ...]:
        # Where an agent leads a pane is no leave to read there.
        shown = [pane.person_tab for pane in self._workspace.panes]
        return (self._start, *(tab.path for tab in shown if not (tab.opened_by_agent or tab.agent)))

    async def _look(self) -> None:
        # A pane may move on while the disk is asked.
        while (paths := self._paths()) != self._shown:
            self._shown = paths
            found = await in_thread(folders_of, paths)
            if found != self.folders:
                self.folders = found
                for call in list(self._listeners):
                    call()


def folders_of(paths: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The real folders of some paths, each once; what is no folder is left out. Looks at the disk."""
    reals = (os.path.realpath(path) for path in paths if os.path.isdir(path))
    return tuple(dict.fromkeys(nearest_holding(real, REPOSITORY) for real in reals))
