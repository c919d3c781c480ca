"""Write small YAML documents: plain where it is safe, quoted where a value could be read as anything else."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = "str | int | bool | Sequence[Value] | Mapping[str, Value] | None"

# Starts like an ordinary word or a path, and is not something YAML reads as a number, a date, a truth or nothing.
_WORD = re.compile(r"[^\W\d]|[/~.](?=.)|\d(?=.*[^\W\d_.+-])")
_OTHER_TYPE = re.compile(
    r"(?i:true|false|yes|no|on|off|null|y|n|~|\.inf|\.nan)|[-+]?[0-9.][0-9._eExXoO:+-]*[0-9a-fA-F]*"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[Tt].*"
)
_BREAKS = re.compile(r":(?:\s|$)|\s#|^\s|\s$|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_BARE_NAME = re.compile(r"[^\s\"'`\[\]{}\\#,]+")


class Plain(str):
    """Text of a fixed form of our own, as a date, that is written as it is."""

    __slots__ = ()


def quoted_name(name: str) -> str:
    """A printable name as it stands in a row: bare, or in JSON quotes where it could be taken for something else."""
    return name if _BARE_NAME.fullmatch(name) else _quoted(name)


def scalar(value: str | int | bool | None) -> str:
    """One value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Plain)):
        return str(value)
    if _WORD.match(value) and not _BREAKS.search(value) and not _OTHER_TYPE.fullmatch(value):
        return value
    return _quoted(value)


def _quoted(text: str) -> str:
    """In JSON quotes, with escapes also for what JSON lets stand and YAML does not."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def document(values: Mapping[str, Value]) -> str:
    """A whole document, ending with a newline."""
    return "\n".join(_mapping(values, "")) + "\n"


def _mapping(values: Mapping[str, Value], indent: str) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, (str, int)):  # most are; to ask for a mapping takes ten times as long
            yield f"{indent}{key}: {scalar(value)}"
        elif isinstance(value, Mapping):
            yield f"{indent}{key}:" if value else f"{indent}{key}: {{}}"
            yield from _mapping(value, indent + "  ")
        elif isinstance(value, Sequence):
            if not value:
                yield f"{indent}{key}: []"
            elif all(isinstance(item, int) for item in value):
                yield f"{indent}{key}: [{', '.join(scalar(item) for item in value if isinstance(item, int))}]"
            else:
                yield f"{indent}{key}:"
                yield from _sequence(value, indent + "  ")
        else:
            yield f"{indent}{key}: {scalar(value)}"


def _sequence(items: Sequence[Value], indent: str) -> Iterator[str]:
    for item in items:
        if item is None or isinstance(item, (str, int)):
            yield f"{indent}- {scalar(item)}"
        elif isinstance(item, Mapping):
            first, *rest = _mapping(item, indent + "  ")
            yield f"{indent}- {first.lstrip()}"
            yield from rest
