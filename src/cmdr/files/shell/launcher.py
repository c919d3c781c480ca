"""The small program that holds a command behind Landlock: it gives up rights, starts it, and ends its whole family.

Its arguments are `[--namespaces] [--network] [--leash FD] [--limits N,N,N,N] --folder P [--write P]… [--read P]…
[--set N=V]… -- COMMAND…`. When the other end of the leash is closed, or whoever started this ends, everything below it
ends.
"""

import os
import resource
import select
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field

from cmdr.files.shell.family import end_family, threads_of
from cmdr.files.shell.landlock import restrict
from cmdr.files.shell.namespaces import adopt_orphans, die_with_parent, drop_capabilities, enter_namespaces
from cmdr.files.shell.syscall_filter import can_filter, filter_calls
from cmdr.files.shell.walls import ALIASES, NETWORK_SETTINGS, PROGRAMS, SETTINGS, Limits, Walls

_DEVICES = b"/dev/null /dev/zero /dev/full /dev/random /dev/urandom".split()
_ABOUT_THE_MACHINE = b"/proc/cpuinfo /proc/meminfo /proc/version /proc/filesystems".split()
_WALLED_OFF = 125
"""The exit code when the walls could not be built; the command was not started."""


@dataclass(slots=True)
class _Order:
    folder: bytes = b"/"
    write: list[bytes] = field(default_factory=list)
    read: list[bytes] = field(default_factory=list)
    namespaces: bool = False
    network: bool = False
    limits: Limits = field(default_factory=Limits)
    leash: int | None = None
    variables: list[tuple[str, str]] = field(default_factory=list)
    command: list[bytes] = field(default_factory=list)


def main() -> int:
    """Run one command and return its exit code."""
    order = _read(sys.argv[1:])
    die_with_parent(signal.SIGTERM)
    adopt_orphans()
    alarm, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    temporary = tempfile.mkdtemp(prefix="cmdr-shell-").encode()
    try:
        if order.namespaces:
            enter_namespaces(network=order.network)
        child = os.fork()
        if child == 0:
            _be_first(order, temporary) if order.namespaces else _become(order, temporary)
        return _watch(child, alarm, order.leash)
    finally:
        end_family()
        shutil.rmtree(temporary, ignore_errors=True)


def _read(arguments: list[str]) -> _Order:
    order = _Order()
    words = iter(arguments)
    for word in words:
        if word == "--":
            order.command = [os.fsencode(rest) for rest in words]
        elif word in ("--namespaces", "--network"):
            setattr(order, word[2:], True)
        elif word == "--leash":
            order.leash = int(next(words))
        elif word == "--limits":
            order.limits = Limits(*map(int, next(words).split(",")))
        elif word == "--set":
            name, _, value = next(words).partition("=")
            order.variables.append((name, value))
        elif word == "--folder":
            order.folder = os.fsencode(next(words))
        else:
            {"--write": order.write, "--read": order.read}[word].append(os.fsencode(next(words)))
    return order


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


def _be_first(order: _Order, temporary: bytes) -> None:
    """The first process of a new pid namespace: fetches orphans, and ends the namespace with the command."""
    die_with_parent(signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    child = os.fork()
    if child == 0:
        _become(order, temporary)
    while True:
        ended, status = os.wait()
        if ended == child:
            os._exit(_code(status))


def _become(order: _Order, temporary: bytes) -> None:
    """Build the walls around this process and turn it into the command."""
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        variables = (("TMPDIR", os.fsdecode(temporary)), *order.variables)
        walls = Walls(order.folder, limits=order.limits, variables=variables)
        for number in range(1, signal.NSIG):
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        os.chdir(order.folder)
        os.closerange(3, 1 << 16)
        _limit(walls, 0 if order.namespaces else threads_of(os.getuid()))
        drop_capabilities()
        settings = [*SETTINGS, *(NETWORK_SETTINGS if order.network else ())]
        machine = [path for path in _ABOUT_THE_MACHINE if os.path.exists(path)]
        restrict(
            write=[*order.write, temporary],
            read=[*PROGRAMS, *ALIASES, *settings, *machine, *order.read],
            use=_DEVICES,
            network=order.network,
        )
        if not can_filter():
            raise OSError("the system calls of this machine are not known here")  # noqa: TRY301
        filter_calls(sockets=order.network)
        os.execve(order.command[0], order.command, walls.environment())  # noqa: S606 - an argv list
    except BaseException as error:
        os.write(2, f"The sandbox could not be built: {error}\n".encode())
    os._exit(_WALLED_OFF)


def _limit(walls: Walls, others: int) -> None:
    limits = walls.limits
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
