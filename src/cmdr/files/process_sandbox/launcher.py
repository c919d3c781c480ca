"""The small program that confines a command with Landlock: it gives up rights, starts it, and ends its processes.

Its arguments are `[--namespaces] [--network] [--leash FD] [--limits N,N,N,N] --folder P [--write P]… [--read P]…
[--set N=V]… -- COMMAND…`. When the other end of the leash is closed, or whoever started this ends, everything below it
ends.
"""

import ctypes
import os
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field

from cmdr.files.process_sandbox.landlock import restrict
from cmdr.files.process_sandbox.sandbox_profile import (
    ALIASES,
    NETWORK_SETTINGS,
    PROGRAMS,
    SETTINGS,
    ResourceLimits,
    SandboxProfile,
)
from cmdr.files.process_sandbox.seccomp import can_filter, filter_calls

_DEVICES = b"/dev/null /dev/zero /dev/full /dev/random /dev/urandom".split()
_MACHINE_INFO = b"/proc/cpuinfo /proc/meminfo /proc/version /proc/filesystems".split()
_SANDBOX_FAILED = 125
"""The exit code when the sandbox could not be built; the command was not started."""


@dataclass(slots=True)
class _Options:
    folder: bytes = b"/"
    write: list[bytes] = field(default_factory=list)
    read: list[bytes] = field(default_factory=list)
    namespaces: bool = False
    network: bool = False
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    leash: int | None = None
    variables: list[tuple[str, str]] = field(default_factory=list)
    command: list[bytes] = field(default_factory=list)


def main() -> int:
    """Run one command and return its exit code."""
    options = _read(sys.argv[1:])
    die_with_parent(signal.SIGTERM)
    adopt_orphans()
    alarm, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    temporary = tempfile.mkdtemp(prefix="cmdr-shell-").encode()
    try:
        if options.namespaces:
            enter_namespaces(network=options.network)
        child = os.fork()
        if child == 0:
            _run_as_init(options, temporary) if options.namespaces else _exec_sandboxed(options, temporary)
        return _watch(child, alarm, options.leash)
    finally:
        kill_descendants()
        shutil.rmtree(temporary, ignore_errors=True)


def _read(arguments: list[str]) -> _Options:
    options = _Options()
    words = iter(arguments)
    for word in words:
        if word == "--":
            options.command = [os.fsencode(rest) for rest in words]
        elif word in ("--namespaces", "--network"):
            setattr(options, word[2:], True)
        elif word == "--leash":
            options.leash = int(next(words))
        elif word == "--limits":
            options.limits = ResourceLimits(*map(int, next(words).split(",")))
        elif word == "--set":
            name, _, value = next(words).partition("=")
            options.variables.append((name, value))
        elif word == "--folder":
            options.folder = os.fsencode(next(words))
        else:
            {"--write": options.write, "--read": options.read}[word].append(os.fsencode(next(words)))
    return options


def _watch(child: int, alarm: int, leash: int | None) -> int:
    """Wait for the command, the end of the leash, or a signal to stop."""
    watched = [alarm] if leash is None else [alarm, leash]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if leash in ready:
            return 128 + signal.SIGKILL
        rung = os.read(alarm, 256)
        if set(rung) & {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}:
            return 128 + signal.SIGTERM
        with suppress(ChildProcessError):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return _code(status)


