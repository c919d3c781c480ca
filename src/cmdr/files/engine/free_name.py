"""Another name for a file whose name is taken: `report (1).pdf`."""

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
