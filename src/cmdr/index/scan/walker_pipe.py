"""Messages between a walker and the application: `marshal` bodies behind four bytes of length."""

import marshal
import os

TYPE_CHECKING = False  # loading `typing` for it takes as long as all the rest
if TYPE_CHECKING:
    from typing import Any


def send(*message: "Any") -> None:
    """Tell the application something."""
    body = marshal.dumps(message)
    view = memoryview(len(body).to_bytes(4, "little") + body)
    while view:
        view = view[os.write(1, view) :]


def receive() -> "Any":
    """Wait for what the application has to say; when it is gone, the walker ends."""
    size = int.from_bytes(_read(4), "little")
    return marshal.loads(_read(size))  # noqa: S302 - from our own parent, through our own pipe


def _read(size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            os._exit(0)
        data += more
    return data
