"""What a command may answer instead of doing its work, as types with one sentence each."""

from cmdr.model.errors import CommandError
from cmdr.model.names import printable

__all__ = [
    "AskedInstead",
    "CommandError",
    "NotAllowed",
    "NotOffered",
    "NotRecorded",
    "NotThere",
    "StaleRevision",
    "TooMany",
    "UnknownCommand",
    "Vanished",
]


class UnknownCommand(Exception):
    """No command has this name, or it is not switched on for this caller."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"Unknown tool: {printable(name)}")


class NotOffered(UnknownCommand):
    """There is such a command, and this caller does not have it; says what would change that."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name)
        self.args = (f"{name} {why}",)


class NotThere(CommandError):
    """What the caller names does not exist, or is not theirs."""


class StillIndexing(CommandError):
    """A tree is being read into its index; what needs all of it can be asked in a while."""


class Vanished(CommandError):
    """What the caller names existed once and is gone."""


class NotAllowed(CommandError):
    """The caller may not do this."""


class StaleRevision(CommandError):
    """The rows have changed since the caller looked."""

    def __init__(self, given: int, current: int) -> None:
        super().__init__(f"stale rev {given}: the listing is now at rev {current}. Read the state again, then repeat.")


class TooMany(CommandError):
    """The caller asks faster than its share."""

    def __init__(self, what: str, retry_after_ms: int) -> None:
        self.retry_after_ms = retry_after_ms
        super().__init__(f"Too many {what} calls. Wait {retry_after_ms} ms, then repeat.")


class NotRecorded(CommandError):
    """The audit log cannot be written, and this may not happen without a record."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The audit log cannot be written ({why}), so agents read no contents and change nothing until it can. "
            "The person sees this too; look at names meanwhile, or try again later."
        )


class AskedInstead(CommandError):
    """A rule no longer admits a plan that waited for its turn: nothing was changed, and the person is asked."""
