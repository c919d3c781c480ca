"""The review of one proposed edit: what is decided hunk by hunk, and the outcome, given exactly once."""

import hashlib
from dataclasses import dataclass

from cmdr.model.names import to_wire
from cmdr.model.texts.diff import Decision, Diff, Hunk, diff_texts
from cmdr.model.texts.merge import Choice, ConflictStandsError, Merge, merge_texts
from cmdr.model.texts.proposed_edit import Outcome, ProposedEdit, ReviewState, StaleReviewError
from cmdr.model.texts.text_format import FileText, TextFormat, write_text

MAX_PROPOSED_BYTES = 8 * 1024 * 1024
"""The longest proposed text, in bytes of UTF-8: nobody reviews more, and every face must hold it."""


_MARK = "\ufeff"


class ProposalTooLargeError(ValueError):
    """Raised for a proposed text beyond the limit."""

    def __init__(self) -> None:
        super().__init__(f"The proposed text is larger than {MAX_PROPOSED_BYTES >> 20} MiB; propose smaller edits.")


class NoSuchHunkError(ValueError):
    """Raised for a hunk number that the diff does not have."""

    def __init__(self, hunk: int, count: int) -> None:
        super().__init__(f"There is no change {hunk + 1}; this edit has {count}.")


@dataclass(frozen=True, slots=True)
class ProposedText:
    """What an agent sent, and the same text as it stands inside cmdr, comparable with the file."""

    sent: str
    inner: str
    mark: bool
    """Whether it was sent with a byte order mark that the file has too."""
    pairs: bool
    """Whether its lines were sent ended with `\\r\\n`, as in the file."""

    def as_sent(self, text: str) -> str:
        """A text as the agent would write it: the one it sent, byte for byte, when the person changed nothing."""
        if text == self.inner:
            return self.sent
        if self.pairs:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return _MARK + text if self.mark else text


def take_proposed(sent: str, format: TextFormat) -> ProposedText:
    """Bring a sent text to the inner form of a file stored in this format.

    Clients send `\\n` for files that end lines with `\\r\\n`, and some send the byte order mark as a character:
    neither is a change that a person should have to look at.
    """
    inner = sent
    mark = format.bom and inner.startswith(_MARK)
    if mark:
        inner = inner[1:]
    pairs = format.eol == "\r\n" and "\r\n" in inner
    if pairs:
        inner = inner.replace("\r\n", "\n")
    return ProposedText(sent, inner, mark, pairs)


