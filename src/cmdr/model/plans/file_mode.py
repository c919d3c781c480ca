"""Permissions as people write them: octal (`644`), or changes by letters (`u+x,go-w`), read as `chmod` reads them."""

import re
import stat
from dataclasses import dataclass

ALL = 0o7777
SET_ID = stat.S_ISUID | stat.S_ISGID
_CLASSES = {"u": stat.S_ISUID | 0o700, "g": stat.S_ISGID | 0o070, "o": stat.S_ISVTX | 0o007, "a": ALL}
_LETTERS = {"r": 0o444, "w": 0o222, "x": 0o111, "X": 0, "s": SET_ID, "t": stat.S_ISVTX}
_OCTAL = re.compile(r"0*[0-7]{1,4}")
_CHANGES = re.compile(r"([ugoa]*)((?:[-+=](?:[ugo]|[rwxXst]*))+)")
_CHANGE = re.compile(r"([-+=])([ugo]|[rwxXst]*)")
_MORE_THAN_USUAL = 5
"""Octal digits from which on also the set-ID bits of a folder are meant, which shorter ones leave alone."""


class BadMode(ValueError):
    """Permissions that mean nothing."""

    def __init__(self, text: str) -> None:
        super().__init__(f'"{text}" is no mode. Write it as 644 or 0755, or as u+x, go-w, a=rX.')


@dataclass(frozen=True, slots=True)
class _Change:
    """One sign and what follows it."""

    sign: str
    who: int
    """The bits of those who were named; 0 when nobody was, and the mask for new files decides."""
    value: int
    named: int
    """The bits that were written out: only these touch the set-ID bits of a folder."""
    copied: str = ""
    """The class whose permissions are given on."""
    if_any: bool = False
    """Whether leave to run is meant for folders and what somebody may run already."""

    def on(self, mode: int, *, is_folder: bool, umask: int) -> int:
        """The mode that another becomes."""
        value = self._value(mode, is_folder)
        kept = SET_ID & ~self.named if is_folder else 0
        value &= (self.who or ALL & ~umask) & ~kept
        if self.sign == "+":
            return mode | value
        if self.sign == "-":
            return mode & ~value
        return (mode & ((ALL & ~self.who if self.who else 0) | kept)) | value

    def _value(self, mode: int, is_folder: bool) -> int:
        if self.copied:
            held = mode & _CLASSES[self.copied] & 0o777
            return sum(bits for bits in (0o444, 0o222, 0o111) if held & bits)
        runs = self.if_any and (is_folder or mode & 0o111)
        return self.value | 0o111 if runs else self.value


@dataclass(frozen=True, slots=True)
class ModeChange:
    """What becomes of a mode."""

    text: str
    changes: tuple[_Change, ...]

    @classmethod
    def of(cls, text: str) -> "ModeChange":
        """What a text means; refused when it means nothing."""
        if _OCTAL.fullmatch(text):
            value = int(text, 8)
            named = ALL if len(text) >= _MORE_THAN_USUAL else value | 0o777
            return cls(text, (_Change("=", ALL, value, named),))
        changes: list[_Change] = []
        for part in text.split(","):
            found = _CHANGES.fullmatch(part)
            if found is None:
                raise BadMode(text)
            who = 0
            for letter in found[1]:
                who |= _CLASSES[letter]
            changes += [_read(sign, what, who) for sign, what in _CHANGE.findall(found[2])]
        return cls(text, tuple(changes))

    def on(self, mode: int, *, is_folder: bool, umask: int = 0o022) -> int:
        """The permissions that others become."""
        for change in self.changes:
            mode = change.on(mode, is_folder=is_folder, umask=umask)
        return mode


def _read(sign: str, what: str, who: int) -> _Change:
    if what in ("u", "g", "o"):
        value = _CLASSES[what] & 0o777
        return _Change(sign, who, value, who & value if who else value, copied=what)
    value = 0
    for letter in what:
        value |= _LETTERS[letter]
    return _Change(sign, who, value, who & value if who else value, if_any="X" in what)


def letters_of(mode: int) -> str:
    """Permissions as `ls` writes them, without the kind: `rwxr-xr-x`."""
    return stat.filemode(mode & ALL)[1:]
