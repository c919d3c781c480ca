"""The inbox: everything that waits for the person, answered one after the other with a key each.

Nothing is answered by a key that was on its way to somewhere else. For a moment after the window has opened, and after
what stands under the cursor changed by itself, keys that decide are dropped; a burst of keys, or one that is held down,
decides nothing; what needs care takes a typed word; Enter and pasted text never answer. An answer is about the very
rows that were drawn when its key came.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from textual import events
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.results.inbox import InboxAnswer, InboxAnswered, InboxRow
from cmdr.tui.inbox.answer_rows import OFFER_ROW, answer_row, offer_rows, typing_row
from cmdr.tui.inbox.answers import NEXT_S, DeliberateKeys, Given, looks_like, meant
from cmdr.tui.inbox.entries import InboxEntries
from cmdr.tui.inbox.open_entry import open_entry
from cmdr.tui.inbox.rows import detail_rows, list_row
from cmdr.tui.inbox.waiting import Entry, waiting_entries
from cmdr.tui.inbox.widgets import EntryList, WordInput
from cmdr.tui.input.key_forwarding import forward_to_front
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import GracePeriod, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

WIDE = 110
"""Columns of the screen from which on the whole of a row stands beside the list, not below it."""
AGES_S = 10.0
"""Seconds after which the ages are drawn anew."""
_RULE_KEYS = {"t": "today", "w": "always"}


def open_inbox(screen: MainScreen) -> None:
    """Show what waits, or say that nothing does."""
    if waiting_entries(screen.terminal):
        screen.terminal.push_screen(InboxWindow(screen))
    else:
        screen.show_message("Nothing waits for you.")


class InboxWindow(Window[str]):
    """A list, the whole of the row under the cursor, and its answers; stays until nothing waits."""

    DEFAULT_CSS = """
    InboxWindow > .box { width: 96%; border: heavy $warning; border-title-color: $warning; }
    InboxWindow .parts { layout: vertical; }
    InboxWindow .parts.-wide { layout: horizontal; }
    InboxWindow .parts.-wide EntryList { width: 55%; }
    """
    AUTO_FOCUS = ""
    heading = "Waiting for you"
    hint = "↑↓ choose · Enter all of it · Space marks · PgUp PgDn scroll · Esc later"

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._entries = InboxEntries()
        self._drawn: tuple[str, str] = ("", "")
        """What stands under the cursor: its id and the digest of what was drawn."""
        self._grace_period = GracePeriod(screen.terminal.clock)
        self._deliberate = DeliberateKeys(screen.terminal.clock, self.set_timer)
        self._in_burst = False
        """Whether the last key came right behind another one."""
        self._note = ""
        self._typing: Given | None = None
        """The answer for which a reason or a word is being typed."""
        self._offer: InboxRow | None = None
        """The row whose rule stands there to be made."""
        self._detail_of = ""
        """The id of what is drawn as a whole."""
        self._is_looking = False
        """Whether a row was looked at in a window of its own, and no key was pressed here since."""

    def contents(self) -> list[Widget]:
        """Always in the same places."""
        self._list = EntryList(self.appearance, self._moved)
        self._detail = LineList(self.appearance, cursor=False)
        self._parts = Container(self._list, self._detail, classes="parts")
        self._answers = LineList(self.appearance, lines=2, cursor=False)
        self._input = WordInput("")
        self._input.display = False
        return [self._parts, self._answers, self._input]

    def opened(self) -> None:
        """Deaf at first, and following what happens elsewhere."""
        self.set_focus(None)
        self.follow(self._follow)
        self._begin_grace_period()
        self.set_interval(AGES_S, self._draw)
        self.call_after_refresh(self._draw)

    def on_screen_suspend(self) -> None:
        """What is looked at as a whole stands alone: two frames in each other are not told apart."""
        self._box.visible = False

    def on_screen_resume(self) -> None:
        """Back from another window: a key that was meant for it must not answer here."""
        self._box.visible = True
        self._begin_grace_period()
        if self._is_looking:
            self._follow()

    def on_resize(self) -> None:
        super().on_resize()
        self.call_after_refresh(self._draw)

    def fit_height(self) -> None:
        """The parts fill what the answers leave."""
        is_wide = self.app.size.width >= WIDE
        room = max(4, self.app.size.height * 9 // 10 - 2 - self._answers.lines - (1 if self._input.display else 0))
        above = room if is_wide else max(2, room * 2 // 5)
        self._parts.set_class(is_wide, "-wide")
        self._parts.styles.height = room
        self._answers.styles.height = self._answers.lines
        self._list.styles.height, self._detail.styles.height = above, room if is_wide else room - above

    async def on_key(self, event: events.Key) -> None:
        """Whatever comes in a burst decides nothing, and keeps what was about to be decided from it."""
        if forward_to_front(self, event):
            return
        self._in_burst = self._deliberate.came()
        await super().on_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text never answers."""
        event.stop()
        event.prevent_default()

    def pressed(self, event: events.Key) -> bool:
        """Move, mark, look, answer."""
        entry = self._here
        self._is_looking = False
        if entry is None:
            if self._grace_period.drops():
                return True
            self.dismiss(None)
            return True
        letter = event.character if event.is_printable else None
        if self._typing is not None:
            return False
        if self._offer is not None:
            self._choose_rule(letter)
        elif event.key in ("pageup", "pagedown"):
            self._detail.pressed(event)
        elif self._list.pressed(event):
            self._moved()
        elif event.key == "enter":
            self._open(entry)
        elif event.key == "space":
            self._mark([entry.row], entry)
        elif letter == "A":
            self._mark(looks_like(entry.row, self._entries.rows()), entry)
        elif letter is not None:
            self._answer_with(letter, entry)
        else:
            return False
        return True

    def leave(self) -> None:
        """Out of what is being typed or offered first; then the window closes, and all goes on waiting."""
        self._deliberate.drop()
        if self._typing is not None or self._offer is not None:
            self._end_typing()
        else:
            self.dismiss(None)

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        """A second click on a row shows all of it."""
        if (entry := self._here) is not None and self._list.cursor == message.index:
            self._open(entry)

    @property
    def _here(self) -> Entry | None:
        """What stands under the cursor."""
        shown = self._entries.shown
        return shown[self._list.cursor] if self._list.cursor < len(shown) else None

    def _moved(self) -> None:
        """The person went to another row."""
        self._note = ""
        self._deliberate.wait(NEXT_S)
        self._draw()

    def _open(self, entry: Entry) -> None:
        self._is_looking = True
        open_entry(self._screen, entry)

    def _mark(self, rows: list[InboxRow], entry: Entry) -> None:
        """Mark rows, or take the marks away; what takes a word is answered alone."""
        ids = {row.id for row in rows if not row.word and row.answers}
        if entry.dialog is not None or not ids:
            self._note = "This is answered alone."
        elif ids <= self._entries.marked:
            self._entries.marked -= ids
        else:
            self._entries.marked |= ids
            if len(rows) == 1 and self._list.cursor + 1 < len(self._entries.shown):
                self._list.move(1)
        self._deliberate.wait(NEXT_S)
        self._draw()

    def _answer_with(self, letter: str, entry: Entry) -> None:
        """An answer to the row under the cursor, or to all that are marked."""
        if entry.dialog is not None and not self._entries.marked:
            if letter == "n":
                self._screen.terminal.windows.close(entry.dialog)
            return
        given = meant(letter, self._entries.chosen(entry))
        if isinstance(given, str):
            self._tell(given or self._note)
            return
        if self._grace_period.drops():
            self.set_timer(self._grace_period.left_s, self._tell_drawn)
        elif self._in_burst:
            self._tell("The keys came too fast: nothing was answered by them.")
        elif not self._deliberate.is_ready:
            self._tell("Look first, then answer.")
        elif letter == "N" and given.answer is InboxAnswer.NO:
            self._type(given, "why not? Enter says no with these words", takes_paste=True)
        elif given.answer is InboxAnswer.RULE:
            self._offer = entry.row
            self._deliberate.wait(NEXT_S)
            self._draw()
        elif given.answer is InboxAnswer.YES and entry.row.word and not self._entries.marked:
            self._type(given, f'type "{entry.row.word}" and Enter to do it', takes_paste=False)
        else:
            self._deliberate.hold(lambda: self._give(given))

    def _type(self, given: Given, placeholder: str, *, takes_paste: bool) -> None:
        self._typing = given
        self._input.takes_paste = takes_paste
        self._input.value, self._input.placeholder = "", placeholder
        self._input.display = True
        self.fit_height()
        self.set_focus(self._input)
        self._draw()

    def _end_typing(self) -> None:
        self._typing = self._offer = None
        self._input.display = False
        self.set_focus(None)
        self.fit_height()
        self._deliberate.wait(NEXT_S)
        self._draw()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """The reason, or the typed word."""
        message.stop()
        given, typed = self._typing, message.value.strip()
        if given is None or not self._grace_period.is_over:
            return
        if given.answer is InboxAnswer.NO:
            self._end_typing()
            self._give(Given(given.rows, InboxAnswer.NO, reason=typed))
        elif typed.lower() == given.rows[0].word:
            self._end_typing()
            self._give(Given(given.rows, InboxAnswer.YES, word=typed.lower()))
        else:
            self._input.value = ""
            self._tell(f'Only "{given.rows[0].word}" does it.')

    @property
    def _can_decide(self) -> bool:
        return self._deliberate.is_ready and not self._in_burst and self._grace_period.is_over

    def _choose_rule(self, letter: str | None) -> None:
        """Today, always, or only the yes."""
        row = self._offer
        if row is None or letter is None:
            return
        if letter in _RULE_KEYS and self._can_decide:
            until = _RULE_KEYS[letter]
            self._deliberate.hold(lambda: self._give(Given((row,), InboxAnswer.RULE, until=until)))

    def _give(self, given: Given) -> None:
        """Answer; the next row stands there at once, and comes back if it could not be."""
        if self._offer is not None:
            self._end_typing()
        self._entries.answered(given.rows)
        self._note = ""
        self._gone_on(given.rows[-1])
        self.run_worker(self._send(given), group="answers")

    async def _send(self, given: Given) -> None:
        queue = self._screen.queue
        arguments = given.arguments()
        if given.until:
            arguments["until"] = given.until
        answer: Answer | None = await queue.ask("inbox.answer", cast("Arguments", arguments))
        if answer is None:
            self._entries.back([row.id for row in given.rows])
            self._note = self._screen.status.message
        elif isinstance(answer.result, InboxAnswered):
            self._entries.back([failure.id for failure in answer.result.failures])
            self._note = answer.result.said
        self._follow()

    def _gone_on(self, answered: InboxRow) -> None:
        """What was answered goes; the next one takes its place, and needs a look unless it is just like it."""
        self._renew()
        here = self._here
        if here is None:
            self._begin_grace_period()
        elif not (here.row.alike and here.row.alike == answered.alike):
            self._deliberate.wait(NEXT_S)
        self._remember_drawn()
        self._draw()

    def _follow(self) -> None:
        """Something changed: the cursor stays on its row; when that is gone or another, it has to be seen first."""
        self._renew()
        if self._is_looking and not self._entries.shown:
            self.dismiss(None)  # the last one was answered where it was looked at
            return
        if self._remember_drawn():
            self._begin_grace_period()
            self._deliberate.drop()
            if self._typing is not None or self._offer is not None:
                self._note = "It changed meanwhile: look again."
                self._end_typing()
        self._draw()

    def _renew(self) -> None:
        """The rows as they are now, those known in their old order."""
        here, place = self._drawn[0], self._list.cursor
        self._entries.renew(waiting_entries(self._screen.terminal))
        number, at = len(self._entries.shown), self._entries.place_of(here)
        self._list.rows = [[]] * number
        self._list.cursor = 0
        self._list.move(min(place, number - 1) if at is None else at)

    def _remember_drawn(self) -> bool:
        """Note what stands under the cursor; whether it is something else than before."""
        here = self._here
        drawn = ("", "") if here is None else (here.id, f"{here.row.digest} {here.row.question}")
        changed, self._drawn = drawn != self._drawn, drawn
        return changed

    def _begin_grace_period(self) -> None:
        self._grace_period.begin()
        self.set_timer(self._grace_period.left_s, self._tell_drawn)

    def _draw(self) -> None:
        if not self.is_attached:
            return
        now, width = time.time(), self._list.size.width or 76
        here = self._here
        if here is not None:
            self._drawn = here.id, f"{here.row.digest} {here.row.question}"
        rows = [
            list_row(entry, width, now, is_marked=entry.id in self._entries.marked) for entry in self._entries.shown
        ]
        self._list.show(rows or [[(" Nothing waits for you any more.", "file")]], keep=True)
        top = self._detail.top
        self._detail.show(self._detail_rows(here))
        if here is not None and self._detail_of == here.id:
            self._detail.top = top
        self._detail_of = here.id if here is not None else ""
        self._tell_drawn()
        number = len(self._entries.shown)
        self.title_box(
            f"{self.heading}: {number}" if number else "Nothing waits", self.hint if number else "Esc closes"
        )

    def _detail_rows(self, here: Entry | None) -> list[Row]:
        width = max(20, self._detail.size.width)
        if here is None:
            return []
        if self._offer is not None:
            return offer_rows(self._offer, width)
        return detail_rows(self._screen.commander, here, width)

    def _tell(self, note: str) -> None:
        self._note = note
        self._tell_drawn()

    def _tell_drawn(self) -> None:
        """The answers, grey while none counts, and what there is to say about the last one."""
        if self.is_attached:
            self._answers.show([self._answer_row(), [(f" {self._note}", "selected")] if self._note else []])

    def _answer_row(self) -> Row:
        here = self._here
        if here is None:
            return [(" Any key closes.", "file")]
        if self._offer is not None:
            return OFFER_ROW
        if self._typing is not None:
            return typing_row(self._typing)
        return answer_row(here, self._entries, "file" if self._grace_period.is_over else "dim")
