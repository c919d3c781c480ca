"""The strongest sandbox on Linux: bubblewrap, with namespaces of its own for everything."""

import os
from collections.abc import Sequence

from cmdr.files.process_sandbox.read_only_paths import ancestors_of
from cmdr.files.process_sandbox.sandbox_profile import ALIASES, NETWORK_SETTINGS, PROGRAMS, SETTINGS, SandboxProfile

# `ulimit` inside, not a limit set from outside: the count of processes is then that of the sandbox alone. dash says -p,
# bash -u; file sizes count in blocks of 512 bytes in both when called `sh`.
_ULIMITS = "ulimit -c 0; ulimit -v {memory}; ulimit -f {file_size}; ulimit -n {open_files}; "
_ULIMIT_PROCESSES = 'ulimit -p {processes} 2>/dev/null || ulimit -u {processes}; exec "$@"'


def bubblewrap(
    command: Sequence[bytes], profile: SandboxProfile, *, program: bytes, info_fd: int | None = None
) -> list[bytes]:
    """The command line that runs a command inside `program`; `info_fd` is a descriptor that learns its process id."""
    line = [program, *b"--unshare-all --die-with-parent --new-session --clearenv --cap-drop ALL".split()]
    if profile.network:
        line.append(b"--share-net")
    line += b"--hostname sandbox --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run --dir /var/tmp".split()
    if info_fd is not None:
        line += [b"--info-fd", b"%d" % info_fd]
    # Real root may write there even without capabilities, and the machine would obey.
    for path in (b"/proc/sys", b"/proc/sysrq-trigger", b"/proc/irq", b"/proc/bus", b"/proc/fs", b"/proc/acpi"):
        line += [b"--ro-bind-try", path, path]
    for name, value in profile.environment().items():
        line += [b"--setenv", name.encode(), os.fsencode(value)]
    for path in PROGRAMS:
        line += [b"--ro-bind", path, path]
    for path in ALIASES:
        if os.path.islink(path):
            line += [b"--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            line += [b"--ro-bind", path, path]
    for path in (*SETTINGS, *(NETWORK_SETTINGS if profile.network else ())):
        line += [b"--ro-bind-try", path, path]
    # Outer folders first, or they would cover the inner ones.
    shared = {**dict.fromkeys(profile.read, b"--ro-bind"), **dict.fromkeys(profile.write, b"--bind")}
    for path in sorted(shared):
        line += [shared[path], path, path]
    # A folder that is a mount of its own cannot be renamed, and so what is kept in it cannot be put aside.
    for path in ancestors_of(profile.read_only, profile.write):
        line += [b"--bind-try", path, path]
    for path in profile.read_only:
        line += [b"--ro-bind-try", path, path]
    for path in profile.hide:
        line += [b"--tmpfs", path] if os.path.isdir(path) else [b"--ro-bind", b"/dev/null", path]
    line += [b"--remount-ro", b"/", b"--chdir", profile.folder, b"--"]
    return [*line, *limited(command, profile)]


def limited(command: Sequence[bytes], profile: SandboxProfile) -> list[bytes]:
    """The command behind its limits."""
    limits = profile.limits
    text = (_ULIMITS + _ULIMIT_PROCESSES).format(
        memory=limits.memory // 1024,
        file_size=limits.file_size // 512,
        open_files=limits.open_files,
        processes=limits.processes,
    )
    return [b"/bin/sh", b"-c", text.encode(), b"sh", *command]
