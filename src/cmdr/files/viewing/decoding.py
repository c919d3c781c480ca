"""Decodes files of anybody's making in a sandboxed process of its own, never in this one.

Decoders are large programs in C with a long history of holes, and some start other programs. So whoever shows more of a
file than its text names a kind in `decoders` and gets bytes back. The process sees one file, this Python and nothing of
the person's: no home, no network, no environment of ours. Its memory, time and output are bounded. Where no sandbox
works, nothing is decoded.
"""

import fcntl
import functools
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from cmdr.files.process_sandbox.backend import Backend, probe
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.sandbox_profile import PROGRAMS, ResourceLimits, SandboxProfile
from cmdr.files.viewing import decode_worker
from cmdr.files.viewing.viewed_file import NotViewable

DECODE_TIMEOUT_S = 8.0
MAX_FILE_BYTES = 128 << 20
_SOURCE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
WORKER = "from cmdr.files.viewing.decode_worker import main; sys.exit(main())"
_LIMITS = ResourceLimits(memory=decode_worker.MEMORY_BYTES, processes=16, file_size=0, open_files=64)
_WHY = {
    decode_worker.CANNOT_SHOW: "It cannot be shown: it is damaged, or of a kind that is not known here.",
    decode_worker.TOO_LARGE: "It is too large to be shown.",
}


class Decoding:
    """One file on its way through a decoder; `run` blocks and belongs in a thread, `stop` may come from any other."""

    def __init__(
        self,
        kind: str,
        arguments: Sequence[str],
        descriptor: int,
        *,
        libraries: Sequence[str],
        most_bytes: int,
    ) -> None:
        """`descriptor` is an open ordinary file that stays the caller's, `libraries` are the modules that the decoder
        needs besides Python's own, `most_bytes` is the most that may come back."""
        backend = proven_backend()
        if backend is None:
            raise NotViewable(
                "This is only decoded behind walls, and no sandbox works on this machine. Install bubblewrap; "
                "`cmdr doctor` says more."
            )
        places = list(dict.fromkeys([_SOURCE_ROOT, *map(_library_folder, libraries)]))
        code = f"import sys; sys.path += {places!r}; {WORKER}"
        words = [os.path.realpath(sys.executable), "-I", "-S", "-B", "-c", code, kind, *arguments]
        read = tuple(os.fsencode(place) for place in (*places, sys.base_prefix) if not _is_always_visible(place))
        self._contents = _sealed_copy(descriptor)
        self._running = SandboxedRun(
            [os.fsencode(word) for word in words],
            SandboxProfile(b"/", read=read, limits=_LIMITS),
            backend,
            timeout_s=DECODE_TIMEOUT_S,
            max_output_bytes=most_bytes,
            kept=most_bytes,
            stdin=self._contents,
        )

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._running.stop()

    def run(self) -> bytes:
        """What the decoder made; raises `NotViewable`."""
        try:
            ended = self._running.run()
        finally:
            os.close(self._contents)
        if ended.why:
            raise NotViewable(f"It cannot be shown: decoding it was {ended.why}.")
        if ended.code:
            raise NotViewable(_WHY.get(ended.code, "It cannot be shown: its decoder broke on it."))
        return ended.output.data


@functools.cache
def proven_backend() -> Backend | None:
    """The sandbox for decoders, tried once."""
    return probe()


def _sealed_copy(descriptor: int) -> int:
    """A copy of the file in memory that nobody can change.

    The file itself, handed over for reading, could be opened anew for writing by way of `/proc/self/fd`.
    """
    size = os.fstat(descriptor).st_size
    if size > MAX_FILE_BYTES:
        raise NotViewable(f"Files of more than {MAX_FILE_BYTES >> 20} MiB are not decoded.")
    if not hasattr(os, "memfd_create"):
        return os.dup(descriptor)
    copy = os.memfd_create("cmdr-decoded", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        at = 0
        while at < size and (sent := os.sendfile(copy, descriptor, at, size - at)):
            at += sent
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(copy, fcntl.F_ADD_SEALS, seals)
        os.lseek(copy, 0, os.SEEK_SET)
    except BaseException:
        os.close(copy)
        raise
    return copy


def _library_folder(library: str) -> str:
    """The folder in which a library is found, with the shared objects that wheels bring along."""
    found = find_spec(library)
    if found is None or found.origin is None:
        raise NotViewable(f"{library} is not installed.")
    return os.path.dirname(os.path.dirname(os.path.abspath(found.origin)))


def _is_always_visible(place: str) -> bool:
    return any(os.fsencode(f"{place}/").startswith(root + b"/") for root in PROGRAMS)
