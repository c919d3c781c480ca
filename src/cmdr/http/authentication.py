"""The one layer in front of every route, http and websocket: who may talk to cmdr at all.

A web page must never reach the files through the browser, another user never through the port. So every request
names exactly this host and, if it comes from a page, exactly this origin, and the kernel is asked whose process is at
the other end: another user's gets no further, whatever it holds. Then it proves who sent it:

- a bearer token: the agent it was issued to;
- a login cookie and the key that belongs to it, when the browser face is wired in: the person;
- a login cookie alone: no more than what loads a page that then sends its key, and links made for one purpose;
- nothing, but the kernel says the same user holds the other end: `SAME_USER`, an agent that sees names only.

What passes carries `scope["cmdr.principal"]`, and `scope["cmdr.login"]` if it is from a browser; everything else is
answered here. Plain ASGI, standard library only.
"""

import os
from collections.abc import Callable, Mapping
from typing import Protocol

from cmdr.core.admission.fair_semaphore import Permit
from cmdr.core.admission.limits import BODY_TIMEOUT_S, MAX_BODY_BYTES
from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.core.runtime.peer import Address, kernel_knows_peers, peer_uid
from cmdr.http.admission import ANONYMOUS, Admission, TooManyRequests
from cmdr.http.browser_login import BROWSER, Login
from cmdr.http.request_limits import (
    SAFE_METHODS,
    App,
    Exchange,
    Headers,
    Receive,
    Refused,
    Scope,
    Send,
    check_body,
    read_headers,
)

PRINCIPAL = "cmdr.principal"
LOGIN_ID = "cmdr.login"
"""Which login of a browser a request belongs to."""
PEER = "cmdr.peer"
"""Where a connection's state keeps the user at its other end: asked once, a socket does not change hands."""
PAGE_KEY = b"x-cmdr-page"
"""The header in which a page sends the key of its login."""
MCP = "/mcp"
HEALTH = "/mcp/health"
LOGIN = "/login"
LINK = "/link/"
"""Addresses for one purpose and a short time, for what a browser fetches without our headers."""
NOT_LOGGED_IN = "This browser is not logged in to cmdr: open the link that cmdr web prints. A program needs a token"

_ROOT = 0
# The page's own files, which hold nothing of anybody's, and links that were made for this very login.
_COOKIE_ALONE = ("/static/", LINK)
_READABLE = "/api/"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
# Only a proxy sets these. Behind one, the user at the other end is the proxy's, and uvicorn may have replaced the
# peer address by what the header claims: neither tells who is calling.
_PROXIED = frozenset({b"forwarded", b"via", b"x-real-ip"})


class Verifier(Protocol):
    """What authentication needs of the tokens."""

    path: str

    def verify(self, token: str) -> Principal | None: ...


class Logins(Protocol):
    """What authentication needs of the browsers that were let in."""

    def login(self, cookie: str) -> Login | None: ...


class Unauthenticated(Refused):
    """A well-formed request that does not prove who sent it."""


class OtherUser(Unauthenticated):
    """A request from a process of another user of this machine."""


