"""Files between the panes and the person's browser: taken out as they are or as one zip, brought in piece by piece."""

import base64
import binascii
from collections.abc import AsyncIterator, Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cmdr.core.audit.log import AuditRecord, digest_of
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.core.transfers.downloads import Archive, open_chosen
from cmdr.core.transfers.uploads import Uploads
from cmdr.model.names import to_wire
from cmdr.model.panes.tab import SelectedEntries
from cmdr.web.downloads import attachment, saved_as
from cmdr.web.page.chosen import ChosenFiles
from cmdr.web.page.links import PageLinks
from cmdr.web.page.person_routes import person_only, sent_object


class TransferRoutes:
    """Nothing here changes the person's files: what was brought in waits for the engine to copy it."""

    def __init__(
        self, commander: Commander, chosen: ChosenFiles, links: PageLinks, uploads: Uploads | None = None
    ) -> None:
        self._commander = commander
        self._chosen = chosen
        self._links = links
        self._uploads = uploads or Uploads()

    def all(self) -> list[Route]:
        """Every route."""
        return [
            person_only("POST /page/download/{id}", self._download),
            person_only("POST /page/uploads", self._begin),
            person_only("POST /page/uploads/{id}", self._piece),
            person_only("POST /page/uploads/{id}/whole", self._whole),
            person_only("POST /page/uploads/{id}/drop", self._drop),
        ]

    async def _download(self, request: Request, caller: Principal) -> Json:
        """A link for saving what was chosen, if it can be: a browser saves even a refusal as a file."""
        chosen = self._chosen.get(request.path_params["id"])
        opened = await open_chosen(chosen)
        if not isinstance(opened, Archive):
            opened.close()

        async def saved() -> Response:
            opened = await open_chosen(chosen)
            self._note(caller, chosen)
            return saved_as(opened.name, _pieces(opened.pieces)) if isinstance(opened, Archive) else attachment(opened)

        return {"name": to_wire(opened.name), "href": self._links.make(request, saved)}

    def _note(self, caller: Principal, chosen: SelectedEntries) -> None:
        names = [to_wire(name) for name in chosen.first_names(5)]
        told = digest_of({"folder": to_wire(chosen.folder), "names": [*names]})
        self._commander.audit.record(AuditRecord(caller.id, "page download", told, "ok", paths=tuple(names)))

    async def _begin(self, request: Request, caller: Principal) -> Json:
        return {"id": await in_thread(self._uploads.begin)}

    async def _piece(self, request: Request, caller: Principal) -> Json:
        sent = await sent_object(request)
        way, at, data = sent.get("way"), sent.get("at"), sent.get("data")
        if not isinstance(way, list) or not all(isinstance(name, str) for name in way):
            raise CommandError("The way to a file is a list of names.")
        names = [str(name) for name in way]
        if at is None:
            await in_thread(self._uploads.add_folder, request.path_params["id"], names)
        elif isinstance(at, int) and at >= 0 and isinstance(data, str):
            await in_thread(self._uploads.add, request.path_params["id"], names, at, _decoded(data))
        else:
            raise CommandError("A piece of a file has a place and data.")
        return {}

    async def _whole(self, request: Request, caller: Principal) -> Json:
        paths = await in_thread(self._uploads.whole, request.path_params["id"])
        return {"paths": [to_wire(path) for path in paths]}

    async def _drop(self, request: Request, caller: Principal) -> Json:
        await in_thread(self._uploads.drop, request.path_params["id"])
        return {}


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise CommandError("The data of a piece is base64.") from None


async def _pieces(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await in_thread(next, pieces, None)) is not None:
        yield piece
