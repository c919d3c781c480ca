"""The confirmation of a proposed change, drawn from the plan that would run and from nothing else.

Nothing is approved by a key that was on its way to somewhere else: for a moment all keys are dropped, a burst of keys
keeps them dropped, Enter never approves, and a risky plan takes a typed word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.agent_text import framed, wrapped
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Dialog
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.plan_list import length_of
from cmdr.model.plans.plan_text import Fact, facts_of, title_of, word_to_type
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import GRACE_EXTENSION_S, GRACE_S, GracePeriod, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

BODY = 16
"""Lines of facts; the layout never depends on how many there are."""
BOX, BORDERS = 84, 6
"""Columns of the whole box, and of its frame, its padding and one blank at either side."""
WIDE = 80
"""Columns of the screen from which on the answers are told in full."""
_ROLES = {"": "file", "care": "agent", "risk": "warning"}


class Confirm(Window[str]):
    """No by default; `y` approves, or the typed word does."""

    DEFAULT_CSS = """
    Confirm > .box { border: heavy $warning; border-title-color: $warning; width: 84; }
    """

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._proposal = screen.commander.proposals.get(dialog.proposal or "", PERSON)
        self._plan = self._proposal.plan
        """What is drawn here; an answer is about this and nothing that may have taken its place meanwhile."""
        self._word = word_to_type(self._plan)
        self.dialog = dialog.id
        self._grace_period = GracePeriod(screen.terminal.clock)
        self._explains = False
        """Whether a key was pressed that answers elsewhere, so that the answers here are told more plainly."""
        self._by_agent = by_agent = not self._proposal.proposed_by.startswith("person:")
        self.heading = (
            f"{self._proposal.proposed_by.partition(':')[2]} proposes a change" if by_agent else "Please confirm"
        )
        self._esc = "decides later" if by_agent else "says no"
        no = ("N says why not · " if self._word is None else "type “no” to say no · ") if by_agent else ""
        self.hint = f"↑↓ scroll · F3 lists all · {no}Esc {self._esc}"

    def contents(self) -> list[Widget]:
        """Facts, the agent's words marked as such, and the answers; always in the same places."""
        plan = self._plan
        title, *rest = facts_of(plan)
        self._summary, self._lines = title.text, rest
        self._head = LineList(self.appearance, self._head_rows(), lines=len(self._head_rows()), cursor=False)
        self._facts = LineList(self.appearance, self._fact_rows(), lines=BODY, cursor=False)
        self._says = LineList(self.appearance, self._said_rows(), lines=len(self._said_rows()), cursor=False)
        parts: list[Widget] = [self._head, self._facts, self._says]
        self._answers = LineList(self.appearance, lines=1, cursor=False)
        parts.append(self._answers)
        if self._word is not None:
            self._input = LineInput("", placeholder=f'type "{self._word}" and Enter to do it')
            parts.append(self._input)
        return parts

    def opened(self) -> None:
        """Deaf at first."""
        self._begin_grace_period()
        self._answers.show([self._answer_row()])
        if self._word is None:
            self.set_focus(None)
        else:
            self.set_focus(self._input)

    def on_resize(self) -> None:
        """The answers are always seen, if need be in fewer words."""
        self._facts.show(self._fact_rows(), keep=True)
        for part, rows in ((self._head, self._head_rows()), (self._says, self._said_rows())):
            part.show(rows)
            part.lines = len(rows)
        super().on_resize()
        self._answers.show([self._answer_row()])

    @property
    def _width(self) -> int:
        """Columns of a line in the box."""
        return min(BOX, self.app.size.width * 96 // 100) - BORDERS

    def _head_rows(self) -> list[Row]:
        """What will happen in a line, none of it cut off, and a blank line."""
        return [*([(f" {piece}", "title_active")] for piece in wrapped(self._summary, self._width)), [("", "file")]]

    def _fact_rows(self) -> list[Row]:
        """All facts, none of them cut off."""
        return [row for line in self._lines for row in _fact(line, self._width)]

    def _said_rows(self) -> list[Row]:
        """The agent's words in their frame, below whose they are; an empty line when there are none."""
        speaker = self._proposal.proposed_by.partition(":")[2]
        heading, *lines = framed(speaker, self._proposal.reason, self._width) or [""]
        return [[(f" {heading}", "agent")], *([(f" {line}", "dim")] for line in lines)]

    def on_screen_resume(self) -> None:
        """Back from the list: a key that was meant for it must not answer either."""
        self._begin_grace_period()

    def _begin_grace_period(self) -> None:
        self._grace_period.begin()
        self.set_timer(GRACE_S, lambda: self._answers.show([self._answer_row()]))

    async def on_key(self, event: events.Key) -> None:
        """Esc and F10 always leave; the rest only once we listen."""
        if not self.closes_with(event.key) and self._grace_period.drops():
            self.set_timer(GRACE_EXTENSION_S, lambda: self._answers.show([self._answer_row()]))
            event.stop()
            event.prevent_default()
            return
        await super().on_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text never answers."""
        event.stop()
        event.prevent_default()

    def pressed(self, event: events.Key) -> bool:
        """y, n, the whole list, or scrolling."""
        if self._facts.pressed(event):
            return True
        if event.key == "f3" or (self._word is None and event.key in ("l", "L")):
            self._list_all()
        elif self._word is None and event.key in ("y", "Y"):
            self._answer("approve")
        elif self._word is None and event.character == "N" and self._by_agent:
            self._ask_reason()
        elif self._word is None and event.key in ("n", "N"):
            self._answer("reject")
        elif self._can_be_named and event.key in ("e", "E"):
            self._ask_name()
        elif self._word is None and event.key == "enter":
            self._explain()
        else:
            return False
        return True

    def _explain(self) -> None:
        """Enter is pressed out of habit: it decides nothing, and says what does."""
        self._explains = True
        self._answers.show([self._answer_row()])

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """The typed word."""
        message.stop()
        if self._grace_period.is_over and message.value.strip().lower() == self._word:
            self._answer("approve", word=message.value)
        elif self._grace_period.is_over and message.value.strip().lower() == "no":
            self._answer("reject")
        else:
            self._input.value = ""
            self._explain()

    def _ask_reason(self) -> None:
        """No, with words that the agent gets."""
        from cmdr.tui.windows.ask import Ask

        def no(words: str) -> None:
            self._screen.enqueue("reject", {"proposal": self._proposal.id, "reason": words})

        self.terminal.ask(Ask("Why not?", "", placeholder="the agent gets these words"), no)

    def _list_all(self) -> None:
        from cmdr.tui.changes.plan_list import PlanList

        self.terminal.ask(PlanList(self._plan), lambda _: None)

    def leave(self) -> None:
        """A person's own question is answered with no; an agent's goes on waiting."""
        if self._proposal.proposed_by == PERSON.id:
            self._answer("reject")
        else:
            self.dismiss(None)

    def _answer(self, decision: str, word: str = "") -> None:
        arguments: dict[str, str] = {"proposal": self._proposal.id}
        if decision == "approve":
            arguments |= {"digest": self._plan.digest, "word": word}
            watched = self._by_agent
            self._screen.enqueue(decision, {**arguments}, done=lambda _: self._watch() if watched else None)
        else:
            self._screen.enqueue(decision, {**arguments}, show_answer=False)

    @property
    def _can_be_named(self) -> bool:
        plan = self._plan
        return self._word is None and plan.verb in (Verb.MKDIR, Verb.MKFILE) and not plan.totals.bytes

    def _ask_name(self) -> None:
        from cmdr.tui.windows.ask import Ask

        place = self._plan.subject.place
        heading = "New folder" if self._plan.verb is Verb.MKDIR else "New file"
        above: list[Row] = [[(f"in {to_wire(place.path[: -len(place.name)])}", "dim")]]
        name = to_wire(place.name)
        self.terminal.ask(Ask(heading, name, above=above, select=(0, len(name))), self._named)

    def _named(self, name: str) -> None:
        # What they typed and entered is what they want; only a place that programs trust is asked about once more.
        arguments = {"proposal": self._proposal.id, "name": name}
        self._screen.enqueue("proposal.name", {**arguments}, done=lambda _: self._do_named())

    def _do_named(self) -> None:
        self._plan = self._proposal.plan
        if word_to_type(self._plan) is None:
            self._answer("approve")
        else:
            self.dismiss(None)

    def _watch(self) -> None:
        from cmdr.tui.changes.operating import follow

        if self._proposal.job is not None:
            self._screen.terminal.run_worker(follow(self._screen.terminal, self._proposal.job), group="follow")
        self._screen.show_message(f"Approved: {title_of(self._plan)}")

    def _answer_row(self) -> Row:
        plain, strong = ("file", "title_active") if self._grace_period.is_over else ("dim", "dim")
        wide = self.app.size.width >= WIDE
        if self._word is not None:
            risky = f' Only "{self._word}" does it. ' if self._explains else " This is risky. "
            return [(risky, "warning"), (f" Esc {self._esc}", "file")]
        no, yes = ("No, leave everything as it is", "Yes, do it") if wide else ("No", "Yes")
        row: Row = [(f" n  {no} ", strong), (f"   y  {yes} ", plain)]
        if self._explains:
            row = [(" Press: ", "warning"), (f" y  {yes} ", plain), (f"   n  {no} ", plain)]
        if length_of(self._plan) > 1:
            row = [*row, ("   l  List all " if wide else "  l  List ", plain)]
        return [*row, ("   e  Another name " if wide else "  e  Name ", plain)] if self._can_be_named else row


def _fact(fact: Fact, width: int) -> list[Row]:
    role = _ROLES[fact.tone]
    end = " " if role == "warning" else ""
    return [[(f" {piece}{end}", role)] for piece in wrapped(fact.text, width)]
