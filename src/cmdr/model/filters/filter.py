"""What to look for in a tree: the filter AST, version 1.

A filter is a tree of frozen nodes. It has a JSON form (`filter_json`) and a one-line text form (`filter_text`), and
both bring back the very same tree. Whoever evaluates it decides how; nothing here knows an index.
Names and paths in a filter are the printable form of `names.to_wire`.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

from cmdr.model.contents import MAX_PATTERN_CHARS, ContentPattern
from cmdr.model.units import UnitError, read_time

MAX_DEPTH = 32
MAX_NODES = 500
MAX_VALUES = 1000
MAX_TEXT = 4096

TextField = Literal["name", "path"]
TextOp = Literal["contains", "glob", "regex", "exact"]
ContentOp = Literal["contains", "regex"]
NumberField = Literal["size", "allocated", "depth"]
TimeField = Literal["mtime", "ctime"]
Trait = Literal["empty", "brokenLink", "hardlinked"]
Kind = Literal["file", "dir", "link", "fifo", "socket", "char", "block", "unknown", "other"]
KIND_WORDS: dict[str, Kind] = {"folder": "dir", "directory": "dir", "symlink": "link"}
"""Other words for kinds, which are understood too."""
SortKey = Literal["tree", "name", "size", "allocated", "mtime", "ctime", "depth"]

AGES: dict[str, Literal["after", "before"]] = {
    **dict.fromkeys(("older", "olderThan", "olderthan"), "before"),
    **dict.fromkeys(("newer", "newerThan", "newerthan"), "after"),
}
"""Words for changed before and after a moment, which cannot be mistaken for each other as `<` and `>` can."""


class FilterError(ValueError):
    """A filter that cannot be understood; `position` is a place in the text or a JSON path such as `$.and[2]`."""

    def __init__(self, sentence: str, position: int | str) -> None:
        where = f"at {position}" if isinstance(position, str) else f"at character {position + 1}"
        super().__init__(f"{sentence} ({where})")
        self.sentence = sentence
        self.position = position


@dataclass(frozen=True)
class And:
    """All of these; of none of them, everything."""

    items: tuple["Filter", ...]


@dataclass(frozen=True)
class Or:
    """Any of these; of none of them, nothing."""

    items: tuple["Filter", ...]


@dataclass(frozen=True)
class Not:
    """Everything but this."""

    item: "Filter"


@dataclass(frozen=True)
class Text:
    """A name or path that contains, fits or equals a text."""

    field: TextField
    op: TextOp
    value: str
    case: bool = False


@dataclass(frozen=True)
class Ext:
    """One of these extensions, without the dot, whatever their case."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class KindIs:
    """One of these kinds of entry."""

    values: tuple[Kind, ...]


@dataclass(frozen=True)
class Number:
    """A number within bounds, both included."""

    field: NumberField
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Time:
    """Changed after (or at) and before a moment, each as `units.read_time` gives it."""

    field: TimeField
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True)
class Under:
    """Somewhere below this directory: a path, or a node id."""

    place: str


@dataclass(frozen=True)
class Mode:
    """All of these permission bits are set."""

    bits: int


