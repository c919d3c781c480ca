"""One review as the core holds it: the proposed edit, its owner, who writes the file, and what came of that."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from cmdr.core.errors import CommandError
from cmdr.model.agent_text import one_line
from cmdr.model.job import Job
from cmdr.model.names import display_name, from_wire, to_wire
from cmdr.model.texts.files_review import FilesReview, NoSuchFileError
from cmdr.model.texts.review import Review


@dataclass(frozen=True, slots=True)
class FileNotes:
    """What the person should know of one file of an edit."""

    protected: str = ""
    """Why the file deserves a second look, or nothing."""
    link: bytes | None = None
    """The link through which the file was named, when it was."""


@dataclass(slots=True, eq=False)
class ReviewRecord:
    """A review from its arrival until its outcome is told."""

    review: Review | FilesReview
    owner: str
    """The principal that proposed it."""
    saves: bool
    """Whether cmdr writes the accepted text; on an editor connection the client does."""
    protected: str = ""
    """Why the file deserves a second look, or nothing; of many files, which of them and why."""
    link: bytes | None = None
    """The link through which the file was named, when it was and is the only one."""
    notes: tuple[FileNotes, ...] = ()
    """Of many files: what is to be known of each."""
    told: tuple[str, ...] = ()
    """Of many files: what was left out of the edit before it was proposed, a line each, for all who see it."""
    left: dict[int, str] = field(default_factory=dict)
    """Of many files: those that were accepted and not written, by number, and why."""
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
    def files(self) -> Sequence[Review]:
        """What is proposed for each file."""
        return self.review.files

    @property
    def one(self) -> Review:
        """The review of the only file; raises `CommandError` where there are many."""
        if isinstance(self.review, FilesReview):
            raise CommandError("This edit is of many files; answer it file by file or whole.")
        return self.review

    def file(self, number: int) -> Review:
        """What is proposed for one of its files, counted from 0; raises `ValueError` when there is no such file."""
        if isinstance(self.review, FilesReview):
            return self.review.file(number)
        if number:
            raise NoSuchFileError(number, 1)
        return self.review

    @property
    def is_of_many(self) -> bool:
        """Whether it changes more than one file."""
        return isinstance(self.review, FilesReview)

    @property
    def is_of_person(self) -> bool:
        """Whether the person asked for it, and not an agent."""
        return self.owner.startswith("person:")

    @property
    def changes(self) -> int:
        """How many places change, in all files together."""
        return sum(len(file.diff.hunks) for file in self.files)

    @property
    def subject(self) -> str:
        """What it edits, in printable form: the file, or how many."""
        return f"{len(self.files)} files" if self.is_of_many else to_wire(self.files[0].new_path)

    @property
    def care(self) -> str:
        """A sentence about what deserves a second look; empty when nothing does."""
        if not self.protected:
            return ""
        return f"{self.protected}." if self.is_of_many else f"This file {self.protected}."

    @property
    def title(self) -> str:
        """What the agent calls the edit, where that says more than the file's name."""
        name = to_wire(os.path.basename(self.files[0].new_path))
        # What comes from a tool is kept in its printable form.
        said = from_wire(self.review.tab).decode("utf-8", "surrogateescape") if self.saves else self.review.tab
        return "" if name in self.review.tab and not self.is_of_many else one_line(said, 80)

    @property
    def word(self) -> str:
        """The word to type before it is accepted, or nothing when a key is enough."""
        return "write" if self.protected else ""


def protected_of_many(files: Sequence[Review], notes: Sequence[FileNotes]) -> str:
    """Which files of an edit are protected, and why the first is: `.bashrc is run by shells, and 2 more`."""
    found = [(file, note.protected) for file, note in zip(files, notes, strict=True) if note.protected]
    if not found:
        return ""
    file, why = found[0]
    more = f"; {len(found) - 1} more are protected too" if len(found) > 1 else ""
    return f"{display_name(file.new_path)} {why}{more}"
