"""Only the lines that changed: between two files, or since a version that an operation replaced."""

import os
from typing import Annotated

from cmdr.commands._paths import named, reach_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import disk_error
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import to_wire
from cmdr.model.results.result import Said
from cmdr.model.texts.diff import BinaryContentError, TooManyLinesError, diff_texts
from cmdr.model.texts.text_format import read_text
from cmdr.model.texts.unified_diff import patch_text
from cmdr.model.units import count

MAX_READ_BYTES = 2 * 2**20
MAX_PATCH_CHARS = 12_000
"""Characters of a patch in one answer."""


@command("fs_diff", access=Access.READ, toolset="fs", idempotent=True)
async def fs_diff(
    call: Call,
    *,
    path: str,
    other: Annotated[str | None, Doc("file to compare with")] = None,
    operation: Annotated[int | None, Doc("or before this; default: the last")] = None,
    context: Annotated[int, Whole(0, 20), Unlisted()] = 0,
) -> Said:
    """Compare two text files, or what changed in one, as a patch."""
    if other is not None and operation is not None:
        raise CommandError('Give "other" or "operation", not both.')
    reach = reach_of(call)
    real, now = await in_thread(_content, reach, named(path))
    if other is not None:
        real_other, then = await in_thread(_content, reach, named(other))
        told = to_wire(real_other)
        return Said(await in_thread(_format_diff, (told, then), (to_wire(real), now), context, told))
    earlier = await call.commander.engine.earlier_version(real, operation, MAX_READ_BYTES)
    if earlier is None:
        raise CommandError(
            f"No earlier version of {to_wire(real)} is kept. "
            'Name the file to compare with in "other", or an operation from command {"id": "history"}.'
        )
    before = f"before operation {earlier.operation}"
    return Said(await in_thread(_format_diff, (before, earlier.content), (to_wire(real), now), context, before))


def _content(reach: PathResolver, path: bytes) -> tuple[bytes, bytes]:
    with reach.find(path) as found:
        if found.is_folder:
            raise CommandError(f"{to_wire(found.path)} is a folder. Name a file.")
        with os.fdopen(found.open(), "rb") as file:
            try:
                content = file.read(MAX_READ_BYTES + 1)
            except OSError as error:
                raise disk_error(found.path, error) from error
        return found.real, content


def _format_diff(old: tuple[str, bytes], new: tuple[str, bytes], context: int, against: str) -> str:
    if max(len(old[1]), len(new[1])) > MAX_READ_BYTES:
        raise CommandError(f"A file is larger than {MAX_READ_BYTES >> 20} MiB. Read parts of it with fs_read.")
    try:
        diff = diff_texts(read_text(old[1]).text, read_text(new[1]).text)
    except (BinaryContentError, TooManyLinesError) as error:
        raise CommandError(str(error)) from error
    if not diff.hunks:
        return f"no line differs from {against}" + ("" if old[1] == new[1] else "; line ends or encoding do")
    patch = patch_text(diff, old[0], new[0], context=context)
    if len(patch) > MAX_PATCH_CHARS:
        shown = patch[: patch.rfind("\n", 0, MAX_PATCH_CHARS) + 1]
        patch = f"{shown}… {count(patch.count(chr(10)) - shown.count(chr(10)), 'line')} more; read them with fs_read"
    added, removed = sum(hunk.new_size for hunk in diff.hunks), sum(hunk.old_size for hunk in diff.hunks)
    return f"{count(added, 'line')} added, {removed} removed\n{patch}"
