"""Where a tab has been, and back and forward through it."""

from dataclasses import dataclass, field

LIMIT = 100


@dataclass(slots=True)
class Visit:
    """A folder that was shown, and the name the cursor stood on when it was left."""

    path: bytes
    cursor: bytes | None = None


@dataclass(slots=True)
class History:
    """The visits of one tab, oldest first; the current one is at `here`."""

    visits: list[Visit] = field(default_factory=list)
    here: int = -1

    def visit(self, path: bytes) -> None:
        """Go somewhere new: what lay ahead is forgotten."""
        if self.here >= 0 and self.visits[self.here].path == path:
            return
        del self.visits[self.here + 1 :]
        self.visits.append(Visit(path))
        if len(self.visits) > LIMIT:
            del self.visits[0]
        self.here = len(self.visits) - 1

    def remember_cursor(self, name: bytes | None) -> None:
        """Keep the cursor's name for the folder that is being left."""
        if self.here >= 0:
            self.visits[self.here].cursor = name

    def peek(self, step: int) -> Visit | None:
        """The visit one step back (-1) or forward (+1), or None at the end."""
        place = self.here + step
        return self.visits[place] if 0 <= place < len(self.visits) else None

    def move(self, step: int) -> None:
        """Make the visit that `peek` showed the current one."""
        self.here += step

    def forget(self, step: int) -> None:
        """Drop the visit that `peek` showed: its folder is gone."""
        del self.visits[self.here + step]
        self.here += min(step, 0)

    def last_cursor(self, path: bytes) -> bytes | None:
        """The name the cursor last stood on in a folder."""
        for visit in reversed(self.visits):
            if visit.path == path and visit.cursor is not None:
                return visit.cursor
        return None
