"""How tools are found by clients that show a model few of them and let it search for the others by words.

Claude Code weighs each word of a search: most where it is part of a tool's name, then in its hint, then in its
description; only whole words count. Hints hold the words people use that name and description lack, where
a few more words in the description do not do.
"""

from typing import Any

PRELOADED = frozenset({"query_run", "open_diff", "fs_read", "cd", "state"})
"""Shown from the start, so that the first question needs no search."""
HINTS = {
    "fs_list": "list directory or folder contents",
    "fs_stat": "file size, date",
    "report": "find large or old or duplicate files, disk usage by folder",
    "delete": "remove, clean up",
    "mkdir": "create folder, make directory",
    "undo": "revert",
}


def search_meta(name: str) -> dict[str, Any] | None:
    """What a tool tells such clients, or nothing."""
    if name in PRELOADED:
        return {"anthropic/alwaysLoad": True}
    return {"anthropic/searchHint": hint} if (hint := HINTS.get(name)) else None
