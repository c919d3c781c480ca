"""One change carried through its states in this process, for the faces that live here: the terminal and the page."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.parameter import Arguments, Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.flow.change import (
    Answered,
    Approving,
    Confirming,
    Decided,
    Event,
    Following,
    GaveUp,
    JobChanged,
    Planned,
    Planning,
    Settled,
    Settling,
    State,
    advance,
)
from cmdr.model.job import Job, JobState
from cmdr.model.names import from_wire, to_wire
from cmdr.model.results.changes import Proposed

Ask = Callable[[str, Arguments], Awaitable[Answer | None]]
"""Runs a command as the person; None when it was refused and they were told why."""


class ChangeRun:
    """A change and its state. A face draws the state, and calls `look` whenever the workspace has news."""

    def __init__(self, commander: Commander, caller: Principal, ask: Ask, state: State | None = None) -> None:
        """`state` is where it begins: planning, an agent's proposal that is confirmed, a job that is followed."""
        self._commander = commander
        self._caller = caller
        self._ask = ask
        self._tab = commander.workspace.pane(commander.workspace.focused).tab
        self._one_at_a_time = asyncio.Lock()
        self.state: State = Planning() if state is None else state

    async def take(self, answer: Answer | None) -> State:
        """Go on with what the command that was to plan answered; None when it was refused or given up."""
        if answer is None:
            return self._on(GaveUp())
        proposed = answer.result
        if not isinstance(proposed, Proposed):
            return self._on(Answered(answer.words))
        state = self._on(Planned(proposed.proposal, proposed.plan.asks_again, proposed.from_pane))
        if isinstance(state, Approving):
            approve: Arguments = {"proposal": proposed.proposal, "digest": proposed.plan.digest}
            if await self._ask("approve", approve) is None:
                return self._on(GaveUp())
        return await self.look()

    async def look(self, *, here: bool = False) -> State:
        """Take note of what became of the proposal and of the job, and settle once it is over.

        `here` says whether an answer to the proposal was given in this face.
        """
        async with self._one_at_a_time:
            state = self.state
            if isinstance(state, Confirming | Approving):
                proposal = self._commander.proposals.get(state.proposal, self._caller)
                state = self._on(Decided(proposal.state, proposal.job, here))
            if isinstance(state, Following):
                job = self._commander.jobs.get(state.job, self._caller)
                asked = job.question.id if job.question else None
                state = self._on(JobChanged(job.state, self._line(job), asked, job.unfinished))
            if isinstance(state, Settling):
                await self._settle(state)
                state = self._on(Settled())
            return state

    async def look_for(self, seconds: float) -> State:
        """Look until it is over or asks something, but not for long: a new folder is there within a moment."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            rev = self._commander.events.rev
            state = await self.look()
            left = deadline - asyncio.get_running_loop().time()
            if not isinstance(state, Following) or state.question is not None or left <= 0:
                return state
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._commander.events.beyond(rev)

    def give_up(self) -> State:
        """The person leaves it as it stands."""
        return self._on(GaveUp())

    def _on(self, event: Event) -> State:
        self.state = advance(self.state, event)
        return self.state

    def _line(self, job: Job) -> str:
        return outcome_line(job, [pane.tab.path for pane in self._commander.workspace.panes])

    async def _settle(self, state: Settling) -> None:
        """The panes show the outcome at once, without waiting for the watcher."""
        panes, tab = self._commander.workspace.panes, self._tab
        side = next((pane.side.value for pane in panes if pane.tab is tab), None)
        if side is not None and state.lets_go and tab.selection.count:
            await self._ask("selection.none", {"pane": side})
        await asyncio.gather(*(self._ask("refresh", {"pane": pane.side.value}) for pane in panes))
        if side is not None and state.lets_go:
            await self._select(side, state.keeps)
        if side is not None and state.cursor_to and tab.listing.position_of(from_wire(state.cursor_to)) is not None:
            await self._ask("move_cursor", {"pane": side, "to": state.cursor_to})

    async def _select(self, side: str, paths: frozenset[bytes]) -> None:
        """Select what is left of some entries, as far as the pane still shows their folder."""
        columns = self._tab.listing.columns
        names = [os.path.basename(path) for path in sorted(paths) if os.path.dirname(path) == self._tab.path]
        there: list[Json] = [to_wire(name) for name in names if columns.find(name) is not None]
        if there:
            await self._ask("select", {"pane": side, "names": there})


def outcome_line(job: Job, folders: list[bytes]) -> str:
    """What came of a job, in a line: names without the folders one sees, and of a lone failure the reason first."""
    problems = list(job.problems[:1])
    for folder in folders:
        problems = [problem.replace(to_wire(os.path.join(folder, b"")), "") for problem in problems]
    if job.state is JobState.FAILED and job.progress.items_total == 1 and problems:
        return f"{job.title}: {problems[0]}"
    return "; ".join([job.outcome, *problems])
