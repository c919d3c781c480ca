"""The body of a request: read whole by one, handed on to be read again by the next."""

from starlette.types import Message, Receive


async def read_body(receive: Receive) -> tuple[bytes, bool]:
    """The body, and whether all of it came."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts), False
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts), True


def read_again(body: bytes, whole: bool, receive: Receive) -> Receive:
    """A body that was read, to be read once more."""
    told = False

    async def once_more() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False} if whole else {"type": "http.disconnect"}

    return once_more
