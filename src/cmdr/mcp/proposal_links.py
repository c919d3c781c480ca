"""Clients that can open a link (URL-mode elicitation) show the person where a proposal waits for their answer.

The link only shows: it is the plain address of cmdr's page with the proposal in its fragment, and holds no login, for
whoever gets it could answer with one. It goes to the client's own window, never into an answer, a log or the audit.
Each proposal is shown once; what the client makes of it changes nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager, suppress

import mcp_types as types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import Command
from cmdr.mcp.caller import Context
from cmdr.model.names import display_name, printable
from cmdr.model.plans.plan_text import title_of

log = logging.getLogger(__name__)

REMEMBERED = 1000
"""Proposals of which it is remembered that they were shown."""
MAX_TITLE_CHARS = 200
_WAITS = "await"


class ProposalLinks:
    """Belongs to the loop; one for all clients."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._shown: dict[str, None] = {}

    def ask_first(
        self, ctx: Context, principal: Principal, command: Command, arguments: Arguments
    ) -> types.InputRequiredResult | None:
        """What a client of the newer era is told to show before it repeats its `await`; None when there is nothing.

        There the server cannot ask while a call runs: it answers with what it needs, and the client calls again.
        """
        if not _is_newer(ctx) or command.name != _WAITS or not _takes_links(ctx):
            return None
        named = _named(arguments)
        what = self._waiting(principal).get(named)
        if what is None or not self._is_first_time(named):
            return None
        link = types.ElicitRequestURLParams(message=_message(what), url=self._url(named))
        return types.InputRequiredResult(input_requests={"open": types.ElicitRequest(params=link)})

    @asynccontextmanager
    async def beside(
        self, ctx: Context, principal: Principal, command: Command, arguments: Arguments
    ) -> AsyncIterator[None]:
        """While a call of an older client waits for the person, show it what it waits for."""
        if _is_newer(ctx) or not command.blocking or not _takes_links(ctx):
            yield
            return
        # Of its own: what an `await` names, or what another call brings before the person.
        known = frozenset(self._waiting(principal)) - {_named(arguments)}
        shown: list[str] = []
        showing = asyncio.get_running_loop().create_task(self._show_all(ctx, principal, known, shown))
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
            await self._complete(ctx, principal, shown)

    async def _show_all(self, ctx: Context, principal: Principal, known: Collection[str], shown: list[str]) -> None:
        events = self._commander.events
        try:
            while True:
                rev = events.rev
                for id, what in self._waiting(principal).items():
                    if id not in known and self._is_first_time(id):
                        shown.append(id)
                        await ctx.session.elicit_url(_message(what), self._url(id), id, ctx.request_id)
                await events.beyond(rev)
        except Exception:
            # Refused, gone, or not understood: the proposal waits in cmdr all the same.
            log.debug("a link was not shown", exc_info=True)

    async def _complete(self, ctx: Context, principal: Principal, shown: Iterable[str]) -> None:
        """Tell the client which of its links are no longer needed."""
        waiting = self._waiting(principal)
        for id in shown:
            if id not in waiting:
                with suppress(Exception):
                    await ctx.session.send_elicit_complete(id, ctx.request_id)

    def _is_first_time(self, id: str) -> bool:
        """Whether something was not shown yet; from now on it was."""
        if id in self._shown or not self._commander.base_url:
            return False
        self._shown[id] = None
        if len(self._shown) > REMEMBERED:
            del self._shown[next(iter(self._shown))]
        return True

    def _waiting(self, principal: Principal) -> dict[str, str]:
        """What of a caller's own waits for the person, by id, each in a few words."""
        commander = self._commander
        proposals = {
            one.id: title_of(one.plan) for one in commander.proposals.pending() if one.proposed_by == principal.id
        }
        edits = {
            case.id: f"Edit {case.subject if case.is_of_many else display_name(case.one.new_path)}"
            for case in commander.services.waiting_reviews()
            if case.owner == principal.id
        }
        return proposals | edits

    def _url(self, id: str) -> str:
        return f"{self._commander.base_url}/#/inbox/{id}"


def _message(what: str) -> str:
    return f"{printable(what, MAX_TITLE_CHARS)} waits for your answer in cmdr."


def _named(arguments: Arguments) -> str:
    return str(arguments.get("proposal") or arguments.get("review") or "")


def _is_newer(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _takes_links(ctx: Context) -> bool:
    declared = ctx.session.client_capabilities
    return declared is not None and declared.elicitation is not None and declared.elicitation.url is not None
