"""The port of the editor socket: the same as last time where it is free, since clients do not follow to another."""

import os
import socket

from cmdr.core import places

REMEMBERED = "ide-port"


def listen(state: str | None = None) -> socket.socket:
    """A listening socket on the loopback, on the port of the last run if it is free."""
    path = os.path.join(state or places.state(), REMEMBERED)
    last = _remembered(path)
    for port in ([last] if last else []) + [0]:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen(64)
        except OSError:
            listener.close()
            if port == 0:
                raise
            continue
        if listener.getsockname()[1] != last:
            places.write(path, b"%d\n" % listener.getsockname()[1])
        return listener
    raise AssertionError("port 0 is either bound or raises")


def _remembered(path: str) -> int | None:
    try:
        data = places.read(path, 16)
    except places.UnsafePlace:
        return None
    text = (data or b"").decode("ascii", "replace").strip()
    return int(text) if text.isdecimal() and 1023 < int(text) < 65536 else None
