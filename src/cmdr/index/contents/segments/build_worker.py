"""One worker that builds segments: a fresh interpreter of its own, so that what it needs is gone when it ends.

Runs with the standard library only (`python -I -S`). Work comes in line by line on stdin, answers go out on stdout,
both as JSON. It is killed to stop it: nothing that it wrote counts before the application has taken it over.
"""

import ctypes
import json
import os
import sys

from cmdr.index.contents.compiled import contents_library

_MAX_SEGMENTS = 256  # as in the library
_NUMBERS = 4  # of each segment: size, checksum, documents, bytes of text


def main() -> None:
    """Build what the lines of stdin ask for, until there are no more."""
    setup = json.loads(sys.stdin.readline())
    os.nice(setup["nice"])
    library = contents_library()
    if library is None:
        raise SystemExit(1)
    made = (ctypes.c_uint64 * (_MAX_SEGMENTS * _NUMBERS))()
    work, notes = (os.fsencode(setup[one]) for one in ("work", "notes"))
    for line in sys.stdin:
        first, last, prefix = json.loads(line)
        count = library.cmdr_build_segments(
            work,
            notes,
            setup["workers"],
            setup["number"],
            first,
            last,
            os.fsencode(prefix),
            setup["racy_ns"],
            made,
        )
        numbers = [list(made[at : at + _NUMBERS]) for at in range(0, max(count, 0) * _NUMBERS, _NUMBERS)]
        sys.stdout.write(json.dumps([count, numbers]) + "\n")
        sys.stdout.flush()
