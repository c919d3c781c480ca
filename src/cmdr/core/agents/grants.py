"""What the person lets single clients do beyond asking each time; it ends with this run of the program."""

from enum import StrEnum

from cmdr.core.dispatch.principals import Principal


class Grant(StrEnum):
    """What can be given to a client, and taken from it."""

    SHELL = "shell"
    """Run commands in the sandbox without asking the person each time. Without it, each is shown first."""
    WRITE = "write"
    """Change files inside the roots. With CMDR_MCP_ALLOW_WRITE every client has it until it is revoked."""


class Grants:
    """By client name. Only a person's commands change them; nothing of this is kept on disk."""

    def __init__(self) -> None:
        self._given: set[tuple[str, Grant]] = set()
        self._withheld: set[tuple[str, Grant]] = set()

    def give(self, client: str, grant: Grant) -> None:
        """Give, or give back."""
        self._given.add((client, grant))
        self._withheld.discard((client, grant))

    def revoke(self, client: str, grant: Grant) -> None:
        """Take away at once; what already runs is not stopped."""
        self._given.discard((client, grant))
        self._withheld.add((client, grant))

    def has(self, principal: Principal, grant: Grant) -> bool:
        """Whether it was given to this caller; the token-less never have anything."""
        return principal.token and (principal.name, grant) in self._given

    def is_withheld(self, principal: Principal, grant: Grant) -> bool:
        """Whether it was taken away from this caller."""
        return (principal.name, grant) in self._withheld

    def all(self) -> list[tuple[str, Grant, bool]]:
        """Every client that was given or refused something: name, what, and whether it has it."""
        rows = [(client, grant, True) for client, grant in self._given]
        rows += [(client, grant, False) for client, grant in self._withheld]
        return sorted(rows)
