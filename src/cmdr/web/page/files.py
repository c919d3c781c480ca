"""What the page asks about one file or folder: its contents, its facts, what fills it."""

import os
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.threads import in_thread
from cmdr.core.transfers.downloads import OpenedImage, open_image
from cmdr.core.trees.folder_space import FolderSpace, space_in
from cmdr.model.names import to_wire
from cmdr.model.treemap import Box, squarify
from cmdr.web.page.links import PageLinks
from cmdr.web.page.person_routes import asked_path, person_only
from cmdr.web.page.rows import Style
from cmdr.web.page.views import Views, find_in, lines_of, text_to_edit, whole_number

CHUNK_BYTES = 1 << 18
TREEMAP_HEIGHT = 1000.0
"""The height of the box that everything is laid in; its width follows from the shape of the window."""


class FileRoutes:
    """Looking into things; nothing here changes anything."""

    def __init__(self, commander: Commander, links: PageLinks) -> None:
        self._commander = commander
        self._links = links
        self._views = Views()

    def all(self) -> list[Route]:
        """Every route."""
        return [
            person_only("GET /page/lines", self._lines),
            person_only("GET /page/find", self._find),
            person_only("GET /page/text", self._text),
            person_only("GET /page/image", self._image),
            person_only("GET /page/info", self._info),
            person_only("GET /page/treemap", self._treemap),
        ]

    async def _lines(self, request: Request, caller: Principal) -> Json:
        first = whole_number(request.query_params.get("first", "0"), "The first line")
        return await lines_of(await self._views.of(asked_path(request)), max(0, first))

    async def _find(self, request: Request, caller: Principal) -> Json:
        asked = request.query_params
        line, backwards = whole_number(asked.get("line", "-1"), "The line"), asked.get("back") == "1"
        return await find_in(
            await self._views.of(asked_path(request)), asked.get("text", ""), line, backwards=backwards
        )

    async def _text(self, request: Request, caller: Principal) -> Json:
        limit = self._commander.settings.number("advanced.editor_limit_kib") * 1024
        return await text_to_edit(asked_path(request), limit)

    async def _image(self, request: Request, caller: Principal) -> Json:
        """A link to an image, if it is one: an `img` sends no key."""
        path = asked_path(request)
        (await open_image(path)).close()

        async def drawn() -> Response:
            return _ImageResponse(await open_image(path))

        return {"href": self._links.make(request, drawn)}

    async def _info(self, request: Request, caller: Principal) -> Json:
        return [[name, value] for name, value in await self._commander.browser.facts.describe(asked_path(request))]

    async def _treemap(self, request: Request, caller: Principal) -> Json:
        path = asked_path(request)
        space = await space_in(self._commander, path, caller)
        if isinstance(space, str):
            return {"scan": space}
        return _treemap_json(path, space, _shape(request.query_params.get("shape", "")), Style.chosen(self._commander))


def _shape(text: str) -> float:
    """How many times wider than high the drawing is."""
    try:
        return min(5.0, max(0.2, float(text)))
    except ValueError:
        return 1.6


class _ImageResponse(StreamingResponse):
    """An open image; closes it whatever becomes of the connection."""

    def __init__(self, opened: OpenedImage) -> None:
        # Opened as a page of its own it is still only an image: nothing in it loads or runs anything.
        headers = {"content-length": str(opened.size), "content-security-policy": "sandbox; default-src 'none'"}
        super().__init__(_pieces(opened), media_type=opened.type, headers=headers)
        self._descriptor = opened.descriptor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            os.close(self._descriptor)


async def _pieces(opened: OpenedImage) -> AsyncIterator[bytes]:
    left, at = opened.size, 0
    while left:
        data = await in_thread(os.pread, opened.descriptor, min(CHUNK_BYTES, left), at)
        if not data:
            return
        left -= len(data)
        at += len(data)
        yield data


def _treemap_json(path: bytes, space: FolderSpace, shape: float, style: Style) -> dict[str, Json]:
    """Every large entry with its place, and the small ones together."""
    wide = TREEMAP_HEIGHT * shape
    boxes = squarify([*(filling.size for filling in space.largest), space.rest], Box(0, 0, wide, TREEMAP_HEIGHT))
    tiles: list[Json] = [
        _tile(to_wire(filling.name), filling.is_folder, filling.size, box, space.total, style)
        for filling, box in zip(space.largest, boxes, strict=False)
    ]
    if space.rest > 0:
        tiles.append(_tile("", False, space.rest, boxes[-1], space.total, style) | {"others": space.others})
    return {
        "path": to_wire(path),
        "wide": wide,
        "high": TREEMAP_HEIGHT,
        "total": ("" if space.complete else "≥") + style.size(space.total),
        "fresh": space.fresh,
        "tiles": tiles,
    }


def _tile(name: str, folder: bool, size: int, box: Box, total: int, style: Style) -> dict[str, Json]:
    return {
        "name": name,
        "folder": folder,
        "size": style.size(size),
        "share": f"{100 * size / total:.1f} %" if total else "",
        "x": round(box.x, 2),
        "y": round(box.y, 2),
        "width": round(box.width, 2),
        "height": round(box.height, 2),
    }
