"""What many new names would do: which change, which clash, which cannot be."""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum


class NameMark(StrEnum):
    """How one new name stands."""

    SAME = "same"
    NEW = "new"
    TWICE = "twice"
    """Two files would get it."""
    TAKEN = "taken"
    """A file that is not renamed has it."""
    IMPOSSIBLE = "impossible"
    """No file can be called that."""

    @property
    def is_bad(self) -> bool:
        """Whether the renaming cannot be done like this."""
        return self in (NameMark.TWICE, NameMark.TAKEN, NameMark.IMPOSSIBLE)


def judge(old: Sequence[bytes], new: Sequence[bytes], is_there: Callable[[bytes], bool]) -> list[NameMark]:
    """A mark for every pair; `is_there` tells which names the folder holds now."""
    wanted = Counter(new)
    leaving = {before for before, after in zip(old, new, strict=True) if before != after}
    marks = []
    for before, after in zip(old, new, strict=True):
        if not after or b"/" in after or b"\0" in after or after in (b".", b"..") or len(after) > 255:
            marks.append(NameMark.IMPOSSIBLE)
        elif wanted[after] > 1:
            marks.append(NameMark.TWICE)
        elif before == after:
            marks.append(NameMark.SAME)
        elif is_there(after) and after not in leaving:
            marks.append(NameMark.TAKEN)
        else:
            marks.append(NameMark.NEW)
    return marks