def _run_as_init(options: _Options, temporary: bytes) -> None:
    """The first process of a new pid namespace: fetches orphans, and ends the namespace with the command."""
    die_with_parent(signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    child = os.fork()
    if child == 0:
        _exec_sandboxed(options, temporary)
    while True:
        ended, status = os.wait()
        if ended == child:
            os._exit(_code(status))


def _exec_sandboxed(options: _Options, temporary: bytes) -> None:
    """Give up all rights but those of the profile, and turn this process into the command."""
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        variables = (("TMPDIR", os.fsdecode(temporary)), *options.variables)
        profile = SandboxProfile(options.folder, limits=options.limits, variables=variables)
        for number in range(1, signal.NSIG):
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        os.chdir(options.folder)
        os.closerange(3, 1 << 16)
        _limit(profile, 0 if options.namespaces else thread_count(os.getuid()))
        drop_capabilities()
        settings = [*SETTINGS, *(NETWORK_SETTINGS if options.network else ())]
        machine = [path for path in _MACHINE_INFO if os.path.exists(path)]
        restrict(
            write=[*options.write, temporary],
            read=[*PROGRAMS, *ALIASES, *settings, *machine, *options.read],
            use=_DEVICES,
            network=options.network,
        )
        if not can_filter():
            raise OSError("the system calls of this machine are not known here")  # noqa: TRY301
        filter_calls(sockets=options.network)
        os.execve(options.command[0], options.command, profile.environment())  # noqa: S606 - an argv list
    except BaseException as error:
        os.write(2, f"The sandbox could not be built: {error}\n".encode())
    os._exit(_SANDBOX_FAILED)


def _limit(profile: SandboxProfile, others: int) -> None:
    limits = profile.limits
    for kind, amount in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, others + limits.processes),
    ):
        _, most = resource.getrlimit(kind)
        least = amount if most == resource.RLIM_INFINITY else min(amount, most)
        resource.setrlimit(kind, (least, least))


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def descendants(ancestor: int) -> list[int]:
    """Every living process below one; those that have ended but were not fetched yet do not count."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                # The name in parentheses is the program's own choice and may hold anything.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    parents[int(name)] = int(parent)
    family: set[int] = {ancestor}
    grown = True
    while grown:
        members = {pid for pid, parent in parents.items() if parent in family} - family
        family |= members
        grown = bool(members)
    return sorted(family - {ancestor})


def kill_descendants(patience: float = 5.0) -> bool:
    """Kill every descendant of this process, which adopts orphans, again and again until none is left.

    Looking through /proc takes a while, and one that forks and ends meanwhile hides its child from that look. But
    whoever adopts orphans has a child as long as it has any descendant, and about children the kernel is exact.
    """
    until = time.monotonic() + patience
    while has_children():
        for pid in descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return False
    return True


def has_children() -> bool:
    """Take the exit codes of children that have ended; whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def thread_count(uid: int) -> int:
    """How many threads a user runs: the kernel counts them all against the limit of any one process."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == uid:
                    total += len(os.listdir(f"/proc/{name}/task"))
    return total


_NEW_USER, _NEW_PID, _NEW_NET, _NEW_IPC, _NEW_UTS = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
_CAPABILITY_COUNT = 64
_DROP_BOUNDING, _SUBREAPER, _PARENT_DEATH = 24, 36, 1
_CAPSET_VERSION = 0x20080522

_LIBC = ctypes.CDLL(None, use_errno=True)


def enter_namespaces(*, network: bool = False) -> None:
    """Leave the network, unless it is given, and the other users' things behind; the next child is the first process
    of its own world."""
    uid, gid = os.geteuid(), os.getegid()
    if _LIBC.unshare(_NEW_USER | _NEW_PID | (0 if network else _NEW_NET) | _NEW_IPC | _NEW_UTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def drop_capabilities() -> None:
    """Root without the powers of root: files that belong to it, and nothing else."""
    for number in range(_CAPABILITY_COUNT):
        _LIBC.prctl(_DROP_BOUNDING, number, 0, 0, 0)  # refused for those we never had
    header = struct.pack("=Ii", _CAPSET_VERSION, 0)
    if _LIBC.capset(ctypes.c_char_p(header), ctypes.c_char_p(b"\0" * 24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def adopt_orphans() -> None:
    """Become the parent of every grandchild whose parent dies: none can get away."""
    if _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "subreaper")


def die_with_parent(signal: int) -> None:
    """Get a signal when whoever started us is gone."""
    _LIBC.prctl(_PARENT_DEATH, signal, 0, 0, 0)
