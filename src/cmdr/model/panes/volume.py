"""Places to go: the disks and shares that are mounted."""

from dataclasses import dataclass

from cmdr.model.names import is_within


@dataclass(frozen=True, slots=True)
class Volume:
    """One mounted file system that holds a person's files."""

    name: str
    """What people call it; unique, already printable."""
    path: bytes
    kind: str
    """The file system, as in `ext4` or `nfs4`."""
    remote: bool = False
    """Whether asking it something may take for ever."""


def volume_of(path: bytes, volumes: tuple[Volume, ...]) -> Volume | None:
    """The volume a path lies on: the deepest mount above it."""
    best: Volume | None = None
    for volume in volumes:
        inside = is_within(path, volume.path)
        if inside and (best is None or len(volume.path) > len(best.path)):
            best = volume
    return best
