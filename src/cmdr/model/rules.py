"""Rules: what a person has said yes to beforehand, as data."""

from dataclasses import dataclass, field

from cmdr.model.plans.plan_item import Verb

NEVER_UNASKED = frozenset({Verb.DELETE, Verb.RUN, Verb.TRUST})
"""Verbs that no rule may name."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a rule admits in any hour."""

    files: int
    bytes: int
    operations: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One `[[rules]]` entry of the settings: whoever matches all of it is not asked."""

    number: int
    """By which people and answers name it; never given twice."""
    client: str
    verbs: frozenset[Verb]
    roots: tuple[bytes, ...]
    """Folders by their real paths; every source and every target lies inside one of them."""
    budget: Budget
    overwrites: bool = False
    """Whether files may be overwritten, each kept in the trash."""
    until: float | None = None
    """Seconds since 1970 after which it holds no more; None: always."""
    suspended: str = ""
    """Why it does not hold for now; empty while it holds."""
    problem: str = field(default="", compare=False)
    """What is wrong with the entry, with its line; then it matches nothing."""
