"""Whether two files hold the same bytes."""

import os

_PIECE = 1 << 20


def same_contents(one: bytes, other: bytes) -> bool:
    """Compare byte by byte; files that cannot be read are different. Blocks, so it runs in a thread."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        first = os.open(one, flags)
        try:
            second = os.open(other, flags)
            try:
                while True:
                    a, b = os.read(first, _PIECE), os.read(second, _PIECE)
                    if a != b:
                        return False
                    if not a:
                        return True
            finally:
                os.close(second)
        finally:
            os.close(first)
    except OSError:
        return False


def differing_contents(left: bytes, right: bytes, names: list[bytes]) -> set[bytes]:
    """Which of these names hold different bytes in two folders."""
    return {name for name in names if not same_contents(os.path.join(left, name), os.path.join(right, name))}