class Authentication:
    """Wraps an ASGI application; nothing reaches it without passing every rule here."""

    def __init__(
        self,
        app: App,
        *,
        port: int,
        tokens: Verifier,
        logins: Logins | None = None,
        max_body: int = MAX_BODY_BYTES,
        body_limits: Mapping[str, int] | None = None,
        body_seconds: float = BODY_TIMEOUT_S,
        peer: Callable[[Address, Address], int | None] = peer_uid,
        knows_peers: Callable[[], bool] = kernel_knows_peers,
        admission: Admission | None = None,
    ) -> None:
        """`logins` knows the values of the cookie `cmdr-<port>`; `body_limits` maps path prefixes; `knows_peers` says
        whether the kernel knows the users of connections, so that one it does not know is suspect."""
        self._admission = admission or Admission()
        self.app = app
        self._tokens = tokens
        self._logins = logins
        self._peer = peer
        self._knows_peers = knows_peers
        self._body_seconds = body_seconds
        self._max_body = max_body
        self._limits = sorted((body_limits or {}).items(), key=lambda item: -len(item[0]))
        self._hosts = frozenset({f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()})
        self._origins = frozenset(b"http://" + host for host in self._hosts)
        self._cookie = f"cmdr-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        exchange = Exchange(scope, receive, send, self._body_limit(scope["path"]), self._body_seconds)
        headers: Headers = {}
        try:
            headers = read_headers(scope["headers"])
            self._check_host_and_origin(scope, headers)
            if scope["type"] == "http":
                check_body(scope["method"], headers, exchange.limit)
            principal = await self._authenticate(scope, headers)
            if scope["type"] == "http" and not await exchange.read_ahead(headers):
                return
            permit = await self._admit(principal)
        except Unauthenticated as refused:
            if _is_call(scope):
                return await exchange.refuse_rpc(refused, headers)
            return await exchange.refuse(refused)
        except TooManyRequests as too_many:
            return await exchange.refuse_rate(too_many, is_call=_is_call(scope))
        except Refused as refused:
            return await exchange.refuse(refused)
        exchange.answering = permit.release if permit is not None else None
        try:
            await exchange.run(self.app, {**scope, PRINCIPAL: principal})
        finally:
            if permit is not None:
                permit.release()

    async def _authenticate(self, scope: Scope, headers: Headers) -> Principal | None:
        """Who sent this; all who prove nothing are counted as one."""
        try:
            principal = self._principal(scope, headers)
        except Unauthenticated:
            await self._admission.count(ANONYMOUS)
            raise
        if principal is None or not principal.is_person:
            await self._admission.count(_caller(principal))
        return principal

    async def _admit(self, principal: Principal | None) -> Permit | None:
        """Wait until it may begin; by now its body is here, so nobody's turn is spent on waiting for it."""
        if principal is not None and principal.is_person:
            return None
        return await self._admission.enter(_caller(principal))

    def _check_host_and_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse whatever was not meant for exactly this server by exactly this server's own pages."""
        if headers.get(b"host", b"").lower() not in self._hosts:
            raise Refused(421, "This is not the host you asked for; use 127.0.0.1 or localhost with cmdr's port.")
        if not scope["path"].startswith("/"):
            raise Refused(400, "The request target is not a path.")
        if scope["path"].startswith("/.well-known/"):
            raise Refused(404, "There is nothing here.")  # where clients look for an OAuth server
        origin = headers.get(b"origin")
        if origin is not None and origin not in self._origins:
            raise Refused(403, "Pages of other origins may not talk to cmdr.")
        if headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
            raise Refused(403, "Other sites may not talk to cmdr.")
        if scope["type"] == "http" and scope["method"] not in _METHODS:
            raise Refused(405, "cmdr does not answer this method.")

    def _principal(self, scope: Scope, headers: Headers) -> Principal | None:
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        if is_get and scope["path"] == HEALTH:
            return None  # anyone may know that it is alive
        self._check_user(scope)
        if is_get and scope["path"] == LOGIN:
            return None  # a login link carries its own proof
        if b"authorization" in headers:
            return self._by_token(headers)
        if b"cookie" in headers:
            return self._by_cookie(scope, headers)
        if self._is_same_user(scope, headers):
            return SAME_USER
        is_browser = any(name.startswith(b"sec-fetch-") for name in headers)
        raise self._unauthenticated(NOT_LOGGED_IN if is_browser else "cmdr needs a token")

    def _by_token(self, headers: Headers) -> Principal:
        if b"origin" in headers:
            raise Refused(403, "A token is for programs; a page must log in.")
        scheme, _, token = headers[b"authorization"].partition(b" ")
        principal = self._tokens.verify(token.decode("latin-1")) if scheme.lower() == b"bearer" else None
        # A wrong token never falls back to the same-user tier: whoever sends one wants to be someone.
        if principal is None:
            raise self._unauthenticated("cmdr does not know this token")
        return principal

    def _by_cookie(self, scope: Scope, headers: Headers) -> Principal:
        value = cookie_value(headers[b"cookie"], self._cookie)
        login = self._logins.login(value) if self._logins is not None and value is not None else None
        if login is None:
            raise self._unauthenticated(NOT_LOGGED_IN)
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and b"origin" not in headers:
            raise Refused(403, "A logged-in page names its origin.")
        scope[LOGIN_ID] = login.id
        if (key := headers.get(PAGE_KEY)) is not None:
            # A wrong key never falls back to what the cookie alone opens.
            if login.holds(key.decode("latin-1")):
                return BROWSER
        elif not changes:
            if scope["path"] == "/" or scope["path"].startswith(_COOKIE_ALONE):
                return BROWSER
            if scope["path"].startswith(_READABLE) and self._user(scope) == os.geteuid() and not _is_proxied(headers):
                return SAME_USER  # a page to read, with no more in it than any program of this user is told
        raise self._unauthenticated(NOT_LOGGED_IN)

    def _check_user(self, scope: Scope) -> None:
        """Refuse another user's process, as far as the kernel can tell.

        Root may bring a secret: it can read them all anyway, and what forwards connections for containers and virtual
        machines runs as root. Who closes a connection so that nobody can tell whose it was is refused as well.
        """
        uid = self._user(scope)
        if uid in (os.geteuid(), _ROOT) or (uid is None and not self._knows_peers()):
            return
        raise OtherUser(
            403, "This cmdr talks to programs of its own user only, and the system does not say that this is one."
        )

    def _user(self, scope: Scope) -> int | None:
        """The user at the other end of the connection, or None when it cannot be told."""
        known: dict[str, int | None] = scope.get("state", {}).get(PEER, {})
        if "uid" not in known:
            peer, ours = scope.get("client"), scope.get("server")
            known["uid"] = self._peer((peer[0], peer[1]), (ours[0], ours[1])) if peer and ours else None
        return known["uid"]

    def _is_same_user(self, scope: Scope, headers: Headers) -> bool:
        """Whether this comes from a program of ours that is not a browser, as far as the kernel and headers can tell.

        Every current browser sends Sec-Fetch-Site and -Dest to a loopback address, and Origin with everything but
        plain reads. Node's own `fetch`, which many agents are built on, sends Sec-Fetch-Mode alone, so that one
        header proves no browser. Our own exact origin without any of them is what a native client sends that plays
        by the letter of the protocol's origin check (the conformance suite does); a page of ours always has more.
        """
        fetch = {name for name in headers if name.startswith(b"sec-fetch-")}
        if fetch - ({b"sec-fetch-mode"} if b"origin" not in headers else set()):
            return False
        return not _is_proxied(headers) and self._user(scope) == os.geteuid()

    def _unauthenticated(self, why: str) -> Unauthenticated:
        return Unauthenticated(
            401,
            f"{why}: send the header 'Authorization: Bearer TOKEN' with the token in {self._tokens.path}, "
            "or make one with: cmdr token --client NAME",
        )

    def _body_limit(self, path: str) -> int:
        for prefix, limit in self._limits:
            if path == prefix or path.startswith(prefix.rstrip("/") + "/"):
                return limit
        return self._max_body


def _caller(principal: Principal | None) -> str:
    return ANONYMOUS if principal is None else principal.id


def _is_proxied(headers: Headers) -> bool:
    return any(name in _PROXIED or name.startswith(b"x-forwarded-") for name in headers)


def _is_call(scope: Scope) -> bool:
    """Whether an agent sends a message, which is answered in its own language."""
    return bool(scope["type"] == "http" and scope["path"] == MCP and scope["method"] == "POST")


def cookie_value(header: bytes, name: str) -> str | None:
    """The value of one cookie; None when it is missing or given twice."""
    pairs = (part.strip().partition("=") for part in header.decode("latin-1").split(";"))
    values = [value for key, _, value in pairs if key == name]
    return values[0] if len(values) == 1 else None
