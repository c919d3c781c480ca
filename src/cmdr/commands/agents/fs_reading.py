"""Looking at files directly, inside the roots; for callers with a token."""

import hashlib
import os
import stat
from collections.abc import Callable
from functools import partial
from typing import Annotated

from cmdr.commands._paths import reach_of
from cmdr.commands.agents.asked_files import FileAsked, asked_paths
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError, NotAFolder, PathNotFound, disk_error
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.sandbox.resolved_path import ResolvedPath
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Kind
from cmdr.model.results.result import Said
from cmdr.model.units import count as counted
from cmdr.model.units import iso_time
from cmdr.model.yaml_text import quoted_name

MAX_ENTRIES = 500
MAX_PATHS = 200
"""Paths of one call."""
_MAX_HASHED_BYTES = 16 << 20
"""Larger files are told without a hash; their time says as much about a change."""
_KINDS = (
    (stat.S_ISDIR, Kind.FOLDER),
    (stat.S_ISREG, Kind.FILE),
    (stat.S_ISLNK, Kind.LINK),
    (stat.S_ISFIFO, Kind.PIPE),
    (stat.S_ISSOCK, Kind.SOCKET),
    (stat.S_ISBLK, Kind.BLOCK),
    (stat.S_ISCHR, Kind.CHARACTER),
)


Paths = Annotated[str | list[str], Also(("paths",))]


@command("fs_list", access=Access.READ, toolset="fs", idempotent=True)
async def fs_list(
    call: Call,
    *,
    path: Paths,
    offset: Annotated[int, Whole(), Unlisted()] = 0,
    limit: Annotated[int, Whole(1, MAX_ENTRIES), Unlisted()] = 100,
) -> Said:
    """List directory or folder contents inside the roots, as ls."""
    reach = reach_of(call)
    asked = asked_paths(call, reach, path)
    most = max(1, min(limit, MAX_ENTRIES // len(asked)))
    return Said(await in_thread(_each, asked, partial(_list, reach, offset, most), "==> {} <==\n{}"))


@command("fs_exists", access=Access.READ, toolset="fs", idempotent=True)
async def fs_exists(call: Call, *, path: Paths) -> Said:
    """Check whether a file or path exists, or several."""
    reach = reach_of(call)
    return Said(await in_thread(_each, asked_paths(call, reach, path), partial(_exists, reach), "{}: {}"))


@command("fs_stat", access=Access.READ, toolset="fs", idempotent=True)
async def fs_stat(call: Call, *, path: Paths) -> Said:
    """File size, modified time and date, permissions, checksum."""
    reach = reach_of(call)
    asked = asked_paths(call, reach, path)
    if len(asked) == 1:
        return Said(await in_thread(_stat, reach, asked[0].path))
    return Said(await in_thread(_each, asked, partial(_short_stat, reach), "{}: {}"))


def _each(asked: list[FileAsked], look: Callable[[bytes], str], form: str) -> str:
    """What a look at each path gives; of several one that is refused keeps no other from being told."""
    if len(asked) == 1:
        return look(asked[0].path)
    if len(asked) > MAX_PATHS:
        raise CommandError(f"That is {len(asked)} paths; one call takes at most {MAX_PATHS}.")
    told = []
    for one in asked:
        try:
            said = look(one.path)
        except DiskError as error:
            said = str(error)
        told.append(form.format(quoted_name(one.name), said))
    return "\n".join(told)


def _list(reach: PathResolver, offset: int, limit: int, path: bytes) -> str:
    total, rows = _rows(reach, path, offset, limit)
    more = f"\n… {total - offset - len(rows)} more, offset {offset + len(rows)}" if offset + len(rows) < total else ""
    return "\n".join([counted(total, "entry", "entries"), *rows]) + more


def _rows(reach: PathResolver, path: bytes, offset: int, limit: int) -> tuple[int, list[str]]:
    with reach.folder(path) as folder:
        fd = folder.open()
        try:
            names = sorted(os.fsencode(name) for name in os.listdir(fd))
            return len(names), [_row(fd, name) for name in names[offset : offset + limit]]
        except OSError as error:
            raise disk_error(path, error) from error
        finally:
            os.close(fd)


def _row(folder: int, name: bytes) -> str:
    shown = quoted_name(to_wire(name))
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return f"{Kind.UNKNOWN.value} {shown}"
    kind = _kind(seen)
    return f"{kind.value} {shown}" + (f" {seen.st_size}" if kind is Kind.FILE else "")


def _exists(reach: PathResolver, path: bytes) -> str:
    try:
        with reach.find(path, follow=False) as found:
            return f"yes, {_word(found.stat)}"
    except (PathNotFound, NotAFolder):
        return "no"


def _short_stat(reach: PathResolver, path: bytes) -> str:
    with reach.find(path, follow=False) as found:
        seen = found.stat
        return f"{_word(seen)} {seen.st_size} {_time(seen.st_mtime_ns)} {stat.S_IMODE(seen.st_mode):04o}"


def _stat(reach: PathResolver, path: bytes) -> str:
    with reach.find(path, follow=False) as found:
        seen = found.stat
        told = [
            f"{to_wire(found.path)} is a {_word(seen)}",
            f"size: {seen.st_size}",
            f"modified: {_time(seen.st_mtime_ns)}",
            f"mtime: {seen.st_mtime_ns}",
            f"mode: {stat.S_IMODE(seen.st_mode):04o}",
        ]
        if stat.S_ISLNK(seen.st_mode):
            told.append(f"target: {to_wire(os.readlink(b'', dir_fd=found.handle))}")
        if found.is_file and seen.st_size <= _MAX_HASHED_BYTES and (digest := _digest(found)):
            told.append(f"sha256: {digest}")
        return "\n".join(told)


def _digest(found: ResolvedPath) -> str:
    try:
        with open(found.open(), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, DiskError):
        return ""  # the facts are known even where the contents may not be read


def _kind(seen: os.stat_result) -> Kind:
    return next((kind for is_so, kind in _KINDS if is_so(seen.st_mode)), Kind.UNKNOWN)


def _word(seen: os.stat_result) -> str:
    return _kind(seen).name.lower()


def _time(ns: int) -> str:
    try:
        return iso_time(ns)
    except (ValueError, OverflowError, OSError):
        return "unknown"
