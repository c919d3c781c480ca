"""Who sent an MCP request, and which toolsets its address asks for."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.http.authentication import PRINCIPAL

Context = ServerRequestContext[Any, Request]
OLDER_VERSIONS = frozenset({"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
"""The versions that open a session; clients of the first two do not name theirs."""


def is_older(ctx: Context) -> bool:
    """Whether a request is of a version that opens a session."""
    return ctx.request is not None and ctx.request.headers.get("mcp-protocol-version", "") in OLDER_VERSIONS


def caller_of(ctx: Context) -> Principal:
    """The principal that authentication proved for this request."""
    if ctx.request is None:
        raise MCPError(types.INTERNAL_ERROR, "The request came without its connection.")
    principal = ctx.request.scope.get(PRINCIPAL)
    if not isinstance(principal, Principal):
        raise MCPError(types.INTERNAL_ERROR, "The request did not pass the guard.")
    return principal


def conversation_of(ctx: Context) -> str:
    """The session that an older client opened; a newer one has none, and names what it wants to keep apart."""
    return "" if ctx.request is None else ctx.request.headers.get("mcp-session-id", "")


def toolsets_of(ctx: Context) -> frozenset[str] | None:
    """The toolsets named in `/mcp?toolsets=a,b`, or None for all that are switched on."""
    if ctx.request is None:
        return None
    named = ctx.request.query_params.get("toolsets")
    if named is None:
        return None
    toolsets = frozenset(named.split(",")) - {""}
    if unknown := toolsets - ALL_TOOLSETS:
        known = ", ".join(sorted(ALL_TOOLSETS))
        raise MCPError(types.INVALID_PARAMS, f"No toolset {min(unknown)[:40]}. There are: {known}.")
    return toolsets
