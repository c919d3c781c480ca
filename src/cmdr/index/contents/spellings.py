"""Needles as the library reads them: bytes, or letters with all their spellings where any case will do.

Cases are alike as in the engine of regular expressions (simple case folding): `É` is `é`, `K` is also the sign for
kelvin, but `ß` is not `ss`. So a text and the same text as an expression find the same.
"""

from functools import cache

_LAST_CASED = 0x1F000
"""Above it no letter has cases."""
# Letters whose other case Python only knows as several letters, or not at all.
_ALIKE = ("\u0390\u1fd3", "\u03b0\u1fe3", "\ufb05\ufb06", "ß\u1e9e")


def exact_needle(text: bytes) -> bytes:
    """Just these bytes."""
    return b"\0" + len(text).to_bytes(4, "little") + text


def folded_needle(text: str) -> bytes:
    """A text in any case; bytes that were no UTF-8 stand in it as lone surrogates."""
    letters = [_spelled(char) for char in text]
    return b"\1" + len(letters).to_bytes(4, "little") + b"".join(letters)


def spellings(char: str) -> list[str]:
    """A letter in all its cases, itself in small first."""
    small = simple_fold(char)
    found = _others().get(small, (small,)) if not char.isascii() or small in "sk" else (small, small.upper())
    return list(dict.fromkeys(found))


def simple_fold(char: str) -> str:
    """A letter in the case that all its cases share."""
    if char.isascii():
        return char.lower()
    for alike in _ALIKE:
        if char in alike:
            return alike[0]
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lower = char.lower()
    return lower if len(lower) == 1 else char


def _spelled(char: str) -> bytes:
    forms = [form.encode("utf-8", "surrogateescape") for form in spellings(char)]
    return bytes([len(forms)]) + b"".join(bytes([len(form)]) + form for form in forms)


@cache
def _others() -> dict[str, tuple[str, ...]]:
    """Of every letter with several cases all of them, the one they share first."""
    found: dict[str, list[str]] = {}
    for code in range(_LAST_CASED):
        char = chr(code)
        if 0xD800 <= code < 0xE000:
            continue
        small = simple_fold(char)
        if small != char:
            found.setdefault(small, [small]).append(char)
    return {small: tuple(sorted(forms, key=lambda one: (one != small, one))) for small, forms in found.items()}
