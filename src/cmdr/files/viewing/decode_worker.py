"""The small program that decodes a file of anybody's making, in a sandbox: it reads the file on its standard input.

Its arguments are a kind of file and what that decoder wants to know; what it makes goes to the standard output. Nothing
of cmdr but this module is in it, so that a decoder that was taken over finds nothing to take.
"""

import os
import resource
import sys
from collections.abc import Callable
from typing import BinaryIO

MEMORY_BYTES = 1 << 30
CPU_TIME_S = 10
MAX_PIXELS = 200_000_000
CANNOT_SHOW = 3
"""The exit code for a file that is damaged, or none of this kind."""
TOO_LARGE = 4
"""The exit code for a file that takes more memory than there is for it."""
BACKGROUND = (16, 20, 26, 255)


def main() -> int:
    """Decode one file; returns an exit code."""
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_TIME_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    # Decoders complain there, in the midst of what we tell.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    kind, *arguments = sys.argv[1:]
    try:
        made = DECODERS[kind](sys.stdin.buffer, *arguments)
    except (_TooLarge, MemoryError):
        return TOO_LARGE
    except Exception:  # they raise whatever they like on damaged files
        return CANNOT_SHOW
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()
    return 0


class _TooLarge(Exception):
    pass


def _picture(file: BinaryIO, format: str, plugin: str, width: str, height: str) -> bytes:
    """A picture made small: its width and height as four bytes each, then red, green and blue of each pixel."""
    import importlib  # noqa: PLC0415

    from PIL import Image

    # The one decoder that is meant: Pillow would try them all, and one of them runs Ghostscript.
    importlib.import_module(f"PIL.{plugin}")
    Image.MAX_IMAGE_PIXELS = None  # there is a limit of ours
    most = int(width), int(height)
    with Image.open(file, formats=[format]) as image:
        if image.width * image.height > MAX_PIXELS:
            raise _TooLarge
        image.draft("RGB", (most[0] * 2, most[1] * 2))
        image.thumbnail(most)
        small = image.convert("RGBA")
    canvas = Image.new("RGBA", small.size, BACKGROUND)
    canvas.alpha_composite(small)
    return b"".join(edge.to_bytes(4, "big") for edge in small.size) + canvas.convert("RGB").tobytes()


DECODERS: dict[str, Callable[..., bytes]] = {"picture": _picture}
