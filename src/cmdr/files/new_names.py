"""New names by pattern, in time that grows with the names and never explodes.

The pattern comes from an agent as often as from a person, so it never runs in `re`, where a few characters can cost
hours; polars' engine is linear.
"""

import re
from collections.abc import Sequence

from cmdr.files.engine.refusals import PlanRefused
from cmdr.model.names import printable

_COUNTER = re.compile(r"\{n(?::(0?)(\d{1,2}))?\}")
_GROUP = re.compile(r"\$(\d)")


class BadPattern(PlanRefused):
    """A pattern that means nothing."""


def new_names(names: Sequence[bytes], match: str, replace: str) -> list[bytes]:
    """Each name with the first match replaced: `$1` is a group, `{n}` counts the changed names, `{n:03}` with zeros.

    A name that does not match, or is not text, stays as it is.
    """
    import polars

    texts = [_text(name) for name in names]
    column = polars.Series("name", texts, dtype=polars.String)
    template = _GROUP.sub(r"${\1}", replace)
    try:
        changed = column.str.replace(match, template).to_list()
        matched = column.str.contains(match).to_list()
    except polars.exceptions.ComputeError as error:
        raise BadPattern(f'"{printable(match)}" is not a regular expression{_what_is_wrong(error)}.') from error
    number = 0
    new: list[bytes] = []
    for name, text, hit in zip(names, changed, matched, strict=True):
        if not hit or text is None:
            new.append(name)
            continue
        number += 1
        new.append(_numbered(text, number).encode())
    return new


def _text(name: bytes) -> str | None:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None


def _numbered(text: str, number: int) -> str:
    return _COUNTER.sub(lambda found: f"{number:{found[1] or ''}{found[2] or ''}d}", text)


def _what_is_wrong(error: Exception) -> str:
    """The engine's own sentence about the pattern, when it has one; the rest of its text is about itself."""
    said = [line.strip() for line in str(error).splitlines() if line.strip().startswith("error: ")]
    return f": {printable(said[-1].removeprefix('error: '), 100)}" if said else ""
