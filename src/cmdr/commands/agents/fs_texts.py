"""`fs_read`: texts of files inside the roots, whole, in ranges, from the end, and how many lines they have."""

import mimetypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, TypeVar

from cmdr.commands._paths import reach_of
from cmdr.commands.agents.asked_files import FileAsked, asked_files
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Doc, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError, disk_error
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.viewing import text_range
from cmdr.model.names import to_wire
from cmdr.model.results.files import FilesRead, FileText, LineCount, LinesCounted

FROM_END = -(10**9)
"""Negative numbers count from the end."""
MAX_FILES = 50
"""Files that one call reads; they share the characters of its answer."""
HEAD_CHARS = 60
"""Characters that the head of a file takes beside its name."""
MAX_COUNTED_FILES = 2000
MAX_COUNT_ROWS = 50
"""Files that are told one by one; the others are in the total."""
MAX_COUNTED_BYTES = 1 << 30
"""Bytes that one call looks through for line ends."""

Looked = TypeVar("Looked")


@dataclass(frozen=True, slots=True)
class _Span:
    """Which part of each file is wanted, in lines or in bytes."""

    by_bytes: bool = False
    first: int = 1
    count: int | None = None
    tail: int | None = None
    encoding: str | None = None

    def read(self, fd: int, max_chars: int) -> text_range.TextRange:
        if self.tail is not None:
            return text_range.read_tail(fd, self.tail, self.encoding, max_chars)
        read = text_range.read_bytes if self.by_bytes else text_range.read_lines
        return read(fd, self.first, self.count, self.encoding, max_chars)


@command("fs_read", access=Access.READ, toolset="fs", idempotent=True)
async def fs_read(
    call: Call,
    *,
    path: Annotated[str | list[str] | None, Also(("paths", "file", "files")), Doc("also *.py")] = None,
    set: str | None = None,
    line: Annotated[int | None, Whole(FROM_END), Doc("first")] = None,
    lines: Annotated[int | None, Whole(1), Also(("limit",))] = None,
    tail: Annotated[int | None, Whole(1), Doc("last lines")] = None,
    count: Annotated[bool, Doc("only count lines")] = False,
    offset: Annotated[int | None, Whole(FROM_END), Unlisted()] = None,
    bytes: Annotated[int | None, Whole(1), Unlisted()] = None,
    encoding: Annotated[str | None, Unlisted()] = None,
) -> FilesRead | LinesCounted:
    """Read text files inside the roots, or count their lines."""
    span = _span(line, lines, tail, offset, bytes, encoding)
    reach = reach_of(call)
    asked = await asked_files(call, reach, path, set)
    if count:
        return await in_thread(_count_all, reach, asked)
    if len(asked) > 1:
        read = await in_thread(_read_several, reach, asked[:MAX_FILES], span)
    else:
        try:
            read = [await in_thread(_read, reach, asked[0], span, text_range.MAX_CHARS)]
        except _Binary as binary:
            read = [FileText(asked[0].name, about=_format_binary(call, binary))]
    if not call.commander.policy.shows(call.commander.registry.find("fs_write"), call.principal):
        read = [replace(file, mtime=None) for file in read]
    return FilesRead(tuple(read), max(0, len(asked) - MAX_FILES))


def _span(
    line: int | None, lines: int | None, tail: int | None, offset: int | None, bytes: int | None, encoding: str | None
) -> _Span:
    by_bytes, by_lines = (offset, bytes) != (None, None), (line, lines) != (None, None)
    if by_bytes and (by_lines or tail is not None):
        raise CommandError('Give "line" and "lines", or "offset" and "bytes", not both.')
    if by_lines and tail is not None:
        raise CommandError('Give "tail", or "line" and "lines", not both.')
    if line == 0:
        raise CommandError('"line" counts from 1, or from the end: -1 is the last line.')
    if by_bytes:
        return _Span(True, offset or 0, bytes, encoding=encoding)
    return _Span(False, line or 1, lines, tail, encoding)


