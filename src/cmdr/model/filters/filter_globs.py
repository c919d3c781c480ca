"""A word as people and agents write it for names: part of one, a glob, several globs in braces, or a part of a path."""

import re
from itertools import product

from cmdr.model.filters.filter import MAX_NODES, And, Filter, Not, Or, Text, TextField, checked

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def named(word: str, at: int | str, field: TextField = "name") -> Filter:
    """What a bare word looks for. No name holds a slash, so a word that does is a part of the path."""
    if field == "name" and "/" in word:
        field, word = "path", word.removeprefix("./")
    if not is_wild(word):
        return checked(Text(field, "contains", word), at)
    globs = tuple(
        checked(Text(field, "glob", _anywhere(one, word) if field == "path" else one), at)
        for one in _without_braces(word)
    )
    return globs[0] if len(globs) == 1 else Or(globs)


def is_wild(word: str) -> bool:
    """Whether a word is a glob."""
    return "*" in word or "?" in word


def _anywhere(glob: str, written: str) -> str:
    """A glob for whole paths; one that was written as a part of a path may lie anywhere."""
    return glob if written.startswith(("/", "*")) else f"*/{glob}"


def _without_braces(glob: str) -> list[str]:
    """`*.{iso,bin}` as `*.iso` and `*.bin`; braces without a comma are plain text."""
    parts = _BRACES.split(glob)
    options = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    several = 1
    for one in options:
        several *= len(one)
    if several >= MAX_NODES:
        return [glob]
    return [one for one in map("".join, product(*options)) if one]


def hints_for(wanted: Filter) -> list[str]:
    """Why globs that were given exactly may have found nothing."""
    match wanted:
        case And(items) | Or(items):
            return list(dict.fromkeys(hint for item in items for hint in hints_for(item)))
        case Not(item):
            return hints_for(item)
        case Text("name", op, value) if "/" in value and op != "regex":
            return ['hint: no name holds "/"; ask for "path"']
        case Text("path", "glob", value) if not value.startswith(("/", "*")):
            return ['hint: a glob for "path" fits the whole path; begin it with */']
        case Text(_, "glob", value) if _BRACES.search(value):
            return ["hint: braces are plain text in an exact glob; join globs with or"]
    return []
