"""Addresses of this API, for whoever is to follow them."""

from dataclasses import dataclass

from cmdr.model.units import iso_time


@dataclass(frozen=True, slots=True)
class Links:
    """Makes the address of each thing that has one."""

    base: str
    """Where cmdr answers."""

    def index(self, index: str) -> str:
        """An index."""
        return f"{self.base}/api/indexes/{index}"

    def node(self, index: str, node: str) -> str:
        """An entry of an index."""
        return f"{self.index(index)}/nodes/{node}"

    @property
    def sets(self) -> str:
        """The resource sets."""
        return f"{self.base}/api/resource-sets"

    def set(self, set: str) -> str:
        """A resource set."""
        return f"{self.sets}/{set}"

    @property
    def queries(self) -> str:
        """The saved queries."""
        return f"{self.base}/api/queries"

    def query(self, query: str) -> str:
        """A saved query."""
        return f"{self.queries}/{query}"

    def job(self, job: str) -> str:
        """A job."""
        return f"{self.base}/api/jobs/{job}"


def moment(ns: int | None) -> str | None:
    """A time as it is told, where it is known."""
    return None if ns is None else iso_time(ns)
