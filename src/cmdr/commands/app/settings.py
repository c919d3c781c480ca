"""The person's settings and keys."""

from typing import Annotated

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.settings import SETTINGS
from cmdr.model.names import printable
from cmdr.model.results.result import PlainText, Said
from cmdr.model.yaml_text import document


# The person's alone: an agent that could change settings could switch off what shows its own doings.
@command("settings.set", access=Access.ACT, title="Change a setting")
async def set_setting(
    call: Call, *, key: Annotated[str, Doc("as in appearance.theme")], value: str | int | bool
) -> Said:
    """Choose a value and keep it in the settings file."""
    chosen = await call.commander.settings.choose(key, value)
    call.events.changed()
    return Said(f"{key} is now {str(chosen).lower() if isinstance(chosen, bool) else chosen}")


@command("settings.bind", access=Access.ACT, title="Change a key")
async def bind(
    call: Call, *, action: str, keys: Annotated[list[str] | None, Doc("none brings the usual ones back")] = None
) -> Said:
    """Give an action or a command other keys."""
    await call.commander.settings.bind(action, keys)
    call.events.changed()
    chosen = "the usual keys" if keys is None else ", ".join(map(printable, keys)) or "no key"
    return Said(f"{printable(action)}: {chosen}")


@command("settings.list", access=Access.READ, title="All settings", idempotent=True)
def list_settings(call: Call) -> PlainText:
    """Every setting and what is chosen."""
    settings = call.commander.settings
    return PlainText(document({key: settings.get(key) for key in SETTINGS}))
