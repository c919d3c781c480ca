"""The sandbox of macOS, by a profile for `sandbox-exec`.

Apple calls the program deprecated but ships and uses it. Nothing here has been run on a Mac yet: the probe at start
decides whether it is used, and without a passing probe commands are refused. macOS has no pid namespaces: what a
command started is ended by its process group, and one that leaves the group on purpose is not found.
"""

import os
from collections.abc import Sequence

from cmdr.files.process_sandbox.bubblewrap import limited
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile

_PROGRAMS = ("/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/Library/Developer", "/opt", "/private/var/db/dyld")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def seatbelt(command: Sequence[bytes], profile: SandboxProfile) -> list[bytes]:
    """The command line that runs a command inside."""
    environment = [b"%s=%s" % (name.encode(), os.fsencode(value)) for name, value in profile.environment().items()]
    return [
        b"/usr/bin/sandbox-exec", b"-p", profile_text(profile).encode("utf-8", "surrogateescape"),
        b"/usr/bin/env", b"-i", *environment, *limited(command, profile),
    ]  # fmt: skip


def profile_text(profile: SandboxProfile) -> str:
    """Deny everything, then allow what the profile names; the last rule that matches counts."""
    lines = ["(version 1)", "(deny default)", "(allow process-fork)", "(allow sysctl-read)"]
    lines.append("(allow network*)" if profile.network else "(deny network*)")
    lines.append("(allow signal (target same-sandbox))")
    lines.append('(allow file-read-metadata (subpath "/"))')
    lines += [f"(allow file-read* process-exec (subpath {_quoted(path)}))" for path in _PROGRAMS]
    lines += [f"(allow file-read* file-write-data (literal {_quoted(path)}))" for path in _DEVICES]
    lines += [f"(allow file-read* process-exec (subpath {_quoted(os.fsdecode(path))}))" for path in profile.read]
    lines += [
        f"(allow file-read* file-write* process-exec (subpath {_quoted(os.fsdecode(path))}))" for path in profile.write
    ]
    lines += [f"(deny file-write* (subpath {_quoted(os.fsdecode(path))}))" for path in profile.read_only]
    lines += [f"(deny file-read* file-write* (subpath {_quoted(os.fsdecode(path))}))" for path in profile.hide]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
