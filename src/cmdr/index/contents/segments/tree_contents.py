"""The index of contents of one tree: built by the person's choice, asked which files can match, kept up with changes.

It only ever says that a file cannot match: a file that is not as it was indexed may always match, and the answer comes
from the files themselves.
"""

import ctypes
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.scan_job import FileState, c_file_list
from cmdr.index.contents.segments.build import BuildOptions, BuildProgress, build_segments
from cmdr.index.contents.segments.content_keys import KeyProgram, key_program
from cmdr.index.contents.segments.content_store import ContentManifest, ContentStore, OtherFiles
from cmdr.index.contents.segments.files_to_index import FilesToIndex, files_to_index
from cmdr.index.contents.segments.known_files import KnownFiles, row_stamps, stamps
from cmdr.index.contents.segments.segment_file import SegmentFile
from cmdr.index.errors import Corrupt, ScanRunning
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.contents import ContentPattern

FEW_ROWS = 300
"""Rows that are read sooner than the index is asked."""
_ALWAYS_EXAMINED = 2000  # rows of which the disk is asked whether they are as they were, whoever watches them
_EXAMINED_AT_ONCE = 1 << 14
UPDATE_FILES = 2000
"""Files that changed since they were indexed: so many are indexed anew, as a further segment."""
UPDATE_BYTES = 64 << 20
_MIN_LIVE_SHARE = 0.8  # of the documents of a segment: with fewer it is made anew
_SETTLED_STATES = (FileState.BINARY, FileState.EMPTY)  # all else that is no text is looked at again each time


@dataclass(frozen=True)
class Changed:
    """What is not as it was indexed."""

    files: int
    bytes: int


