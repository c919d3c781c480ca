"""Commands as routes: what comes over HTTP becomes arguments, what a command answers becomes JSON or a page."""

import json
import logging
from collections.abc import Awaitable, Callable
from json import JSONDecodeError
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from cmdr.core.commander import Commander
from cmdr.core.entrance.carrying import Carrying
from cmdr.core.entrance.guard import PRINCIPAL
from cmdr.core.errors import CommandError, NotAllowed, NotRecorded, NotThere, TooMany, UnknownCommand, Vanished
from cmdr.core.parameter import Arguments, Json
from cmdr.core.principals import Principal
from cmdr.core.registry import Command
from cmdr.web.job_stream import followers, job_stream
from cmdr.web.pages import page_of

log = logging.getLogger(__name__)

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotThere, 404),
    (UnknownCommand, 404),
    (Vanished, 410),
    (TooMany, 429),
    (NotAllowed, 403),
    (NotRecorded, 503),
    (CommandError, 400),
)


def routes_of(commander: Commander) -> list[Route]:
    """One route for each command that has one."""
    following = followers()
    return [_route(commander, command, following) for command in commander.registry if command.route is not None]


def caller_of(request: Request) -> Principal:
    """The principal that the guard proved."""
    principal = request.scope.get(PRINCIPAL)
    if not isinstance(principal, Principal):
        raise NotAllowed("The request did not pass the guard.")
    return principal


def _route(commander: Commander, command: Command, following: Carrying) -> Route:
    method, _, path = (command.route or "").partition(" ")
    return Route(path, _endpoint(commander, command, following), methods=[method], name=command.name)


def _endpoint(commander: Commander, command: Command, following: Carrying) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            if command.name == "rest_job" and "text/event-stream" in request.headers.get("accept", ""):
                return await job_stream(commander, following, caller_of(request), request.path_params["jobId"])
            arguments = await _arguments(request, command)
            answer = await commander.run(caller_of(request), command.name, arguments)
        except Exception as error:
            return refusal(request, error)
        return told(request, answer)

    return endpoint


async def _arguments(request: Request, command: Command) -> Arguments:
    arguments: Arguments = {**request.path_params}
    lists = {parameter.wire for parameter in command.parameters if list in parameter.accepts}
    for name in request.query_params:
        values = request.query_params.getlist(name)
        arguments[name] = [*values] if name in lists else values[-1]
    body = await request.body()
    if body:
        try:
            sent = json.loads(body)
        except (JSONDecodeError, UnicodeDecodeError, RecursionError):
            raise CommandError("The body is not JSON.") from None
        if not isinstance(sent, dict):
            raise CommandError("The body must be a JSON object.")
        arguments |= cast("Arguments", sent)
    return arguments


def told(request: Request, answer: str) -> Response:
    """An answer as JSON, or as a page for a browser."""
    if wants_page(request):
        return HTMLResponse(page_of(request.url.path, cast("Json", json.loads(answer))))
    return Response(answer, media_type="application/json")


def refusal(request: Request, error: Exception) -> Response:
    """An error with its status; what is nobody's fault but ours is logged, not told."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    if status == 500:
        log.error("%s failed", request.url.path, exc_info=error)
    text = str(error) if status != 500 else "cmdr failed inside; its log says how."
    headers = {"retry-after": str(-(-error.retry_after_ms // 1000))} if isinstance(error, TooMany) else None
    if wants_page(request):
        return HTMLResponse(page_of(request.url.path, {"error": text}), status, headers)
    return JSONResponse({"error": text}, status, headers)


def nothing_there(request: Request, error: Exception) -> Response:
    """The answer to an address or method that no route has, in the form of every other refusal."""
    assert isinstance(error, HTTPException)
    text = "There is nothing at this address; GET /api/openapi.json lists all there are."
    if error.status_code == 405:
        text = f"This address does not take {request.method}; GET /api/openapi.json lists what each takes."
    if wants_page(request):
        return HTMLResponse(page_of(request.url.path, {"error": text}), error.status_code, error.headers)
    return JSONResponse({"error": text}, error.status_code, error.headers)


def wants_page(request: Request) -> bool:
    """Whether a browser asks, rather than a program."""
    accept = request.headers.get("accept", "")
    return "text/html" in accept and "application/json" not in accept
