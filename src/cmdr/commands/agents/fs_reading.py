"""Looking at files directly, inside the roots; for callers with a token."""

import hashlib
import mimetypes
import os
import stat
from typing import Annotated

from cmdr.commands._paths import named, reach_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError, NotAFolder, PathNotFound, disk_error
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.sandbox.resolved_path import ResolvedPath
from cmdr.files.viewing import text_range
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Kind
from cmdr.model.results.result import Said
from cmdr.model.units import count as counted
from cmdr.model.units import iso_time
from cmdr.model.yaml_text import quoted_name

MAX_ENTRIES = 500
FROM_END = -(10**9)
"""Negative numbers count from the end."""
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


@command("fs_list", access=Access.READ, toolset="fs", idempotent=True)
async def fs_list(
    call: Call,
    *,
    path: str,
    offset: Annotated[int, Whole()] = 0,
    limit: Annotated[int, Whole(1, MAX_ENTRIES)] = 100,
) -> Said:
    """List a folder inside the roots: kind, name, size."""
    total, rows = await in_thread(_list, reach_of(call), named(path), offset, limit)
    more = f"\n… {total - offset - len(rows)} more, offset {offset + len(rows)}" if offset + len(rows) < total else ""
    return Said("\n".join([counted(total, "entry", "entries"), *rows]) + more)


@command("fs_read", access=Access.READ, toolset="fs", idempotent=True)
async def fs_read(
    call: Call,
    *,
    path: str,
    line: Annotated[int | None, Whole(FROM_END), Doc("first line; -3 is the third last")] = None,
    lines: Annotated[int | None, Whole(1), Doc("how many")] = None,
    offset: Annotated[int | None, Whole(FROM_END), Doc("first byte, instead of line; negative from the end")] = None,
    bytes: Annotated[int | None, Whole(1), Doc("how many")] = None,
    encoding: str | None = None,
) -> Said:
    """Read a text file inside the roots, at most 32 KiB a call."""
    if (offset is not None or bytes is not None) and (line is not None or lines is not None):
        raise CommandError('Give "line" and "lines", or "offset" and "bytes", not both.')
    if line == 0:
        raise CommandError('"line" counts from 1, or from the end: -1 is the last line.')
    by_bytes = offset is not None or bytes is not None
    span = (offset or 0, bytes) if by_bytes else (line or 1, lines)
    try:
        return Said(await in_thread(_read, reach_of(call), named(path), by_bytes, span, encoding))
    except _Binary as binary:
        return Said(_format_binary(call, binary))


@command("fs_exists", access=Access.READ, toolset="fs", idempotent=True)
async def fs_exists(call: Call, *, path: str) -> Said:
    """Whether something stands at a path inside the roots, and what."""
    return Said(await in_thread(_exists, reach_of(call), named(path)))


@command("fs_stat", access=Access.READ, toolset="fs", idempotent=True)
async def fs_stat(call: Call, *, path: str) -> Said:
    """Size, times, mode and sha256 of a file inside the roots."""
    return Said(await in_thread(_stat, reach_of(call), named(path)))


def _list(reach: PathResolver, path: bytes, offset: int, limit: int) -> tuple[int, list[str]]:
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


def _read(reach: PathResolver, path: bytes, by_bytes: bool, span: tuple[int, int | None], encoding: str | None) -> str:
    with reach.find(path) as found:
        if found.is_folder:
            raise CommandError(f"{to_wire(found.path)} is a folder. List it with fs_list.")
        fd = found.open()
        try:
            read = text_range.read_bytes if by_bytes else text_range.read_lines
            piece = read(fd, *span, encoding)
        except text_range.NotText as binary:
            raise _Binary(found.path, found.stat, binary.head) from None
        except text_range.UnknownEncoding:
            raise CommandError("There is no such encoding. Try utf-8, latin-1, cp1252 or utf-16.") from None
        except text_range.TooFar:
            raise CommandError("Lines cannot be counted that far here. Use offset and bytes.") from None
        except (OSError, OverflowError) as error:
            raise disk_error(found.path, error if isinstance(error, OSError) else ValueError()) from error
        finally:
            os.close(fd)
    head = f"{to_wire(found.path)} {_where(piece)}, mtime {found.stat.st_mtime_ns}"
    if piece.encoding != "utf-8":
        head += f", {piece.encoding}"
    if not piece.is_whole:
        following = None if piece.first_line is None else piece.first_line + piece.lines
        head += f", more at offset {piece.end}" if following is None else f", more at line {following}"
    return f"{head}\n{piece.text}"


def _where(piece: text_range.TextRange) -> str:
    if piece.first_line is None:
        return f"bytes {piece.start}-{piece.end}"
    return f"lines {piece.first_line}-{piece.first_line + piece.lines - 1}" if piece.lines else "no lines here"


class _Binary(Exception):
    """The file is no text: its facts are told, and where its bytes are to be had."""

    def __init__(self, path: bytes, seen: os.stat_result, head: bytes) -> None:
        super().__init__(path)
        self.path = path
        self.seen = seen
        self.head = head


def _format_binary(call: Call, binary: _Binary) -> str:
    kind, _ = mimetypes.guess_type(os.fsdecode(os.path.basename(binary.path)))
    told = [
        f"{to_wire(binary.path)} is not text, {binary.seen.st_size} bytes, mtime {binary.seen.st_mtime_ns}"
        + (f", {kind}" if kind else ""),
        f"begins: {binary.head.hex(' ')}",
    ]
    if call.commander.base_url:
        handle = call.commander.raw_links.make(call.principal.id, binary.path)
        told.append(f"bytes: GET {call.commander.base_url}/raw/{handle} with your token, within 10 minutes")
    return "\n".join([*told, "Give an encoding to read it as text anyway."])


def _exists(reach: PathResolver, path: bytes) -> str:
    try:
        with reach.find(path, follow=False) as found:
            return f"yes, {_word(found.stat)}"
    except (PathNotFound, NotAFolder):
        return "no"


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