class Review(ProposedEdit):
    """A proposed edit of one file, from its arrival to its outcome."""

    def __init__(
        self,
        id: str,
        *,
        connection: str,
        agent: str,
        tab: str,
        path: bytes,
        base: FileText | None,
        proposed: str,
        new_path: bytes | None = None,
    ) -> None:
        """`base` is the file as it stands, None for one that does not exist; raises for binary or huge texts."""
        _check_size(proposed)
        super().__init__(id, connection, agent, tab)
        self.path = path
        self.new_path = path if new_path is None else new_path
        self.base = base
        self.format = base.format if base else TextFormat()
        """How the file is, or will be, stored."""
        self.merge: Merge | None = None
        """Stands while the file and the proposal changed the same lines."""
        self.base_changes = 0
        """How often the file changed while this waited."""
        self._choices: dict[int, Choice] = {}
        self._before_conflict: tuple[FileText | None, str] | None = None
        self._sent = take_proposed(proposed, self.format)
        self.proposed_text = self._sent.inner
        """The proposed side as it stands, the person's own edits included."""
        self.diff = diff_texts(self.old_text, self.proposed_text, what=to_wire(path))
        """What differs between the file and the proposed side."""
        self._decisions = [Decision.UNDECIDED] * len(self.diff.hunks)
        self._known_digest: str | None = None
        """Asked for with every row that is drawn, so found once for each state."""

    @property
    def files(self) -> tuple["Review", ...]:
        """Itself: one file."""
        return (self,)

    @property
    def is_new_file(self) -> bool:
        """Whether accepting makes a file."""
        return self.base is None

    @property
    def is_rename(self) -> bool:
        """Whether accepting also moves the file."""
        return self.path != self.new_path

    @property
    def old_text(self) -> str:
        """The file's text, empty for a new file."""
        return _text(self.base)

    @property
    def sent_text(self) -> str:
        """What the agent proposed, as it sent it."""
        return self._sent.sent

    @property
    def characters(self) -> int:
        """How much text it holds."""
        return len(self.old_text) + len(self.proposed_text) + len(self._sent.sent)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What was said about each hunk."""
        return tuple(self._decisions)

    @property
    def result_text(self) -> str:
        """What accepting now would give: everything but the rejected hunks."""
        if Decision.REJECTED not in self._decisions:
            return self.proposed_text
        return self.diff.text_with({i for i, said in enumerate(self._decisions) if said is not Decision.REJECTED})

    @property
    def digest(self) -> str:
        """Names what accepting now would do; an answer that carries it cannot accept something unseen."""
        if self._known_digest is None:
            base = _digest(self.base)
            result = self.result_text.encode("utf-8", "surrogatepass")
            self._known_digest = hashlib.sha256(f"{base}\0{len(self._choices)}\0".encode() + result).hexdigest()
        return self._known_digest

    def decide(self, hunk: int, decision: Decision) -> None:
        """Accept or reject one hunk, or leave it open again."""
        self._check_pending()
        if not 0 <= hunk < len(self._decisions):
            raise NoSuchHunkError(hunk, len(self._decisions))
        self._decisions[hunk] = decision
        self._known_digest = None

    def decide_all(self, decision: Decision) -> None:
        """The same about every hunk."""
        self._check_pending()
        self._decisions = [decision] * len(self._decisions)
        self._known_digest = None

    @property
    def is_dropped(self) -> bool:
        """Whether every hunk was rejected, so that the file stays as it is."""
        return bool(self._decisions) and all(said is Decision.REJECTED for said in self._decisions)

    def edit_proposed(self, text: str) -> None:
        """Take the person's own version of the proposed side; decisions on untouched hunks stay."""
        self._check_pending()
        _check_size(text)
        if self.merge is not None:
            markers = _markers_in(text)
            if markers:
                raise ConflictStandsError(markers)
        self._whole(self.base, text)

    def settle(self, conflict: int, choice: Choice) -> None:
        """Choose a side in one conflict; after the last one the proposed side is whole again."""
        self._check_pending()
        if self.merge is None or not 0 <= conflict < len(self.merge.conflicts):
            raise NoSuchHunkError(conflict, len(self.merge.conflicts) if self.merge else 0)
        self._choices[conflict] = choice
        self._known_digest = None
        if len(self._choices) == len(self.merge.conflicts):
            self._whole(self.base, self.merge.text(self._choices))

    def base_changed(self, now: FileText | None) -> None:
        """The file changed meanwhile: both changes are joined, or a conflict stands until a person settles it."""
        self._check_pending()
        if _digest(now) == _digest(self.base):
            return
        # A file that changes again during a conflict is merged from where the conflict began, not from its markers.
        base, proposed = self._before_conflict or (self.base, self.proposed_text)
        merge = merge_texts(_text(base), _text(now), proposed, what=to_wire(self.path))
        self.base_changes += 1
        self._choices = {}
        if merge.conflicts:
            self.merge, self._before_conflict = merge, (base, proposed)
            self._set_sides(now, merge.marked_text())
        else:
            self._whole(now, merge.text())

    def accept(self, digest: str | None = None) -> Outcome:
        """Accept all but the rejected hunks; with every hunk rejected this is a rejection."""
        self._check_pending()
        if digest is not None and digest != self.digest:
            raise StaleReviewError
        if self.merge is not None:
            raise ConflictStandsError(len(self.merge.conflicts) - len(self._choices))
        if self.is_dropped:
            return self.reject()
        result = self.result_text
        content = write_text(result, self.format)  # before anything is decided: it may refuse
        text = self._sent.as_sent(result)
        return self._resolve(Outcome(ReviewState.ACCEPTED, "person", text, content, text != self._sent.sent))

    def _whole(self, base: FileText | None, proposed: str) -> None:
        """Both sides without a conflict."""
        self.merge = self._before_conflict = None
        self._set_sides(base, proposed)

    def _set_sides(self, base: FileText | None, proposed: str) -> None:
        before = {_hunk_key(self.diff, hunk): said for hunk, said in zip(self.diff.hunks, self._decisions, strict=True)}
        diff = diff_texts(_text(base), proposed, what=to_wire(self.path))
        self.base, self.proposed_text, self.diff = base, proposed, diff
        self._known_digest = None
        if base is not None:
            self.format = base.format
        self._decisions = [before.get(_hunk_key(diff, hunk), Decision.UNDECIDED) for hunk in diff.hunks]


def _text(file: FileText | None) -> str:
    return file.text if file else ""


def _digest(file: FileText | None) -> str:
    return file.digest if file else "no file"


def _check_size(text: str) -> None:
    if len(text) > MAX_PROPOSED_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_PROPOSED_BYTES:
        raise ProposalTooLargeError


def _hunk_key(diff: Diff, hunk: Hunk) -> tuple[object, ...]:
    """What makes a hunk the same after an edit elsewhere: where it stands in the file, and what it says."""
    return (
        hunk.old_start,
        *diff.old_lines[hunk.old_start : hunk.old_end],
        None,
        *diff.new_lines[hunk.new_start : hunk.new_end],
    )


def _markers_in(text: str) -> int:
    return sum(line.startswith(("<<<<<<< on disk", ">>>>>>> proposed")) for line in text.splitlines())
