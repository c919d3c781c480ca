"""The sets of a user: made, changed, combined, looked through and stored."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from cmdr.index.errors import BadCursor, BadHandle, BadQuestion, NoSuchSet, NotIndexed
from cmdr.index.query.queries import IndexQueries, QueryResult
from cmdr.index.query.sizes import total_bytes
from cmdr.index.reports.basis import Spare
from cmdr.index.snapshots.columns import NO_ROW, Column
from cmdr.index.snapshots.view import View
from cmdr.index.store.catalogue import Catalogue, SetBehind, SetRecord
from cmdr.index.store.handles import is_node_handle, new_handle, node_number, valid_name
from cmdr.index.store.set_members import SetFiles, SetMembers, combine, freeze, in_natural_order, pick, states
from cmdr.model.filters.filter_json import to_json
from cmdr.model.names import is_within, to_wire
from cmdr.model.panes.sorting import path_order
from cmdr.model.trees.sets import SetInfo, SetPage

MAX_SORTED_MEMBERS = 100_000
"""Members up to which a set is sorted; a longer one is told in the order in which it was found."""
_FOREIGN = "This cursor is not one of this set; start again without it."
SetOp = Literal["union", "intersect", "subtract"]


class ResourceSets:
    """All sets; each belongs to one index."""

    def __init__(self, folder: str, catalogue: Catalogue, get: Callable[[str], IndexQueries]) -> None:
        self.catalogue, self._get = catalogue, get
        self._files = SetFiles(folder, catalogue.sets())
        self._ordered: tuple[str, int, Column] | None = None
        """The order of the set that was looked through last: whoever reads a page often reads the next."""

    def create(self, index_id: str, name: str, nodes: Sequence[str | bytes] = ()) -> SetInfo:
        """A new set with these nodes (ids or paths)."""
        answers = self._get(index_id).as_of(None)
        view = answers.view
        rows = np.array(sorted({answers.row(place, view) for place in nodes}), np.int64)
        return self._store(None, index_id, name, freeze(view, rows), view.epoch)

    def create_from(self, index_id: str, name: str, answer: QueryResult) -> SetInfo:
        """A new set with everything that a question found."""
        members = freeze(answer.view, answer.rows)
        return self._store(None, index_id, name, members, answer.view.epoch, answer.bytes, _behind(answer))

    def ask_again(self, set_id: str, answer: QueryResult) -> SetInfo:
        """What a question finds now takes the place of what a set held."""
        record = self._set(set_id)
        members = freeze(answer.view, answer.rows)
        behind = _behind(answer)
        return self._store(record, record.index_id, record.name, members, answer.view.epoch, answer.bytes, behind)

    def behind(self, set_id: str) -> SetBehind | None:
        """What was not known when a set was made; None when it was true then."""
        return self.catalogue.set_behind(set_id)

    def create_spare(self, index_id: str, name: str, spare: Spare) -> SetInfo:
        """A new set with all but one of each group of equal files."""
        behind = SetBehind(spare.behind) if spare.behind else None
        return self._store(None, index_id, name, freeze(spare.view, spare.rows), spare.view.epoch, behind=behind)

    def all(self) -> tuple[SetInfo, ...]:
        """All sets, oldest first."""
        return tuple(_set_info(one) for one in self.catalogue.sets())

    def info(self, set_id: str) -> SetInfo:
        """One set at a glance."""
        return _set_info(self._set(set_id))

    def add(self, set_id: str, nodes: Sequence[str | bytes]) -> SetInfo:
        """Put nodes into a set; members that are in it already stay as they were frozen."""
        return self.change(set_id, nodes, ())

    def take_out(self, set_id: str, nodes: Sequence[str | bytes]) -> SetInfo:
        """Take nodes out of a set; a node that has vanished can be taken out by its id."""
        return self.change(set_id, (), nodes)

    def change(self, set_id: str, add: Sequence[str | bytes], remove: Sequence[str | bytes]) -> SetInfo:
        """Put nodes in and take others out, or do nothing when one of them is not known."""
        record = self._set(set_id)
        answers = self._get(record.index_id).as_of(None)
        view, members, epoch = answers.view, self.members(set_id), record.epoch
        if add:
            rows = np.array(sorted({answers.row(place, view) for place in add}), np.int64)
            members, epoch = combine(members, freeze(view, rows)), view.epoch
        if remove:
            leave = members.bitmap()
            for place in remove:
                if isinstance(place, str) and not place.startswith("/"):
                    leave.discard(node_number(answers.tag, place))
                else:
                    leave.discard(view.id_of(answers.row(place, view)))
            members = pick(members, leave)
        behind = _cannot_be_asked_again(self.behind(set_id))
        return self._store(record, record.index_id, record.name, members, epoch, behind=behind)

    def combine(self, op: SetOp, left: str, right: str, name: str | None = None) -> SetInfo:
        """Union, intersection or difference of two sets: into the left one, or into a new one with a name."""
        one, other = self._set(left), self._set(right)
        mine, theirs = self.members(left), self.members(right)
        if one.index_id != other.index_id:
            view = self._get(one.index_id).view
            theirs = freeze(view, self._rows_elsewhere(view, other, all_of_them=op == "union"))
        if op == "union":
            result = combine(mine, theirs)
        elif op == "intersect":
            result = pick(mine, mine.bitmap() & theirs.bitmap())
        else:
            result = pick(mine, mine.bitmap() - theirs.bitmap())
        behind = _cannot_be_asked_again(self.behind(left), self.behind(right))
        return self._store(None if name else one, one.index_id, name or one.name, result, one.epoch, behind=behind)

    def rename(self, set_id: str, name: str) -> SetInfo:
        record = replace(self._set(set_id), name=valid_name(name), changed_ns=time.time_ns())
        self.catalogue.put_set(record, self.behind(set_id))
        return _set_info(record)

    def delete(self, set_id: str) -> None:
        """Forget a set; the files in it stay as they are."""
        self._set(set_id)
        self.catalogue.remove_set(set_id)
        self._files.remove(set_id)

    def members(self, set_id: str) -> SetMembers:
        """The members of a set as they were frozen."""
        self._set(set_id)
        return self._files.load(set_id)

    def page(self, set_id: str, limit: int = 50, cursor: str | None = None) -> SetPage:
        """Some members, in natural path order, with what has become of each: ok, changed, moved or gone.

        A cursor is the node id of a member, so that the next page begins behind it whatever came or went meanwhile."""
        record = self._set(set_id)
        answers = self._get(record.index_id).as_of(None)
        view, members = answers.view, self.members(set_id)
        order = self._order(record, members)
        first = 0 if cursor is None else _place_behind(view, members, order, _node_in(answers, cursor))
        listed = tuple(states(view, answers.tag, members, order[first : first + max(0, limit)]))
        return SetPage(listed, len(members), len(members) - first - len(listed))

    def _order(self, record: SetRecord, members: SetMembers) -> Column:
        if len(members) > MAX_SORTED_MEMBERS:
            return np.arange(len(members))
        known = self._ordered
        if known is None or known[:2] != (record.id, record.changed_ns):
            known = self._ordered = record.id, record.changed_ns, in_natural_order(members)
        return known[2]

    def rows(self, view: View, set_id: str) -> Column:
        """The rows of a set's members in a view, which may be of another index of the same place."""
        record = self._set(set_id)
        root = self._get(record.index_id).indexed.record.root
        if root != view.root:
            if not is_within(root, view.root) and not is_within(view.root, root):
                raise BadQuestion(f"The set {set_id} belongs to another index.")
            return self._rows_elsewhere(view, record)
        rows = view.rows_of(self.members(set_id).ids)
        return np.asarray(rows[rows != NO_ROW])

    def _rows_elsewhere(self, view: View, record: SetRecord, *, all_of_them: bool = False) -> Column:
        """Where the members of a set stand in the view of another index, ascending; those it does not know are left
        out, or refused when all of them are wanted."""
        members, rows, home = self.members(record.id), set(), self._get(record.index_id)
        for member in states(home.view, home.tag, members, np.arange(len(members))):
            path = member.path_now or member.path
            try:
                rows.add(view.find(path))
            except NotIndexed as unknown:
                if all_of_them:
                    reason = f"{to_wire(path)} is not in the index of {to_wire(view.root)}; index a folder above."
                    raise BadQuestion(reason) from unknown
        return np.array(sorted(rows), np.int64)

    def _set(self, set_id: str) -> SetRecord:
        record = self.catalogue.set(set_id)
        if record is None:
            raise NoSuchSet(f"There is no set {set_id[:40]!r}.")
        return record

    def _store(
        self,
        before: SetRecord | None,
        index_id: str,
        name: str,
        members: SetMembers,
        epoch: int,
        held: int | None = None,
        behind: SetBehind | None = None,
    ) -> SetInfo:
        now = time.time_ns()
        name = valid_name(name)
        if held is None:
            view = self._get(index_id).view
            rows = view.rows_of(members.ids)
            held = total_bytes(view, rows[rows != NO_ROW])
        set_id = before.id if before else new_handle("s")
        created = before.created_ns if before else now
        record = SetRecord(set_id, index_id, name, len(members), held, created, now, epoch)
        self._files.stage(set_id, members)
        try:
            self.catalogue.put_set(record, behind)
        except BaseException:
            self._files.discard(set_id)
            raise
        self._files.commit(set_id)
        return _set_info(record)


