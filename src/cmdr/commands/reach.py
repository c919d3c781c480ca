"""How far a caller's direct file tools reach."""

import os

from cmdr.core.call import Call
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import from_wire


def reach_of(call: Call) -> PathResolver:
    """What this caller may get at: its own roots, or those all agents share."""
    return call.commander.sandbox.resolver(call.principal.roots, read_only=call.principal.read_only)


def as_asked(call: Call, text: str) -> bytes:
    """The whole path as the caller wrote it, links and all: the name by which other programs may know the place."""
    roots = reach_of(call).roots
    path = os.path.expanduser(named(text))
    return os.path.join(roots[0].path, path) if roots else path


def named(text: str) -> bytes:
    """The path a caller wrote, as bytes; where it leads is the sandbox's business alone."""
    return from_wire(text)
