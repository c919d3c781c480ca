"""How big a filter may be, whichever form it is read from."""

from cmdr.model.filters.filter import MAX_DEPTH, MAX_NODES, FilterError


class Parts:
    """Counts the parts of a filter while it is read."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, depth: int, at: int | str) -> None:
        """One part more, at this depth of nesting; refused when that is too many or too deep."""
        self._count += 1
        if self._count > MAX_NODES:
            raise FilterError(f"A filter may have {MAX_NODES} parts.", at)
        self.nest(depth, at)

    @staticmethod
    def nest(depth: int, at: int | str) -> None:
        """Refuse what is nested too deep."""
        if depth > MAX_DEPTH:
            raise FilterError(f"Filters may be nested {MAX_DEPTH} deep.", at)