def _read_several(reach: PathResolver, asked: Sequence[FileAsked], span: _Span) -> list[FileText]:
    """The texts in the order they were asked for; what small files leave of the answer is for the others."""
    sizes = {one: _size(reach, one) for one in asked}
    left = text_range.MAX_CHARS - sum(len(one.name) + HEAD_CHARS for one in sizes)
    told: dict[FileAsked, FileText] = {}
    for number, one in enumerate(sorted(sizes, key=lambda one: sizes[one])):
        share = max(1, left // (len(sizes) - number))
        try:
            told[one] = _read(reach, one, span, share)
        except _Binary as binary:
            told[one] = FileText(one.name, about=f"{binary.facts()}; alone its bytes can be had")
        except (DiskError, CommandError) as error:
            told[one] = FileText(one.name, problem=str(error))
        left -= len(told[one].text)
    return [told[one] for one in asked]


def _size(reach: PathResolver, asked: FileAsked) -> int:
    try:
        with reach.find(asked.path) as found:
            return found.stat.st_size
    except DiskError:
        return 0  # told when it is read


def _read(reach: PathResolver, asked: FileAsked, span: _Span, max_chars: int) -> FileText:
    seen, piece = _opened(reach, asked, lambda fd: span.read(fd, max_chars))
    return FileText(
        asked.name,
        piece.text,
        piece.first_line,
        piece.lines,
        piece.start,
        piece.end,
        is_whole=piece.start == 0 and piece.is_whole,
        has_more=not piece.is_whole,
        encoding=piece.encoding,
        mtime=seen.st_mtime_ns,
    )


def _opened(reach: PathResolver, asked: FileAsked, look: Callable[[int], Looked]) -> tuple[os.stat_result, Looked]:
    """What a look into an open file gives, with the file's facts; raises errors fit for agents, or `_Binary`."""
    with reach.find(asked.path) as found:
        if found.is_folder:
            raise CommandError(f"{to_wire(found.path)} is a folder. List it with fs_list.")
        fd = found.open()
        try:
            return found.stat, look(fd)
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


class _Binary(Exception):
    """The file is no text: its facts are told, and where its bytes are to be had."""

    def __init__(self, path: bytes, seen: os.stat_result, head: bytes) -> None:
        super().__init__(path)
        self.path = path
        self.seen = seen
        self.head = head

    def facts(self) -> str:
        """What it is, in a few words."""
        kind, _ = mimetypes.guess_type(os.fsdecode(os.path.basename(self.path)))
        return f"is not text, {self.seen.st_size} bytes" + (f", {kind}" if kind else "")


def _format_binary(call: Call, binary: _Binary) -> str:
    told = [
        f"{to_wire(binary.path)} {binary.facts()}, mtime {binary.seen.st_mtime_ns}",
        f"begins: {binary.head.hex(' ')}",
    ]
    if call.commander.base_url:
        handle = call.commander.raw_links.make(call.principal.id, binary.path)
        told.append(f"bytes: GET {call.commander.base_url}/raw/{handle} with your token, within 10 minutes")
    return "\n".join([*told, "Give an encoding to read it as text anyway."])


def _count_all(reach: PathResolver, asked: Sequence[FileAsked]) -> LinesCounted:
    """How many lines each file has. Of several files one that cannot be counted keeps no other from it."""
    if len(asked) > MAX_COUNTED_FILES:
        raise CommandError(f"That is {len(asked)} files; one call counts at most {MAX_COUNTED_FILES}. Take fewer.")
    told: list[LineCount] = []
    left = MAX_COUNTED_BYTES
    for one in asked:
        try:
            seen, lines = _opened(reach, one, partial(_count, left))
            told.append(LineCount(one.name, lines))
            left -= seen.st_size
        except _Binary as binary:
            told.append(LineCount(one.name, problem=binary.facts()))
        except (DiskError, CommandError) as error:
            if len(asked) == 1:
                raise
            told.append(LineCount(one.name, problem=str(error)))
    counts = [one.lines for one in told if one.lines is not None]
    rows = told if len(told) <= MAX_COUNT_ROWS else _most_telling(told)
    return LinesCounted(tuple(rows), sum(counts), len(counts), len(told) - len(rows))


def _count(most_bytes: int, fd: int) -> int:
    if os.fstat(fd).st_size > most_bytes:
        raise CommandError(f"is too large: one call counts lines in {MAX_COUNTED_BYTES >> 30} GiB")
    return text_range.count_lines(fd)


def _most_telling(told: list[LineCount]) -> list[LineCount]:
    """Of very many files those that could not be counted and the longest ones."""
    ordered = sorted(told, key=lambda one: (one.lines is not None, -(one.lines or 0)))
    return ordered[:MAX_COUNT_ROWS]
