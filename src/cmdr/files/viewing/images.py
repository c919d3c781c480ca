"""Image files, told by their first bytes, and thumbnails of them for a terminal, decoded in a sandbox by Pillow."""

import os
import stat
from dataclasses import dataclass
from importlib.util import find_spec

from cmdr.files.viewing.decoding import Decoding
from cmdr.files.viewing.viewed_file import NotViewable
from cmdr.model.install_hint import install_command

Pixel = tuple[int, int, int]
_HEAD_BYTES = 16
_SIZES_BYTES = 8
# Every kind that is decoded, and the one module of Pillow for it. An SVG or EPS is a program, so it is not among them.
_PLUGINS = {
    "PNG": "PngImagePlugin",
    "JPEG": "JpegImagePlugin",
    "GIF": "GifImagePlugin",
    "WEBP": "WebPImagePlugin",
    "BMP": "BmpImagePlugin",
    "ICO": "IcoImagePlugin",
    "TIFF": "TiffImagePlugin",
    "AVIF": "AvifImagePlugin",
    "PPM": "PpmImagePlugin",
}
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"\0\0\1\0", "ICO"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    *((b"P%d" % number, "PPM") for number in range(1, 7)),
)


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """An open picture: its descriptor belongs to whoever asked."""

    descriptor: int
    size: int
    format: str

    def close(self) -> None:
        """Nobody wants to see it."""
        os.close(self.descriptor)


def open_image(path: bytes) -> OpenedImage:
    """Open an ordinary file that begins like a picture; raises `NotViewable`, OSError, or ValueError for no path."""
    # A pipe would block here, and opening a device can do things.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        return _checked(descriptor)
    except BaseException:
        os.close(descriptor)
        raise


def _checked(descriptor: int) -> OpenedImage:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise NotViewable("Only ordinary files can be shown.")
    format = image_format(os.pread(descriptor, _HEAD_BYTES, 0))
    if format is None:
        raise NotViewable("This is no picture that can be shown.")
    return OpenedImage(descriptor, found.st_size, format)


def image_format(start: bytes) -> str | None:
    """The kind of a picture by how it begins, whatever its name; None when it is none that is shown."""
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "WEBP"
    if start[4:12] in (b"ftypavif", b"ftypavis"):
        return "AVIF"
    return next((format for beginning, format in _MAGIC if start.startswith(beginning)), None)


class Thumbnail:
    """One picture on its way to a screen; `run` blocks and belongs in a thread, `stop` may come from any other."""

    def __init__(self, path: bytes, width: int, height: int) -> None:
        """At most so wide and high; raises `NotViewable`, OSError, or ValueError for no path."""
        self._width, self._height = width, height
        if find_spec("PIL") is None:
            raise NotViewable(f"Pictures need Pillow: {install_command('pillow')}")
        opened = open_image(path)
        try:
            self._decoding = Decoding(
                "picture",
                [opened.format, _PLUGINS[opened.format], str(width), str(height)],
                opened.descriptor,
                libraries=["PIL"],
                most_bytes=_SIZES_BYTES + width * height * 3,
            )
        finally:
            opened.close()

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._decoding.stop()

    def run(self) -> list[list[Pixel]]:
        """Rows of pixels; raises `NotViewable`."""
        made = self._decoding.run()
        width, height = int.from_bytes(made[:4], "big"), int.from_bytes(made[4:_SIZES_BYTES], "big")
        flat = made[_SIZES_BYTES:]
        # The decoder read what anybody may have written, so it is believed no more than that.
        if not (0 < width <= self._width and 0 < height <= self._height and len(flat) == width * height * 3):
            raise NotViewable("It cannot be shown: its decoder broke on it.")
        line = width * 3
        return [
            [(flat[at], flat[at + 1], flat[at + 2]) for at in range(row * line, (row + 1) * line, 3)]
            for row in range(height)
        ]
