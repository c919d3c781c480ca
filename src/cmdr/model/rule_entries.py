"""`[[rules]]` of the settings: from what a person wrote to rules, and back; a mistake is told with its line.

An entry that is not understood in every part becomes a rule with a problem, which matches nothing; the others hold.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from datetime import time as clock

from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.plans.plan_item import Verb
from cmdr.model.rules import ADMITTED, MAX_ROOTS, MAX_RULES, Budget, Rule
from cmdr.model.units import UnitError, read_size

KEY = "rules"
MOST_FILES = 1_000_000
MOST_BYTES = 1 << 50
MOST_OPERATIONS = 1000
_CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_HEADER = re.compile(r"""^[ \t]*\[\[[ \t]*(?:rules|"rules"|'rules')[ \t]*\]\]""", re.MULTILINE)
_MAX_SUSPENDED = 200
_NOBODY = Budget(0, 0, 0)


class _Mistake(ValueError):
    """What is wrong with one key of an entry."""

    def __init__(self, key: str, what: str) -> None:
        self.key = key
        super().__init__(f"{key} {what}")


def rules_in(found: object, text: str) -> tuple[Rule, ...]:
    """All rules of the settings, in their order; `found` is what the file has under `rules`, `text` all of it."""
    if found is None:
        return ()
    if not isinstance(found, list):
        line = _line_of_key(text, 0, len(text), KEY)
        return (_wrong(line, "rules is written as [[rules]], one such table for each"),)
    starts = [match.start() for match in _HEADER.finditer(text)]
    if len(starts) != len(found):
        # Written in one line, as `rules = [{…}]`: all of them begin where that stands.
        starts = [_place_of_key(text, 0, len(text), KEY)] * len(found)
    rules: list[Rule] = []
    for index, entry in enumerate(found):
        start = starts[index]
        end = starts[index + 1] if index + 1 < len(starts) and starts[index + 1] > start else len(text)
        rule = _rule_of(entry, text, start, end)
        if index >= MAX_RULES:
            rule = _wrong(rule.line, f"there are {MAX_RULES} rules before it already")
        rules.append(_told_apart(rule, rules))
    return tuple(rules)


def table_of(rule: Rule, home: bytes = b"") -> dict[str, object]:
    """A rule as it is written into the settings, in the order in which one reads it."""
    table: dict[str, object] = {
        "number": rule.number,
        "client": rule.client,
        "verbs": sorted(verb.value for verb in rule.verbs),
        "roots": [_written(root, home) for root in rule.roots],
        "files": rule.budget.files,
        "bytes": _size_written(rule.budget.bytes),
        "operations": rule.budget.operations,
        "overwrites": rule.overwrites,
    }
    if rule.until is not None:
        table["until"] = datetime.fromtimestamp(rule.until).astimezone().replace(microsecond=0)
    if rule.suspended:
        table["suspended"] = rule.suspended
    return table


def _told_apart(rule: Rule, before: Sequence[Rule]) -> Rule:
    """The rule itself; one that has the number of another, or says the same once more, has a problem."""
    for other in before:
        if not rule.problem and rule.number and rule.number == other.number:
            return _wrong(rule.line, f"number {rule.number} is taken by the rule in line {other.line}")
        if not rule.problem and not other.problem and rule.identity == other.identity:
            return _wrong(rule.line, f"says the same as the rule in line {other.line}")
    return rule


def _rule_of(entry: object, text: str, start: int, end: int) -> Rule:
    line = _line(text, start)
    if not isinstance(entry, Mapping):
        return _wrong(line, "a rule is a table")
    try:
        rule = _read(entry)
    except _Mistake as mistake:
        number = entry.get("number")
        known = number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0
        return replace(_wrong(_line_of_key(text, start, end, mistake.key), str(mistake)), number=known, line=line)
    return replace(rule, line=line)


def _read(entry: Mapping[str, object]) -> Rule:
    left = dict(entry)

    def take(key: str, usual: object = None) -> object:
        value = left.pop(key, usual)
        if value is None:
            raise _Mistake(key, "is missing")
        return value

    number = _whole("number", left.pop("number"), 1, 1 << 31) if "number" in left else 0
    client = take("client")
    if not isinstance(client, str) or not _CLIENT.fullmatch(client):
        raise _Mistake("client", "is the name of one client, such as claude")
    verbs, roots = _verbs(take("verbs")), _roots(take("roots"))
    budget = Budget(
        _whole("files", take("files"), 1, MOST_FILES),
        _bytes(take("bytes")),
        _whole("operations", take("operations"), 1, MOST_OPERATIONS),
    )
    overwrites = take("overwrites", False)
    if not isinstance(overwrites, bool):
        raise _Mistake("overwrites", "is true or false")
    until = _until(left.pop("until")) if "until" in left else None
    suspended = take("suspended", "")
    if not isinstance(suspended, str):
        raise _Mistake("suspended", "is text: why the rule does not hold for now")
    for key in left:
        raise _Mistake(printable(key, 40), "is nothing that a rule has")
    return Rule(number, client, verbs, roots, budget, overwrites, until, printable(suspended, _MAX_SUSPENDED))


def _whole(key: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _Mistake(key, f"is a whole number from {least} to {most}")
    return value


def _verbs(value: object) -> frozenset[Verb]:
    words = [value] if isinstance(value, str) else value
    known = {verb.value: verb for verb in ADMITTED}
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word in known for word in words):
        raise _Mistake("verbs", f"is a list of {', '.join(sorted(known))}")
    return frozenset(known[word] for word in words)


def _roots(value: object) -> tuple[bytes, ...]:
    texts = [value] if isinstance(value, str) else value
    if (
        not isinstance(texts, list)
        or not 1 <= len(texts) <= MAX_ROOTS
        or not all(isinstance(one, str) for one in texts)
    ):
        raise _Mistake("roots", f"is a list of one to {MAX_ROOTS} folders")
    roots = []
    for one in texts:
        path = os.path.expanduser(from_wire(one))
        # Names that are spelled with dots mean another folder than they show.
        if not path.startswith(b"/") or b"\0" in path or os.path.normpath(path) != (path.rstrip(b"/") or b"/"):
            raise _Mistake("roots", f"holds {printable(one, 60)}, which is no whole path; begin it with / or ~/")
        roots.append(path.rstrip(b"/") or b"/")
    return tuple(dict.fromkeys(roots))


def _bytes(value: object) -> int:
    size = -1
    if isinstance(value, int) and not isinstance(value, bool):
        size = value
    elif isinstance(value, str):
        with suppress(UnitError):
            size = read_size(value)
    if not 0 <= size <= MOST_BYTES:
        raise _Mistake("bytes", 'is a size such as "2 GiB"')
    return size


def _until(value: object) -> float:
    """A moment; of a day, its end."""
    try:
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, date):
            return datetime.combine(value, clock.max).timestamp()
    except (OverflowError, OSError, ValueError):
        pass
    raise _Mistake("until", "is a date or a time, such as 2026-12-31; leave it out for always")


def _wrong(line: int, what: str) -> Rule:
    return Rule(0, "", frozenset(), (), _NOBODY, problem=f"line {line}: {what}", line=line)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _place_of_key(text: str, start: int, end: int, key: str) -> int:
    spelled = re.compile(rf"""^[ \t]*["']?{re.escape(key)}["']?[ \t]*=""", re.MULTILINE)
    found = spelled.search(text, start, end)
    return found.start() if found else start


def _line_of_key(text: str, start: int, end: int, key: str) -> int:
    """The line in which a key of an entry stands; of one that is missing, the entry's own."""
    return _line(text, _place_of_key(text, start, end, key))


def _written(path: bytes, home: bytes) -> str:
    if home and path.startswith(home.rstrip(b"/") + b"/"):
        return "~/" + to_wire(path[len(home.rstrip(b"/")) + 1 :])
    return to_wire(path)


def _size_written(size: int) -> str | int:
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]} {unit}"
    return size
