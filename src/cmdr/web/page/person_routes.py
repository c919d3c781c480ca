"""Routes for the person's own page alone: whatever an agent holds, it gets no further than this."""

import json
from collections.abc import Awaitable, Callable
from json import JSONDecodeError

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.model.names import from_wire
from cmdr.web.replies import caller_of, refusal

Answer = Callable[[Request, Principal], Awaitable[Json | Response]]


def person_only(address: str, answer: Answer) -> Route:
    """A route that answers the person and refuses everybody else before anything is looked at."""
    method, _, path = address.partition(" ")

    async def endpoint(request: Request) -> Response:
        try:
            told = await answer(request, _person(request))
        except Exception as error:
            return refusal(request, error)
        return told if isinstance(told, Response) else JSONResponse(told)

    return Route(path, endpoint, methods=[method])


def _person(request: Request) -> Principal:
    caller = caller_of(request)
    if not caller.is_person:
        raise NotAllowed("This address is for the person's own page; agents have /mcp and /api.")
    return caller


def asked_path(request: Request) -> bytes:
    """The file or folder that a request is about."""
    path = from_wire(request.query_params.get("path", ""))
    if not path.startswith(b"/") or b"\0" in path:
        raise CommandError("The path must be whole.")
    return path


async def sent_object(request: Request) -> dict[str, Json]:
    """The JSON object that came with a request."""
    try:
        sent = json.loads(await request.body())
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise CommandError("The body is not JSON.") from None
    if not isinstance(sent, dict):
        raise CommandError("The body must be a JSON object.")
    return sent
