"""Temporary names: ours alone, and recognisable as ours."""

import re
import secrets

_PREFIX = b".cmdr-tmp-"
_OURS = re.compile(rb"\.cmdr-tmp-[0-9a-f]{16}")


def temp_name() -> bytes:
    """A temporary name that nobody else can have."""
    return _PREFIX + secrets.token_hex(8).encode()


def temp_names(count: int) -> list[bytes]:
    """So many temporary names at once: asking for chance once is quicker."""
    chance = secrets.token_hex(8 * count).encode()
    return [_PREFIX + chance[at : at + 16] for at in range(0, len(chance), 16)]


def is_temp_name(name: bytes) -> bool:
    """Whether a name has the form of ours."""
    return _OURS.fullmatch(name) is not None
