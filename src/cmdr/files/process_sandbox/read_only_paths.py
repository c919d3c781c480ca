"""What a command may see but never change inside a writable folder: places that other programs later run or obey.

A command that could write a git hook, a shell's start-up file or cmdr's own code would get out of its sandbox as soon
as the person uses them. They are looked for near the top of each folder; what does not exist yet cannot be protected.
"""

import os
import sys
from itertools import islice

from cmdr.files.protected import Protection
from cmdr.model.names import is_within

_MAX_DEPTH = 3
_MAX_FOLDERS = 2000
_INSIDE = ("hooks", "config")
_SKIPPED = frozenset({b"node_modules", b"__pycache__", b"site-packages"})


def protected_below(tree: bytes, protection: Protection) -> list[bytes]:
    """The protected files and folders that stand in a tree, and the code of this very program if it is there."""
    protected = [path for path in program_paths() if is_within(path, tree)]
    folders = [(tree, 0)]
    for folder, depth in islice(folders, _MAX_FOLDERS):  # which grows meanwhile
        for name, is_folder in _entries(folder):
            path = os.path.join(folder, name)
            if name == b".git" and is_folder:
                inside = (os.path.join(path, os.fsencode(part)) for part in _INSIDE)
                protected += [part for part in inside if os.path.exists(part)]
            elif protection.reason(path):
                protected.append(path)
            elif is_folder and depth < _MAX_DEPTH and name not in _SKIPPED:
                folders.append((path, depth + 1))
    return sorted({real for path in protected if is_within(real := os.path.realpath(path), tree) and real != tree})


def ancestors_of(paths: list[bytes] | tuple[bytes, ...], trees: tuple[bytes, ...]) -> list[bytes]:
    """The folders between a tree and some paths in it: none of them may be renamed and put up anew without them."""
    found = set()
    for path in paths:
        above = os.path.dirname(path)
        while any(is_within(above, tree) and above != tree for tree in trees):
            found.add(above)
            above = os.path.dirname(above)
    return sorted(found)


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
