"""The review of one proposed edit of many files: decided change by change or file by file, answered once for all."""

import hashlib
from collections.abc import Collection, Sequence

from cmdr.model.texts.diff import Decision
from cmdr.model.texts.proposed_edit import Outcome, ProposedEdit, ReviewState, StaleReviewError
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import write_text

MAX_FILES = 200
"""Files of one review: nobody looks at more in one go."""
MAX_CHANGES = 5_000
"""Changes of all its files together."""
MAX_CHARACTERS = 16 << 20
"""Characters of all texts together, before and after: every face must hold them, and so must what keeps them."""


class NoSuchFileError(ValueError):
    """Raised for a file number that the review does not have."""

    def __init__(self, file: int, count: int) -> None:
        super().__init__(f"There is no file {file + 1}; this edit has {count}.")


class TooMuchToReviewError(ValueError):
    """Raised for more than one review holds."""


class FilesReview(ProposedEdit):
    """Edits of several files that belong together. Each file keeps its own diff and decisions."""

    def __init__(self, id: str, *, connection: str, agent: str, tab: str, files: Sequence[Review]) -> None:
        """Raises `TooMuchToReviewError`."""
        super().__init__(id, connection, agent, tab)
        self._files = tuple(files)
        if len(self._files) > MAX_FILES:
            raise TooMuchToReviewError(
                f"{len(self._files)} files are too many for one review; at most {MAX_FILES}. Propose them in parts."
            )
        if self.changes > MAX_CHANGES:
            raise TooMuchToReviewError(
                f"{self.changes:,} changes are too many for one review; at most {MAX_CHANGES:,}. Propose them in parts."
            )
        if sum(len(file.old_text) + len(file.proposed_text) for file in self._files) > MAX_CHARACTERS:
            raise TooMuchToReviewError(
                f"These texts are longer than {MAX_CHARACTERS >> 20} million characters. Propose them in parts."
            )
        self.unwritten: frozenset[int] = frozenset()
        """Files that were not written though they were accepted: they had changed on disk."""

    @property
    def files(self) -> tuple[Review, ...]:
        """Each file with what is proposed for it."""
        return self._files

    @property
    def changes(self) -> int:
        """How many places of all files together change."""
        return sum(len(file.diff.hunks) for file in self._files)

    @property
    def digest(self) -> str:
        """Names what accepting now would do to all files."""
        told = "\0".join(f"{file.path.hex()} {file.digest}" for file in self._files)
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def characters(self) -> int:
        """How much text it holds."""
        return sum(file.characters for file in self._files)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The files of which something would be written."""
        return tuple(number for number, file in enumerate(self._files) if not file.is_dropped)

    def file(self, number: int) -> Review:
        """One of the files; raises `NoSuchFileError`, and `AlreadyResolvedError` when all is answered."""
        self._check_pending()
        if not 0 <= number < len(self._files):
            raise NoSuchFileError(number, len(self._files))
        return self._files[number]

    def decide_file(self, number: int, decision: Decision) -> None:
        """Accept or reject every change of one file, or leave them open again."""
        self.file(number).decide_all(decision)

    def accept(self, digest: str, changed: Collection[int] = ()) -> Outcome:
        """Accept all but the rejected changes, and leave out files that changed on disk; with none left, a rejection.

        `changed` numbers those files. Raises what the model refuses of any file, and then nothing is answered.
        """
        self._check_pending()
        if digest != self.digest:
            raise StaleReviewError
        wanted = self.wanted
        left = [number for number in wanted if number not in changed]
        self.unwritten = frozenset(wanted) - frozenset(left)
        if not left:
            return self.reject("changed on disk" if wanted else "person")
        for number in left:  # before anything is decided: an encoding may refuse
            write_text(self._files[number].result_text, self._files[number].format)
        outcomes = [self._files[number].accept() for number in left]
        for number, file in enumerate(self._files):
            if number not in left:
                file.reject()
        is_edited = len(left) < len(self._files) or any(outcome.edited for outcome in outcomes)
        return self._resolve(Outcome(ReviewState.ACCEPTED, "person", edited=is_edited))
