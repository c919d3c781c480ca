"""Archives: unpack them, or pack files into a new one; as every change, proposed first and decided by the person."""

import os
from collections.abc import Sequence
from typing import Annotated

from cmdr.commands._paths import PaneRef, held_new_name, reach_of
from cmdr.commands.changes.named_files import pane_for
from cmdr.commands.changes.planning import (
    Sources,
    choices_of,
    destination_of,
    other_pane,
    planned,
    proposed,
    sources_of,
)
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.names import free_name
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import default_archive_name, to_wire
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Verb
from cmdr.model.results.changes import Proposed


@command("unpack", access=Access.PROPOSE, title="Unpack archives")
async def unpack(
    call: Call,
    *,
    pane: PaneRef | None = None,
    paths: list[str] | None = None,
    set: str | None = None,
    to: str | None = None,
    on_conflict: ConflictPolicy = ConflictPolicy.ASK,
    reason: str = "",
) -> Proposed:
    """Propose to unpack zip and tar archives, each into a folder of its own in the other pane."""
    shown = pane_for(call, "unpack", pane, paths, set)
    sources = await sources_of(call, shown, paths, set)
    target, expected = destination_of(call, shown, to), None
    if not call.principal.is_person:
        # The plan tells what is in an archive: only one that the agent may read is looked into.
        expected = await in_thread(_in_reach, reach_of(call), sources.paths, target)
    choices = choices_of(call, sources, policy=on_conflict, expected=expected)
    plan = await planned(call, Verb.UNPACK, sources, choices, target)
    note = "\n".join(filter(None, ["" if to else other_pane(target), sources.note]))
    return await proposed(call, plan, "Unpack", reason, chosen=paths is None and set is None, note=note)


@command("pack", access=Access.PROPOSE, title="Pack into an archive")
async def pack(
    call: Call,
    *,
    pane: PaneRef | None = None,
    paths: list[str] | None = None,
    set: str | None = None,
    to: Annotated[str | None, Doc("the archive, ending in .zip or .tar.gz, or a folder for it")] = None,
    reason: str = "",
) -> Proposed:
    """Propose to pack the selection, paths or a set into a new archive in the other pane."""
    shown = pane_for(call, "pack", pane, paths, set)
    sources = await sources_of(call, shown, paths, set)
    is_folder = to is None or to.endswith("/")
    target = await in_thread(_archive, sources, destination_of(call, shown, to), is_folder)
    plan = await planned(call, Verb.PACK, sources, choices_of(call, sources), target)
    note = "\n".join(part for part in (f"archive: {to_wire(target)}", sources.note_for(plan)) if part)
    return await proposed(call, plan, "Pack", reason, chosen=paths is None and set is None, note=note)


def _in_reach(reach: PathResolver, paths: Sequence[bytes], target: bytes) -> dict[bytes, Fingerprint]:
    """The archives as the agent may see them; refused when one is out of its reach, or the target is."""
    expected = {}
    for path in paths:
        with reach.find(path, follow=False) as found:
            if not found.is_file:
                raise CommandError(f"{to_wire(path)} is not a file, so it cannot be unpacked.")
            expected[path] = fingerprint.of_stat(found.stat)
    name = held_new_name(reach, os.path.join(target, b"unpacked"))
    name.close()
    return expected


def _archive(sources: Sources, place: bytes, is_folder: bool) -> bytes:
    """Where the archive goes: as it was said, or into a folder, named after what it holds."""
    if not (is_folder or os.path.isdir(place)):
        return place
    usual = default_archive_name(sources.paths[0], is_only=len(sources.paths) == 1)
    taken = os.path.lexists(os.path.join(place, usual))
    free = free_name(usual, lambda name: os.path.lexists(os.path.join(place, name))) if taken else usual
    return os.path.join(place, free)
