"""The saved queries of a user: questions under a name, to be asked again."""

import json
import time
from contextlib import suppress
from dataclasses import replace
from typing import cast, get_args

from cmdr.index.errors import DiskFull, NoSuchQuery
from cmdr.index.store.catalogue import PERSON, Catalogue
from cmdr.index.store.handles import new_handle, valid_name
from cmdr.model.filters.filter import Question, SortKey
from cmdr.model.filters.filter_json import to_json
from cmdr.model.names import printable
from cmdr.model.trees.queries import SavedQuery


class SavedQueries:
    """All saved queries; an owner uses a name once. Without an owner everybody's are meant."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def save(self, name: str, question: Question, owner: str = PERSON, root: bytes | None = None) -> SavedQuery:
        """Keep a question under a name, and the folder it is about; the same name of the same owner replaces."""
        before = self.catalogue.query(valid_name(name), owner)
        saved = SavedQuery(
            before.id if before else new_handle("q"),
            owner,
            before.name if before else name,
            json.dumps(to_json(question.filter)),
            question.sort,
            question.descending,
            question.limit,
            before.created_ns if before else time.time_ns(),
            before.last_run_ns if before else None,
            root,
        )
        self.catalogue.put_query(saved)
        return saved

    def change(self, saved: SavedQuery, name: str | None, question: Question, root: bytes | None) -> SavedQuery:
        """Keep a saved query with another name, question or folder; it stays the same query."""
        changed = replace(
            saved,
            name=saved.name if name is None else valid_name(name),
            filter=json.dumps(to_json(question.filter)),
            root=saved.root if root is None else root,
        )
        self.catalogue.put_query(changed)
        return changed

    def all(self, owner: str | None = None) -> tuple[SavedQuery, ...]:
        """The saved queries by name."""
        return tuple(self.catalogue.queries(owner))

    def get(self, id_or_name: str, owner: str | None = None) -> tuple[SavedQuery, Question]:
        """A saved query and its question."""
        saved = self.catalogue.query(id_or_name, owner)
        if saved is None:
            raise NoSuchQuery(f'There is no saved query "{printable(id_or_name, 40)}".')
        sort = saved.sort if saved.sort in get_args(SortKey) else "tree"
        return saved, Question(saved.wanted(), cast(SortKey, sort), saved.descending, saved.limit)

    def note_run(self, id_or_name: str) -> None:
        """Remember that a saved question was just asked."""
        with suppress(DiskFull):  # the answer matters more than when it was asked
            self.catalogue.put_query(replace(self.get(id_or_name)[0], last_run_ns=time.time_ns()))

    def delete(self, id_or_name: str, owner: str | None = None) -> None:
        self.catalogue.remove_query(self.get(id_or_name, owner)[0].id)
