"""The words of a one-line filter, taken from left to right: bare, quoted, in lists, and the grammar's own."""

import re
from collections.abc import Container
from typing import NoReturn

from cmdr.model.filters.filter import FilterError

_FIELD = re.compile(r"([A-Za-z]+)(\s*)(>=|<=|==|=~|[:=><~])\s*")
_BARE = re.compile(r'[^\s()"]+')
_IN_LIST = re.compile(r'[^\s()",]+')


class Lexer:
    """A line and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, sentence: str, at: int | None = None) -> NoReturn:
        raise FilterError(sentence, self.at if at is None else at)

    @property
    def is_over(self) -> bool:
        return self.at >= len(self.text)

    def looking_at(self, start: str) -> bool:
        """Whether the rest begins with this."""
        return self.text.startswith(start, self.at)

    def blank(self) -> None:
        """Pass over white space."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, start: str) -> bool:
        """Pass over this, and white space after it, when it stands here."""
        if not self.looking_at(start):
            return False
        self.at += len(start)
        self.blank()
        return True

    def keyword(self, word: str) -> bool:
        """Take a lone word of the grammar, when it stands here."""
        end = self.at + len(word)
        if self.text[self.at : end].lower() != word or (
            end < len(self.text) and not self.text[end].isspace() and self.text[end] != "("
        ):
            return False
        self.at = end
        self.blank()
        return True

    def field(self, known: Container[str]) -> tuple[str, str] | None:
        """Take a field and its sign, such as `size` and `>=`, when they stand here; a known one may stand apart.

        A tilde is no sign behind other words: names such as `notes~` are looked for."""
        found = _FIELD.match(self.text, self.at)
        if found is None or ((found[2] or found[3] == "~") and found[1].lower() not in known):
            return None
        self.at = found.end()
        return found[1].lower(), {"==": "=", "=~": "~"}.get(found[3], found[3])

    def bare(self) -> str:
        """A word without quotes."""
        return self._match(_BARE)

    def unbroken(self) -> str:
        """Everything up to a blank, or to a parenthesis that was opened before: a pattern holds its own."""
        start, opened = self.at, 0
        while not self.is_over and not self.text[self.at].isspace():
            char = self.text[self.at]
            opened += (char == "(") - (char == ")")
            if opened < 0:
                break
            self.at += 2 if char == "\\" and self.at + 1 < len(self.text) else 1
        if self.at == start:
            self.fail("A value is missing here.")
        return self.text[start : self.at]

    def value(self) -> str:
        """A word, quoted or not."""
        return self.quoted() if self.looking_at('"') else self.bare()

    def values(self) -> tuple[str, ...]:
        """Words with commas between them."""
        found = [self._list_value()]
        while self.looking_at(","):
            self.at += 1
            found.append(self._list_value())
        return tuple(found)

    def quoted(self) -> str:
        """A text in quotes, without them."""
        start = self.at
        out: list[str] = []
        at = start + 1
        while at < len(self.text):
            char = self.text[at]
            if char == '"':
                self.at = at + 1
                return "".join(out)
            if char == "\\" and self.text[at + 1 : at + 2] in ('"', "\\"):
                at += 1
                char = self.text[at]
            out.append(char)
            at += 1
        self.fail("This quote is not closed.", start)

    def _list_value(self) -> str:
        return self.quoted() if self.looking_at('"') else self._match(_IN_LIST)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            self.fail("A value is missing here.")
        self.at = found.end()
        return found[0]