def _behind(answer: QueryResult) -> SetBehind | None:
    return SetBehind(answer.behind, json.dumps(to_json(answer.wanted)), answer.below) if answer.behind else None


def _cannot_be_asked_again(*sets: SetBehind | None) -> SetBehind | None:
    """What holds for a set that was put together from others: no question finds the same."""
    folders = max((one.folders for one in sets if one is not None), default=0)
    return SetBehind(folders) if folders else None


def _node_in(answers: IndexQueries, cursor: str) -> int:
    if not is_node_handle(cursor):  # the short id of a row is no cursor that was ever given
        raise BadCursor(_FOREIGN)
    try:
        return node_number(answers.tag, cursor)
    except BadHandle as trouble:
        raise BadCursor(_FOREIGN) from trouble


def _place_behind(view: View, members: SetMembers, order: Column, nid: int) -> int:
    """The place in the order right behind a node, which may have been taken out of the set since."""
    at = int(np.searchsorted(members.ids, nid))
    if at < len(members) and members.ids[at] == nid:
        return int(np.flatnonzero(order == at)[0]) + 1
    if len(members) > MAX_SORTED_MEMBERS:
        return at
    row = int(view.rows_of(np.array([nid]))[0])
    path = view.path(row) if row != NO_ROW else view.last_path(nid)
    if path is None:
        raise BadCursor(_FOREIGN)
    return path_order([*(members.path(place) for place in order.tolist()), path]).index(len(members))


def _set_info(one: SetRecord) -> SetInfo:
    return SetInfo(one.id, one.name, one.index_id, one.count, one.bytes, one.created_ns, one.changed_ns)
