"""A filter as somebody sends it: a line of text, an object, or an object that was written as text."""

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from cmdr.model.filters.filter import And, DuplicateOf, Filter, FilterError, Not, Or, Under
from cmdr.model.filters.filter_json import from_json
from cmdr.model.filters.filter_text import MAX_LENGTH, from_text

_NODE = re.compile(r"n_[0-9a-f]{9,16}")


def given_filter(given: Mapping[str, object] | str) -> Filter:
    """Read a filter, whichever form it has; a mistake is told with its place."""
    if not isinstance(given, str):
        return from_json(given)
    if not given.lstrip().startswith("{") or len(given) > MAX_LENGTH:
        return from_text(given)
    try:
        return from_json(json.loads(given))
    except json.JSONDecodeError as error:
        raise FilterError(
            f"This begins as JSON but is not ({error.msg}); quote it to look for it.", error.pos
        ) from None
    except RecursionError:
        raise FilterError("This is nested too deep.", 0) from None


def placed(wanted: Filter, root: str) -> Filter:
    """The same filter with the places in it seen from a folder; whole paths and node ids stay as they are."""
    match wanted:
        case Under(place) | DuplicateOf(place) if not place.startswith("/") and not _NODE.fullmatch(place):
            return replace(wanted, place=posixpath.normpath(posixpath.join(root, place)))
        case Not(item):
            return Not(placed(item, root))
        case And(items) | Or(items):
            return replace(wanted, items=tuple(placed(item, root) for item in items))
    return wanted
