"""The usual request, understood at a glance: a plain head, and a body of a told and modest length.

h11 takes any request apart with care, which is a third of all the time that an agent's call takes. Most requests come
from agents' clients and look alike; what is exactly as plain as described here means the same to h11, and whatever is
not (chunks, upgrades, odd spaces or letters, anything that could be read in two ways) is left to h11, untouched.
"""

import re
from dataclasses import dataclass

MOST_HEAD = 8 << 10
MOST_BODY = 64 << 10
"""Longer ones are read in parts, by h11 and the guard."""

_HEAD = re.compile(
    rb"(GET|POST|DELETE) (/[A-Za-z0-9/_.-]*)(\?[A-Za-z0-9=&,_.-]*)? HTTP/1\.1\r\n"
    rb"((?:[A-Za-z0-9-]+: [!-~]++(?: ++[!-~]++)*+\r\n)++)\r\n"
)
# These decide how a message is read or answered; plain ones have none of them, or in this one form only.
_DECIDING = frozenset(
    {b"transfer-encoding", b"upgrade", b"expect", b"te", b"trailer", b"proxy-connection", b"http2-settings"}
)


@dataclass(frozen=True, slots=True)
class PlainHead:
    """Everything before the body."""

    raw: bytes
    method: str
    path: str
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    """Names in small letters."""
    body_length: int


def plain_head(data: bytes) -> PlainHead | None:
    """The head that stands at the beginning of some bytes; None unless all of it is there and it is plain."""
    found = _HEAD.match(data, 0, MOST_HEAD)
    if found is None:
        return None
    headers: list[tuple[bytes, bytes]] = []
    seen: dict[bytes, bytes] = {}
    for line in found[4].splitlines():
        name, _, value = line.partition(b": ")
        name = name.lower()
        if name in _DECIDING:
            return None
        if name in (b"host", b"content-length", b"connection"):
            if name in seen:
                return None
            seen[name] = value
        headers.append((name, value))
    length = seen.get(b"content-length", b"0")
    if b"host" not in seen or seen.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return None
    if not length.isdigit() or len(length) > 6 or int(length) > MOST_BODY:
        return None
    query = found[3]
    return PlainHead(
        found[0],
        found[1].decode("ascii"),
        found[2].decode("ascii"),
        b"" if query is None else query[1:],
        tuple(headers),
        int(length),
    )
