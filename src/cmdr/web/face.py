"""Everything of the browser face that the application mounts."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from cmdr.core.commander import Commander
from cmdr.http.browser_login import BrowserLogin
from cmdr.web.api.openapi import openapi
from cmdr.web.api.routes import api_routes
from cmdr.web.downloads import download_routes
from cmdr.web.page.routes import PageRoutes
from cmdr.web.replies import caller_of, key_page, page_of

STATIC = Path(__file__).parent / "static"


class WebFace:
    """The commander's page, REST, readable pages and the login."""

    def __init__(self, commander: Commander, login: BrowserLogin, port: int) -> None:
        self._commander = commander
        self._login = login
        self._cookie = f"cmdr-{port}"

    def routes(self) -> list[BaseRoute]:
        """All of them."""
        return [
            Route("/login", self._log_in, methods=["GET"]),
            Route("/", self._home, methods=["GET"]),
            Route("/api/openapi.json", self._openapi, methods=["GET"]),
            *download_routes(self._commander),
            *api_routes(self._commander),
            *PageRoutes(self._commander).all(),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    async def _log_in(self, request: Request) -> Response:
        """Log the browser in: the cookie goes to the browser, the key to the page, in its text and in no address."""
        given = self._login.exchange(request.query_params.get("code", ""))
        if given is None:
            text = "This link was used before or is too old. Get a new one with: cmdr web"
            return HTMLResponse(page_of("Log in", {"error": text}), 401)
        answer = HTMLResponse(key_page(given.key))
        answer.set_cookie(self._cookie, given.cookie, httponly=True, samesite="strict", path="/")
        return answer

    async def _home(self, request: Request) -> Response:
        """The two panes for the person; for programs, where to go on."""
        if caller_of(request).is_person:
            return FileResponse(STATIC / "page" / "index.html")
        url = self._commander.base_url
        log_in = "This browser is not logged in. To open the panes here, run in a terminal: cmdr web"
        links = {
            "panes": log_in,
            "indexes": f"{url}/api/indexes",
            "sets": f"{url}/api/resource-sets",
            "queries": f"{url}/api/queries",
        }
        return HTMLResponse(page_of("cmdr", {**links}))

    async def _openapi(self, request: Request) -> Response:
        return JSONResponse(openapi(self._commander.registry))
