"""What agents are allowed."""

from dataclasses import dataclass

from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class AgentAccess(Data):
    """What this run lets agents do, and what keeps it from recording what is done."""

    kind = "agentAccess"
    toolsets: tuple[str, ...]
    switches: tuple[str, ...]
    roots: tuple[str, ...]
    warnings: tuple[str, ...]
