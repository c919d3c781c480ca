"""What single clients may do without asking; the person's alone."""

from cmdr.core.agents.grants import Grant
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import printable
from cmdr.model.results.result import PlainText, Said
from cmdr.model.yaml_text import Value, document


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
