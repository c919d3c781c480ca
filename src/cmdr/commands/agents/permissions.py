"""What agents may do: stopping them all, grants and tokens of single clients, folders that language servers trust."""

from typing import Annotated

from cmdr.commands._paths import pane_of, path_of
from cmdr.core.agents.grants import Grant
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.names import printable, to_wire
from cmdr.model.plans.trust_plan import Extras
from cmdr.model.results.app import AgentAccess
from cmdr.model.results.result import PlainText, Said
from cmdr.model.units import count
from cmdr.model.yaml_text import Value, document


@command("agents.stop", access=Access.ACT, title="Stop all agents")
def stop_agents(call: Call) -> Said:
    """End every agent's call, drop what agents proposed, pause their jobs, and refuse new calls."""
    call.commander.stop_agents()
    paused = len(call.commander.jobs.paused_by_stop())
    return Said("All agents are stopped" + (f"; {count(paused, 'job')} of theirs paused" if paused else ""))


@command("agents.allow", access=Access.ACT, title="Allow agents again")
def allow_agents(call: Call) -> Said:
    """Let agents call again; jobs of theirs that were paused stay so until you let them go on."""
    call.commander.allow_agents()
    return Said("Agents may call again")


@command("app.access", access=Access.READ, title="What agents may do")
def access(call: Call) -> AgentAccess:
    """What this run lets agents do, as JSON: toolsets, switches, the folders their file tools may use, and what keeps
    it from recording what is done."""
    policy = call.commander.policy
    switches = [name for name, on in (("write", policy.allow_write), ("shell", "shell" in policy.toolsets)) if on]
    roots = tuple(str(root) for root in call.commander.sandbox.roots)
    return AgentAccess(tuple(sorted(policy.toolsets)), tuple(switches), roots, tuple(call.commander.warnings.texts()))


@command("grants.list", access=Access.ACT, title="What clients may do")
def list_grants(call: Call) -> PlainText:
    """The clients that were given or refused something in this run."""
    rows: list[Value] = [
        {"client": client, "grant": grant.value, "given": given}
        for client, grant, given in call.commander.policy.grants.all()
    ]
    return PlainText(document({"grants": rows}))


@command("grants.give", access=Access.ACT, title="Let a client do something")
def give_grant(call: Call, *, client: str, grant: Grant) -> Said:
    """Until cmdr ends: shell runs commands in the sandbox without asking, write gives back what was revoked."""
    call.commander.policy.grants.give(client, grant)
    call.events.changed()
    return Said(f"{printable(client, 40)} may use {grant} until cmdr ends")


@command("grants.revoke", access=Access.ACT, title="Take a grant back")
def revoke_grant(call: Call, *, client: str, grant: Grant) -> Said:
    """Shell asks each time again; write is refused."""
    call.commander.policy.grants.revoke(client, grant)
    call.events.changed()
    return Said(f"{printable(client, 40)} has {grant} no longer")


@command("clients.revoke", access=Access.ACT, title="Take a client's token back")
async def revoke_client(call: Call, *, client: str) -> Said:
    """Make a named client's token worthless, from its next call on."""
    tokens = call.commander.tokens
    if tokens is None or not await in_thread(tokens.revoke, client):
        raise CommandError(f"No client {printable(client, 40)} has a token of its own.")
    call.events.changed()
    return Said(f"{printable(client, 40)} must ask for a new token")


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
