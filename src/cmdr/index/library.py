"""All indexes, sets and saved queries of one user: what the rest of the program talks to.

Every method blocks and is meant to run in a thread; every answer is frozen; every refusal is a type of `errors`.
"""

import fcntl
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from cmdr.index.errors import BadQuestion, LibraryBusy, NoSuchIndex, RootMissing
from cmdr.index.query.coverage import Coverage, coverage_of
from cmdr.index.query.cursor import Scope, make_cursor, read_cursor
from cmdr.index.query.queries import IndexQueries
from cmdr.index.reports.basis import Spare
from cmdr.index.reports.growth import growth_report
from cmdr.index.reports.reports import report
from cmdr.index.scan.walk import Progress
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.history import remembered_at
from cmdr.index.snapshots.history_files import totals_epochs
from cmdr.index.store.catalogue import Catalogue, IndexRecord
from cmdr.index.store.handles import new_handle, new_tag, node_handle
from cmdr.index.store.saved_queries import SavedQueries
from cmdr.index.store.sets import ResourceSets
from cmdr.index.tree import Changes, IndexedTree
from cmdr.index.tree_state import VERIFY_AT_OPEN_BYTES, open_newest_snapshot
from cmdr.model.filters.filter import EVERYTHING
from cmdr.model.names import is_within, to_wire
from cmdr.model.trees.indexes import IndexInfo, WalkOptions
from cmdr.model.trees.reports import KINDS, Keep, Report


