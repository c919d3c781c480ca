"""Text replaced in many files: every file read, what stands there replaced in memory, and nothing written.

Literal texts are replaced here; expressions in a process that can be ended, with an engine that never goes back. What
cannot be read as text, or would be too much to look at, is named and left out.
"""

import json
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cmdr.core.editing.replace_worker import NUMBER, references_in
from cmdr.core.errors import CommandError
from cmdr.editor.file_loading import LoadingError, load
from cmdr.files.worker_process import WorkerEnded, run_worker
from cmdr.index.errors import BadPattern
from cmdr.model.names import printable
from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.files_review import MAX_CHARACTERS, MAX_FILES
from cmdr.model.texts.review import MAX_PROPOSED_BYTES
from cmdr.model.texts.text_format import FileText, UnencodableTextError, write_text
from cmdr.model.units import count

TIMEOUT_S = 15.0
"""Seconds that reading and replacing may take; what is not reached is told."""
MAX_FIND_CHARS = 1_000
MAX_WITH_CHARS = 10_000
_TOO_SLOW = "This expression takes too long over these files. Make it simpler, or name fewer files."


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is looked for, and what comes in its place."""

    find: str
    new: str
    is_regex: bool = False
    is_case_exact: bool = True

    @property
    def expression(self) -> str:
        """What the engine looks for: `^` and `$` stand at lines, and `\\r\\n` is one end of a line."""
        flags = "mR" if self.is_case_exact else "mRi"
        return f"(?{flags}){self.find if self.is_regex else _literally(self.find)}"

    @property
    def template(self) -> str:
        """What the engine puts there."""
        return self.new if self.is_regex else self.new.replace("$", "$$")

    def check(self) -> None:
        """Refuse what cannot be meant, or not be run; raises `CommandError`."""
        if not self.find:
            raise CommandError('"find" is empty. Say which text is to be replaced.')
        for name, text, most in (("find", self.find, MAX_FIND_CHARS), ("with", self.new, MAX_WITH_CHARS)):
            if len(text) > most:
                raise CommandError(f'"{name}" is {len(text):,} characters long; {most:,} are allowed.')
            if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
                raise CommandError(f'"{name}" holds what no text file holds.')
        if self.is_regex:
            self._check_groups()

    def _check_groups(self) -> None:
        from cmdr.index.query.regexes import check_regex, group_names  # noqa: PLC0415

        try:
            check_regex(self.find)
        except BadPattern as error:
            raise CommandError(str(error)) from error
        groups = group_names(self.find)
        known = {"0", *groups, *(str(number) for number in range(1, len(groups) + 1))}
        for name in references_in(self.new):
            if name not in known:
                digits = name[: len(name) - len(name.lstrip("0123456789"))]
                hint = f" Write ${{{digits}}}{name[len(digits) :]}." if digits in known else " Write $$ for a dollar."
                told = f"the expression has {count(len(groups), 'group') if groups else 'no groups'}"
                raise CommandError(f'"with" names the group "{printable(name, 40)}", and {told}.{hint}')


@dataclass(frozen=True, slots=True)
class Hit:
    """A file in which something would be replaced."""

    number: int
    """Which of the paths it is."""
    base: FileText
    text: str
    """All of it, after."""
    places: int


@dataclass(slots=True)
class Found:
    """What a replacement would do."""

    hits: list[Hit] = field(default_factory=list)
    files: int = 0
    """Files in which something would be replaced, those beyond the limits counted too."""
    places: int = 0
    looked_at: int = 0
    same: int = 0
    """Files that hold the text and would stay as they are."""
    left_out: list[tuple[int, str]] = field(default_factory=list)
    """Paths that could not be read or changed, and why."""
    unreached: int = 0
    """Paths that were not looked at for lack of time."""


class _Ended(Exception):
    """It takes too long, or nobody waits for it any more."""


def find_and_replace(
    paths: Sequence[bytes], wanted: Replacement, is_stopped: Callable[[], bool], timeout: float = TIMEOUT_S
) -> Found:
    """Replace a text in files as they stand, in memory; blocks. Raises `CommandError`."""
    wanted.check()
    replacing = _Replacing(paths, wanted, is_stopped, timeout)
    if wanted.is_regex or not wanted.is_case_exact:
        replacing.by_expression()
    else:
        replacing.literally()
    return replacing.found


class _Replacing:
    """One replacement over some files; works in a thread."""

    def __init__(
        self, paths: Sequence[bytes], wanted: Replacement, is_stopped: Callable[[], bool], timeout: float
    ) -> None:
        self._paths, self._wanted, self._is_stopped = paths, wanted, is_stopped
        self._until = time.monotonic() + timeout
        self._read_until = self._until - timeout / 2
        """Half of the time is for the expression, so that an answer comes in any case."""
        self.found = Found()
        self._chars = 0
        self._digests: dict[int, str] = {}

    def literally(self) -> None:
        for number, base in self._texts(self._until):
            find, new = self._wanted.find, self._wanted.new
            if base.format.eol == "\r\n":
                find, new = find.replace("\r\n", "\n"), new.replace("\r\n", "\n")
            places = base.text.count(find)
            if places and len(base.text) + places * (len(new) - len(find)) > MAX_PROPOSED_BYTES:
                self._too_long(number)
            elif places:
                self._hit(number, base, base.text.replace(find, new), places)

    def by_expression(self) -> None:
        try:
            answer = iter(run_worker("cmdr.core.editing.replace_worker", self._task(), self._on_progress))
        except WorkerEnded:
            raise CommandError("The replacing broke off. Try it again, with fewer files.") from None
        except _Ended:
            raise CommandError(_TOO_SLOW) from None
        self._take(answer)

    def _task(self) -> Iterator[bytes]:
        wanted = self._wanted
        limits = (MAX_FILES, MAX_CHARACTERS, MAX_PROPOSED_BYTES)
        yield pickle.dumps((sys.path, wanted.expression, wanted.template, *limits))
        for number, base in self._texts(self._read_until):
            self._digests[number] = base.digest
            yield NUMBER.pack(number) + base.text.encode("utf-8", "surrogatepass")

    def _on_progress(self, sign: bytes) -> None:
        if self._is_stopped() or time.monotonic() > self._until:
            raise _Ended

    def _take(self, answer: Iterator[bytes]) -> None:
        for head in answer:
            number, places, is_kept = json.loads(head)
            if places < 0:
                self._too_long(number)
            elif not places:
                self.found.same += 1
            elif not is_kept:
                self.found.files, self.found.places = self.found.files + 1, self.found.places + places
            else:
                new = next(answer).decode("utf-8", "surrogatepass")
                base = self._read(number)
                if base is not None and base.digest == self._digests[number]:
                    self._hit(number, base, new, places)
                elif base is not None:
                    self._leave_out(number, "changed while it was read")

    def _texts(self, until: float) -> Iterator[tuple[int, FileText]]:
        """Each file that can be read, as long as there is time."""
        for number in range(len(self._paths)):
            if self._is_stopped() or time.monotonic() > until:
                self.found.unreached = len(self._paths) - number
                return
            base = self._read(number)
            if base is not None:
                self.found.looked_at += 1
                yield number, base

    def _read(self, number: int) -> FileText | None:
        try:
            return load(self._paths[number], follow_links=False, limit=MAX_PROPOSED_BYTES)
        except BinaryContentError:
            why = "binary"
        except LoadingError as error:
            why = error.why
        self.found.left_out.append((number, why))
        return None

    def _hit(self, number: int, base: FileText, text: str, places: int) -> None:
        if text == base.text:
            self.found.same += 1
            return
        try:
            write_text(text, base.format)
        except UnencodableTextError as error:
            self._leave_out(number, f"{error.character!a} cannot be written in {error.encoding}")
            return
        self.found.files, self.found.places = self.found.files + 1, self.found.places + places
        chars = len(base.text) + len(text)
        if len(self.found.hits) < MAX_FILES and self._chars + chars <= MAX_CHARACTERS:
            self.found.hits.append(Hit(number, base, text, places))
            self._chars += chars

    def _too_long(self, number: int) -> None:
        self._leave_out(number, f"would be larger than {MAX_PROPOSED_BYTES >> 20} MiB")

    def _leave_out(self, number: int, why: str) -> None:
        """A file that was read, and does not count as one in which nothing was found."""
        self.found.looked_at -= 1
        self.found.left_out.append((number, why))


def _literally(text: str) -> str:
    """An expression for this very text."""
    return "".join(
        char if char.isalnum() or char == "_" or ord(char) > 127 else f"\\x{{{ord(char):x}}}" for char in text
    )


def summary_of_left_out(names: Sequence[str], left_out: Iterable[tuple[int, str]]) -> str:
    """What was left out, in a line: the first three, and how many more."""
    told = [f"{names[number]} ({why})" for number, why in left_out]
    more = f" and {len(told) - 3} more" if len(told) > 3 else ""
    return f"left out: {', '.join(told[:3])}{more}" if told else ""
