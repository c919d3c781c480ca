"""Who may run what: one place, asked for every call from every face."""

from cmdr.core.errors import NotAllowed, UnknownCommand
from cmdr.core.principals import Principal
from cmdr.core.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS, Command

# Palette commands belong to no toolset of their own; whoever may use the panes may use them.
_PALETTE = "panes"


class Policy:
    """What is switched on for agents, and the person's kill switch."""

    def __init__(self, toolsets: frozenset[str] = DEFAULT_TOOLSETS) -> None:
        unknown = toolsets - ALL_TOOLSETS
        if unknown:
            raise ValueError(f"No toolset {', '.join(sorted(unknown))}. There are: {', '.join(sorted(ALL_TOOLSETS))}.")
        self.toolsets = toolsets
        self.agents_stopped = False

    def shows(self, command: Command, principal: Principal, toolsets: frozenset[str] | None = None) -> bool:
        """Whether a caller gets to know a command at all."""
        if principal.is_person:
            return True
        toolset = command.toolset or _PALETTE
        granted = self.toolsets if principal.toolsets is None else self.toolsets & principal.toolsets
        return toolset in granted and (toolsets is None or toolset in toolsets) and command.access in principal.access

    def admit(self, command: Command, principal: Principal) -> None:
        """Raise unless the caller may run the command now."""
        if principal.is_person:
            return
        if self.agents_stopped:
            raise NotAllowed("The person has stopped all agents. Wait until they allow agents again.")
        if command.access not in principal.access:
            raise NotAllowed(f"{command.name} is for the person only. Ask them to do it.")
        if not self.shows(command, principal):
            raise UnknownCommand(command.name)