class Library:
    """Opens, keeps and closes indexes."""

    def __init__(self, state_dir: str) -> None:
        self.home = os.path.join(state_dir, "indexes")
        os.makedirs(self.home, mode=0o700, exist_ok=True)
        self._own = os.path.realpath(os.fsencode(state_dir))
        self._lock_fd = os.open(os.path.join(self.home, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as trouble:
            os.close(self._lock_fd)
            raise LibraryBusy("Another cmdr works with these indexes.") from trouble
        try:
            self.catalogue = Catalogue(os.path.join(self.home, "catalogue.sqlite"))
            _adopt_orphans(self.home, self.catalogue)
        except BaseException:
            os.close(self._lock_fd)
            raise
        self.sets = ResourceSets(os.path.join(state_dir, "sets"), self.catalogue, self.get)
        self.queries = SavedQueries(self.catalogue)
        self._open: dict[str, IndexQueries] = {}
        self._lock = threading.Lock()
        self._background = ThreadPoolExecutor(1, "cmdr-index-behind")
        self._closed = False

    @classmethod
    def open(cls, state_dir: str) -> "Library":
        """The library under a state directory; refused while another process has it open."""
        return cls(state_dir)

    def close(self) -> None:
        """End all watching and background work."""
        if self._closed:
            return
        self._closed = True
        for answers in list(self._open.values()):
            answers.indexed.close()
        self._background.shutdown(wait=True, cancel_futures=True)
        self.catalogue.close()
        os.close(self._lock_fd)

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- indexes --------------------------------------------------------------------------------------------------
    def prepare(self, root: bytes, options: WalkOptions | None = None) -> IndexInfo:
        """The index for a folder and these options, made (empty) when there is none: its id is known before a scan."""
        real = os.path.realpath(root)
        if not os.path.isdir(real):
            raise RootMissing(f"{to_wire(root)} is not a folder, so there is no tree to index.")
        chosen = options or WalkOptions()
        text = json.dumps([chosen.depth_limit, chosen.follow_symlinks, chosen.cross_file_systems])
        record = IndexRecord(new_handle("i"), real, text, new_tag(), time.time_ns(), 0)
        return self.info(self.catalogue.add_index(record).id)

    def index(
        self,
        root: bytes,
        options: WalkOptions | None = None,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> IndexInfo:
        """Scan a folder into its index and answer it. A cancelled scan keeps what was read, marked partial;
        after a complete one it changes nothing but the freshness."""
        index_id = self.prepare(root, options).id
        indexed = self.get(index_id).indexed
        if options is not None:
            indexed.options = options
        indexed.scan(progress, cancelled)
        return self.info(index_id)

    def get(self, index_id: str) -> IndexQueries:
        """The index with this id, ready for questions."""
        with self._lock:
            if index_id in self._open:
                return self._open[index_id]
            record = next((one for one in self.catalogue.indexes() if one.id == index_id), None)
            if record is None:
                raise NoSuchIndex(f"There is no index {index_id[:40]!r}.")
            depth, follow, cross = json.loads(record.options)
            options = WalkOptions(depth, follow, cross)
            home = os.path.join(self.home, index_id)
            answers = IndexQueries(
                IndexedTree(record, home, options, self.catalogue, self._own, self._run_in_background), self.sets.rows
            )
            self._open[index_id] = answers
            if (
                answers.indexed.stored_bytes > VERIFY_AT_OPEN_BYTES
            ):  # only lengths were compared; the contents are compared behind
                self._background.submit(answers.indexed.verify, lambda: self._closed)
            return answers

    def version(self) -> tuple[object, ...]:
        """Another one whenever an answer may be another one; read from memory alone, so that anybody may ask."""
        opened = tuple(self._open.items())
        return tuple((index_id, answers.indexed.version) for index_id, answers in opened)

    def indexes(self) -> tuple[IndexInfo, ...]:
        """All indexes, oldest first."""
        return tuple(self.info(record.id) for record in self.catalogue.indexes())

    def info(self, index_id: str) -> IndexInfo:
        """One index at a glance."""
        answers = self.get(index_id)
        indexed = answers.indexed
        if not indexed.scanned:
            return IndexInfo(
                index_id, indexed.record.root, None, None, None, indexed.freshness, 0, None, indexed.options
            )
        view = indexed.view
        return IndexInfo(
            index_id,
            view.root,
            view.epoch,
            int(view.facts["started_ns"]),
            view.totals(0),
            indexed.freshness,
            int(view.facts.get("problem_count", 0)),
            node_handle(indexed.record.tag, view.id_of(0)),
            indexed.options,
        )

    def covering(
        self, path: bytes, least: Coverage = Coverage.PART, moments: Mapping[str, int] | None = None
    ) -> IndexQueries | None:
        """The index that knows a path best, among equals the one with the deepest root; None when none does.

        Its answers about the path are as of now, or as of the `moments` that the indexes had when the call began.
        """
        best: IndexQueries | None = None
        most = (least, 0)
        for record in self.catalogue.indexes():
            if not is_within(path, record.root):
                continue
            answers = self.get(record.id)
            if not answers.indexed.scanned:
                continue
            # An index that was opened since was scanned since, or it has listed nothing.
            answers = answers.as_of(None if moments is None else moments.get(record.id, 1), path)
            known = (coverage_of(answers.view, path), len(record.root))
            if known > most:
                best, most = answers, known
        return best

    def moments(self) -> dict[str, int]:
        """A moment of every open index, for questions that are answered later."""
        return {index_id: answers.indexed.begin_moment() for index_id, answers in tuple(self._open.items())}

    def true_answers(self, index_id: str, place: bytes, patience_s: float) -> IndexQueries:
        """An index as of now, waited for with patience; what the system does not tell of is read again as a whole."""
        answers = self.get(index_id).as_of(None, place, patience_s)
        if answers.behind and not answers.indexed.is_watched:
            moment = answers.indexed.begin_moment()
            answers.indexed.scan(cancelled=lambda: self._closed)
            answers = self.get(index_id).as_of(moment, place)
        return answers

    def hear(self) -> None:
        """Let every open index be told what has happened until now; `version` then shows whether anything has."""
        for answers in tuple(self._open.values()):
            answers.indexed.hear()

    def with_longest_history(self, path: bytes) -> IndexQueries | None:
        """Of the indexes that know what is in a folder the one that remembers the longest; None when none does."""
        found: list[tuple[float, IndexQueries]] = []
        for record in self.catalogue.indexes():
            answers = self.get(record.id) if is_within(path, record.root) else None
            if answers is None or not answers.indexed.scanned or coverage_of(answers.view, path) < Coverage.PART:
                continue
            home = answers.indexed.home
            found += [(remembered_at(home, epoch), answers) for epoch in totals_epochs(home)[:1]]
        return min(found, key=lambda one: one[0])[1] if found else None

    def refresh(self, index_id: str, stop: Callable[[], bool] = lambda: False) -> Changes:
        """List again what changed since; a big delta is compacted behind."""
        return self.get(index_id).indexed.check(stop)

    def rescan_when_idle(self, index_id: str, stop: Callable[[], bool]) -> None:
        """Read a whole tree again at the lowest priority; a stop loses nothing."""
        self.get(index_id).indexed.scan(cancelled=stop, idle=True)

    def _run_in_background(self, work: Callable[[], object]) -> None:
        if not self._closed:
            self._background.submit(work)

    def remove(self, index_id: str) -> None:
        """Forget an index and its sets; the files it was about stay as they are."""
        answers = self.get(index_id)
        answers.indexed.close()
        with self._lock:
            self._open.pop(index_id, None)
        for one in self.catalogue.sets():
            if one.index_id == index_id:
                self.sets.delete(one.id)
        self.catalogue.remove_index(index_id)
        shutil.rmtree(os.path.join(self.home, index_id), ignore_errors=True)

    # -- reports --------------------------------------------------------------------------------------------------
    def report(
        self,
        index_id: str,
        kind: str,
        limit: int = 20,
        below: str | bytes | None = None,
        set_id: str | None = None,
        since: str | None = None,
        cursor: str | None = None,
        stop: Callable[[], bool] = lambda: False,
        keep: Keep = "oldest",
    ) -> Report:
        """A page of one of the reports over an index, a folder in it, or a set; `since` is for growth, `keep` for
        duplicates."""
        if kind not in KINDS:
            raise BadQuestion(f"There is no report {kind[:40]!r}; there are {', '.join(KINDS)}.")
        if kind == "growth":
            members = self.sets.members(set_id) if set_id is not None else None
            answers = self.get(index_id).as_of(None, below)
            made = growth_report(answers, limit, since, below, members, cursor)
            return replace(made, behind=answers.behind)
        return self._report(index_id, kind, limit, below, set_id, cursor, stop, keep)[0]

    def duplicates(
        self,
        index_id: str,
        limit: int = 20,
        below: str | bytes | None = None,
        set_id: str | None = None,
        keep: Keep = "oldest",
    ) -> tuple[Report, Spare | None]:
        """The report on equal files, and all of them that could go; None when there are none."""
        return self._report(index_id, "duplicates", limit, below, set_id, None, lambda: False, keep)

    def _report(
        self,
        index_id: str,
        kind: str,
        limit: int,
        below: str | bytes | None,
        set_id: str | None,
        cursor: str | None,
        stop: Callable[[], bool],
        keep: Keep,
    ) -> tuple[Report, Spare | None]:
        answers = self.get(index_id).as_of(None, below)
        view = answers.view
        rows: Column | None = None
        inside: int | None = None
        if set_id is not None:
            rows = np.sort(self.sets.rows(view, set_id))
        else:
            inside = 0 if below is None else answers.directory(below, view)
            rows = answers.ask(EVERYTHING, below, stop).rows if inside else None
        scope = Scope(index_id, view.epoch, f"report\0{kind}\0{below!r}\0{set_id}\0{keep}")
        first = 0 if cursor is None else int(read_cursor(self.catalogue.secret, scope, cursor)[0])
        made, spare = report(view, answers.tag, kind, rows, first + limit, stop, keep=keep, below=inside)
        page = made.rows[first:]
        more = limit > 0 and len(page) == limit and first + limit < made.total
        following = make_cursor(self.catalogue.secret, scope, first + limit, 0) if more else None
        behind = answers.behind
        spare = None if spare is None else replace(spare, behind=behind)
        return replace(made, rows=page, cursor=following, behind=behind), spare

    def epochs(self, index_id: str) -> tuple[int, ...]:
        """The snapshots that growth can be measured from, oldest first."""
        return tuple(totals_epochs(self.get(index_id).indexed.home))


def _adopt_orphans(home: str, catalogue: Catalogue) -> None:
    """Index folders that the catalogue does not know: taken up again when it lost them through damage, else removed.

    An adopted index answers to its old id, so that its sets stay; its nodes get new handles, since nobody knows any
    more which were given out. One without a whole snapshot is scanned anew when it is asked for.
    """
    known = {record.id for record in catalogue.indexes()}
    for name in sorted(os.listdir(home)):
        folder = os.path.join(home, name)
        if not name.startswith("i_") or name in known or not os.path.isdir(folder):
            continue
        view = open_newest_snapshot(folder)[0] if catalogue.was_damaged else None
        if view is not None:
            options = json.dumps(view.facts["options"])
            record = IndexRecord(name, view.root, options, new_tag(), time.time_ns(), view.next_id)
            if catalogue.add_index(record).id == name:
                continue
        shutil.rmtree(folder, ignore_errors=True)
