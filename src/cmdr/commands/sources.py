"""Which files a caller means: named paths, a resource set, the selection, or the entry under the cursor."""

from collections.abc import Callable
from dataclasses import dataclass

from cmdr.commands.file import nothing_there
from cmdr.commands.places import path_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.engine.walking import Limits
from cmdr.model.names import to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.plan import Plan

# A person may plan whatever a pane can show. While it is planned a chosen file takes about a kilobyte, and several
# agents may plan at once, so theirs are smaller. An agent names at most so many paths one by one; its selections and
# sets may hold more, because they are one thing to look at.
PERSON = Limits(top=1_000_000, leaves=1_000_000)
AGENT = Limits(top=250_000, leaves=250_000)
NAMED_PATHS = 200
FEW = 2000
"""So many names are made at once; more of them in a thread."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The chosen paths, and for rows of a listing the inodes they had when they were shown."""

    paths: tuple[bytes, ...]
    limits: Limits
    inodes: tuple[int, ...] = ()
    note: str = ""
    """What the caller should know of them, such as what became of a set's members since."""

    def told(self, plan: Plan) -> str:
        """What the caller should know of them now that there is a plan."""
        inside = len(self.paths) - plan.chosen.count
        along = [f"inside other chosen folders, taken along: {inside}"] if inside > 0 else []
        return "\n".join([*([self.note] if self.note else []), *along])

    def check(self, plan: Plan) -> Plan:
        """Refuse a plan whose files are not the ones that were shown: a name may have passed to another file."""
        if not self.inodes:
            return plan
        shown = dict(zip(self.paths, self.inodes, strict=True))
        for item in plan.items:
            inode = shown.get(item.source.path) if item.source else None
            if inode and item.fingerprint is not None and item.fingerprint.ino != inode:
                path = to_wire(item.place.path)
                raise CommandError(f"{path} is not the file that was listed. Refresh the pane and choose again.")
        return plan


async def sources_of(call: Call, pane: Pane, paths: list[str] | None, set: str | None) -> Sources:
    """The files a caller means."""
    limits = PERSON if call.principal.is_person else AGENT
    if paths is not None and set is not None:
        raise CommandError('Give "paths" or "set", not both.')
    if paths is not None:
        if len(paths) > NAMED_PATHS and not call.principal.is_person:
            raise CommandError(f"{len(paths)} paths are too many to name one by one; at most {NAMED_PATHS}. Use a set.")
        return Sources(tuple(path_of(path, pane.tab.path) for path in paths), limits)
    if set is not None:
        taken = await call.commander.indexing.sets.worked_on(set, call.principal)
        return Sources(taken.paths, limits, note=taken.note)
    if call.chosen is not None:
        return await _named(call.chosen, lambda chosen: Sources(chosen.paths(), limits))
    listed = SelectedEntries.of(pane.tab)
    if listed is None:
        raise nothing_there(pane)
    return await _named(listed, lambda chosen: Sources(chosen.paths(), limits, chosen.inodes()))


async def _named(chosen: SelectedEntries, made: Callable[[SelectedEntries], Sources]) -> Sources:
    """The names of what was chosen; of many, in a thread."""
    return made(chosen) if chosen.count <= FEW else await in_thread(made, chosen)
