"""A running Neovim in one object: its diffs and its documents, until one side leaves."""

from cmdr.editor.neovim.connection import NeovimConnection, connect
from cmdr.editor.neovim.diffs import NeovimDiffs
from cmdr.editor.neovim.documents import NeovimDocuments


class Neovim:
    """The editor that the person already has open."""

    def __init__(self, connection: NeovimConnection) -> None:
        self.connection = connection
        self.diffs = NeovimDiffs(connection)
        self.documents = NeovimDocuments(connection)

    @classmethod
    async def attach(cls, address: str, deadline: float = 5.0) -> "Neovim":
        """Connect to a socket path or `host:port`, as in `$NVIM`; raises a `NeovimError`."""
        return cls(await connect(address, deadline))

    @property
    def running(self) -> bool:
        """Whether Neovim is still there."""
        return not self.connection.gone.is_set()

    async def close(self) -> None:
        """Leave; diffs still open there are closed, and raise `NeovimGoneError` where they are awaited."""
        self.diffs.close_all()
        await self.connection.close()
