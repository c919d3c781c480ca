"""Why a path that an agent named is refused, as types."""

from collections.abc import Sequence

from cmdr.files.errors import DiskError
from cmdr.model.names import to_wire
from cmdr.model.root_spec import RootSpec


class OutsideRoots(DiskError):
    """The path, or a link on its way, leads out of the agents' folders."""

    def __init__(self, path: bytes, roots: Sequence[RootSpec]) -> None:
        inside = ", ".join(to_wire(root.path) for root in roots[:5]) or "none are set"
        super().__init__(
            f"{to_wire(path[:200])} is outside the folders agents may use: {inside}. "
            "The person can allow more: cmdr --root DIR, or agents.roots in the settings."
        )


class PrivatePlace(DiskError):
    """The place is the person's alone, wherever the roots are."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(f"{to_wire(path)} {why}; agents never get it. Ask the person.")


class ReadOnlyRoot(DiskError):
    """The folder may be read but not changed."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} lies in a folder that agents may only read.")


class BadRoot(DiskError):
    """A root that cannot be opened."""

    def __init__(self, path: bytes, why: str) -> None:
        self.path = path
        super().__init__(f"The root {to_wire(path)} cannot be used: {why}.")
