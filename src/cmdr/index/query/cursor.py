"""Where a page ended, as an opaque text that only we can make.

A cursor holds the last row's sort key and id, so the next page begins right behind it whatever was added or removed
meanwhile. It is signed, and bound to one index, one snapshot and one question.
"""

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass

from cmdr.index.errors import BadCursor, ForeignCursor, StaleCursor

_SIGNATURE = 9
_HEAD = struct.Struct("<6sIIc")  # the question, the snapshot, the row's id, and what kind of key follows
_MAX_CURSOR_CHARS = 4096


@dataclass(frozen=True)
class Scope:
    """What a cursor is bound to."""

    index_id: str
    epoch: int
    question: str  # any text that tells one question and order from another

    def digest(self) -> bytes:
        return hashlib.sha256(f"{self.index_id}\0{self.question}".encode()).digest()[:6]


def make_cursor(secret: bytes, scope: Scope, key: int | bytes, nid: int) -> str:
    """The cursor behind the row with this sort key and id."""
    kind, place = b"b", key
    if isinstance(place, int):
        kind, place = b"i", place.to_bytes(place.bit_length() // 8 + 1, "little", signed=True)
    body = _HEAD.pack(scope.digest(), scope.epoch, nid, kind) + place
    return base64.urlsafe_b64encode(_sign(secret, body) + body).decode().rstrip("=")


def read_cursor(secret: bytes, scope: Scope, cursor: str) -> tuple[int | bytes, int]:
    """The sort key and id behind which to go on; raises when it is forged, of another question, or outdated."""
    if len(cursor) > _MAX_CURSOR_CHARS:
        raise BadCursor("This cursor is not one of ours; start again without it.")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as trouble:
        raise BadCursor("This cursor is not one of ours; start again without it.") from trouble
    signature, body = data[:_SIGNATURE], data[_SIGNATURE:]
    if not hmac.compare_digest(signature, _sign(secret, body)):
        raise BadCursor("This cursor is not one of ours; start again without it.")
    digest, epoch, nid, kind = _HEAD.unpack_from(body)
    key = body[_HEAD.size :]
    if digest != scope.digest():
        raise ForeignCursor("This cursor belongs to another listing; start again without it.")
    if epoch != scope.epoch:
        raise StaleCursor("The index has been rebuilt since this cursor was made; start again without it.")
    return (key if kind == b"b" else int.from_bytes(key, "little", signed=True)), int(nid)


def _sign(secret: bytes, body: bytes) -> bytes:
    return hmac.digest(secret, body, "sha256")[:_SIGNATURE]
