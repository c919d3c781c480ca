"""How tools are found by clients that show a model few of them and let it search for the others by words.

Claude Code weighs each word of a search: most where it is part of a tool's name, then in its hint, then in its
description; only whole words count. Hints hold the words people use that name and description lack.
"""

from typing import Any

PRELOADED = frozenset({"query_run", "open_diff", "fs_read", "cd", "state"})
"""Shown from the start, so that the first question needs no search."""
HINTS = {
    "inspect": "details and metadata of a file or folder",
    "report": "find duplicates, largest or large or big files, old files, disk usage or space by folder, free space",
    "index": "scan or crawl a directory tree",
    "resource_set": "combine or page through a set of files found",
    "query_list": "saved searches",
    "copy": "copy or duplicate files",
    "move": "move files to another folder, relocate",
    "delete": "delete or remove files, trash, rm, clean up",
    "rename": "rename many files, batch or bulk rename by pattern",
    "mkdir": "create folder, make new directory",
    "undo": "undo, revert, restore or take back a change",
    "await": "wait for approval, confirmation or a job to finish",
    "nav_to_path": "go to, open or show a folder",
    "select": "select or mark files",
    "open_file": "show a file to the person, open in viewer",
    "get_diagnostics": "errors and warnings, lint",
}


def search_meta(name: str) -> dict[str, Any] | None:
    """What a tool tells such clients, or nothing."""
    if name in PRELOADED:
        return {"anthropic/alwaysLoad": True}
    return {"anthropic/searchHint": hint} if (hint := HINTS.get(name)) else None
