"""An index for other engines: written as Parquet files."""

import os
import platform

from cmdr.commands.shell_sessions import place_in
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.results.result import Said


@command("index.export", access=Access.ACT, title="Export an index as Parquet")
async def index_export(call: Call, *, root: str, to: str) -> Said:
    """Write what the index of a tree knows as Parquet, below a folder, by host and root."""
    from cmdr.index.fleets.parquet import export

    indexing = call.commander.indexing
    place = await in_thread(os.path.realpath, place_in(call, root))
    answers, _ = await indexing.ensure(place, call.principal)
    folder = place_in(call, to)
    try:
        made = await in_thread(export, answers, place, os.fsdecode(folder), platform.node())
    except OSError as error:
        raise CommandError(f"The export cannot be written to {to_wire(folder)}: {error.strerror}.") from error
    return Said(f"{made.rows} entries in {size_text(made.bytes)}: {to_wire(os.fsencode(made.folder))}")
