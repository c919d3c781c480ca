"""Who may run what: one place, asked for every call from every face."""

from cmdr.core.agents.grants import Grant, Grants
from cmdr.core.dispatch.principals import Access, Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS, Command
from cmdr.core.errors import NotAllowed, NotOffered

# Palette commands belong to no toolset of their own; whoever may use the panes may use them.
_PALETTE = "panes"
_FILES, _SHELL = "fs", "shell"
_BEHIND_A_TOKEN = frozenset({_FILES, _SHELL})
"""Contents and commands are only for callers that proved who they are."""


class Policy:
    """What is switched on for agents, and the person's kill switch.

    The two switches for writing and for the shell come from the environment at start and cannot be changed afterwards;
    each brings the toolset it is about.
    """

    def __init__(
        self,
        toolsets: frozenset[str] = DEFAULT_TOOLSETS,
        *,
        allow_write: bool = False,
        allow_shell: bool = False,
        grants: Grants | None = None,
    ) -> None:
        unknown = toolsets - ALL_TOOLSETS
        if unknown:
            raise ValueError(f"No toolset {', '.join(sorted(unknown))}. There are: {', '.join(sorted(ALL_TOOLSETS))}.")
        switched_on = {toolset for toolset, is_on in ((_FILES, allow_write), (_SHELL, allow_shell)) if is_on}
        self.toolsets = frozenset((toolsets - {_SHELL}) | switched_on)
        self.grants = grants or Grants()
        self._allow_write = allow_write
        self.agents_stopped = False

    @property
    def allow_write(self) -> bool:
        """Whether clients with a token may change files inside their roots, unless that was taken from them."""
        return self._allow_write

    def shows(self, command: Command, principal: Principal, toolsets: frozenset[str] | None = None) -> bool:
        """Whether a caller gets to know a command at all."""
        if principal.is_person:
            return True
        toolset = command.toolset or _PALETTE
        granted = self.toolsets if principal.toolsets is None else self.toolsets & principal.toolsets
        offered = toolset in granted or toolset in principal.own_toolsets
        return offered and (toolsets is None or toolset in toolsets) and self._may(command, principal)

    def admit(self, command: Command, principal: Principal) -> None:
        """Raise unless the caller may run the command now."""
        if principal.is_person:
            return
        if self.agents_stopped:
            raise NotAllowed("The person has stopped all agents. Wait until they allow agents again.")
        if command.toolset not in _BEHIND_A_TOKEN and command.access not in principal.access:
            raise NotAllowed(f"{command.name} is for the person only. Ask them to do it.")
        if not self.shows(command, principal):
            raise NotOffered(command.name, self._why_not(command, principal))
        if (
            command.access is Access.ACT
            and command.toolset == _FILES
            and self.grants.is_withheld(principal, Grant.WRITE)
        ):
            raise NotAllowed("The person has withdrawn your leave to change files. Ask them for it.")

    def _why_not(self, command: Command, principal: Principal) -> str:
        """What keeps a command from a caller; no more than the tools' documentation tells anybody."""
        toolset = command.toolset or _PALETTE
        if toolset == _SHELL and _SHELL not in self.toolsets:
            return "is switched off: the person starts cmdr with CMDR_MCP_ALLOW_SHELL=1"
        if toolset == _FILES and command.access is Access.ACT and not self._allow_write:
            return "is switched off: the person starts cmdr with CMDR_MCP_ALLOW_WRITE=1"
        if toolset not in self.toolsets:
            return f"is switched off: the person adds {toolset} to CMDR_MCP_TOOLSETS"
        if principal.toolsets is not None and toolset not in principal.toolsets:
            return f"is not among your token's toolsets, which lack {toolset}: cmdr token --client NAME --toolsets"
        if toolset in _BEHIND_A_TOKEN and not principal.token:
            return "needs a token: cmdr token --client NAME"
        return "changes things, and your token is read-only"

    def _may(self, command: Command, principal: Principal) -> bool:
        """Whether the caller's access reaches so far; acting is possible only behind a switch."""
        if command.toolset in _BEHIND_A_TOKEN:
            if not principal.token:
                return False
            if command.access is Access.ACT:
                is_on = self._allow_write if command.toolset == _FILES else _SHELL in self.toolsets
                return is_on and not principal.read_only
        changes = command.access is Access.PROPOSE or command.lasting
        return command.access in principal.access and not (principal.read_only and changes)
