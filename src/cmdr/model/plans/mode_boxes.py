"""Permissions as boxes to tick: for one file or for many, of which some may have what others have not."""

import re
from dataclasses import dataclass, field

from cmdr.model.plans.file_mode import ALL, letters_of

ROWS = ((0o400, 0o200, 0o100), (0o040, 0o020, 0o010), (0o004, 0o002, 0o001), (0o4000, 0o2000, 0o1000))
"""User, group, others: read, write, run. Then set-user-ID, set-group-ID, sticky."""
PEOPLE = ("user", "group", "others")
RIGHTS = ("read", "write", "run")
SPECIAL = ("set user ID", "set group ID", "sticky")
_LETTERS = {
    bit: (who, what) for who, row in zip("ugo", ROWS, strict=False) for bit, what in zip(row, "rwx", strict=True)
} | {0o4000: ("u", "s"), 0o2000: ("g", "s"), 0o1000: ("o", "t")}
_OCTAL = re.compile(r"[0-7]{1,4}")


@dataclass(slots=True)
class ModeBoxes:
    """What the chosen files have, and what was ticked."""

    every: int = 0
    """The permissions that all of them have."""
    some: int = ALL
    """The permissions that any of them has; until that is known, it may be any."""
    ticked: dict[int, bool] = field(default_factory=dict)
    """What differs from what they have."""

    def know(self, every: int, some: int) -> None:
        """Take in what they have; what was ticked already stays so."""
        self.every, self.some = every, some
        self.ticked = {bit: on for bit, on in self.ticked.items() if self._had(bit) is not on}

    def state(self, bit: int) -> bool | None:
        """Whether a permission is given; None where each keeps what it has, and they have different things."""
        return self.ticked.get(bit, self._had(bit))

    def toggle(self, bit: int) -> None:
        """Tick a box, or untick it; one that was mixed can become so again."""
        here, had = self.state(bit), self._had(bit)
        self._set(bit, None if here is False and had is None else not here)

    @property
    def octal(self) -> str:
        """All of it as a number, or nothing while some of it is mixed."""
        states = [self.state(bit) for bit in _LETTERS]
        return "" if None in states else f"{sum(bit for bit in _LETTERS if self.state(bit)):04o}"

    @property
    def letters(self) -> str:
        """All of it as `ls` writes it."""
        return letters_of(int(self.octal, 8)) if self.octal else "they differ"

    def take_octal(self, text: str) -> bool:
        """Tick the boxes as a number says; whether it is one."""
        if _OCTAL.fullmatch(text) is None:
            return False
        for bit in _LETTERS:
            self._set(bit, bool(int(text, 8) & bit))
        return True

    @property
    def wish(self) -> str:
        """What was changed, for `chmod`: `u+x,go-w`; only that, so that everything else stays as it is in each."""
        parts: dict[tuple[str, str], str] = {}
        for bit, on in sorted(self.ticked.items(), reverse=True):
            who, what = _LETTERS[bit]
            parts[who, "+" if on else "-"] = parts.get((who, "+" if on else "-"), "") + what
        return ",".join(who + sign + letters for (who, sign), letters in parts.items())

    def _had(self, bit: int) -> bool | None:
        return True if self.every & bit else None if self.some & bit else False

    def _set(self, bit: int, on: bool | None) -> None:
        if on is None or on is self._had(bit):
            self.ticked.pop(bit, None)
        else:
            self.ticked[bit] = on


def bad_octal(text: str) -> str:
    """What to say of a number that is none."""
    return f'"{text}" is no octal mode: it has digits from 0 to 7, as in 0644.'


def modified_hint(modified: str | None) -> str:
    """What stands in the empty field of the time, which stays as it is."""
    return f"{modified or 'they differ'}; or a time, now, the path of a file"
