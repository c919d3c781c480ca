"""Whose process is at the other end of a loopback TCP connection.

Linux knows the user of every socket; the client's end of our connection is looked up by its exact addresses. Only a
socket that some process still holds counts (it has an inode), because the kernel gives a closed one to user 0. Anything
unclear is None.
"""

import errno
import functools
import os
import socket
import struct
import sys
from collections.abc import Collection

Address = tuple[str, int]

LOOPBACK = "127.0.0.1"
_ESTABLISHED = 1
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI")
_OWNER = struct.Struct("=II")
"""The user and the inode, as the kernel reads them: the inode last, so where there is one the user was still known."""
_OWNER_OFFSET = _HEADER.size + 4 + 48 + 12
_NO_COOKIE = b"\xff" * 8


def peer_uid(peer: Address, ours: Address) -> int | None:
    """The user id of the process that connected from `peer` to `ours`, or None when it cannot be told."""
    if sys.platform != "linux" or peer[0] != LOOPBACK or ours[0] != LOOPBACK:
        return None
    if not (0 < peer[1] < 65536 and 0 < ours[1] < 65536):
        return None
    try:
        return _ask_kernel(peer, ours)
    except OSError:
        # Netlink may be missing from the kernel or forbidden in a container; the table says the same, only slower.
        return _read_table(peer, ours)


@functools.cache
def kernel_knows_peers() -> bool:
    """Whether this machine can say whose process is at the other end, tried once with a connection to ourselves."""
    try:
        with (
            socket.create_server((LOOPBACK, 0)) as listener,
            socket.create_connection(listener.getsockname()) as client,
        ):
            return peer_uid(client.getsockname(), listener.getsockname()) == os.geteuid()
    except OSError:
        return False


def _ask_kernel(peer: Address, ours: Address) -> int | None:
    ports = struct.pack("!HH", peer[1], ours[1])
    addresses = socket.inet_aton(peer[0]).ljust(16, b"\0") + socket.inet_aton(ours[0]).ljust(16, b"\0")
    identity = ports + addresses + struct.pack("=I", 0) + _NO_COOKIE
    body = _REQUEST.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 1 << _ESTABLISHED) + identity
    header = _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, 1, 1, 0)
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    with socket.socket(socket.AF_NETLINK, kind, _NETLINK_SOCK_DIAG) as asked:
        asked.settimeout(0.2)
        asked.sendto(header + body, (0, 0))
        answer, sender = asked.recvfrom(4096)
    # Only the kernel (port 0) may say who someone is; an error answer lands in the slower way.
    if sender[0] != 0 or len(answer) < _OWNER_OFFSET + _OWNER.size:
        raise OSError(errno.ENOENT, "no answer about this connection")
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        raise OSError(errno.ENOENT, "no answer about this connection")
    if answer[_HEADER.size + 4 : _HEADER.size + 8] != ports:
        return None
    uid, inode = _OWNER.unpack_from(answer, _OWNER_OFFSET)
    return int(uid) if inode else None


def _read_table(peer: Address, ours: Address, table: str = "/proc/net/tcp") -> int | None:
    try:
        # Of one row the inode may be read before the user; what a second look still finds was there at the first.
        owners = {_row(peer, ours, table) for _ in range(2)}
    except (OSError, ValueError, IndexError):
        return None
    if len(owners) != 1 or (owner := owners.pop()) is None:
        return None
    uid, inode = owner
    return uid if inode else None


def _row(peer: Address, ours: Address, table: str) -> tuple[int, int] | None:
    """The user and the inode of a socket in the table."""
    local, remote = _hex(peer), _hex(ours)
    with open(table, encoding="ascii") as rows:
        for row in rows:
            cells = row.split()
            if cells[1:3] == [local, remote]:
                return int(cells[7]), int(cells[9])
    return None


def client_sockets(ports: Collection[int]) -> frozenset[int]:
    """The inodes of all sockets of this machine that are connected to some ports of the loopback."""
    wanted = {_hex((LOOPBACK, port)) for port in ports}
    # A program may speak the older protocol through a socket of the newer.
    wanted |= {f"0000000000000000FFFF0000{address}" for address in wanted}
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as rows:
                for row in rows:
                    cells = row.split()
                    if len(cells) > 9 and cells[2] in wanted and int(cells[3], 16) == _ESTABLISHED:
                        found.add(int(cells[9]))
        except (OSError, ValueError):
            continue
    return frozenset(found)


def _hex(address: Address) -> str:
    (number,) = struct.unpack("=I", socket.inet_aton(address[0]))
    return f"{number:08X}:{address[1]:04X}"
