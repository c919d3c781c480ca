"""Spellings: when a file system that ignores case and composition takes two names for one."""

import unicodedata


def folded(name: bytes) -> str:
    """The form in which such a file system sees a name."""
    text = name.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
