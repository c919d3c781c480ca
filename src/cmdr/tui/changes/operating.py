"""A change to files that the person asked for, as the terminal draws it: planning, the question, the progress."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.flow.change import Confirming, Ended, Following, Planning, Wish
from cmdr.core.flow.run import ChangeRun
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.panes.workspace import DialogType
from cmdr.model.results.proposals import EditProposed
from cmdr.tui.review.screen import open_own_review

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp
    from cmdr.tui.changes.progress import Progress

SHOW_PROGRESS_AFTER_S = 1.0
LOOK_EVERY_S = 0.25


async def operate(
    terminal: TerminalApp, command: str, arguments: Arguments, wish: Wish, chosen: SelectedEntries | None = None
) -> None:
    """Plan a change and carry it through its states."""
    main = terminal.main
    change = ChangeRun(terminal.commander, PERSON, main.queue.ask, Planning(wish))
    answer = await main.queue.wait_for(_planned(terminal, command, arguments, chosen))
    await change.take(answer)
    if answer is not None and isinstance(answer.result, EditProposed):
        open_own_review(main, answer.result.review)
    await _draw(terminal, change)


async def follow(terminal: TerminalApp, job: str) -> None:
    """Watch a job that was approved here."""
    await _draw(terminal, ChangeRun(terminal.commander, PERSON, terminal.main.queue.ask, Following(job)))


async def _planned(
    terminal: TerminalApp, command: str, arguments: Arguments, chosen: SelectedEntries | None
) -> Answer | None:
    """Plan it, and show how far that is."""
    main = terminal.main

    async def show(elapsed: float, message: str) -> None:
        main.status.doing = f"{doing}: {message}"
        main.status.refresh()

    main.status.doing = doing = f"Planning {command.replace('_', ' ')}" + (f" of {chosen.count:,}" if chosen else "")
    try:
        return await main.queue.ask(command, arguments, chosen=chosen, progress=show)
    finally:
        main.status.doing = ""


async def _draw(terminal: TerminalApp, change: ChangeRun) -> None:
    """Draw every state of a change: the question, a progress window when it takes long, one line when it is over."""
    events, main = terminal.commander.events, terminal.main
    window: Progress | None = None
    started: float | None = None
    is_asked = False
    while not isinstance(state := change.state, Ended):
        rev = events.rev
        if isinstance(state, Confirming) and not is_asked:
            is_asked = True
            _show_question(terminal, state)
        elif isinstance(state, Following):
            now = asyncio.get_running_loop().time()
            started = now if started is None else started
            if window is None and (state.question or now - started > SHOW_PROGRESS_AFTER_S):
                window = _show_progress(terminal, state)
        try:
            async with asyncio.timeout(LOOK_EVERY_S):
                await events.beyond(rev)
        except TimeoutError:
            pass
        await change.look(here=True)
    if window is not None and window in terminal.screen_stack:
        terminal.close_window(window)  # type: ignore[arg-type]
    if state.said:
        main.show_message(state.said, bad=state.is_bad)
    main.follow_cursor()
    if state.opens is not None and terminal.screen is main:
        terminal.edit(state.opens)


def _show_question(terminal: TerminalApp, state: Confirming) -> None:
    for dialog in terminal.commander.workspace.dialogs_of(DialogType.CONFIRMATION):
        if dialog.proposal == state.proposal:
            terminal.windows.open_window(dialog)


def _show_progress(terminal: TerminalApp, state: Following) -> Progress | None:
    """A window about the job, unless another one is in front."""
    from cmdr.tui.changes.progress import Progress

    if terminal.screen is not terminal.main:
        return None
    window = Progress(terminal.commander.jobs.get(state.job, PERSON), terminal.main)
    terminal.push_screen(window)
    return window
