"""What agents can read: the state, the dialogs and the commands."""

import logging
from urllib.parse import parse_qsl, urlsplit

import mcp_types as types
from mcp.shared.exceptions import MCPError

from cmdr.core.commander import Commander
from cmdr.core.errors import CommandError
from cmdr.mcp.caller import Context, caller_of

log = logging.getLogger(__name__)

YAML = "application/yaml"
STATE = "cmdr://state"
_COMMANDS = {
    STATE: ("state", "Both panes, volumes and dialogs"),
    "cmdr://dialogs/available": ("dialogs_available", "Which dialogs can be opened"),
    "cmdr://commands": ("commands_list", "Every command by its id"),
}


class Resources:
    """Lists and reads; each resource is the answer of a command."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander

    async def list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """The fixed resources."""
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=uri.removeprefix("cmdr://"), description=text, mime_type=YAML)
                for uri, (_, text) in _COMMANDS.items()
            ]
        )

    async def templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The state with a choice of pane, rows and detail."""
        template = types.ResourceTemplate(
            uri_template=STATE + "{?pane,limit,detail}",
            name="state-part",
            description="One pane, more or fewer rows (limit), detail names, short or full",
            mime_type=YAML,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one resource."""
        uri = str(params.uri)
        parts = urlsplit(uri)
        found = _COMMANDS.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri[:200]}", data={"uri": uri[:200]})
        try:
            text = await self._commander.run(caller_of(ctx), found[0], {**dict(parse_qsl(parts.query))})
        except CommandError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Exception:
            log.exception("reading %s failed", found[0])
            raise MCPError(types.INTERNAL_ERROR, "cmdr failed inside; its log says how.") from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=YAML, text=text)])
