"""The folders whose code language servers may run; the person's alone."""

from typing import Annotated

from cmdr.commands.places import pane_of, path_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.plans.trust_plan import Extras
from cmdr.model.results.result import PlainText, Said
from cmdr.model.yaml_text import Value, document


@command("trust.list", access=Access.ACT, title="Trusted folders")
async def list_trusted(call: Call) -> PlainText:
    """The folders in which language servers may run, and what they may do there."""

    def look() -> list[Value]:
        return [
            {
                "folder": to_wire(each.path),
                "also": each.extras.told or None,
                "state": "trusted" if each.stands else "gone, or another folder by now: not trusted",
            }
            for each in call.commander.trusting.trust.all()
        ]

    return PlainText(document({"trusted": await in_thread(look)}))


@command("trust.add", access=Access.ACT, title="Trust a folder")
async def add_trusted(
    call: Call,
    *,
    folder: str,
    network: bool = False,
    write: bool = False,
    read: Annotated[list[str] | None, Doc("further folders to read")] = None,
) -> Said:
    """Let language servers run code of a folder, behind walls: reading it, and more only if said so here."""
    extras = Extras(network, write, tuple(_path(call, each) for each in read or ()))
    added = await call.commander.trusting.add(_path(call, folder), extras)
    more = f" ({added.extras.told})" if added.extras.told else ""
    return Said(f"{to_wire(added.path)} is trusted{more}")


@command("trust.remove", access=Access.ACT, title="Trust a folder no more")
async def remove_trusted(call: Call, *, folder: str) -> Said:
    """Take trust in a folder back; language servers that run by it end."""
    path = _path(call, folder)
    if not await call.commander.trusting.remove(path):
        raise CommandError(f"{to_wire(path)} is not on the list of trusted folders. cmdr trust --list shows it.")
    return Said(f"{to_wire(path)} is trusted no longer")


def _path(call: Call, text: str) -> bytes:
    return path_of(text, pane_of(call.workspace, "focused").tab.path)
