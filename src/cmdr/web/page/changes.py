"""Changes that the page carries through their states: it draws each state, and answers where the person is asked."""

import os
import secrets
from collections.abc import Mapping

from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.flow.change import Confirming, Ended, Following, Planning, State, Wish
from cmdr.core.flow.run import ChangeRun
from cmdr.model.names import from_wire, to_wire
from cmdr.model.results.result import Json
from cmdr.web.page.state import proposal_json

MAX_CHANGES = 100
MOMENT_S = 0.5
"""Seconds that an answer waits for a job to end: the keys typed behind it are about what it makes."""


class PageChanges:
    """The changes of all pages, each under a handle that only its page knows."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._changes: dict[str, ChangeRun] = {}

    async def begin(self, caller: Principal, sent: Mapping[str, Json], answer: Answer) -> dict[str, Json]:
        """Go on with what a command answered: with its plan, or with what it said instead of planning anything."""
        change = self._run(caller, Planning(self._wish(sent)))
        await change.take(answer)
        return self._json(self._keep(change), change, caller)

    def _wish(self, sent: Mapping[str, Json]) -> Wish:
        workspace, opens = self._commander.workspace, from_wire(str(sent.get("opens") or ""))
        path = os.path.join(workspace.pane(workspace.focused).tab.path, os.path.expanduser(opens))
        return Wish(sent.get("sure") is True, str(sent.get("then") or ""), path if opens else None)

    async def confirm(self, caller: Principal, proposal: str) -> dict[str, Json]:
        """Ask about a proposal that an agent made, unless it was decided meanwhile."""
        change = self._run(caller, Confirming(proposal))
        await change.look()
        return self._json(self._keep(change), change, caller)

    async def step(self, caller: Principal, id: str, sent: Mapping[str, Json]) -> dict[str, Json]:
        """Take the person's answer if there is one, and look how far it is; a job gets a moment to end."""
        change = self._changes.get(id)
        if change is None:
            raise CommandError("This change is not followed any more. The jobs tell what came of it.")
        answer, state = sent.get("answer"), change.state
        if isinstance(state, Confirming) and answer == "later":
            change.give_up()
        elif isinstance(state, Confirming) and answer in ("approve", "reject"):
            arguments: Arguments = {"proposal": state.proposal}
            if answer == "approve":
                arguments |= {"digest": str(sent.get("digest")), "word": str(sent.get("word") or "")}
            await self._commander.ask(caller, answer, arguments)
            await change.look(here=True)
        await change.look_for(MOMENT_S)
        if isinstance(change.state, Ended):
            del self._changes[id]
        return self._json(id, change, caller)

    def _run(self, caller: Principal, state: State) -> ChangeRun:
        async def ask(command: str, arguments: Arguments) -> Answer:
            return await self._commander.ask(caller, command, arguments)

        return ChangeRun(self._commander, caller, ask, state)

    def _keep(self, change: ChangeRun) -> str:
        if isinstance(change.state, Ended):
            return ""
        id = secrets.token_urlsafe(16)
        self._changes[id] = change
        while len(self._changes) > MAX_CHANGES:
            del self._changes[next(iter(self._changes))]
        return id

    def _json(self, id: str, change: ChangeRun, caller: Principal) -> dict[str, Json]:
        """The state of a change as the page draws it."""
        state = change.state
        if isinstance(state, Confirming):
            proposal = proposal_json(self._commander.proposals.get(state.proposal, caller))
            return {"kind": "confirming", "id": id, "proposal": proposal}
        if isinstance(state, Following):
            return {"kind": "following", "id": id, "job": state.job}
        assert isinstance(state, Ended)
        return {
            "kind": "ended",
            "said": state.said,
            "isBad": state.is_bad,
            "job": state.job,
            "isDone": state.is_done,
            "proposal": state.proposal,
            "opens": None if state.opens is None else to_wire(state.opens),
        }
