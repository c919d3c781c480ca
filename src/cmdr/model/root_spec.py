"""A folder that agents may use, as a person writes it: `DIR`, or `DIR:ro` to let them only read."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RootSpec:
    """An absolute folder, and whether agents may change what is in it."""

    path: bytes
    read_only: bool = False

    @classmethod
    def parse(cls, text: str) -> "RootSpec":
        """From `DIR`, `DIR:ro` or `DIR:rw`; raises `ValueError` when there is no folder in it."""
        path, colon, mode = text.rpartition(":")
        if not colon or mode not in ("ro", "rw"):
            path, mode = text, "rw"
        if not path.strip() or "\0" in path:
            raise ValueError(f"{text!r} names no folder")
        return cls(os.path.abspath(os.path.expanduser(os.fsencode(path))), mode == "ro")

    def __str__(self) -> str:
        return os.fsdecode(self.path) + (":ro" if self.read_only else "")


def check_kept_roots(text: str) -> None:
    """Raise `ValueError` unless this is a list of folders that means the same wherever the program is started."""
    for part in text.split(":"):
        if part not in ("", "ro", "rw") and not part.startswith(("/", "~")):
            raise ValueError(f"{part!r} is not a whole path; begin it with / or ~")
    parse_roots(text)


def parse_roots(text: str) -> tuple[RootSpec, ...]:
    """Several of them, separated as in PATH: `/a:ro:/b` is `/a` for reading and `/b`."""
    specs: list[str] = []
    for part in text.split(":"):
        if part in ("ro", "rw") and specs and not specs[-1].endswith((":ro", ":rw")):
            specs[-1] += f":{part}"
        elif part:
            specs.append(part)
    return tuple(RootSpec.parse(spec) for spec in specs)
