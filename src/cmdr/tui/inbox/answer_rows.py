"""How the answers to what waits are told: the letters of a row, the word that is typed, the rule that is offered."""

from cmdr.model.agent_text import wrapped
from cmdr.model.results.inbox import InboxAnswer, InboxRow
from cmdr.model.units import count
from cmdr.tui.inbox.answers import Given, keys_of, looks_like
from cmdr.tui.inbox.entries import InboxEntries
from cmdr.tui.inbox.waiting import Entry
from cmdr.tui.widgets.lines import Row

OFFER_ROW: Row = [(" t  today ", "file"), ("  w  always ", "file"), ("  Esc  back", "file")]


def answer_row(here: Entry, entries: InboxEntries, role: str) -> Row:
    """The letters that answer what stands under the cursor, or what is marked."""
    if here.dialog is not None and not entries.marked:
        return [(" Enter  look at it ", role), ("  n  close it ", role)]
    row: Row = [(f" {key.letter}  {key.words} ", role) for key in keys_of(here.row)]
    if InboxAnswer.NO in here.row.answers:
        row = [*row, (" N  no, because ", role)]
    if len(looks_like(here.row, entries.rows())) > 1:
        row = [*row, (" A  marks alike ", role)]
    if entries.marked:
        return [(f" {count(len(entries.marked), 'marked', 'marked')}: ", "selected"), *row]
    return row


def typing_row(given: Given) -> Row:
    """What is being typed: the word that a risky yes takes, or a reason."""
    is_risky = given.answer is InboxAnswer.YES
    return [(f' This is risky: only "{given.rows[0].word}" does it. ' if is_risky else " Say why. ", "warning")]


def offer_rows(row: InboxRow, width: int) -> list[Row]:
    """The rule that would be made, in words."""
    return [
        [(" Yes, and what is like this is not asked about:", "title_active")],
        [("", "file")],
        *([(f" {line}", "agent")] for line in wrapped(row.rule, width - 2)),
        [("", "file")],
        [(" t  today    w  always    Esc  no rule ", "file")],
    ]
