"""Collects what a run of code printed and drew, capped: the beginning and the end, never all of a flood."""

from collections import deque
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TextOutput:
    """Printed text and values."""

    text: str


@dataclass(frozen=True, slots=True)
class ImageOutput:
    """A picture, base64 as it came."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True)
class CodeResult:
    """One run of code."""

    status: Literal["ok", "error", "interrupted", "killed"]
    """`error`: it raised; `interrupted`: it ran out of time and stopped; `killed`: it was ended, its state is lost."""
    outputs: tuple[TextOutput | ImageOutput, ...]
    truncated: bool = False
    """Whether some of the output was left out."""


class OutputCollector:
    """Takes output as it comes and keeps what may be shown."""

    def __init__(self, *, half: int = 32 * 1024, images: int = 8, image_size: int = 4 * 1024 * 1024) -> None:
        """`half` characters are kept of the beginning and of the end of the text, and so many images of that size."""
        self._half = half
        self._images_left = images
        self._image_size = image_size
        self._head: list[TextOutput | ImageOutput] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._left_out = 0
        self._images_left_out = 0
        self.received = 0

    def text(self, text: str) -> None:
        """Take text."""
        self.received += len(text)
        left = self._half - self._head_size
        head, rest = text[:left], text[left:]
        if head:
            self._head_size += len(head)
            if self._head and isinstance(self._head[-1], TextOutput):
                head = self._head.pop().text + head  # type: ignore[union-attr]
            self._head.append(TextOutput(head))
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail_size > self._half:
            first = self._tail.popleft()
            excess = min(len(first), self._tail_size - self._half)
            self._left_out += excess
            self._tail_size -= excess
            if excess < len(first):
                self._tail.appendleft(first[excess:])

    def image(self, media_type: str, data: str) -> None:
        """Take a picture."""
        self.received += len(data)
        if not self._images_left or len(data) > self._image_size:
            self._images_left_out += 1
            return
        self._images_left -= 1
        self._head.append(ImageOutput(media_type, data))

    def result(self, status: Literal["ok", "error", "interrupted", "killed"]) -> CodeResult:
        """What was kept."""
        outputs = list(self._head)
        if self._left_out:
            outputs.append(TextOutput(f"\n… {self._left_out} characters left out …\n"))
        if self._tail:
            outputs.append(TextOutput("".join(self._tail)))
        if self._images_left_out:
            outputs.append(TextOutput(f"\n… {self._images_left_out} images left out …\n"))
        return CodeResult(status, tuple(outputs), bool(self._left_out or self._images_left_out))
