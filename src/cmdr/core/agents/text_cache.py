"""A cache of texts that agents ask for again and again, valid as long as nothing they are made of has changed.

A text comes with everything it was made of, and is given again only while all of that is the same; nothing goes by
time. Whatever changes the workspace lets go of all texts, so that none holds on to a folder that was left.
"""

from collections.abc import Callable, Hashable

MAX_TEXTS = 16


class TextCache:
    """Belongs to the loop."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[tuple[object, ...], str]] = {}

    def text(self, name: Hashable, made_of: tuple[object, ...], make: Callable[[], str]) -> str:
        """The text under a name, made anew when it is made of something else than the kept one."""
        kept = self._kept.get(name)
        if kept is not None and kept[0] == made_of:
            return kept[1]
        if len(self._kept) >= MAX_TEXTS:
            self._kept.clear()
        text = make()
        self._kept[name] = (made_of, text)
        return text

    def forget(self, rev: int = 0) -> None:
        """Something has changed."""
        self._kept.clear()
