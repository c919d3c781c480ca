"""Nodes as callers name them: by the whole id, by `#12` as it stands in a row, or by `i_…#12` with its index."""

from __future__ import annotations

from collections.abc import Sequence

from cmdr.commands.trees.sessions import indexes_told_to
from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError
from cmdr.index.store.handles import node_handle, short_number
from cmdr.model.names import printable


async def whole_node_ids(call: Call, ids: Sequence[str]) -> list[str]:
    """The whole id of each node; what is no short id stays as it is. Raises when it is not clear whose number it is."""
    return [await whole_node_id(call, id) for id in ids]


async def whole_node_id(call: Call, id: str) -> str:
    """The whole id of one node: a number means a node of the one index whose rows the caller was told."""
    index, mark, number = id.partition("#")
    short = short_number(number if mark and index else id)
    if short is None:
        return id
    if not (mark and index):
        index = _only_index(call, id)
    answers = await call.commander.indexing.open(index)
    return node_handle(answers.tag, short)


def _only_index(call: Call, id: str) -> str:
    told = indexes_told_to(call)
    if len(told) == 1:
        return told[0]
    shown = printable(id.removeprefix("#"), 40)
    if not told:
        raise CommandError(f"#{shown} stands for a node of an index, and you were told of none yet. Give its path.")
    # A number that is taken for the wrong index's would be another file.
    raise CommandError(
        f"#{shown} may be a node of several indexes. Write {' or '.join(f'{one}#{shown}' for one in told)}."
    )
