"""Trust in a folder: what a person says yes to before language servers may run code of it."""

import json
import os
from dataclasses import dataclass
from functools import cached_property

from cmdr.model.names import display_name
from cmdr.model.plans.request_plan import RequestPlan

Identity = tuple[int, int, int | None]
"""Which folder stands at a path: device, inode, and when it was made where the file system knows."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What language servers of one folder may have beyond reading it."""

    network: bool = False
    write: bool = False
    """Whether they may change files in the folder."""
    read: tuple[bytes, ...] = ()
    """Further folders that they may read, as a toolchain in a home."""

    @property
    def told(self) -> str:
        """All of it in a few words; empty when there is nothing."""
        flags = [word for word, is_on in (("network", self.network), ("write", self.write)) if is_on]
        return ", ".join([*flags, *(f"read {display_name(path)}" for path in self.read)])


NOTHING_MORE = Extras()


@dataclass(frozen=True)
class TrustPlan(RequestPlan):
    """The very folder that was looked at, and what its servers may have."""

    folder: bytes = b"/"
    identity: Identity = (0, 0, None)
    extras: Extras = NOTHING_MORE

    @cached_property
    def encoded(self) -> bytes:
        """The canonical form."""
        extras = [self.extras.network, self.extras.write, [os.fsdecode(path) for path in self.extras.read]]
        return json.dumps([self.verb, os.fsdecode(self.folder), self.identity, extras]).encode("ascii")

    @property
    def title(self) -> str:
        """The folder by name."""
        return f"Trust {display_name(self.folder)}"

    @property
    def summary(self) -> list[str]:
        """What trusting means, in plain words."""
        return [
            "Trust a folder, and everything below it:",
            f"  {display_name(self.folder)}",
            *meaning_of(self.extras),
            "Until you take it back: cmdr trust --remove",
        ]


def meaning_of(extras: Extras) -> list[str]:
    """What language servers may do in a trusted folder."""
    told = ["Language servers may then run code of this folder, behind walls:"]
    told.append("  they can change the files in it" if extras.write else "  they can read it and change nothing")
    told.append("  they can use the network" if extras.network else "  without network")
    told.append("  without your keys, tokens and private places")
    return [*told, *(f"  they can also read {display_name(path)}" for path in extras.read)]
