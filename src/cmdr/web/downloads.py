"""Raw contents over HTTP: always as an attachment, never something a browser would run."""

import asyncio
import os
from collections.abc import AsyncIterator
from urllib.parse import quote_from_bytes

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from cmdr.core.commander import Commander
from cmdr.core.downloads import Download, open_download, open_raw
from cmdr.web.routes import caller_of, refusal

CHUNK = 1 << 18


def download_route(commander: Commander) -> Route:
    """`GET /api/indexes/{indexId}/nodes/{nodeId}/download`."""

    async def download(request: Request) -> Response:
        index, node = request.path_params["indexId"], request.path_params["nodeId"]
        try:
            opened = await open_download(commander, caller_of(request), index, node)
        except Exception as error:
            return refusal(request, error)
        return _attachment(opened)

    return Route("/api/indexes/{indexId}/nodes/{nodeId}/download", download, methods=["GET"])


def raw_route(commander: Commander) -> Route:
    """`GET /raw/{handle}`: where the links of `fs_read` lead."""

    async def raw(request: Request) -> Response:
        try:
            opened = await open_raw(commander, caller_of(request), request.path_params["handle"])
        except Exception as error:
            return refusal(request, error)
        return _attachment(opened)

    return Route("/raw/{handle}", raw, methods=["GET"])


def _attachment(opened: Download) -> StreamingResponse:
    return StreamingResponse(
        _chunks(opened),
        media_type="application/octet-stream",
        headers={
            "content-length": str(opened.size),
            "content-disposition": f"attachment; filename*=UTF-8''{quote_from_bytes(opened.name)}",
            "content-security-policy": "sandbox; default-src 'none'",
        },
    )


async def _chunks(opened: Download) -> AsyncIterator[bytes]:
    left = opened.size
    try:
        while left:
            data = await asyncio.to_thread(os.read, opened.descriptor, min(CHUNK, left))
            if not data:
                return
            left -= len(data)
            yield data
    finally:
        os.close(opened.descriptor)
