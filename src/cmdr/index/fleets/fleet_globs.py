"""Globs for other engines: plain text functions where these will do, and an anchored expression for the rest."""

import operator
from functools import reduce
from typing import Any

import ibis  # type: ignore[import-untyped]  # it ships no types

from cmdr.index.fleets.export_texts import raw_text
from cmdr.index.query.globs import Glob, class_members, parse_glob


def fits_glob(have: Any, pattern: bytes) -> Any:
    """Whether a whole text, an ibis expression, fits a glob."""
    glob = parse_glob(pattern)
    plain = glob.plain()
    if plain is None:
        return have.re_search(_expression(glob))
    if len(plain) == 1:
        return have == raw_text(plain[0])
    first, *middle, last = map(raw_text, plain)
    if not middle and first and last:  # they must not share letters
        return have.startswith(first) & have.endswith(last) & (have.length() >= len(first) + len(last))
    if len([one for one in (first, *middle, last) if one]) > 1:
        return have.re_search(_expression(glob))
    found = [have.startswith(first)] if first else [have.endswith(last)] if last else []
    found += [have.contains(one) for one in middle if one]
    return reduce(operator.and_, found, ibis.literal(True))


def _expression(glob: Glob) -> str:
    runs = []
    for run in glob.runs:
        said, literal = [], b""
        for kind, piece in [*run, ("end", b"")]:
            if kind == "literal":
                literal += piece
                continue
            said.append(_literally(raw_text(literal)))
            literal = b""
            if kind == "one":
                said.append(".")
            elif kind == "class":
                said.append(_members(piece))
        runs.append("".join(said))
    return "(?s)^" + ".*".join(runs) + "$"


def _members(piece: bytes) -> str:
    negated, ranges = class_members(piece)
    if not ranges:
        return "." if negated else "[^\\x{0}-\\x{10ffff}]"
    inside = "".join(f"{_literally(chr(a))}-{_literally(chr(b))}" for a, b in ranges)
    return f"[{'^' if negated else ''}{inside}]"


def _literally(text: str) -> str:
    return "".join(
        "\\" + one if one.isascii() and not one.isalnum() and one.isprintable() and one != " " else one for one in text
    )
