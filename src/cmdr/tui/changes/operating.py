"""A change to files that the person asked for: plan it, confirm it where that is due, and follow it to its end."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from cmdr.core.answer import Answer
from cmdr.core.parameter import Arguments
from cmdr.core.principals import PERSON
from cmdr.model.job import Job, JobState
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.tab import SelectedEntries, Tab
from cmdr.model.panes.workspace import DialogType
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.results.changes import Proposed

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp

SHOW_PROGRESS_AFTER = 1.0


async def operate(
    terminal: TerminalApp,
    command: str,
    arguments: Arguments,
    *,
    sure: bool,
    then: str,
    chosen: SelectedEntries | None = None,
    opens: bytes | None = None,
) -> None:
    """Run it. With `sure` the person has already said yes in a window, and only a risky plan is asked about again.

    What it `opens` is edited once it is there.
    """
    commander, main = terminal.commander, terminal.main
    tab = main.tab
    answer = await main.queue.wait_for(_planned(terminal, command, arguments, chosen))
    if answer is None:
        return
    if not isinstance(answer.result, Proposed):
        main.show_message(answer.words)
        return
    proposal = commander.proposals.get(answer.result.proposal, PERSON)
    if sure and not proposal.plan.asks_again:
        await main.queue.ask("approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
    elif not await _confirmed(terminal, proposal):
        return
    if proposal.job is not None:
        job = commander.jobs.get(proposal.job, PERSON)
        await follow(terminal, job, then=then, marked=tab if answer.result.from_pane else None)
        if opens is not None and job.state is JobState.DONE and terminal.screen is main:
            terminal.edit(opens)


async def _planned(
    terminal: TerminalApp, command: str, arguments: Arguments, chosen: SelectedEntries | None
) -> Answer | None:
    """Plan it, and tell how far that is."""
    main = terminal.main

    async def told(elapsed: float, message: str) -> None:
        main.status.doing = f"{doing}: {message}"
        main.status.refresh()

    main.status.doing = doing = f"Planning {command.replace('_', ' ')}" + (f" of {chosen.count:,}" if chosen else "")
    try:
        return await main.queue.ask(command, arguments, chosen=chosen, progress=told)
    finally:
        main.status.doing = ""


async def _confirmed(terminal: TerminalApp, proposal: Proposal) -> bool:
    dialogs = terminal.commander.workspace.dialogs_of(DialogType.CONFIRMATION)
    for dialog in dialogs:
        if dialog.proposal == proposal.id:
            terminal.windows.open_window(dialog)
    events = terminal.commander.events
    while proposal.state is ProposalState.PENDING:
        await events.beyond(events.rev)
    return proposal.state is ProposalState.APPROVED


async def follow(terminal: TerminalApp, job: Job, *, then: str = "", marked: Tab | None = None) -> None:
    """Watch a job: questions at once, a progress window when it takes long, one line when it is over."""
    from cmdr.tui.changes.progress import Progress

    events, main = terminal.commander.events, terminal.main
    window: Progress | None = None
    started = asyncio.get_running_loop().time()
    while not job.state.is_over:
        long = asyncio.get_running_loop().time() - started > SHOW_PROGRESS_AFTER
        if window is None and (long or job.state is JobState.WAITING) and terminal.screen is main:
            window = Progress(job, main)
            terminal.push_screen(window)
        try:
            async with asyncio.timeout(0.25):
                await events.beyond(events.rev)
        except TimeoutError:
            continue
    if window is not None and window in terminal.screen_stack:
        terminal.close_window(window)  # type: ignore[arg-type]
    bad = job.state is JobState.FAILED
    if job.state is JobState.DONE and marked is not None and marked.selection.count:
        # What was selected for this operation has been dealt with.
        side = next((pane.side.value for pane in terminal.commander.workspace.panes if pane.tab is marked), None)
        if side is not None:
            await main.queue.ask("selection.none", {"pane": side})
    main.show_message(outcome_told(job, [pane.tab.path for pane in terminal.commander.workspace.panes]), bad=bad)
    await _settle(terminal, then)


def outcome_told(job: Job, folders: list[bytes]) -> str:
    """What came of it, in a line: names without the folders one sees, and of a lone failure the reason first."""
    problems = list(job.problems[:1])
    for folder in folders:
        problems = [problem.replace(to_wire(os.path.join(folder, b"")), "") for problem in problems]
    if job.state is JobState.FAILED and job.progress.items_total == 1 and problems:
        return f"{job.title}: {problems[0]}"
    return "; ".join([job.outcome, *problems])


async def _settle(terminal: TerminalApp, then: str) -> None:
    """The panes show the outcome at once, without waiting for the watcher."""
    commander, main = terminal.commander, terminal.main
    await asyncio.gather(*(main.queue.ask("refresh", {"pane": pane.side.value}) for pane in commander.workspace.panes))
    if then and main.tab.listing.position_of(from_wire(then)) is not None:
        await main.queue.ask("move_cursor", {"pane": "focused", "to": then})
    main.follow_cursor()
