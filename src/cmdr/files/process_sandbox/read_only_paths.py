"""What a command may see but never change inside a writable folder: places that other programs later run or obey.

A command that could write a git hook, a shell's start-up file or cmdr's own code would get out of its sandbox as soon
as the person uses them. They are looked for near the top of each folder; what does not exist yet cannot be kept.
"""

import os
import sys

from cmdr.files.protected import Protection
from cmdr.model.names import is_within

_MAX_DEPTH = 3
_MAX_FOLDERS = 2000
_INSIDE = ("hooks", "config")
_SKIPPED = frozenset({b"node_modules", b"__pycache__", b"site-packages"})


def protected_below(tree: bytes, protection: Protection) -> list[bytes]:
    """The protected files and folders that stand in a tree, and the code of this very program if it is there."""
    kept = [path for path in program_paths() if is_within(path, tree)]
    folders = [(tree, 0)]
    for looked_at in range(_MAX_FOLDERS):
        if looked_at >= len(folders):
            break
        folder, depth = folders[looked_at]
        for name, is_folder in _entries(folder):
            path = os.path.join(folder, name)
            if name == b".git" and is_folder:
                inside = (os.path.join(path, os.fsencode(part)) for part in _INSIDE)
                kept += [part for part in inside if os.path.exists(part)]
            elif protection.reason(path):
                kept.append(path)
            elif is_folder and depth < _MAX_DEPTH and name not in _SKIPPED:
                folders.append((path, depth + 1))
    return sorted({real for path in kept if is_within(real := os.path.realpath(path), tree) and real != tree})


def ancestors_of(kept: list[bytes] | tuple[bytes, ...], trees: tuple[bytes, ...]) -> list[bytes]:
    """The folders between a tree and what is kept in it: none of them may be renamed and put up anew without it."""
    ways = set()
    for path in kept:
        above = os.path.dirname(path)
        while any(is_within(above, tree) and above != tree for tree in trees):
            ways.add(above)
            above = os.path.dirname(above)
    return sorted(ways)


def program_paths() -> list[bytes]:
    """Where this program and its libraries are installed."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = [sys.prefix] if sys.prefix != sys.base_prefix else []
    return [os.path.realpath(os.fsencode(path)) for path in (here, *environment)]


def _entries(folder: bytes) -> list[tuple[bytes, bool]]:
    try:
        with os.scandir(folder) as entries:
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
