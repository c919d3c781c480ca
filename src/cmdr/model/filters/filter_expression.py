"""How the terms of a one-line filter hang together: `and`, `or`, `not` and parentheses."""

from cmdr.model.filters.filter import And, Filter, Not, Or
from cmdr.model.filters.filter_parts import Parts
from cmdr.model.filters.filter_terms import read_term
from cmdr.model.filters.filter_words import Words


def read_expression(words: Words) -> Filter:
    """Everything up to the end of the line."""
    found = _Expression(words).either(1)
    if not words.is_over:
        words.fail("This parenthesis has no partner.")
    return found


class _Expression:
    def __init__(self, words: Words) -> None:
        self.words, self.parts = words, Parts()

    def either(self, depth: int) -> Filter:
        self.parts.nest(depth, self.words.at)
        items = [self.both(depth)]
        while self.words.keyword("or"):
            items.append(self.both(depth))
        return items[0] if len(items) == 1 else Or(tuple(items))

    def both(self, depth: int) -> Filter:
        words = self.words
        items = [self.one(depth)]
        while not words.is_over and not words.stands(")"):
            start = words.at
            if words.keyword("or") and not words.text.startswith("or(", start):
                words.at = start
                break
            words.at = start
            if not words.stands("and("):
                words.keyword("and")
            items.append(self.one(depth))
        return items[0] if len(items) == 1 else And(tuple(items))

    def one(self, depth: int) -> Filter:
        words = self.words
        self.parts.add(depth, words.at)
        if words.is_over or words.stands(")"):
            words.fail("Something to look for is missing here.")
        for word in ("and", "or"):
            if words.take(word + "("):
                items = self.group(depth)
                return And(items) if word == "and" else Or(items)
        if words.keyword("not"):
            return Not(self.one(depth + 1))
        if words.take("("):
            inside = self.either(depth + 1)
            self.close()
            return inside
        start = words.at
        found = read_term(words)
        for _ in found.items if isinstance(found, Or) else ():  # braces stand for several
            self.parts.add(depth + 1, start)
        words.blank()
        return found

    def group(self, depth: int) -> tuple[Filter, ...]:
        """`and(…)` and `or(…)` hold one filter or none; written side by side they could not be told apart."""
        items = () if self.words.stands(")") else (self.either(depth + 1),)
        self.close()
        return items

    def close(self) -> None:
        if not self.words.take(")"):
            self.words.fail("A closing parenthesis is missing.")
