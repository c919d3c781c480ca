"""What is kept of a command's output: the beginning and the end, never more."""

KEPT = 32 * 1024


class KeptOutput:
    """Takes any amount, holds the first and the last 32 KiB."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._first = bytearray()
        self._last = bytearray()
        self.total = 0

    def take(self, data: bytes) -> None:
        """Take in what came next."""
        self.total += len(data)
        room = self._kept - len(self._first)
        if room > 0:
            self._first += data[:room]
            data = data[room:]
        self._last += data
        if len(self._last) > 2 * self._kept:
            del self._last[: -self._kept]

    @property
    def data(self) -> bytes:
        """The kept bytes: all there were, if they are not more than are kept of the beginning."""
        return bytes(self._first + self._last[-self._kept :])

    def text(self, most: int | None = None) -> str:
        """As text: both parts, and between them how much was left out; `most` bounds each part once more."""
        first, last = bytes(self._first), bytes(self._last[-self._kept :])
        if most is not None and len(first) + len(last) > 2 * most:
            first, last = first[:most], (first + last)[-most:] if len(last) < most else last[-most:]
        left_out = self.total - len(first) - len(last)
        middle = f"\n… {left_out:,} bytes left out …\n" if left_out > 0 else ""
        return _text(first) + middle + _text(last)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
