"""The argv and the whole environment of a program that is to be started."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Both belong together: a program started without its environment would get all of ours, keys and tokens too."""

    words: tuple[bytes, ...]
    """The command line; its first word is an absolute path."""
    environment: Mapping[str, str]
    """Everything it finds in its environment, from its first moment on."""
