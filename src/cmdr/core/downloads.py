"""Contents of a file for whoever may read them: inside the roots, with a token, from one open handle."""

import os
from dataclasses import dataclass

from cmdr.core.audit import AuditRecord, digest_of
from cmdr.core.commander import Commander
from cmdr.core.errors import CommandError, NotAllowed, NotThere
from cmdr.core.principals import Principal
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError
from cmdr.files.sandbox.reach import Reach
from cmdr.index.errors import IndexFault


@dataclass(frozen=True, slots=True)
class Download:
    """An open file: its descriptor belongs to whoever asked."""

    descriptor: int
    size: int
    name: bytes


async def open_download(commander: Commander, principal: Principal, index: str, node: str) -> Download:
    """Open the file behind a node, if this caller may read it."""
    if not principal.token:
        raise NotAllowed("Contents need a token: cmdr token --client NAME makes one.")
    library = await commander.indexing.library()
    try:
        answers = await in_thread(library.get, index)
        found = await in_thread(answers.node, node)
    except IndexFault as error:
        raise NotThere(str(error)) from error
    reach = commander.sandbox.reach(principal.roots, read_only=True)
    return await in_thread(_open, reach, found.path)


async def open_raw(commander: Commander, principal: Principal, handle: str) -> Download:
    """Open the file behind a link of `fs_read`, if this caller still may read it: the same rules, asked anew."""
    command = commander.registry.find("fs_read")
    result = "refused"
    try:
        commander.policy.admit(command, principal)
        path = commander.raw_links.path(principal, handle)
        reach = commander.sandbox.reach(principal.roots, read_only=True)
        opened = await in_thread(_open, reach, path)
        result = "ok"
    finally:
        commander.audit.record(AuditRecord(principal.id, "fs_read link", digest_of({"handle": handle}), result))
    return opened


def _open(reach: Reach, path: bytes) -> Download:
    try:
        with reach.find(path) as found:
            if not found.is_file:
                raise CommandError("Only plain files can be downloaded.")
            return Download(found.open(), found.stat.st_size, os.path.basename(path))
    except DiskError as error:
        raise NotAllowed(str(error)) from error
