"""The names a half-typed path could become."""

import os
from itertools import islice

LOOKED_AT = 50_000


def names_beginning(folder: bytes, start: bytes, *, folders_only: bool) -> list[bytes]:
    """Names in a folder that begin so, folders with a slash behind; blocks, so it runs in a thread."""
    found = []
    try:
        with os.scandir(folder or b"/") as entries:
            for entry in islice(entries, LOOKED_AT):
                if not entry.name.startswith(start) or (entry.name.startswith(b".") and not start.startswith(b".")):
                    continue
                is_folder = entry.is_dir()
                if is_folder or not folders_only:
                    found.append(entry.name + b"/" if is_folder else entry.name)
    except OSError:
        return []
    return sorted(found)
