"""All indexes, sets and saved queries of one user: what the rest of the program talks to.

Every method blocks and is meant to run in a thread; every answer is frozen; every refusal is a type of `errors`.
"""

import fcntl
import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from cmdr.index.answers import Answers
from cmdr.index.catalogue import Catalogue, IndexRecord
from cmdr.index.columns import NO_ROW, Column
from cmdr.index.errors import BadQuestion, LibraryBusy, NoSuchIndex, RootMissing
from cmdr.index.growth import compare, load_snapshot, snapshot_epochs, take_snapshot, usual_start
from cmdr.index.handles import new_handle, new_tag, node_handle
from cmdr.index.indexed import Changes, Freshness, Indexed
from cmdr.index.queryshelf import QueryShelf
from cmdr.index.reports import KINDS, Report, ReportRow, report
from cmdr.index.setshelf import SetShelf
from cmdr.index.view import Totals, View
from cmdr.index.walk import Progress, WalkOptions
from cmdr.model.filter import EVERYTHING
from cmdr.model.names import to_wire


@dataclass(frozen=True)
class IndexInfo:
    """An index at a glance."""

    id: str
    root: bytes
    epoch: int | None
    scanned_ns: int | None
    totals: Totals | None
    freshness: Freshness
    problems: int
    root_node: str | None
    options: WalkOptions


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
        self.catalogue = Catalogue(os.path.join(self.home, "catalogue.sqlite"))
        self.sets = SetShelf(os.path.join(state_dir, "sets"), self.catalogue, self.get)
        self.queries = QueryShelf(self.catalogue, self.get)
        self._open: dict[str, Answers] = {}
        self._lock = threading.Lock()
        self._behind = ThreadPoolExecutor(1, "cmdr-index-behind")
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
        self._behind.shutdown(wait=True, cancel_futures=True)
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

    def get(self, index_id: str) -> Answers:
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
            answers = Answers(
                Indexed(record, home, options, self.catalogue, self._own, self._run_behind), self.sets.rows
            )
            self._open[index_id] = answers
            if answers.indexed.scanned:  # opening only compared lengths; the contents are compared behind
                self._behind.submit(answers.indexed.verify, lambda: self._closed)
            return answers

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

    def covering(self, path: bytes) -> Answers | None:
        """The scanned index with the deepest root at or above a path, or None."""
        best: Answers | None = None
        for record in self.catalogue.indexes():
            inside = record.root if record.root.endswith(b"/") else record.root + b"/"
            if path != record.root and not path.startswith(inside):
                continue
            answers = self.get(record.id)
            if answers.indexed.scanned and (best is None or len(record.root) > len(best.indexed.record.root)):
                best = answers
        return best

    def refresh(self, index_id: str, stop: Callable[[], bool] = lambda: False) -> Changes:
        """List again what changed since; a big overlay is compacted behind."""
        return self.get(index_id).indexed.check(stop)

    def _run_behind(self, work: Callable[[], object]) -> None:
        if not self._closed:
            self._behind.submit(work)

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
        since_epoch: int | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Report:
        """One of the reports over an index, a folder in it, or a set."""
        if kind not in KINDS:
            raise BadQuestion(f"There is no report {kind[:40]!r}; there are {', '.join(KINDS)}.")
        answers = self.get(index_id)
        view = answers.view
        if kind == "growth":
            return self._growth(answers, view, limit, since_epoch, below)
        rows: Column | None = None
        if set_id is not None:
            rows = np.sort(self.sets.rows(view, set_id))
        elif below is not None and answers.row(below, view):
            rows = answers.ask(EVERYTHING, below, stop).rows
        return report(view, kind, rows, limit, stop)

    def epochs(self, index_id: str) -> tuple[int, ...]:
        """The epochs that growth can be measured from, oldest first."""
        return tuple(snapshot_epochs(self.get(index_id).indexed.home))

    def _growth(self, answers: Answers, view: View, limit: int, since: int | None, below: str | bytes | None) -> Report:
        home = answers.indexed.home
        earlier = [epoch for epoch in snapshot_epochs(home) if epoch < view.epoch or view.revision]
        if since is None and not earlier:
            return Report("growth", (), 0, True, (), "There is no earlier epoch to compare with yet.")
        before = load_snapshot(home, since if since is not None else usual_start(home, earlier))
        found = compare(before, take_snapshot(view))
        prefix = None if below is None else view.path(answers.row(below, view)).rstrip(b"/") + b"/"
        lines: list[ReportRow] = []
        total = 0
        for one in found:
            rows = view.rows_of(np.array([one.nid]))
            path = view.path(int(rows[0])) if rows[0] != NO_ROW else view.last_path(one.nid)
            if prefix is not None and not ((path or b"") + b"/").startswith(prefix):
                continue
            total += 1
            if len(lines) < limit:
                label = f"{one.change} {to_wire(path) if path else '(unknown)'}"
                lines.append(ReportRow(label, one.files_after, one.after, one.nid, path, before=one.before))
            elif prefix is None:
                total = len(found)
                break
        note = "" if before.complete else "The earlier scan was not complete, so growth is overstated."
        return Report("growth", tuple(lines), total, before.complete, (), note)
