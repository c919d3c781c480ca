"""The list of an archive as text for the viewer: bounded in lines and time, with nothing that a terminal obeys."""

import time
from collections.abc import Iterator

from cmdr.files.archives.archive_file import BadArchive, Entry, Read
from cmdr.files.archives.opening import open_archive
from cmdr.model.names import to_wire
from cmdr.model.plans.plan_item import Kind
from cmdr.model.units import count, human_size

MAX_NAMES = 10_000
"""Names in a list; an archive may hold millions."""
TIME_LIMIT_S = 2.0
"""A compressed archive must be gone through for its list."""
_MAX_NAME_BYTES = 500
_SIGNS = {Kind.FOLDER: "/", Kind.LINK: " → "}


class _Enough(Exception):
    """It takes too long."""


def list_text(read: Read, size: int) -> bytes | None:
    """The list, or None where there is none to be had."""
    try:
        archive = open_archive(read, size)
    except BadArchive:
        return None
    end = time.monotonic() + TIME_LIMIT_S
    rows: list[str] = []
    held = names = 0
    note = ""

    def check() -> None:
        if time.monotonic() > end:
            raise _Enough

    try:
        for entry in archive.entries(check):
            if names == MAX_NAMES:
                note = f"… and more: only the first {MAX_NAMES:,} names are listed"
                break
            names, held = names + 1, held + (entry.member.size if entry.kind is Kind.FILE else 0)
            rows.append(_row(entry))
    except _Enough:
        note = "… and more: it takes too long to go through all of it"
    except BadArchive as problem:
        note = f"… and here the list ends: {problem}"
    head = f"{count(names, 'name')}{' so far' if note else ''}, {human_size(held)} when unpacked"
    return "\n".join([head, "", *rows, *([note] if note else []), ""]).encode("utf-8", "replace")


def _row(entry: Entry) -> str:
    member = entry.member
    size = f"{member.size:,}" if entry.kind is Kind.FILE and entry.twin is None else ""
    when = "" if member.mtime_ns is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(member.mtime_ns // 10**9))
    return f"{size:>15}  {when:16}  {''.join(_name(entry))}"


def _name(entry: Entry) -> Iterator[str]:
    name = entry.member.name[:_MAX_NAME_BYTES]
    yield to_wire(name.rstrip(b"/") if entry.kind is Kind.FOLDER else name)
    yield _SIGNS.get(entry.kind, "")
    if entry.kind is Kind.LINK:
        yield to_wire(entry.member.link[:_MAX_NAME_BYTES])
    if entry.twin is not None:
        yield f" = {to_wire(entry.twin[:_MAX_NAME_BYTES])}"
    if entry.wrong:
        yield f"  ({entry.wrong})"
