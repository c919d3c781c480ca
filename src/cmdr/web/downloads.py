"""Raw contents over HTTP: always as an attachment, never something a browser would run, and few at once."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import quote_from_bytes

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from cmdr.core.admission.limits import DOWNLOADS
from cmdr.core.admission.quotas import ConcurrencyQuota
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.core.threads import in_thread
from cmdr.core.transfers.downloads import Download, open_download, open_raw
from cmdr.model.names import to_wire
from cmdr.web.replies import caller_of, refusal

CHUNK_BYTES = 1 << 18


def download_routes(commander: Commander) -> list[Route]:
    """Where agents take whole files: by a node of an index, and by the links of `fs_read`."""
    carrying = ConcurrencyQuota("download", DOWNLOADS)

    async def by_node(request: Request) -> Response:
        index, node = request.path_params["indexId"], request.path_params["nodeId"]
        return await taken(request, lambda caller: open_download(commander, caller, index, node))

    async def by_link(request: Request) -> Response:
        return await taken(request, lambda caller: open_raw(commander, caller, request.path_params["handle"]))

    async def taken(request: Request, opening: Callable[[Principal], Awaitable[Download]]) -> Response:
        try:
            caller = caller_of(request)
            carrying.begin(caller)
        except Exception as error:
            return refusal(request, error)
        try:
            opened = await opening(caller)
        except BaseException as error:
            carrying.end(caller)
            if not isinstance(error, Exception):
                raise
            return refusal(request, error)
        return Attachment(
            opened,
            is_stopped=lambda: commander.policy.agents_stopped and not caller.is_person,
            over=lambda: carrying.end(caller),
        )

    return [
        Route("/api/indexes/{indexId}/nodes/{nodeId}/download", by_node, methods=["GET"]),
        Route("/raw/{handle}", by_link, methods=["GET"]),
    ]


class Attachment(StreamingResponse):
    """An open file, to be saved under its name; closes it whatever becomes of the connection."""

    def __init__(
        self,
        opened: Download,
        is_stopped: Callable[[], bool] = lambda: False,
        over: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(_chunks(opened), media_type="application/octet-stream", headers=_as_a_file(opened.name))
        self.headers["content-length"] = str(opened.size)
        self._opened = opened
        self._is_stopped = is_stopped
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._opened.close()
            self._over()

    async def stream_response(self, send: Send) -> None:
        """Piece by piece, until the person stops the agents or the file turns out shorter: then the line is cut."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        left = self._opened.size
        async for piece in self.body_iterator:
            if self._is_stopped():
                return
            left -= len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
        if not self._opened.size:
            await send({"type": "http.response.body", "body": b""})


def attachment(opened: Download) -> StreamingResponse:
    """An open file, to be saved under its name."""
    return Attachment(opened)


def saved_as(name: bytes, pieces: AsyncIterator[bytes]) -> StreamingResponse:
    """Contents that a browser saves and does nothing else with."""
    return StreamingResponse(pieces, media_type="application/octet-stream", headers=_as_a_file(name))


def _as_a_file(name: bytes) -> dict[str, str]:
    return {
        "content-disposition": f"attachment; filename*=UTF-8''{quote_from_bytes(_text(name))}",
        "content-security-policy": "sandbox; default-src 'none'",
    }


def _text(name: bytes) -> bytes:
    """A name that browsers can read; one that is no text would be saved under a name of their own."""
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return to_wire(name).encode()
    return name


async def _chunks(opened: Download) -> AsyncIterator[bytes]:
    left = opened.size
    while left:
        data = await in_thread(os.read, opened.descriptor, min(CHUNK_BYTES, left))
        if not data:
            return
        left -= len(data)
        yield data
