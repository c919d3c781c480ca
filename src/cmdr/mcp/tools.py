"""Commands as MCP tools: what is listed, and how a call becomes an answer."""

import logging
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from cmdr.core.commander import Commander
from cmdr.core.dispatch.call import Call, Progress
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import Command, title_of
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.mcp.caller import Context, caller_of, conversation_of, toolsets_of
from cmdr.mcp.proposal_links import ProposalLinks
from cmdr.mcp.tool_search import search_meta
from cmdr.model.content_part import AnswerPart, TextPart

log = logging.getLogger(__name__)


def tool_of(command: Command) -> types.Tool:
    """How a command is listed; what the protocol's defaults say, or a name does, is left out: agents pay for each.

    So is that a call may be repeated. A tool takes other spellings than it lists, so its schema forbids none; what is
    not understood is told in an error.
    """
    reads = command.access is Access.READ
    schema = command.schema()
    schema.pop("additionalProperties", None)
    return types.Tool(
        name=command.name,
        title=command.title if command.title != title_of(command.name) else None,
        description=command.description,
        input_schema=schema,
        annotations=types.ToolAnnotations(
            read_only_hint=True if reads else None,
            destructive_hint=None if reads else command.destructive,
            open_world_hint=False,
        ),
        _meta=search_meta(command.name),
    )


class Tools:
    """Lists and calls commands for one server."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._links = ProposalLinks(commander)
        self._told: dict[str, types.Tool] = {}

    async def list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools this caller gets to see; the same at every call, chosen by configuration, token and address."""
        available = self._commander.available(caller_of(ctx), toolsets_of(ctx))
        return types.ListToolsResult(tools=[self._tool(command) for command in available if command.is_tool])

    async def call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a command; what the caller can mend is an error text, everything else a protocol error."""
        try:
            call = Call(self._commander, caller_of(ctx), _progress_to(ctx), conversation=conversation_of(ctx))
            command, arguments = self._commander.registry.find(params.name), params.arguments or {}
            if (needed := self._links.ask_first(ctx, call.principal, command, arguments)) is not None:
                return needed
            async with self._links.beside(ctx, call.principal, command, arguments):
                answer = await self._commander.perform(command, arguments, call)
        except UnknownCommand as error:
            raise MCPError(types.INVALID_PARAMS, str(error)[:200]) from None
        except CommandError as error:
            return _said(f"ERROR: {error}", is_error=True)
        except Exception:
            log.exception("%s failed", params.name)
            raise MCPError(types.INTERNAL_ERROR, "cmdr failed inside; its log says how.") from None
        said = _said(answer.text, is_error=answer.failed)
        said.content += [_part(part) for part in call.parts]
        return said

    def schema(self, name: str) -> dict[str, Any] | None:
        """The input schema of a tool, asked by the SDK before each call."""
        try:
            return self._tool(self._commander.registry.find(name)).input_schema
        except UnknownCommand:
            return None

    def _tool(self, command: Command) -> types.Tool:
        if command.name not in self._told:
            self._told[command.name] = tool_of(command)
        return self._told[command.name]


def _said(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


def _part(part: AnswerPart) -> types.TextContent | types.ImageContent:
    if isinstance(part, TextPart):
        return types.TextContent(type="text", text=part.text)
    return types.ImageContent(type="image", data=part.data, mime_type=part.media_type)


def _progress_to(ctx: ServerRequestContext[Any, Any]) -> Progress:
    async def report(elapsed: float, message: str) -> None:
        await ctx.session.report_progress(elapsed, None, message)

    return report
