"""The arguments of a call as the owner may read them later: no secrets, no contents of files, and never long.

What a call was about is told; what it carried is only measured. Names decide first: a parameter that carries contents
or a secret tells its length alone. Of other texts, what looks like a secret is taken out.
"""

import json
import re
from collections.abc import Mapping

CONTENTS = frozenset(
    {"content", "contents", "text", "data", "body", "code", "old", "new", "with", "replace", "stdin", "input", "patch"}
    | {"edits", "newfilecontents", "message", "reason"}
)
"""Parameters that carry what files hold or shall hold, or somebody's words; by name in small letters without `_`."""
_SECRET_NAME = re.compile(r"token|secret|passw|passphrase|credential|authori[sz]ation|apikey|privatekey|^word$|cookie")
_SECRET_TEXT = re.compile(
    r"""
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*
    | \b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|npm|pypi|hf|AKIA|ASIA|AIza|ya29|eyJ)[-_.A-Za-z0-9]{12,}
    | (?i:\bbearer|\bbasic)\s+[-._~+/A-Za-z0-9]{8,}=*
    | (?i:(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key)[a-z0-9_-]*)\s*[=:]\s*\S+
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)
    | (?i:--?(?:password|token|secret|api-?key)[=\s]+)\S+
    | \b(?=[A-Za-z0-9+_=-]*[0-9])(?=[A-Za-z0-9+_=-]*[A-Za-z])[A-Za-z0-9+_=-]{40,}\b
    """,
    re.VERBOSE | re.DOTALL,
)
MAX_TEXT_CHARACTERS = 200
SEARCHED_CHARACTERS = 2 * MAX_TEXT_CHARACTERS
MAX_ITEMS = 20
MAX_DEPTH = 4
MAX_CHARACTERS = 2000
"""Characters of all arguments of one call."""


def redacted(arguments: Mapping[str, object]) -> str:
    """The arguments as JSON in one line; empty when there are none."""
    if not arguments:
        return ""
    told = json.dumps({_short(name): _value(name, value, 1) for name, value in [*arguments.items()][:MAX_ITEMS]})
    if len(told) <= MAX_CHARACTERS:
        return told
    return json.dumps(
        {_short(name): f"({type(value).__name__} left out)" for name, value in [*arguments.items()][:MAX_ITEMS]}
    )


def _value(name: str, value: object, depth: int) -> object:
    plain = name.lower().replace("_", "").replace("-", "")
    if value is None or isinstance(value, bool):
        return value
    if _SECRET_NAME.search(plain):
        return "(redacted)"
    if plain in CONTENTS:
        return _measure(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return _text(value)
    if depth >= MAX_DEPTH:
        return _measure(value)
    if isinstance(value, Mapping):
        return {_short(str(key)): _value(str(key), one, depth + 1) for key, one in [*value.items()][:MAX_ITEMS]}
    if isinstance(value, list | tuple):
        told = [_value(name, one, depth + 1) for one in value[:MAX_ITEMS]]
        return [*told, f"(and {len(value) - MAX_ITEMS} more)"] if len(value) > MAX_ITEMS else told
    return _measure(value)


def _text(text: str) -> str:
    # Looking for secrets takes time that grows faster than the text, and only its beginning is told.
    clean = _SECRET_TEXT.sub("(redacted)", text[:SEARCHED_CHARACTERS])
    is_short = len(text) <= SEARCHED_CHARACTERS and len(clean) <= MAX_TEXT_CHARACTERS
    return clean if is_short else f"{clean[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"


def _measure(value: object) -> object:
    if isinstance(value, str):
        return f"({len(value)} characters)"
    if isinstance(value, list | tuple | Mapping):
        return f"({len(value)} items)"
    return f"({type(value).__name__})"


def _short(name: str) -> str:
    return _text(name[:40])
