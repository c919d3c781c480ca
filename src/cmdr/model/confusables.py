"""Confusable letters: which of a name would be mistaken for others, and for which.

Every letter is of a script, and either shows that it is (`ж`, `λ`, `w`) or looks like one of another script (`а`, `ο`,
`c`). In a word of several scripts, those that nothing shows are pretended. A word of one script is what it is, also
where all its letters have doubles: whoever writes Russian writes `сор` and `роса`.
"""

import re
import unicodedata

# For each script the letters with a double among the ASCII letters, and those doubles in the same order. What is only
# similar (к and k, α and a, т and T in small) is left out: it would mark what nobody mistakes.
_DOUBLES = {
    "CYRILLIC": ("аеорсухѕіјһԁԛԝӏѵүАВЕЅІЈКМНОРСТХԌӀԚԜѴҮ", "aeopcyxsijhdqwlvyABESIJKMHOPCTXGlQWVY"),
    "GREEK": ("οινρϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ", "oivpcjABEZHIKMNOPTYXCJ"),
    "COPTIC": ("ⲟⲣⲥⲓⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬ", "opciABEHIKMNOPCTYX"),
    "ARMENIAN": ("օոսհցզյՕՍՏ", "onuhgqjOUS"),
    "CHEROKEE": ("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏃᏚᏢᏙᏞᏟᏦᏧᏴ", "DRTiAJEWMHYGZSPVLCKdB"),
    "LISU": ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU"),
    "PHONETIC": ("ɑɡǀ", "agl"),
}
_RARE = frozenset("һԁԛԝӏѵүԌӀԚԜѴҮ")
"""Doubles that no common language writes: beside Cyrillic, `w` or `d` shows that it is Latin."""
_SCRIPT_OF = {letter: script for script, (letters, _) in _DOUBLES.items() for letter in letters}
_SKELETON = {
    letter: double for letters, doubles in _DOUBLES.values() for letter, double in zip(letters, doubles, strict=True)
}
_LATIN_DOUBLES = {
    script: frozenset(_SKELETON[letter] for letter in letters if letter not in _RARE)
    for script, (letters, _) in _DOUBLES.items()
}
"""The Latin letters that look like one of a script."""
_STYLED = frozenset({"FULLWIDTH", "MATHEMATICAL", "SMALL", "ROMAN", "KELVIN"})
"""How the names of ASCII letters in another dress begin: wide, bold, or as numerals."""
_MAX_CACHED = 20_000
"""Letters that are remembered: more than a person's names hold."""
_SLASHES = frozenset("\u2044\u2215\u29f8\u2024")
"""Signs that stand in a path like the slash between two folders, or like the dot before an extension."""
_MAX_MARKS = 4
"""Marks over and below one letter; no orthography has more, and a pile of them covers the lines around it."""
_MAX_EXTENSION = 10


class _Letters(dict[str, tuple[str, bool]]):
    """The script of each character, empty for what is no letter of these scripts, and whether it has a double."""

    def __missing__(self, char: str) -> tuple[str, bool]:
        found = _look_up(char)
        if len(self) < _MAX_CACHED:
            self[char] = found
        return found


_LETTERS = _Letters()
_Letter = tuple[str, bool]


def _look_up(char: str) -> _Letter:
    if char.isascii():
        return ("LATIN", False) if char.isalpha() else ("", False)
    if char in _SCRIPT_OF:
        return _SCRIPT_OF[char], True
    script = unicodedata.name(char, "").split(" ")[0]
    styled = unicodedata.normalize("NFKC", char)
    if script in _STYLED and styled.isascii() and styled.isalpha():
        return script, True
    if script == "LATIN":
        return "LATIN", False
    # With an accent on it a letter is no less a double.
    return (script, unicodedata.normalize("NFD", char)[0] in _SKELETON) if script in _DOUBLES else ("", False)


def mistakable(name: str) -> set[int]:
    """Which characters of one name, without a slash, would be taken for others; empty for a name as people write it."""
    found = {place for place, char in enumerate(name) if char in _SLASHES} | piled_marks(name)
    letters = [_LETTERS[char] for char in name]
    if len({script for script, _ in letters if script}) > 1:
        words = [word.span() for word in _WORD.finditer(name)]
        for start, stop in words:
            found |= _pretended(name, letters, start, stop)
        found |= _foreign_words(name, letters, words)
    return found


def skeleton(name: str) -> str | None:
    """The ASCII name that a whole name would be taken for, or None where it shows what it is."""
    if name.isascii():
        return None
    plain = "".join(_SKELETON.get(char, char) for char in unicodedata.normalize("NFKC", name))
    return plain if plain.isascii() else None


_WORD = re.compile(r"[^\W\d_]+")


def _pretended(name: str, letters: list[_Letter], start: int, stop: int) -> set[int]:
    """In one word: the letters of scripts that nothing in it shows, beside one that is shown."""
    word = range(start, stop)
    scripts = {letters[place][0] for place in word} - {""}
    if len(scripts) < 2:
        return set()
    shown = {letters[place][0] for place in word if _shows(name[place], letters[place], scripts)}
    shown = shown or {"LATIN" if "LATIN" in scripts else letters[start][0]}
    return {place for place in word if letters[place][0] and letters[place][0] not in shown}


def _shows(char: str, letter: _Letter, scripts: set[str]) -> bool:
    """Whether a letter can be of no other script among some."""
    script, has_double = letter
    if script == "LATIN":
        return not any(
            char in _LATIN_DOUBLES[other] if other in _LATIN_DOUBLES else True for other in scripts - {script}
        )
    return bool(script) and not has_double


def _foreign_words(name: str, letters: list[_Letter], words: list[tuple[int, int]]) -> set[int]:
    """Whole words of doubles in a name that is Latin otherwise; a name in any script may have a Latin extension."""
    dot = name.rfind(".")
    end = dot if dot > 0 and len(name) - dot <= _MAX_EXTENSION else len(name)
    before = {letters[place] for place in range(end)}
    if ("LATIN", False) not in before:
        return set()
    shown = {script for script, has_double in before if not has_double}
    return {
        place
        for start, stop in words
        if all(script in _DOUBLES and script not in shown and double for script, double in letters[start:stop])
        for place in range(start, stop)
    }


def piled_marks(text: str) -> set[int]:
    """Where marks stand on nothing, and those beyond what a letter carries."""
    if text.isascii() or not any(map(unicodedata.combining, text)):
        return set()
    found, height = set(), _MAX_MARKS
    for place, char in enumerate(text):
        if not unicodedata.combining(char):
            height = _MAX_MARKS if char == " " else 0
            continue
        height += 1
        if height > _MAX_MARKS:
            found.add(place)
    return found
