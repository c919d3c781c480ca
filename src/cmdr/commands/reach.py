"""How far a caller's direct file tools reach."""

from cmdr.core.call import Call
from cmdr.files.sandbox.reach import Reach
from cmdr.model.names import from_wire


def reach_of(call: Call) -> Reach:
    """What this caller may get at: its own roots, or those all agents share."""
    return call.commander.sandbox.reach(call.principal.roots, read_only=call.principal.read_only)


def named(text: str) -> bytes:
    """The path a caller wrote, as bytes; where it leads is the sandbox's business alone."""
    return from_wire(text)
