"""What a command returns. Faces read fields; text and JSON are two renderings, written beside the fields."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import ClassVar

from cmdr.model.names import to_wire

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class Result(ABC):
    """A frozen dataclass that can be told as text and as JSON. Rendering reads fields only: no core, disk or clock."""

    __slots__ = ()
    kind: ClassVar[str]
    """Its name in JSON, by which the page, the control socket and scripts know it; never changes once released."""

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
    """A sentence and nothing more. Also what every command returns that still returns `str`."""

    kind = "said"
    words: str

    def text(self) -> str:
        return self.words


class Data(Result):
    """For programs: its text is its JSON, whole and without `OK:`."""

    __slots__ = ()

    def text(self) -> str:
        import json

        return json.dumps(self.data())


@dataclass(frozen=True, slots=True)
class Document(Data):
    """JSON that has no fields of its own."""

    kind = "document"
    content: Mapping[str, Json]

    def data(self) -> dict[str, Json]:
        return {**self.content}


def _fields_of(one: object) -> dict[str, Json]:
    """Names of fields in the spelling of JSON: what is renamed here is renamed for every program that reads it."""
    return {_camel(field.name): _plain(getattr(one, field.name)) for field in fields(one)}  # type: ignore[arg-type]


def _plain(value: object) -> Json:
    if isinstance(value, bytes):
        return to_wire(value)
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, int) else str(value.value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {_camel(name): _plain(one) for name, one in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if is_dataclass(value):
        return _fields_of(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: the result must say how it is told")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
