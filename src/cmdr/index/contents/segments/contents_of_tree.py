"""The contents of one open tree: indexed when the person asks for it, and from then on kept up with its changes."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.segments.build import BuildOptions, BuildProgress
from cmdr.index.contents.segments.content_store import ContentManifest
from cmdr.index.contents.segments.files_to_index import ContentEstimate, check_room, estimate, files_to_index
from cmdr.index.contents.segments.tree_contents import UPDATE_FILES, TreeContents
from cmdr.index.errors import IndexFault, NoContents, ScanRunning
from cmdr.index.snapshots.view import View
from cmdr.model.trees.indexes import Freshness

PrivateIn = Callable[[bytes], Callable[[bytes], bool]]
"""Of a folder, what says whether a path below it is private."""
log = logging.getLogger(__name__)


class Tree(Protocol):
    """What is needed of an indexed tree."""

    home: str

    @property
    def view(self) -> View: ...

    @property
    def is_watched(self) -> bool: ...

    @property
    def freshness(self) -> Freshness: ...

    @property
    def delta_rows(self) -> int: ...


class ContentsOfTree:
    """Opened with its tree; without the compiled library there is none, and contents are read from the files alone."""

    def __init__(self, tree: Tree, later: Callable[[Callable[[], object]], object] | None) -> None:
        self._tree, self._run_later = tree, later
        self.private_in: Callable[[], PrivateIn | None] = lambda: None
        self._following = threading.Event()
        library = contents_library()
        self._contents = None if library is None else TreeContents(library, tree.home, self._is_current)

    def _is_current(self) -> bool:
        return self._tree.is_watched and self._tree.freshness.state == "fresh"

    @property
    def index(self) -> TreeContents | None:
        """What answers; None until contents were indexed."""
        return self._contents if self._contents is not None and self._contents.is_there else None

    @property
    def troubles(self) -> tuple[str, ...]:
        """What was found damaged and set aside, in words."""
        return () if self._contents is None else self._contents.troubles

    def estimate(self) -> ContentEstimate:
        """What an index of all contents would take; reads the beginnings of some files."""
        self._able()
        view = self._tree.view
        return estimate(view, files_to_index(view, self._is_private(view)))

    def build(
        self,
        options: BuildOptions | None = None,
        progress: Callable[[BuildProgress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ContentManifest:
        """Index all contents; raises NoContents, DiskFull, ScanRunning and Cancelled, and then all is as it was."""
        contents, view = self._able(), self._tree.view
        is_private = self._is_private(view)
        check_room(self._tree.home, estimate(view, files_to_index(view, is_private)))
        return contents.build(view, is_private, options, progress, cancelled)

    def update(self) -> bool:
        """Index what changed, when that is much; whether it was."""
        contents = self.index
        if contents is None or self.private_in() is None:
            return False
        view = self._tree.view
        return contents.update(view, self._is_private(view))

    def remove(self) -> None:
        """Forget all contents."""
        if self._contents is not None:
            self._contents.remove()

    def follow(self) -> None:
        """The index of names knows more: index what changed behind, once it is much."""
        if self.index is None or self._run_later is None or self._following.is_set():
            return
        if 0 < self._tree.delta_rows < UPDATE_FILES:
            return
        self._following.set()
        self._run_later(self._follow)

    def _follow(self) -> None:
        try:
            self.update()
        except ScanRunning:
            pass  # a build that runs knows a newer view, or the next change comes here again
        except (IndexFault, OSError):
            log.exception("the index of contents could not be brought up to date; its files are read instead")
        finally:
            self._following.clear()

    def _able(self) -> TreeContents:
        if self._contents is None:
            raise NoContents(
                "Contents cannot be indexed here: cmdr was installed without a C compiler. Install one (on Debian: "
                "gcc libc6-dev), then cmdr again; until then contents are read from the files."
            )
        return self._contents

    def _is_private(self, view: View) -> Callable[[bytes], bool]:
        private_in = self.private_in()
        if private_in is None:
            raise NoContents("Contents are not indexed before it is known what is private.")
        return private_in(view.root)
