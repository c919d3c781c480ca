"""What agents can read: the state, the dialogs, the commands, jobs, proposals and sets."""

import logging
from urllib.parse import parse_qsl, unquote, urlsplit

import mcp_types as types
from mcp.shared.exceptions import MCPError

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotThere, UnknownCommand
from cmdr.mcp.caller import Context, caller_of, is_older
from cmdr.model.names import printable

log = logging.getLogger(__name__)

YAML = "application/yaml"
RESOURCE_NOT_FOUND = -32002
"""How the versions that open a session name it; later ones count it among the wrong parameters, and reserve this."""
STATE = "cmdr://state"
JOB = "cmdr://jobs/"
PROPOSAL = "cmdr://proposals/"
SET = "cmdr://sets/"
_COMMANDS = {
    STATE: ("state", "Both panes, volumes and dialogs"),
    "cmdr://dialogs/available": ("dialogs_available", "Which dialogs can be opened"),
    "cmdr://commands": ("commands_list", "Every command by its id"),
}


_TEMPLATES = (
    (STATE + "{?pane,limit,detail}", "state-part", "One pane, rows (limit), detail names, short or full"),
    (JOB + "{id}", "job", "How far a job has come"),
    (PROPOSAL + "{id}", "proposal", "What has become of a proposal"),
    (SET + "{id}", "set", "A resource set (by id or name) and its first members"),
)


def command_for(uri: str) -> tuple[str, Arguments] | None:
    """The command whose answer is a resource, or None when there is no such resource."""
    if uri.startswith(JOB):
        return "jobs.show", {"job": uri.removeprefix(JOB)}
    if uri.startswith(PROPOSAL):
        return "proposal.state", {"proposal": uri.removeprefix(PROPOSAL)}
    if uri.startswith(SET):
        return "set.show", {"setId": unquote(uri.removeprefix(SET))}
    try:
        parts = urlsplit(uri)
    except ValueError:  # not even an address
        return None
    found = _COMMANDS.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
    return None if found is None else (found[0], {**dict(parse_qsl(parts.query))})


class Resources:
    """Lists and reads; each resource is the answer of a command."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander

    async def list(
        self, ctx: Context | None = None, params: types.PaginatedRequestParams | None = None
    ) -> types.ListResourcesResult:
        """The fixed resources."""
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=uri.removeprefix("cmdr://"), description=text, mime_type=YAML)
                for uri, (_, text) in _COMMANDS.items()
            ]
        )

    async def templates(
        self, ctx: Context | None = None, params: types.PaginatedRequestParams | None = None
    ) -> types.ListResourceTemplatesResult:
        """Parts of the state, and single jobs, proposals and sets."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(uri_template=template, name=name, description=text, mime_type=YAML)
                for template, name, text in _TEMPLATES
            ]
        )

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one resource."""
        return await self.of(caller_of(ctx), str(params.uri), is_older=is_older(ctx))

    async def of(self, principal: Principal, uri: str, *, is_older: bool) -> types.ReadResourceResult:
        """The text of one resource for a caller of either era."""
        found, shown = command_for(uri), printable(uri, 200)
        not_found = RESOURCE_NOT_FOUND if is_older and uri else types.INVALID_PARAMS
        if found is None:
            raise MCPError(not_found, f"Resource not found: {shown}", data={"uri": shown})
        try:
            text = await self._commander.run(principal, *found)
        except NotThere as error:
            raise MCPError(not_found, str(error), data={"uri": shown}) from None
        except (CommandError, UnknownCommand) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Exception:
            log.exception("reading %s failed", found[0])
            raise MCPError(types.INTERNAL_ERROR, "cmdr failed inside; its log says how.") from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=YAML, text=text)])
