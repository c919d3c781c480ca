"""The trash of macOS: the Finder's own, reached through the one call that puts files there.

The call does not tell where a file went, and without the right to look into the trash nobody but the Finder finds it
again. So a file is looked for there by its identity: when it is found, undo can put it back; when not, undo says that
only the Finder can. What is displaced by an overwrite never goes this way: it is kept where cmdr can find it.
"""

import os
import sys

from cmdr.engine.fs.mounts import path_of, top_of
from cmdr.engine.journal.records import Backup
from cmdr.model.plans.plan import Fingerprint, Root


def is_the_trash(platform: str = sys.platform) -> bool:
    """Whether trashed files go to the Finder on this system."""
    return platform == "darwin"


def find(wanted: Fingerprint, folder: int) -> Backup | None:
    """Where a file from an open directory lies in the Finder's trash, or None when that cannot be seen."""
    for path in _places(folder):
        try:
            found = os.stat(path)
            with os.scandir(path) as entries:
                names = [os.fsencode(entry.name) for entry in entries if entry.inode() == wanted.ino]
        except OSError:
            # Without full disk access a program may put files into the trash, but not look at them.
            continue
        if names and found.st_dev == wanted.dev:
            root = Root(path, found.st_dev, found.st_ino)
            # The Finder writes no note beside a file; a name that is not there stands for that.
            return Backup(root, root, names[0], names[0] + b".trashinfo")
    return None


def _places(folder: int) -> tuple[bytes, bytes]:
    top = top_of(folder)
    try:
        volume = path_of(top).rstrip(b"/")
    finally:
        os.close(top)
    return os.fsencode(os.path.expanduser("~/.Trash")), volume + b"/.Trashes/%d" % os.getuid()
