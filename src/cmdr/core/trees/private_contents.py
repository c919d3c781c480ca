"""What is never indexed by its contents: the places that are private to the person."""

from collections.abc import Callable

from cmdr.core.agents.agent_roots import own_folders
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.names import is_within


def private_in(root: bytes) -> Callable[[bytes], bool]:
    """Says of paths below a folder whether they are private."""
    places = PrivatePlaces(own=own_folders())
    below = places.below(root)

    def is_private(path: bytes) -> bool:
        return bool(places.reason(path)) or any(is_within(path, one) for one in below)

    return is_private
