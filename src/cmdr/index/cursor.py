"""Where a page ended, as an opaque text that only we can make.

A cursor holds the last row's sort key and id, so the next page begins right behind it whatever was added or removed
meanwhile. It is signed, and bound to one index, one epoch and one question.
"""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass

from cmdr.index.errors import BadCursor, ForeignCursor, StaleCursor

_SIGNATURE = 12
_LONGEST = 4096


@dataclass(frozen=True)
class Scope:
    """What a cursor is bound to."""

    index_id: str
    epoch: int
    question: str  # any text that tells one question and order from another

    def digest(self) -> str:
        return hashlib.sha256(f"{self.index_id}\0{self.question}".encode()).hexdigest()[:16]


def make_cursor(secret: bytes, scope: Scope, key: int | bytes, nid: int) -> str:
    """The cursor behind the row with this sort key and id."""
    place = ["b", key.hex()] if isinstance(key, bytes) else ["i", key]
    body = json.dumps([scope.digest(), scope.epoch, *place, nid], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_sign(secret, body) + body).decode().rstrip("=")


def read_cursor(secret: bytes, scope: Scope, cursor: str) -> tuple[int | bytes, int]:
    """The sort key and id behind which to go on; raises when it is forged, of another question, or outdated."""
    if len(cursor) > _LONGEST:
        raise BadCursor("This cursor is not one of ours; start again without it.")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as trouble:
        raise BadCursor("This cursor is not one of ours; start again without it.") from trouble
    signature, body = data[:_SIGNATURE], data[_SIGNATURE:]
    if not hmac.compare_digest(signature, _sign(secret, body)):
        raise BadCursor("This cursor is not one of ours; start again without it.")
    digest, epoch, kind, key, nid = json.loads(body)
    if digest != scope.digest():
        raise ForeignCursor("This cursor belongs to another listing; start again without it.")
    if epoch != scope.epoch:
        raise StaleCursor("The index has been rebuilt since this cursor was made; start again without it.")
    return (bytes.fromhex(key) if kind == "b" else int(key)), int(nid)


def _sign(secret: bytes, body: bytes) -> bytes:
    return hmac.new(secret, body, hashlib.sha256).digest()[:_SIGNATURE]
