"""Which file an agent means in the editor, and whether it may: inside its roots, or inside the shared workspace."""

import os
from dataclasses import dataclass

from cmdr.commands._paths import held_file, named, pane_of, path_of, reach_of
from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError
from cmdr.files.protected import Protection
from cmdr.files.sandbox.resolved_path import PrivatePlace
from cmdr.model.names import is_within, to_wire


@dataclass(frozen=True, slots=True)
class EditorPath:
    """A file by its real path, and the name under which it was asked for when that leads there through a link."""

    real: bytes
    link: bytes | None = None
    asked: bytes = b""
    """The whole path as it was written."""

    def protection(self, protection: Protection) -> str:
        """Why the file is protected, by where it lies or by the name it was asked for; or nothing."""
        if why := protection.reason(self.real):
            return why
        why = protection.reason(self.asked) if self.asked else ""
        return f"{why}, as {to_wire(self.asked)}" if why else ""


async def editor_path(call: Call, text: str, *, writes: bool = False) -> EditorPath:
    """Find a file; refused when it is outside or private. `writes` is for a file that may be new."""
    if call.principal.is_person:
        return await in_thread(_resolved, path_of(text, pane_of(call.workspace, "focused").tab.path))
    if call.connection:
        return await in_thread(_in_workspace, call, path_of(text, b"/"))
    return await in_thread(_in_roots, call, named(text), writes)


def path_now(call: Call, path: bytes) -> EditorPath:
    """The same for a file that stands, in a thread of the caller's own; raises `CommandError` or `DiskError`."""
    return _resolved(path) if call.principal.is_person else _in_roots(call, path, True)


def format_path(call: Call, path: bytes) -> str:
    """A path as the caller writes paths: an editor's client takes them as they are, all others in printable form."""
    return os.fsdecode(path) if call.connection else to_wire(path)


async def is_visible(call: Call, path: bytes) -> bool:
    """Whether a caller may hear about an open document: an editor in its workspace, anybody else in their roots."""
    if call.connection or call.principal.is_person:
        return await in_thread(call.commander.editor.folders.may_tell, path)
    return await in_thread(_is_in_reach, call, path)


async def folder_around(call: Call, real: bytes) -> bytes | None:
    """The widest folder around a file that a caller may look into; None when the file is not theirs to know of."""
    if call.principal.is_person:
        return b"/"
    if call.connection:
        return await in_thread(_workspace_folder, call, real)
    if not await in_thread(_is_in_reach, call, real):
        return None
    return min((tree.path for tree in reach_of(call).trees if is_within(real, tree.path)), key=len, default=None)


def check_may_read(call: Call, what: str) -> None:
    """Refuse what would tell a caller without a token something of a file's contents."""
    if not call.principal.token:
        raise NotAllowed(f"{what} tells what stands in files, which needs a token: cmdr token --client NAME.")


def _workspace_folder(call: Call, real: bytes) -> bytes | None:
    folders = call.commander.editor.folders
    if not folders.may_tell(real):
        return None
    return min((folder for folder in folders.folders if is_within(real, folder)), key=len, default=None)


def _resolved(path: bytes) -> EditorPath:
    real = os.path.realpath(path)
    return EditorPath(real, path if real != path and os.path.islink(path) else None, path)


def _in_workspace(call: Call, path: bytes) -> EditorPath:
    found = _resolved(path)
    folders = call.commander.editor.folders
    if not folders.contains(found.real):
        raise CommandError(f"{to_wire(path)} is outside the workspace that cmdr shows, so it is not opened here.")
    if not folders.may_tell(found.real):
        raise CommandError(f"{to_wire(path)} holds keys, passwords or private data, so it is not opened here.")
    return found


def _is_in_reach(call: Call, path: bytes) -> bool:
    try:
        with reach_of(call).find(path) as found:
            return found.is_file
    except DiskError:
        return False


def _in_roots(call: Call, path: bytes, writes: bool) -> EditorPath:
    reach = reach_of(call)
    if writes:
        held = held_file(reach, path)
        real = held.path
        held.close()
        if why := call.commander.sandbox.private.reason(real):
            raise PrivatePlace(real, why)  # something on a way that is still to be made
    else:
        with reach.find(path) as found:
            real = found.real
    absolute = os.path.join(reach.roots[0].path, os.path.expanduser(path))
    return EditorPath(real, absolute if os.path.islink(absolute) else None, absolute)
