"""One review as the core holds it: the proposed edit, its owner, who writes the file, and what came of that."""

import asyncio
import os
import time
from dataclasses import dataclass, field

from cmdr.model.agent_text import one_line
from cmdr.model.job import Job
from cmdr.model.names import from_wire, to_wire
from cmdr.model.texts.review import Review


@dataclass(slots=True, eq=False)
class ReviewRecord:
    """A review from its arrival until its outcome is told."""

    review: Review
    owner: str
    """The principal that proposed it."""
    saves: bool
    """Whether cmdr writes the accepted text; on an editor connection the client does."""
    protected: str = ""
    """Why the file deserves a second look, or nothing."""
    link: bytes | None = None
    """The link through which the file was named, when it was."""
    saved: str = ""
    """What was saved, in one line, once it is."""
    operations: list[int] = field(default_factory=list)
    """What was done for it, by number in the journal."""
    job: Job | None = None
    """What writes an accepted edit, while it does."""
    problem: str = ""
    """Why an accepted edit was not saved."""
    since: float = field(default_factory=time.time)
    """When it was proposed, in seconds since 1970."""
    expires_at: float | None = None
    """Until when it waits for an answer, where it does not wait for as long as its client is there."""
    unkept: str = ""
    """Why it would not outlive a restart, where it should; empty when it would."""
    said: str = ""
    """The person's words about their no; the agent gets them."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is answered and, where cmdr saves, saved or not saved for good."""

    @property
    def id(self) -> str:
        """The id that answers name."""
        return self.review.id

    @property
    def title(self) -> str:
        """What the agent calls the edit, where that says more than the file's name."""
        name = to_wire(os.path.basename(self.review.new_path))
        # What comes from a tool is kept in its printable form.
        said = from_wire(self.review.tab).decode("utf-8", "surrogateescape") if self.saves else self.review.tab
        return "" if name in self.review.tab else one_line(said, 80)

    @property
    def word(self) -> str:
        """The word to type before it is accepted, or nothing when a key is enough."""
        return "write" if self.protected else ""
