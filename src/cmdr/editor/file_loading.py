"""Loads a text file: regular files only, of a bounded size, never waiting on a pipe."""

import errno
import os
import stat

from cmdr.model.names import to_wire
from cmdr.model.texts.text_format import FileText, read_text

MAX_TEXT_BYTES = 32 * 1024 * 1024
"""The largest file that opens as text; larger ones belong in the viewer."""


class LoadingError(Exception):
    """Why a file could not be opened as text: a sentence, and the same in a few words behind its name."""

    def __init__(self, sentence: str, why: str) -> None:
        super().__init__(sentence)
        self.why = why


class FileMissingError(LoadingError):
    """Raised for a file that does not exist."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} does not exist.", "gone")


def load(path: bytes, *, follow_links: bool = True, limit: int = MAX_TEXT_BYTES) -> FileText:
    """Read a text file; raises `LoadingError`, or `BinaryContentError` when it holds no text."""
    try:
        # Opening some devices acts on them, so the kind is asked first, and again of what was really opened.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _not_a_file(path)
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        descriptor = os.open(path, flags if follow_links else flags | os.O_NOFOLLOW)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _not_a_file(path)
            content = _read(descriptor, limit)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise FileMissingError(path) from error
    except OSError as error:
        if error.errno == errno.ELOOP and not follow_links:
            raise LoadingError(f"{to_wire(path)} is a symbolic link; name the file it points to.", "a link") from error
        why = error.strerror or "unknown reason"
        raise LoadingError(f"{to_wire(path)} cannot be read: {why}.", why) from error
    if content is None:
        size = f"larger than {limit // 1024**2} MiB"
        raise LoadingError(f"{to_wire(path)} is {size}; open it in the viewer instead.", size)
    return read_text(content, what=to_wire(path))


def _not_a_file(path: bytes) -> LoadingError:
    sentence = f"{to_wire(path)} is not a regular file, so it cannot be opened as text."
    return LoadingError(sentence, "not a regular file")


def _read(descriptor: int, limit: int) -> bytes | None:
    """All bytes, or None when there are more than the limit; sizes are not believed (`/proc` says 0)."""
    parts: list[bytes] = []
    size = 0
    while part := os.read(descriptor, 1024 * 1024):
        parts.append(part)
        size += len(part)
        if size > limit:
            return None
    return b"".join(parts)
