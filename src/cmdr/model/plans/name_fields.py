"""New names: fields such as `{date}` and `{ext}`, filled in from each file, and which new names clash."""

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_COUNTER = re.compile(r"n(?::(0?)(\d{1,2}))?")
COUNTER = "n"


class BadField(ValueError):
    """A field that nothing can be filled in for; the text says what, and which there are."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """What is known about a file by which it can be named."""

    name: str
    parent: str = ""
    """The name of the folder that holds it."""
    mtime_ns: int = 0
    is_folder: bool = False

    @property
    def stem(self) -> str:
        """The name without its extension; folders and names like `.profile` have none."""
        return self.name[: -len(self.ext) - 1] if self.ext else self.name

    @property
    def ext(self) -> str:
        """The extension, without the dot and as it is written."""
        stem, _, ext = self.name.rpartition(".")
        return "" if self.is_folder or not stem else ext

    def changed(self, how: str) -> str:
        """When it was last changed, in this computer's time."""
        try:
            return time.strftime(how, time.localtime(self.mtime_ns // 10**9))
        except (ValueError, OverflowError, OSError) as error:
            raise BadField(f"{self.name} has no date that could be part of a name.") from error


_FIELDS: dict[str, Callable[[NamedFile], str]] = {
    "name": lambda file: file.stem,
    "ext": lambda file: file.ext,
    "date": lambda file: file.changed("%Y-%m-%d"),
    "year": lambda file: file.changed("%Y"),
    "month": lambda file: file.changed("%m"),
    "day": lambda file: file.changed("%d"),
    "time": lambda file: file.changed("%H-%M-%S"),
    "parent": lambda file: file.parent,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field, checked."""

    name: str
    width: str = ""
    """For the counter, as in `03`."""

    @classmethod
    def of(cls, text: str, *, counts: bool = True) -> "Field":
        """The field that stands between two braces; refused when there is none of that name."""
        counter = _COUNTER.fullmatch(text) if counts else None
        if counter is not None:
            return cls(COUNTER, (counter[1] or "") + (counter[2] or ""))
        if text not in _FIELDS:
            known = " ".join(f"{{{name}}}" for name in (*_FIELDS, *(("n", "n:03") if counts else ())))
            raise BadField(f'"{{{text[:40]}}}" is no field. There are {known}; a brace itself is {{{{.')
        return cls(text)

    @property
    def asks_the_disk(self) -> bool:
        """Whether more than the path must be known."""
        return self.name not in (COUNTER, "parent")

    def value(self, file: NamedFile, number: int = 0) -> str:
        """What it is for one file, the `number`th that gets a name."""
        return f"{number:{self.width}d}" if self.name == COUNTER else _FIELDS[self.name](file)


Part = str | Field


def parts_of(text: str, *, counts: bool = True) -> tuple[Part, ...]:
    """A text with fields, in order; `{{` and `}}` are braces."""
    parts: list[Part] = []
    plain, end = "", 0
    for found in _FIELD.finditer(text):
        plain += text[end : found.start()]
        end = found.end()
        if found[1] is None:
            plain += found[0][0]
        else:
            parts += [plain, Field.of(found[1], counts=counts)]
            plain = ""
    return tuple(part for part in (*parts, plain + text[end:]) if part)


def filled(parts: Sequence[Part], file: NamedFile, number: int = 0) -> str:
    """The text for one file; the dot before an extension that is not there goes with it."""
    told = ""
    for part in parts:
        value = part if isinstance(part, str) else part.value(file, number)
        if not value and part == _EXT:
            told = told.removesuffix(".")
        told += value
    return told


_EXT = Field("ext")


@dataclass(frozen=True, slots=True)
class FolderPattern:
    """Folders below a destination, named by fields of each file, as in `{year}/{month}`."""

    levels: tuple[tuple[Part, ...], ...]

    @classmethod
    def of(cls, path: str) -> "tuple[str, FolderPattern | None]":
        """The part of a path that is the same for every file, and the pattern of what follows, if there is one."""
        names = path.split("/")
        parsed = [parts_of(name, counts=False) for name in names]
        first = next((at for at, parts in enumerate(parsed) if any(isinstance(part, Field) for part in parts)), None)
        plain = ["".join(map(str, parts)) for parts in parsed[:first]]
        return "/".join(plain), None if first is None else cls(tuple(parsed[first:]))

    def folders(self, file: NamedFile) -> tuple[str, ...]:
        """The way down for one file; a level whose field is empty is left out. Extensions are in small letters."""
        named = ("".join(_level(part, file) for part in parts) for parts in self.levels)
        return tuple(name for name in named if name)


def _level(part: Part, file: NamedFile) -> str:
    value = part if isinstance(part, str) else part.value(file)
    # JPG and jpg are one kind to a person, and one folder on some disks.
    return value.lower() if part == _EXT else value


class NameMark(StrEnum):
    """How one new name stands."""

    SAME = "same"
    NEW = "new"
    TWICE = "twice"
    """Two files would get it."""
    TAKEN = "taken"
    """A file that is not renamed has it."""
    IMPOSSIBLE = "impossible"
    """No file can be called that."""

    @property
    def is_bad(self) -> bool:
        """Whether the renaming cannot be done like this."""
        return self in (NameMark.TWICE, NameMark.TAKEN, NameMark.IMPOSSIBLE)


def judge(old: Sequence[bytes], new: Sequence[bytes], is_there: Callable[[bytes], bool]) -> list[NameMark]:
    """A mark for every pair; `is_there` tells which names the folder holds now."""
    wanted = Counter(new)
    leaving = {before for before, after in zip(old, new, strict=True) if before != after}
    marks = []
    for before, after in zip(old, new, strict=True):
        if not after or b"/" in after or b"\0" in after or after in (b".", b"..") or len(after) > 255:
            marks.append(NameMark.IMPOSSIBLE)
        elif wanted[after] > 1:
            marks.append(NameMark.TWICE)
        elif before == after:
            marks.append(NameMark.SAME)
        elif is_there(after) and after not in leaving:
            marks.append(NameMark.TAKEN)
        else:
            marks.append(NameMark.NEW)
    return marks
