"""New names by pattern, in time that grows with the names and never explodes.

The pattern comes from an agent as often as from a person, so it never runs in `re`, where a few characters can cost
hours; polars' engine is linear.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.engine.errors import error_text
from cmdr.engine.plan.refusals import BadPattern, NotThere, Unreadable
from cmdr.model.names import printable
from cmdr.model.plans.name_fields import BadField, Field, NamedFile, filled

if TYPE_CHECKING:
    from polars import Series

WHOLE = "(?s)^.*$"
"""Matches every name, all of it."""
_PART = re.compile(
    r"\$(?P<dollar>\$)|\$(?P<one>\d|[A-Za-z_]\w*)|\$\{(?P<braced>\w+)\}|\\(?P<slash>\\)|\\(?P<back>\d)"
    r"|(?P<brace>\{\{|\}\})|\{(?P<field>[^{}]*)\}"
)
_MARK = re.compile("\0(\\d+)\0")
"""Where a field stands in a new name until it is filled in; no file's own name holds a zero byte."""


def new_names(paths: Sequence[bytes], match: str, replace: str) -> list[bytes]:
    """Each file's name with the first match replaced: `$1` or `\\1` is a group, `{n:03}` counts the changed names,
    `{date}` and the like tell about the file.

    A name that does not match, or is not text, stays as it is.
    """
    import polars

    names = [os.path.basename(path) for path in paths]
    column = polars.Series("name", [_text(name) for name in names], dtype=polars.String)
    try:
        replacement = _replacement(replace, _groups(column, match))
        changed = column.str.replace(match, replacement.template).to_list()
        matched = column.str.contains(match).to_list()
    except polars.exceptions.ComputeError as error:
        raise BadPattern(f'"{printable(match)}" is not a regular expression{_what_is_wrong(error)}.') from error
    except BadField as error:
        raise BadPattern(printable(str(error), 300)) from error
    number = 0
    new: list[bytes] = []
    for path, name, text, hit in zip(paths, names, changed, matched, strict=True):
        if not hit or text is None:
            new.append(name)
            continue
        number += 1
        new.append(replacement.filled(text, path, number))
    return new


@dataclass(frozen=True, slots=True)
class _Replacement:
    """What a match becomes: a template for the engine, in which marks stand for the fields."""

    template: str
    fields: tuple[Field, ...]

    def filled(self, text: str, path: bytes, number: int) -> bytes:
        """The new name of one file."""
        if not self.fields:
            return text.encode()
        file = _file(path, looks=any(field.asks_the_disk for field in self.fields))
        pieces = _MARK.split(text)
        parts = [self.fields[int(piece)] if at % 2 else piece for at, piece in enumerate(pieces)]
        try:
            return os.fsencode(filled(parts, file, number))
        except BadField as error:
            raise BadPattern(printable(str(error), 300)) from error


def _replacement(replace: str, groups: Sequence[str]) -> _Replacement:
    if "\0" in replace:
        raise BadField("No name can hold a zero byte.")
    fields: list[Field] = []

    def part(found: re.Match[str]) -> str:
        group = found["one"] or found["braced"] or found["back"]
        if group is not None:
            if group != "0" and group not in groups:
                raise BadField(f'"{found[0]}" is no group of the pattern: {_known(groups)}')
            return f"${{{group}}}"
        if found["field"] is None:
            literal: str = found["dollar"] or found["slash"] or found["brace"][0]
            return literal.replace("$", "$$")
        fields.append(Field.of(found["field"]))
        return f"\0{len(fields) - 1}\0"

    template, end = "", 0
    for found in _PART.finditer(replace):
        template += replace[end : found.start()].replace("$", "$$") + part(found)
        end = found.end()
    return _Replacement(template + replace[end:].replace("$", "$$"), tuple(fields))


def _known(groups: Sequence[str]) -> str:
    if not groups:
        return "it has none. Put brackets around what is to be kept."
    return f"it has {', '.join(f'${group}' for group in groups[:9])}."


def _groups(column: "Series", match: str) -> list[str]:
    """The names of a pattern's groups; those without one are known by their number, and so are the others."""
    names = column.clear().str.extract_groups(match).struct.fields
    return [*names, *(str(number) for number in range(1, len(names) + 1) if str(number) not in names)]


def _file(path: bytes, *, looks: bool) -> NamedFile:
    above, name = os.path.split(path)
    told = (os.fsdecode(name), os.fsdecode(os.path.basename(above)))
    if not looks:
        return NamedFile(*told)
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError as problem:
        raise NotThere(path) from problem
    except OSError as problem:
        raise Unreadable(path, error_text(problem)) from problem
    return NamedFile(*told, found.st_mtime_ns, (found.st_mode & 0o170000) == 0o040000)


def _text(name: bytes) -> str | None:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None


def _what_is_wrong(error: Exception) -> str:
    """The engine's own sentence about the pattern, when it has one; the rest of its text is about itself."""
    said = [line.strip() for line in str(error).splitlines() if line.strip().startswith("error: ")]
    return f": {printable(said[-1].removeprefix('error: '), 100)}" if said else ""
