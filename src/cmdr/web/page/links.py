"""Links for what a browser fetches without the page's key: pictures and downloads, each once and soon."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import NotAllowed
from cmdr.core.transfers.short_links import ShortLinks
from cmdr.http.authentication import LINK, LOGIN_ID
from cmdr.web.page.person_routes import person_only

LINK_LIFETIME_S = 60.0
Answered = Callable[[], Awaitable[Response]]


class PageLinks:
    """Each link does the one thing it was made for, once, for the login that asked for it."""

    def __init__(self) -> None:
        self._links: ShortLinks[Answered] = ShortLinks(LINK_LIFETIME_S, is_single_use=True)

    def route(self) -> Route:
        """Where links lead."""
        return person_only(f"GET {LINK}{{handle}}", self._follow)

    def make(self, request: Request, answered: Answered) -> Json:
        """A link of the login that a request came from."""
        return f"{LINK}{self._links.make(_login(request), answered)}"

    async def _follow(self, request: Request, caller: Principal) -> Response:
        return await self._links.take(_login(request), request.path_params["handle"])()


def _login(request: Request) -> str:
    login = request.scope.get(LOGIN_ID)
    if not isinstance(login, str):
        raise NotAllowed("Links are for a browser that is logged in.")
    return login
