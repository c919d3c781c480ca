"""The table of REST: which address runs which command, and how its result is told."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cmdr.core.admission.quotas import ConcurrencyQuota
from cmdr.core.commander import Commander
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.registry import Command
from cmdr.core.errors import CommandError
from cmdr.web.api import sets, trees
from cmdr.web.api.job_stream import followers, job_stream
from cmdr.web.api.links import Links
from cmdr.web.replies import answered, caller_of, refusal

Told = Callable[[Any, Links], Mapping[str, object]]
"""From the result of the route's command to its body."""


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """One address, the command behind it, and how what that returns is told."""

    method: str
    path: str
    command: str
    body: Told
    """Its return type is the schema of the answer."""
    streams: bool = False
    """Whether it can be followed, as server-sent events."""
    status: int = 200
    """Of the answer; 201 where something was made that has an address of its own."""

    @property
    def address(self) -> str:
        """As in `GET /api/jobs/{jobId}`."""
        return f"{self.method} {self.path}"


ROUTES = (
    ApiRoute("GET", "/api/sessions/{sessionId}", "session.show", trees.session),
    ApiRoute("GET", "/api/indexes", "index.list", trees.indexes),
    ApiRoute("GET", "/api/indexes/{indexId}", "index.info", trees.index),
    ApiRoute("GET", "/api/folders", "folder.page", trees.folder),
    ApiRoute("GET", "/api/places", "node.find", trees.place),
    ApiRoute("GET", "/api/indexes/{indexId}/nodes/{nodeId}", "node.show", trees.node),
    ApiRoute("GET", "/api/indexes/{indexId}/nodes/{nodeId}/detail", "node.detail", trees.detail),
    ApiRoute("GET", "/api/indexes/{indexId}/tree", "tree.page", trees.tree),
    ApiRoute("GET", "/api/indexes/{indexId}/reports/{kind}", "report.page", trees.report),
    ApiRoute("GET", "/api/jobs/{jobId}", "job.status", trees.job, streams=True),
    ApiRoute("GET", "/api/resource-sets", "set.list", sets.sets),
    ApiRoute("POST", "/api/resource-sets", "set.create", sets.set_card, status=201),
    ApiRoute("GET", "/api/resource-sets/{setId}", "set.show", sets.set_sample),
    ApiRoute("PATCH", "/api/resource-sets/{setId}", "set.rename", sets.set_card),
    ApiRoute("DELETE", "/api/resource-sets/{setId}", "set.delete", sets.deleted),
    ApiRoute("GET", "/api/resource-sets/{setId}/entries", "set.entries", sets.set_members),
    ApiRoute("POST", "/api/resource-sets/{setId}/entries", "set.add", sets.set_card),
    ApiRoute("PATCH", "/api/resource-sets/{setId}/entries", "set.change", sets.set_card),
    ApiRoute("DELETE", "/api/resource-sets/{setId}/entries", "set.remove", sets.set_card),
    ApiRoute("GET", "/api/queries", "savedQuery.list", sets.queries),
    ApiRoute("POST", "/api/queries", "savedQuery.save", sets.query_card, status=201),
    ApiRoute("GET", "/api/queries/{queryId}", "savedQuery.show", sets.query_filter),
    ApiRoute("PATCH", "/api/queries/{queryId}", "savedQuery.change", sets.query_card),
    ApiRoute("POST", "/api/queries/{queryId}/run", "savedQuery.run", sets.query_run, status=201),
    ApiRoute("DELETE", "/api/queries/{queryId}", "savedQuery.delete", sets.deleted),
)


def api_routes(commander: Commander) -> list[Route]:
    """All of them, to be mounted."""
    following = followers()
    return [
        Route(route.path, _endpoint(commander, route, following), methods=[route.method], name=route.command)
        for route in ROUTES
    ]


def _endpoint(
    commander: Commander, route: ApiRoute, following: ConcurrencyQuota
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            call = Call(commander, caller_of(request), address=route.address)
            command = commander.registry.find(route.command)
            if route.streams and "text/event-stream" in request.headers.get("accept", ""):
                return await job_stream(following, command, {**request.path_params}, call)
            answer = await commander.perform(command, await _arguments(request, command), call)
            return answered(request, route.body(answer.result, Links(commander.base_url)), route.status)
        except Exception as error:
            return refusal(request, error)

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
