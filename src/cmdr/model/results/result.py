"""What a command returns. Faces read fields; text and JSON are two renderings, written beside the fields."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, ClassVar

from cmdr.model.names import to_wire

_SCALARS = (str, int, float, type(None))
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class Result(ABC):
    """A frozen dataclass that can be told as text and as JSON. Rendering reads fields only: no core, disk or clock."""

    __slots__ = ()
    kind: ClassVar[str]
    """Its name in JSON, by which the page, the control socket and scripts know it; never changes once released."""
    max_characters: ClassVar[int | None] = None
    """How long its text may be for agents, where that is more than usual."""
    is_plain: ClassVar[bool] = False
    """Whether its text is a document of its own, told without `OK:` before it."""

    @property
    def failed(self) -> bool:
        """Whether this tells that something went wrong: `ERROR:` instead of `OK:`, `isError`, an exit code."""
        return False

    @abstractmethod
    def text(self) -> str:
        """For agents and prompts, without `OK:` before it."""

    def data(self) -> dict[str, Json]:
        """For programs, without `kind`: the fields, unless a result has more or less to tell."""
        return _fields_of(self)

    def json(self) -> dict[str, Json]:
        """The JSON form, with its kind."""
        return {"kind": self.kind, **self.data()}


@dataclass(frozen=True, slots=True)
class Said(Result):
    """A sentence, for commands that have nothing more to tell."""

    kind = "said"
    words: str

    def text(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class PlainText(Result):
    """A document in itself, such as a YAML list: text without `OK:` before it."""

    kind = "plainText"
    is_plain = True
    words: str

    def text(self) -> str:
        return self.words


class Data(Result):
    """For programs: its text is its JSON, whole and without `OK:`."""

    __slots__ = ()
    is_plain = True

    def text(self) -> str:
        import json  # noqa: PLC0415

        return json.dumps(self.data(), ensure_ascii=False)


@cache
def _keys(kind: type) -> tuple[tuple[str, str], ...]:
    """Fields of a dataclass or named tuple, in the spelling of Python and of JSON: what is renamed here is renamed for
    every program that reads it."""
    names = kind._fields if hasattr(kind, "_fields") else [field.name for field in fields(kind)]
    return tuple((name, _camel(name)) for name in names)


def _fields_of(one: Any) -> dict[str, Json]:
    return {key: plain(getattr(one, name)) for name, key in _keys(one.__class__)}


def plain(value: object) -> Json:
    """The JSON form of a field: names in camelCase, bytes as wire names, enums by their value."""
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, int) else str(value.value)
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, bytes):
        return to_wire(value)
    if is_dataclass(value) or hasattr(value, "_fields"):
        return _fields_of(value)
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form: the result must say how it is told")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
