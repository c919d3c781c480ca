"""What every route of this face needs: who asks, and the form of an answer or a refusal, for programs and browsers."""

import json
import logging
from collections.abc import Mapping
from html import escape
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotAllowed, NotRecorded, NotThere, TooMany, UnknownCommand, Vanished
from cmdr.http.authentication import PRINCIPAL

_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="/static/cmdr.css"></head>
<body><header><a href="/api/indexes">indexes</a> <a href="/api/resource-sets">sets</a>
<a href="/api/queries">queries</a></header><main><h1>{title}</h1>
{body}
</main></body></html>
"""

_KEY_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>cmdr</title><link rel="stylesheet" href="/static/cmdr.css">
<meta name="cmdr-page" content="{key}"><script type="module" src="/static/page/login.js"></script></head>
<body><main><p id="told">Opening cmdr …</p><noscript><p>cmdr's page needs JavaScript.</p></noscript></main>
</body></html>
"""


def key_page(key: str) -> str:
    """The page that takes the key of a login into the browser's storage and goes on to the commander."""
    return _KEY_FRAME.format(key=escape(key))


def page_of(title: str, value: Json) -> str:
    """A whole page."""
    return _FRAME.format(title=escape(title), body=_block(value))


def _block(value: Json) -> str:
    if isinstance(value, dict):
        rows = "".join(f"<dt>{escape(key)}</dt><dd>{_block(item)}</dd>" for key, item in value.items())
        return f"<dl>{rows}</dl>"
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            return _table([item for item in value if isinstance(item, dict)])
        return "<ul>" + "".join(f"<li>{_block(item)}</li>" for item in value) + "</ul>"
    return _plain(value)


def _table(rows: list[dict[str, Json]]) -> str:
    columns = list(rows[0])
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_block(row.get(column))}</td>" for column in columns) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _plain(value: str | float | bool | None) -> str:
    if value is None:
        return "—"
    text = escape(str(value))
    if isinstance(value, str) and value.startswith("http://127.0.0.1:") and " " not in value:
        return f'<a href="{text}">{text}</a>'
    return text


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


def caller_of(request: Request) -> Principal:
    """The principal that authentication proved."""
    principal = request.scope.get(PRINCIPAL)
    if not isinstance(principal, Principal):
        raise NotAllowed("The request did not pass the guard.")
    return principal


def answered(request: Request, body: Mapping[str, object], status: int = 200) -> Response:
    """A body as JSON, or as a page for a browser; of something new the address is told in the head as well."""
    if wants_page(request):
        return HTMLResponse(page_of(request.url.path, cast("Json", body)), status)
    link = body.get("link")
    headers = {"location": link} if status == 201 and isinstance(link, str) else None
    return Response(json.dumps(body), status, headers, "application/json")


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
