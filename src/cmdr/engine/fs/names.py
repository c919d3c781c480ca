"""Names of files: free ones where one is taken, temporary ones, and names that differ only in spelling."""

import re
import secrets
import unicodedata
from collections.abc import Callable

LONGEST = 255


def numbered(name: bytes, number: int) -> bytes:
    """The name with a number before its extension, cut so that it stays a possible name."""
    stem, dot, extension = name.rpartition(b".")
    if not stem:
        stem, dot, extension = name, b"", b""
    tail = b" (%d)" % number + dot + extension
    if len(tail) > LONGEST // 2:
        stem, tail = name, b" (%d)" % number
    return shortened(stem, LONGEST - len(tail)) + tail


def free_name(name: bytes, is_taken: Callable[[bytes], bool]) -> bytes:
    """The first numbered form of a name that is not taken."""
    number = 1
    while is_taken(candidate := numbered(name, number)):
        number += 1
    return candidate


def shortened(name: bytes, most: int) -> bytes:
    """The start of a name, not cut inside a character when it is text."""
    if len(name) <= most:
        return name
    cut = name[:most]
    try:
        name.decode()
    except UnicodeDecodeError:
        return cut
    return cut.decode("utf-8", "ignore").encode()


def folded(name: bytes) -> str:
    """The form in which such a file system sees a name."""
    text = name.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


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
