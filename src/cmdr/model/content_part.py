"""The parts of an answer besides its first text: further texts, byte for byte, and images."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text that stands for itself, never shortened."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture, base64 as it came."""

    media_type: str
    data: str


AnswerPart = TextPart | ImagePart
