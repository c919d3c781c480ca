"""What fills a folder: its own entries by size, the largest first, as an index knows them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries

MAX_ENTRIES = 150
"""Entries that are told one by one; a smaller rectangle could not be hit any more."""


@dataclass(frozen=True, slots=True)
class Filling:
    """One entry and the bytes in it."""

    name: bytes
    is_folder: bool
    size: int


@dataclass(frozen=True, slots=True)
class FolderSpace:
    """A folder's largest entries, and the rest in one number."""

    largest: tuple[Filling, ...]
    others: int
    """How many more there are."""
    total: int
    complete: bool
    """Whether everything below could be read; if not, the total is a lower bound."""
    fresh: bool

    @property
    def rest(self) -> int:
        """The bytes in all others."""
        return max(0, self.total - sum(filling.size for filling in self.largest))


async def space_in(commander: Commander, path: bytes, principal: Principal) -> "FolderSpace | str":
    """What fills a folder; while no index knows it, the id of the scan that was begun."""
    indexing = commander.indexing
    try:
        answers = await indexing.covering(path)
        if answers is None:
            from cmdr.model.trees.indexes import WalkOptions  # noqa: PLC0415

            return (await indexing.scan(path, WalkOptions(), principal)).id
        return await in_thread(_read, answers, path)
    except IndexFault as error:
        raise CommandError(str(error)) from error


def _read(answers: "IndexQueries", path: bytes) -> FolderSpace:
    summary = answers.summary(path, 0)
    page = answers.children(path, MAX_ENTRIES, None, "size", True)
    largest = tuple(Filling(node.name, node.kind == "dir", node.size) for node in page.nodes if node.size)
    return FolderSpace(
        largest,
        page.total - len(largest),
        summary.totals.bytes,
        summary.totals.complete,
        not answers.behind and answers.indexed.freshness.state == "fresh",
    )
