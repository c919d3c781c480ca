"""Traits: what surrounds a folder beside its name, so that one that was removed can be made again as it was."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """Permissions, owner, times and extended attributes, access lists among them."""

    mode: int
    uid: int
    gid: int
    atime_ns: int
    mtime_ns: int
    attributes: tuple[tuple[str, bytes], ...] = ()

    @property
    def row(self) -> list[object]:
        """As it is written down; text that stands for bytes."""
        kept = [[name, value.decode("latin-1")] for name, value in self.attributes]
        return [self.mode, self.uid, self.gid, self.atime_ns, self.mtime_ns, kept]

    @classmethod
    def of_row(cls, row: list[object]) -> "Traits":
        """What was written down."""
        *numbers, kept = row
        mode, uid, gid, atime_ns, mtime_ns = (int(str(number)) for number in numbers)
        pairs = kept if isinstance(kept, list) else []
        attributes = tuple((str(name), str(value).encode("latin-1")) for name, value in pairs)
        return cls(mode, uid, gid, atime_ns, mtime_ns, attributes)
