"""Changes to `[[rules]]` of the settings: what the person wrote there, comments and order, stays as it is."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cmdr.core.errors import CommandError
from cmdr.model.rule_entries import KEY, rules_in, table_of
from cmdr.model.rules import Rule

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Change = Callable[["TOMLDocument"], None]


def added(rule: Rule, over: set[int], home: bytes) -> Change:
    """Write a rule behind the others; those whose numbers are in `over` have expired and go."""

    def change(document: "TOMLDocument") -> None:
        import tomlkit

        if KEY not in document:
            document.append(KEY, tomlkit.aot())
        entries = _entries(document)
        for index in reversed([index for index, entry in enumerate(entries) if entry.get("number") in over]):
            del entries[index]
        table = tomlkit.table()
        for key, value in table_of(rule, home).items():
            table.add(key, value)
        entries.append(table)

    return change


def changed(rule: Rule, *, suspended: str) -> Change:
    """Write down that a rule is suspended and why, or, without a reason, that it is not."""

    def change(document: "TOMLDocument") -> None:
        for entry in _of(document, rule):
            if "number" not in entry:
                entry["number"] = rule.number
            if suspended:
                entry["suspended"] = suspended
            else:
                entry.pop("suspended", None)

    return change


def removed(rule: Rule) -> Change:
    """Take a rule away."""

    def change(document: "TOMLDocument") -> None:
        entries = _entries(document)
        for entry in list(_of(document, rule)):
            entries.remove(entry)
        if not len(entries):
            del document[KEY]

    return change


def _entries(document: "TOMLDocument") -> Any:
    from tomlkit.items import AoT

    entries = document.get(KEY)
    if not isinstance(entries, AoT):
        raise CommandError("Not kept: rules are written as [[rules]] in the settings. Write them so, then repeat.")
    return entries


def _of(document: "TOMLDocument", rule: Rule) -> Iterator[Any]:
    """The entry of a rule: by its number, or where it has none, by all that it says."""
    entries = _entries(document)
    said = rules_in([entry.unwrap() for entry in entries], "")
    found = False
    for entry, meant in zip(list(entries), said, strict=True):
        is_it = meant.number == rule.number if meant.number else not meant.problem and meant.identity == rule.identity
        if is_it:
            found = True
            yield entry
    if not found:
        raise CommandError(f"Rule {rule.number} is not in the settings any more.")