class TreeContents:
    """Answers from any thread; building and updating take turns."""

    def __init__(self, library: ctypes.CDLL, home: str, is_current: Callable[[], bool] = lambda: False) -> None:
        self._library = library
        self._store = ContentStore(library, os.path.join(home, "contents"))
        self._is_current = is_current  # whether every change is known
        self._build_lock, self._lock = threading.Lock(), threading.Lock()
        self._files: KnownFiles | None = None
        self._unchanged: tuple[int, KnownFiles, Column] | None = None

    @property
    def is_there(self) -> bool:
        """Whether contents were indexed."""
        return self._store.is_there

    @property
    def manifest(self) -> ContentManifest:
        """What is stored."""
        return self._store.manifest or ContentManifest()

    @property
    def troubles(self) -> tuple[str, ...]:
        """What was found damaged and set aside, in words."""
        return tuple(self._store.troubles)

    # -- asking ---------------------------------------------------------------------------------------------------
    def candidates(self, view: View, pattern: ContentPattern, rows: Column) -> Column:
        """Of these rows of the view those that may match; a file that changed since it was indexed always may."""
        rows = np.asarray(rows, np.int64)
        files = self._known()
        ids = view.gather("nid", rows)
        same = self._as_indexed(files, view, rows, ids)
        empty = view.gather("size", rows) == 0
        may = ~(same | empty)
        program = key_program(self._library, pattern)
        if len(rows) < FEW_ROWS or program.is_everything:
            may |= files.states(ids) == FileState.TEXT
        else:
            files, hit = self._hits(files, program)
            inside = np.flatnonzero(ids < len(hit))
            may[inside] |= hit[ids[inside]]
        out = np.flatnonzero(~may)
        if len(out) and (len(out) <= _ALWAYS_EXAMINED or not self._is_current()):
            may[out] = self._changed_on_disk(view, rows[out])
        return np.asarray(rows[may])

    def left_out(self, view: View, rows: Column) -> int:
        """How many of these rows are no text, as far as they are as they were indexed."""
        files, ids = self._known(), view.gather("nid", rows)
        same = self._as_indexed(files, view, rows, ids)
        return int((same & (files.states(ids) == FileState.BINARY)).sum())

    def _known(self) -> KnownFiles:
        """What the stored segments say, their checksums compared; damaged ones are set aside first."""
        with self._lock:
            if self._files is None:
                store = self._store
                with ThreadPoolExecutor(2, "cmdr-contents-verify") as pool:
                    for segment, trouble in zip(store.segments, pool.map(_trouble, store.segments), strict=False):
                        if trouble is not None:
                            store.drop(segment, trouble)
                self._files = KnownFiles.of(store.segments, store.others)
            return self._files

    def _hits(self, files: KnownFiles, program: KeyProgram) -> tuple[KnownFiles, Column]:
        """By id, which files have documents that may match."""
        while True:
            hit = np.zeros(len(files.stamp), bool)
            try:
                for number, segment in enumerate(files.segments):
                    damaged = segment
                    ids = segment.docs["id"][segment.candidates(program)]
                    hit[ids[files.owner[ids] == number]] = True
                return files, files.with_further_names(hit)
            except Corrupt as trouble:
                with self._lock:
                    if self._files is files:
                        self._store.drop(damaged, trouble)
                        self._files = None
                files = self._known()

    def _as_indexed(self, files: KnownFiles, view: View, rows: Column, ids: Column) -> Column:
        """Which rows have the stamps they had; of the stored snapshot that is found out once."""
        kept = self._unchanged
        if kept is None or kept[0] != view.epoch or kept[1] is not files:
            stored = view.stored
            columns = {one: stored.column(one) for one in ("ctime", "size", "ino", "nid")}
            kept = (view.epoch, files, _base_as_indexed(files, columns))
            self._unchanged = kept
        out = np.empty(len(rows), bool)
        moved = rows >= view.base_rows
        out[~moved] = kept[2][rows[~moved]]
        if view.edited is not None:
            moved |= np.isin(rows, view.edited)
        some = np.flatnonzero(moved)
        out[some] = files.has_stamps(ids[some], row_stamps(view, rows[some]))
        return out

    def _changed_on_disk(self, view: View, rows: Column) -> Column:
        """Which rows are files on the disk that are not as the view has them; what is gone did not change."""
        listed, kept = c_file_list(FileList.of_rows(view, rows))
        found = np.zeros(len(rows), np.uint64)

        def look(first: int) -> None:
            last = min(first + _EXAMINED_AT_ONCE, len(rows))
            self._library.cmdr_file_stamps(ctypes.byref(listed), first, last, found.ctypes.data)

        firsts = range(0, len(rows), _EXAMINED_AT_ONCE)
        if len(firsts) > 1:
            with ThreadPoolExecutor(2, "cmdr-contents-stamps") as pool:
                list(pool.map(look, firsts))
        else:
            look(0)
        del kept
        return np.asarray((found != 0) & (found != row_stamps(view, rows)))

    # -- building -------------------------------------------------------------------------------------------------
    def changed(self, view: View, is_private: Callable[[bytes], bool] = lambda path: False) -> Changed:
        """What would be indexed now."""
        wanted = self._wanted(view, is_private)
        return Changed(len(wanted.rows), int(view.gather("size", wanted.rows).sum()))

    def build(
        self,
        view: View,
        is_private: Callable[[bytes], bool],
        options: BuildOptions | None = None,
        progress: Callable[[BuildProgress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ContentManifest:
        """Index all contents anew; what was there stays in use until then. Raises Cancelled, DiskFull, ScanRunning."""
        with self._alone():
            wanted = files_to_index(view, is_private)
            dropped = {one.name for one in self.manifest.segments}
            return self._build(view, wanted, dropped, OtherFiles(), options, progress, cancelled)

    def update(
        self,
        view: View,
        is_private: Callable[[bytes], bool],
        options: BuildOptions | None = None,
        progress: Callable[[BuildProgress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        always: bool = False,
    ) -> bool:
        """Index what changed, once that is much; segments that are mostly out of date are made anew with it."""
        with self._alone():
            files = self._known()
            wanted = self._wanted(view, is_private)
            size = int(view.gather("size", wanted.rows).sum())
            if not len(wanted.rows) or not (always or len(wanted.rows) >= UPDATE_FILES or size >= UPDATE_BYTES):
                return False
            live = np.zeros(len(files.stamp), bool)
            ids = view.gather("nid", view.live_rows())
            live[ids[ids < len(live)]] = True
            outdated = np.concatenate([view.gather("nid", wanted.rows), wanted.links[:, 0]])
            live[outdated[outdated < len(live)]] = False
            again = files_to_index(view, is_private)
            again_ids = view.gather("nid", again.rows)
            counts, owners = files.live_docs(live), np.full(len(again.rows), len(files.segments), np.int64)
            inside = again_ids < len(files.owner)
            owners[inside] = files.owner[again_ids[inside]]
            dropped: set[str] = set()
            for number, segment in enumerate(files.segments):
                if counts[number] < _MIN_LIVE_SHARE * len(segment.docs):
                    dropped.add(segment.record.name)
                    wanted = wanted.with_rows(again.rows[owners == number])
            kept = _still_true(files.others, view.gather("nid", wanted.rows), live)
            self._build(view, wanted, dropped, kept, options, progress, cancelled)
            return True

    def remove(self) -> None:
        """Forget all contents."""
        with self._alone(), self._lock:
            self._store.remove()
            self._files = self._unchanged = None

    def _wanted(self, view: View, is_private: Callable[[bytes], bool]) -> FilesToIndex:
        files = self._known()
        rows = files_to_index(view, lambda path: False)
        ids = view.gather("nid", rows.rows)
        changed = rows.rows[~self._as_indexed(files, view, rows.rows, ids)]
        return files_to_index(view, is_private, changed)

    def _build(
        self,
        view: View,
        wanted: FilesToIndex,
        dropped: set[str],
        kept: OtherFiles,
        options: BuildOptions | None,
        progress: Callable[[BuildProgress], None] | None,
        cancelled: Callable[[], bool],
    ) -> ContentManifest:
        scratch = self._store.scratch()
        try:
            ids = view.gather("nid", wanted.rows)
            listed = FileList.of_rows(view, wanted.rows)
            built = build_segments(listed, ids, scratch, options or BuildOptions(), progress, cancelled)
            settled = np.isin(built.states, _SETTLED_STATES) & (built.stamps != 0)
            links = np.concatenate([kept.links, wanted.links])
            others = OtherFiles(
                np.concatenate([kept.ids, ids[settled].astype(np.uint32)]),
                np.concatenate([kept.states, built.states[settled]]),
                np.concatenate([kept.stamps, built.stamps[settled]]),
                links,
            )
            with self._lock:
                self._store.commit(scratch, built.segments, dropped, others)
                self._files = self._unchanged = None
            return self.manifest
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _alone(self) -> "_Alone":
        return _Alone(self._build_lock)


class _Alone:
    """A second build is refused at once."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ScanRunning("The contents of this tree are being indexed already.")

    def __exit__(self, *exc: object) -> None:
        self._lock.release()


def _trouble(segment: SegmentFile) -> Corrupt | None:
    try:
        segment.verify()
    except Corrupt as trouble:
        return trouble
    return None


def _base_as_indexed(files: KnownFiles, columns: dict[str, Column]) -> Column:
    return files.has_stamps(columns["nid"], stamps(columns["ctime"], columns["size"], columns["ino"]))


def _still_true(others: OtherFiles, ids: Column, live: Column) -> OtherFiles:
    """What is still so of files that have no documents."""
    keep = ~np.isin(others.ids, ids) & live[others.ids]
    links = others.links[~np.isin(others.links[:, 0], ids) & live[others.links[:, 0]]]
    return OtherFiles(others.ids[keep], others.states[keep], others.stamps[keep], links)
