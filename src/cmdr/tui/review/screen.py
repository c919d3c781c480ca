"""A proposed edit over the whole screen: who wants what changed, change by change, and the person's answer.

Nothing is answered by a key that was on its way to somewhere else: for a moment all keys are dropped, and a burst of
keys keeps them dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.model.agent_text import BAR
from cmdr.model.invisible_chars import INVISIBLE
from cmdr.model.names import display_name
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.review import Review
from cmdr.tui.input.key_forwarding import forward_to_front
from cmdr.tui.review.diff_view import TO_CHANGE, DiffView
from cmdr.tui.review.file_list import FileList
from cmdr.tui.viewer.editor import TextScreen
from cmdr.tui.widgets.lines import Bar, Row
from cmdr.tui.windows.window import GRACE_S, GracePeriod, OverlayScreen

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def pending_reviews(screen: MainScreen) -> list[ReviewRecord]:
    """Those that are not on the screen already, first come first."""
    shown = {open.case for open in screen.terminal.screen_stack if isinstance(open, ReviewScreen)}
    return [case for case in screen.commander.services.waiting_reviews() if case not in shown]


def open_review(screen: MainScreen, case: ReviewRecord) -> None:
    """Put one before the person."""

    screen.terminal.push_screen(ReviewScreen(case, screen))


def open_own_review(screen: MainScreen, id: str) -> None:
    """Put an edit that the person asked for before them."""
    for case in pending_reviews(screen):
        if case.id == id:
            open_review(screen, case)


def open_next(screen: MainScreen) -> None:
    """After an answer: the edit that waits longest, or what else waits, if anything does."""
    from cmdr.tui.inbox.inbox import InboxWindow
    from cmdr.tui.inbox.waiting import waiting_rows

    left = pending_reviews(screen)
    if left:
        open_review(screen, left[0])
    elif waiting_rows(screen.commander) and not any(
        isinstance(open, InboxWindow) for open in screen.terminal.screen_stack
    ):
        screen.terminal.push_screen(InboxWindow(screen))


# All fit into 80 columns: a key that is cut away is one that nobody finds.
_KEYS = " y accept  n reject  N why  Esc later  Tab next  t x take, drop one  e edit  u c"
_MANY_KEYS = " y all  n none  N why  f F file  T X take, drop it  t x change  e edit  Esc "
_CONFLICT_KEYS = " both changed it: m disk's  t proposed  b both  e edit  n reject  Esc later"
_CHOICES = {"m": "mine", "t": "theirs", "b": "both"}
_DECIDES = {"t": Decision.ACCEPTED, "x": Decision.REJECTED}
_DECIDES_FILE = {"T": Decision.ACCEPTED, "X": Decision.REJECTED}
_TO_FILE = {"f": 1, "F": -1, "right_curly_bracket": 1, "left_curly_bracket": -1}
"""Keys that go to the next file of many, or the one before."""


class ReviewScreen(OverlayScreen[None], inherit_bindings=False):
    """One review. It closes by itself when it is answered anywhere."""

    DEFAULT_CSS = "ReviewScreen { layout: vertical; } ReviewScreen > Bar { height: 1; }"

    def __init__(self, case: ReviewRecord, main: MainScreen) -> None:
        super().__init__()
        self.case = case
        self._main = main
        appearance = main.terminal.appearance
        self._title = Bar(appearance, "title_active")
        self._note = Bar(appearance, "warning")
        self._words = Bar(appearance, "dim")
        self._bar = Bar(appearance, "bar")
        self.number = 0
        """The file that is shown, of many."""
        self.view = DiffView(appearance, case.files[0], self._tell)
        self.list = FileList(appearance, case.files, self.go_to_file)
        self._grace_period = GracePeriod(main.terminal.clock)
        self._seen = self._version()
        self._answering = False
        self._mine = False
        """Whether the next change is one that was ordered here."""
        self._settled = 0

    def compose(self) -> ComposeResult:
        """Who and where, what to know, the changes, the keys."""
        yield self._title
        yield self._note
        yield self._words
        if self.case.is_of_many:
            yield self.list
        yield self.view
        yield self._bar

    def on_mount(self) -> None:
        """Deaf at first, and following what happens elsewhere."""
        self._grace_period.begin()
        self.follow(self._follow)
        self.set_focus(None)
        self._size_list()
        self.call_after_refresh(lambda: self.view.go_to(0))
        self._tell()

    @property
    def file(self) -> Review:
        """What is proposed for the file that is shown."""
        return self.case.files[self.number]

    def go_to_file(self, number: int, hunk: int = 0) -> None:
        """Show another file of many, from one of its changes on; -1 is the last one."""
        if not 0 <= number < len(self.case.files):
            return
        self.number = self.list.current = number
        self.view.show(self.file)
        self.view.go_to(len(self.file.diff.hunks) - 1 if hunk < 0 else hunk)
        self.list.refresh()

    def on_resize(self) -> None:
        self._size_list()

    def _size_list(self) -> None:
        if self.case.is_of_many:
            self.list.styles.height = self.list.rows_in(self.size.height)

    async def on_key(self, event: events.Key) -> None:
        if forward_to_front(self, event):
            return
        event.stop()
        event.prevent_default()
        if self._version() != self._seen:
            self._follow()  # what stands there now has not been drawn yet
        if not self._grace_period.drops() and not self._crosses(event.key) and not self.view.pressed(event.key):
            self._pressed(event.key)

    def _crosses(self, key: str) -> bool:
        """Whether a key goes from the last change of a file to the next file, or back; then it did."""
        step, hunk = TO_CHANGE.get(key, 0), self.view.hunk
        if step > 0 and hunk >= len(self.file.diff.hunks) - 1 and self.number < len(self.case.files) - 1:
            self.go_to_file(self.number + 1)
        elif step < 0 and hunk == 0 and self.number:
            self.go_to_file(self.number - 1, -1)
        else:
            return False
        return True

    def on_paste(self, event: events.Paste) -> None:
        event.stop()

    def _pressed(self, key: str) -> None:
        conflict = self.file.merge is not None
        if key in ("y", "a"):
            self._accept()
        elif key in ("n", "r"):
            self._order("review.reject", {})
        elif key == "N":
            self._reject_with_words()
        elif key in ("escape", "f10", "l", "q"):
            self.dismiss(None)
        elif key == "e":
            self._edit()
        elif key == "u":
            self.view.toggle_unified()
        elif key == "c":
            self.view.toggle_folded()
        elif conflict and key in _CHOICES:
            self._settled += 1
            self._order("review.conflict", {"conflict": self._settled, "choice": _CHOICES[key]})
        elif key in _DECIDES and self.file.diff.hunks:
            self._decide(_DECIDES[key])
        elif self.case.is_of_many and key in _TO_FILE:
            self.go_to_file(self.number + _TO_FILE[key])
        elif self.case.is_of_many and key in _DECIDES_FILE:
            self._decide_file(_DECIDES_FILE[key])

    def _decide(self, decision: Decision) -> None:
        """Take or drop the current change; the same key again leaves it open."""
        hunk = self.view.hunk
        said = Decision.UNDECIDED if self.file.decisions[hunk] is decision else decision
        self._order("review.hunk", {"file": self.number + 1, "hunk": hunk + 1, "decision": said.value})
        if said is not Decision.UNDECIDED and not self._crosses("tab"):
            self.view.go_to(hunk + 1)

    def _decide_file(self, decision: Decision) -> None:
        """Take or drop all of the current file; the same key again leaves it open."""
        is_said = all(each is decision for each in self.file.decisions)
        said = Decision.UNDECIDED if is_said else decision
        self._order("review.file", {"file": self.number + 1, "decision": said.value})
        if not is_said:
            self.go_to_file(self.number + 1)

    def _accept(self) -> None:
        digest = self.case.review.digest
        if not self.case.word:
            self._order("review.accept", {"digest": digest})
            return
        from cmdr.tui.windows.ask import Ask

        def typed(word: str) -> None:
            self._order("review.accept", {"digest": digest, "word": word})

        why: Row = [(f" {self.case.care}", "warning")]
        placeholder = f'type "{self.case.word}" and Enter to accept'
        self._main.terminal.ask(Ask("Are you sure?", "", above=[why], placeholder=placeholder), typed)

    def _reject_with_words(self) -> None:
        """Say no with a reason; the agent gets the words."""
        from cmdr.tui.windows.ask import Ask

        case, digest = self.case.id, self.case.review.digest

        def typed(words: str) -> None:
            self._answering = True
            no: Arguments = {"ids": [case], "digests": [digest], "answer": "no", "reason": words}
            self._main.enqueue("inbox.answer", no, show_answer=True)

        self._main.terminal.ask(Ask("Why not?", "", placeholder="the agent gets these words"), typed)

    def _order(self, command: str, more: Arguments) -> None:
        self._answering = self._mine = True
        self._main.enqueue(
            command, {"review": self.case.id, **more}, show_answer=command in ("review.accept", "review.reject")
        )

    def _edit(self) -> None:
        if INVISIBLE.search(self.file.proposed_text):
            self._bar.say(" The proposed text holds characters that cannot be seen, so it is not edited here.")
            return
        self._main.terminal.push_screen(ProposedEditor(self.case, self._main, self.number))

    def _version(self) -> tuple[object, ...]:
        files = self.case.files
        changes = sum(file.base_changes for file in files)
        return [file.diff for file in files], [file.decisions for file in files], self.file.merge, changes

    def _follow(self) -> None:
        """The review may have been changed or answered, here or elsewhere."""
        if self.case.review.state is not ReviewState.PENDING:
            self._main.terminal.close_window(self)  # type: ignore[arg-type]
            if self._answering:
                self._main.call_later(open_next, self._main)
            return
        seen = self._version()
        if seen != self._seen:
            if seen[3] != self._seen[3]:
                self._settled = 0
            if not self._mine or seen[3] != self._seen[3]:
                self._grace_period.begin()  # somebody else changed it: that has to be seen first
                self._answering = False
            self._mine = False
            self._seen = seen
            self.view.renew()
            self.list.refresh()
        self._tell()

    def _tell(self) -> None:
        review = self.file
        reviews = self._main.commander.editor.reviews
        path = display_name(review.path) + (f" → {display_name(review.new_path)}" if review.is_rename else "")
        count = len(review.diff.hunks)
        waiting = len(reviews.waiting)
        queue = f"  {waiting - 1} more wait" if waiting > 1 else ""
        place = f"change {min(self.view.hunk + 1, count)}/{count}  +{review.diff.added} -{review.diff.removed}{queue} "
        new = "a new file " if review.is_new_file else ""
        who = "You edit" if self.case.is_of_person else f"{review.agent} proposes"
        if self.case.is_of_many:
            path = f"file {self.number + 1}/{len(self.case.files)}: {path}"
        self._title.say(f" {who} {new}{path}", place)
        note = self._warning()
        self._note.display = bool(note)
        self._note.say(f" {note}")
        self._words.display = bool(self.case.title)
        self._words.say(f" the agent calls it: {BAR}{self.case.title}")
        ready = self._grace_period.is_over or self._answering
        keys = _CONFLICT_KEYS if review.merge is not None else _MANY_KEYS if self.case.is_of_many else _KEYS
        self._bar.say(keys if ready else " … ")
        if not ready:
            self.set_timer(GRACE_S, self._tell)

    def _warning(self) -> str:
        review, notes = self.file, []
        if self.case.care:
            notes.append(self.case.care)
        notes += self.case.told
        if self.case.link is not None:
            notes.append(f"{display_name(self.case.link)} leads there.")
        if review.merge is not None:
            left = len(review.merge.conflicts) - self._settled
            notes.append(f"The file changed on disk meanwhile, in the same lines: {left} to settle.")
        elif review.base_changes:
            notes.append("The file changed on disk meanwhile; both changes are joined here.")
        if self._main.status.message:
            notes.append(self._main.status.message)
        return "  ".join(notes)


_EDITOR_KEYS = " F2 or Ctrl+S take this text   Ctrl+Z undo   F10 or Esc back without it "


class ProposedEditor(TextScreen, inherit_bindings=False):
    """The proposed text; taking it goes back to the review, where it is accepted or not."""

    def __init__(self, case: ReviewRecord, main: MainScreen, number: int) -> None:
        super().__init__(case.files[number].proposed_text, _EDITOR_KEYS, main.terminal)
        self._case = case
        self._number = number
        self._main = main

    def on_mount(self) -> None:
        """Name the file, and follow what happens elsewhere."""
        self._title.say(
            f" What {self._case.review.agent} proposes for {display_name(self._case.files[self._number].new_path)}"
        )
        self.follow(self._follow)

    async def on_key(self, event: events.Key) -> None:
        if forward_to_front(self, event):
            return
        if event.key in ("f2", "ctrl+s"):
            event.stop()
            self.run_update(self._take)
        elif event.key in ("f10", "escape"):
            event.stop()
            self.dismiss(None)

    async def _take(self) -> None:
        arguments: Arguments = {"review": self._case.id, "text": self.area.text, "file": self._number + 1}
        if await self._main.queue.ask("review.edit", {**arguments}) is not None:
            self.dismiss(None)
        else:
            self._bar.say(f" {self._main.status.message}")

    def _follow(self) -> None:
        if self._case.review.state is not ReviewState.PENDING:
            self._main.terminal.close_window(self)  # type: ignore[arg-type]
