"""A member of an archive, as the archive's own list tells of it: enough to find its contents again and check them."""

from typing import NamedTuple


class Member(NamedTuple):
    """Where contents lie inside an archive, and what they must be.

    A tuple, because there is one for every file, and it is written down with the plan.
    """

    name: bytes
    """As the archive writes it; for showing only, never a way on the disk."""
    at: int = 0
    """Where it begins: its own header in a zip, its contents in the stream of a tar."""
    size: int = 0
    """Exactly so much is written; an archive that holds more, or less, is damaged."""
    packed: int = 0
    """How much room the contents take in the archive."""
    method: int = 0
    """How a zip has packed them."""
    check: int | None = None
    """Their CRC-32, where the archive tells it."""
    mtime_ns: int | None = None
    link: bytes = b""
    """What a symbolic link says."""

    @property
    def row(self) -> list[object]:
        """As it is written down; text that stands for bytes."""
        return [self.name.decode("latin-1"), *self[1:7], self.link.decode("latin-1")]

    @classmethod
    def of_row(cls, row: list[object]) -> "Member":
        """What was written down."""
        name, *numbers, link = row
        at, size, packed, method, check, mtime_ns = (None if it is None else int(str(it)) for it in numbers)
        return cls(
            str(name).encode("latin-1"),
            at or 0,
            size or 0,
            packed or 0,
            method or 0,
            check,
            mtime_ns,
            str(link).encode("latin-1"),
        )
