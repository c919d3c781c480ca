"""What each client is allowed right now: its toolsets, its folders, until when, and what the person granted it."""

from dataclasses import dataclass
from enum import StrEnum

from cmdr.core.agents.activity import Caller
from cmdr.core.agents.grants import Grant
from cmdr.core.agents.tokens import DEFAULT, Client
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.model.root_spec import RootSpec

_BEHIND_A_TOKEN = {"fs", "shell"}


class Leave(StrEnum):
    """How far one grant goes for one client."""

    OFF = "switched off"
    """Nobody has it in this run, or this client never gets it."""
    ASKS = "asks each time"
    GIVEN = "given"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class ClientRights:
    """One client, as the policy sees its next call."""

    name: str
    toolsets: tuple[str, ...]
    roots: tuple[RootSpec, ...]
    """Where it may read and change files; none without the toolsets for that."""
    read_only: bool
    expires: float | None
    shell: Leave
    write: Leave
    has_own_token: bool
    calls: int = 0
    last: float | None = None


def client_rights(commander: Commander, clients: tuple[Client, ...]) -> list[ClientRights]:
    """Every client that has called, has a token of its own, or was granted something, by name."""
    known = {client.name: client for client in clients}
    callers = commander.activity.callers
    granted = {name for name, _, _ in commander.policy.grants.all()}
    names = sorted({*known, *callers, *granted})
    return [_rights(commander, name, known.get(name), callers.get(name)) for name in names]


def _rights(commander: Commander, name: str, client: Client | None, caller: Caller | None) -> ClientRights:
    principal = client.principal() if client is not None else _unnamed(name)
    policy = commander.policy
    toolsets = policy.toolsets if principal.toolsets is None else policy.toolsets & principal.toolsets
    if not principal.token:
        toolsets -= _BEHIND_A_TOKEN
    roots = commander.sandbox.roots if principal.roots is None else principal.roots
    return ClientRights(
        name,
        tuple(sorted(toolsets)),
        tuple(roots) if toolsets & _BEHIND_A_TOKEN else (),
        principal.read_only,
        None if client is None else client.expires,
        _shell(commander, principal, toolsets),
        _write(commander, principal, toolsets),
        client is not None,
        0 if caller is None else caller.calls,
        None if caller is None else caller.last,
    )


def _unnamed(name: str) -> Principal:
    return SAME_USER if name == SAME_USER.name else Principal("agent", name, token=name == DEFAULT.name)


def _shell(commander: Commander, principal: Principal, toolsets: frozenset[str]) -> Leave:
    if "shell" not in toolsets or principal.read_only:
        return Leave.OFF
    return Leave.GIVEN if commander.policy.grants.has(principal, Grant.SHELL) else Leave.ASKS


def _write(commander: Commander, principal: Principal, toolsets: frozenset[str]) -> Leave:
    if "fs" not in toolsets or principal.read_only or not commander.policy.allow_write:
        return Leave.OFF
    return Leave.WITHDRAWN if commander.policy.grants.is_withheld(principal, Grant.WRITE) else Leave.GIVEN
