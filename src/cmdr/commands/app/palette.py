"""The palette's commands: run one by its id, and list them all."""

from typing import cast

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.model.names import printable
from cmdr.model.results.result import PlainText, Result, Said
from cmdr.model.yaml_text import Value, document

MAX_ANSWER_CHARS = 6_000
"""Characters of one answer that an agent gets by way of `command`."""


@command("command", access=Access.VIEW, toolset="panes")
async def run_command(call: Call, *, id: str, args: dict[str, object] | None = None) -> Result:
    """Run a palette command by its id; cmdr://commands lists them."""
    try:
        found = call.commander.registry.find(id)
        if found.function is run_command:
            raise CommandError("command cannot run itself.")
        answer = await call.commander.perform(found, cast("Arguments", args or {}), call)
    except UnknownCommand:
        raise CommandError(f'No command "{printable(id)}". Read cmdr://commands for the ids.') from None
    # What faces read as data is told to agents as every other answer is: with its sign, and within a bound.
    is_as_ever = call.principal.is_person or not answer.result.is_plain or found.toolset
    return answer.result if is_as_ever else Said(_bounded(answer.text))


def _bounded(answer: str) -> str:
    if len(answer) <= MAX_ANSWER_CHARS:
        return answer
    kept = answer[:MAX_ANSWER_CHARS]
    kept = kept[: kept.rfind("\n") + 1] or kept + "\n"
    return f"{kept}# {len(answer) - len(kept)} more characters left out; ask for less, with args such as limit"


@command("commands_list", access=Access.READ, title="All commands", idempotent=True)
def commands_list(call: Call) -> PlainText:
    """Which commands there are, by the id that command takes."""
    told: list[Value] = []
    for found in call.commander.available(call.principal):
        if not found.is_in_palette:
            continue
        row: dict[str, Value] = {"id": found.id, "does": found.description}
        if found.parameters:
            row["args"] = " ".join(
                parameter.wire + ("" if parameter.required else "?") for parameter in found.parameters
            )
        told.append(row)
    return PlainText(document({"commands": told}))