@dataclass(frozen=True)
class Owner:
    """Owned by one of these users: names or numbers."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Is:
    """An empty file or directory, a link to nothing, or a file with several names."""

    trait: Trait


@dataclass(frozen=True)
class InSet:
    """A member of this set: its id, or the name that its owner gave it."""

    set_id: str


@dataclass(frozen=True)
class DuplicateOf:
    """A file with the same contents as this one: a path or a node id."""

    place: str


@dataclass(frozen=True)
class Content:
    """A file in which some line holds a text, or fits a regular expression; `not` finds files that were read and
    hold none, so nothing that could not be read is ever taken for one of these."""

    op: ContentOp
    value: str
    case: bool = False

    @property
    def pattern(self) -> ContentPattern:
        """What is looked for in the files."""
        return ContentPattern(self.value, self.op == "regex", self.case)


Filter = (
    And | Or | Not | Text | Ext | KindIs | Number | Time | Under | Mode | Owner | Is | InSet | DuplicateOf | Content
)
EVERYTHING = And(())


@dataclass(frozen=True)
class Question:
    """A filter with the order and number of answers."""

    filter: Filter = EVERYTHING
    sort: SortKey = "tree"
    descending: bool = False
    limit: int | None = None


def checked(node: Filter, at: int | str) -> Filter:
    """The leaf itself when its values make sense; a FilterError with the place otherwise."""
    match node:
        case Text(_, _, value):
            if not value or len(value) > MAX_TEXT:
                raise FilterError(f"The text must have 1 to {MAX_TEXT:,} characters.", at)
        case Ext(values) | KindIs(values) | Owner(values):
            if isinstance(node, KindIs):
                node = KindIs(tuple(KIND_WORDS.get(one, one) for one in node.values))
                values = node.values
            if not values or len(values) > MAX_VALUES or not all(0 < len(one) <= 255 for one in values):
                raise FilterError("This takes at least one value, none of them empty.", at)
            if isinstance(node, KindIs) and (wrong := [one for one in values if one not in get_args(Kind)]):
                raise FilterError(f"There is no kind `{wrong[0]}`; use {', '.join(get_args(Kind))}.", at)
            if isinstance(node, Ext):
                return Ext(tuple(one.removeprefix(".") or one for one in node.values))
        case Number(_, least, most):
            bounds: tuple[object, ...] = (least, most)  # from outside, so of any type
            for one in bounds:
                if one is not None and (type(one) is not int or not 0 <= one < 1 << 63):
                    raise FilterError("Bounds are whole numbers from 0 on.", at)
            if least is None and most is None:
                raise FilterError("At least one bound is needed.", at)
        case Time(_, after, before):
            if after is None and before is None:
                raise FilterError("At least one of after and before is needed.", at)
            return replace(node, after=_moment(after, at), before=_moment(before, at))
        case Mode(bits):
            if not 0 < bits <= 0o7777:
                raise FilterError("Permission bits are 0001 to 7777 in octal.", at)
        case Under(place) | DuplicateOf(place):
            if not place or len(place) > MAX_TEXT:
                raise FilterError("This takes a path or a node id.", at)
        case Content(_, value):
            _check_content(value, at)
        case InSet(set_id):
            if not 0 < len(set_id) <= MAX_TEXT:
                raise FilterError("This takes the id or the name of a set.", at)
    return node


def _check_content(value: str, at: int | str) -> None:
    """Refuse a text that no line of a file can hold."""
    if not 0 < len(value) <= MAX_PATTERN_CHARS:
        raise FilterError(f"What is looked for in files must have 1 to {MAX_PATTERN_CHARS:,} characters.", at)
    if "\n" in value:
        raise FilterError("Files are searched line by line, so a line break is never found; give one line.", at)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise FilterError("What is looked for in files must be text; this holds half of a character.", at)


def content_leaves(node: Filter) -> tuple[Content, ...]:
    """The questions about contents in a filter, in its order."""
    match node:
        case Content():
            return (node,)
        case Not(item):
            return content_leaves(item)
        case And(items) | Or(items):
            return tuple(leaf for item in items for leaf in content_leaves(item))
    return ()


def mode_of(text: str, at: int | str) -> Mode:
    """Permission bits from their octal digits."""
    if not re.fullmatch(r"[0-7]{1,5}", text):
        raise FilterError("`mode` takes permission bits in octal, such as 0111.", at)
    return Mode(int(text, 8))


def _moment(given: object, at: int | str) -> str | None:
    """A time in its plain form; from outside, so of any type."""
    if given is None:
        return None
    try:
        return read_time(given if isinstance(given, str) else "")
    except UnitError as error:
        raise FilterError(str(error), at) from None


def normal(node: Filter) -> Filter:
    """The same question in its plainest shape: `not` only on leaves, nothing nested in its own kind, no repeats."""
    return _normal(node, False)


def _normal(node: Filter, negate: bool) -> Filter:
    match node:
        case Not(item):
            return _normal(item, not negate)
        case And(items) | Or(items):
            together = And if isinstance(node, And) != negate else Or
            flat: dict[Filter, None] = {}
            for item in items:
                plain = _normal(item, negate)
                flat.update(dict.fromkeys(plain.items if isinstance(plain, together) else (plain,)))
            return next(iter(flat)) if len(flat) == 1 else together(tuple(flat))
        case Ext() | Owner():
            tidy = replace(node, values=tuple(sorted(set(node.values))))
            return Not(tidy) if negate else tidy
        case KindIs(kinds):
            kind = KindIs(tuple(sorted(set(kinds))))
            return Not(kind) if negate else kind
    return Not(node) if negate else node


class Parts:
    """Counts the parts of a filter while it is read."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, depth: int, at: int | str) -> None:
        """One part more, at this depth of nesting; refused when that is too many or too deep."""
        self._count += 1
        if self._count > MAX_NODES:
            raise FilterError(f"A filter may have {MAX_NODES} parts.", at)
        self.nest(depth, at)

    @staticmethod
    def nest(depth: int, at: int | str) -> None:
        """Refuse what is nested too deep."""
        if depth > MAX_DEPTH:
            raise FilterError(f"Filters may be nested {MAX_DEPTH} deep.", at)
