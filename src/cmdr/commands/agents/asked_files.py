"""Which files a caller means that reads: by their paths, by a pattern in a folder, or as the members of a set."""

import fnmatch
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from cmdr.commands._paths import MAX_PATH_BYTES, named
from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError, PathNotFound, disk_error
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import is_within, printable, to_wire

_WILD = b"*?["


@dataclass(frozen=True, slots=True)
class FileAsked:
    """A file that a caller means, by the name it goes by in the answer."""

    name: str
    path: bytes


async def asked_files(
    call: Call, reach: PathResolver, path: str | list[str] | None, set: str | None
) -> Sequence[FileAsked]:
    """The files that are meant, patterns resolved; raises `CommandError` where nothing or two things are given."""
    if bool(path) == (set is not None):
        raise CommandError('Give "path": one or several, as in ["a.txt", "*.py"]; or "set".')
    if set is not None:
        return await _members(call, reach, set)
    found: list[FileAsked] = []
    for one in asked_paths(call, reach, path or []):
        found += await in_thread(_matching, reach, one)
    return found


def asked_paths(call: Call, reach: PathResolver, path: str | list[str]) -> list[FileAsked]:
    """The paths as they are written; relative ones begin where the caller stands."""
    texts = [path] if isinstance(path, str) else path
    if not texts:
        raise CommandError('"path" is an empty list. Name one file or several.')
    base = _place(call, reach)
    return [FileAsked(text, _joined(base, named(text))) for text in texts]


def _joined(base: bytes, path: bytes) -> bytes:
    return path if path == b"~" or path.startswith((b"/", b"~/")) else os.path.join(base, path)


def _place(call: Call, reach: PathResolver) -> bytes:
    """Where a caller stands: in the folder it went to with `cd`, else in its first root, which needs no name."""
    with suppress(CommandError):  # a cmdr without an index knows no `cd`
        session = call.commander.indexing.sessions.current(call.principal, call.conversation)
        if session is not None:
            is_inside = any(is_within(session.cwd, root.path) for root in reach.roots)
            return session.cwd if is_inside or session.cwd != session.previous else b""
    return b""


async def _members(call: Call, reach: PathResolver, set: str) -> list[FileAsked]:
    members = await call.commander.indexing.sets.members(set, call.principal)
    if not members:
        raise CommandError(f'The set "{printable(set, 40)}" is empty.')
    base = _place(call, reach) or (reach.roots[0].path if reach.roots else b"")
    return [FileAsked(to_wire(_below(base, member)), member) for member in members]


def _below(base: bytes, path: bytes) -> bytes:
    return path[len(base.rstrip(b"/")) + 1 :] if base and path != base and is_within(path, base) else path


def _matching(reach: PathResolver, asked: FileAsked) -> list[FileAsked]:
    """The file of that name; where there is none and its name is a pattern, the files that match it."""
    above, pattern = os.path.split(asked.path)
    if not any(char in pattern for char in _WILD) or len(asked.path) > MAX_PATH_BYTES:
        return [asked]
    if not _is_missing(reach, asked.path):
        return [asked]
    shown = named(asked.name)[: -len(pattern)]
    names = [
        name
        for name in _files_in(reach, above or b".")
        if fnmatch.fnmatchcase(name, pattern) and (pattern.startswith(b".") or not name.startswith(b"."))
    ]
    if not names:
        raise CommandError(
            f"No file matches {printable(asked.name, 80)}: a pattern is for one folder. "
            'For whole trees take query_run, then give its set as "set".'
        )
    return [FileAsked(to_wire(shown + name), os.path.join(above, name)) for name in names]


def _is_missing(reach: PathResolver, path: bytes) -> bool:
    try:
        reach.find(path).close()
    except DiskError as error:
        return isinstance(error, PathNotFound)
    return False


def _files_in(reach: PathResolver, path: bytes) -> list[bytes]:
    with reach.folder(path) as folder:
        fd = folder.open()
        try:
            with os.scandir(fd) as entries:
                return sorted(os.fsencode(entry.name) for entry in entries if not entry.is_dir())
        except OSError as error:
            raise disk_error(path, error) from error
        finally:
            os.close(fd)
