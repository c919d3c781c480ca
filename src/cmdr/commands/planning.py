"""Plans for chosen files, made beside the loop: told how far they are, and stopped when nobody waits any more."""

import asyncio
import time
from dataclasses import replace

from cmdr.commands.real_places import with_real_places
from cmdr.commands.sources import Sources
from cmdr.core.call import Call
from cmdr.core.threads import in_thread
from cmdr.engine.plan.large_plan import make_plan, plan_in_process
from cmdr.engine.plan.survey import Choices
from cmdr.model.plans.plan import Plan, Verb

LARGE = 20_000
"""From so many entries on a process of its own plans: in a thread of this one it would hold up keys and agents."""
TELL_EVERY = 0.5


async def planned(call: Call, verb: Verb, sources: Sources, choices: Choices, destination: bytes | None = None) -> Plan:
    """The plan; whoever gives up waiting ends the work on it."""
    planning = _Planning(verb, sources, choices, destination)
    task = asyncio.ensure_future(in_thread(planning.make))
    begun = time.monotonic()
    try:
        while not (await asyncio.wait({task}, timeout=TELL_EVERY))[0]:
            await call.progress(time.monotonic() - begun, f"{planning.looked_at:,} checks made")
        return task.result()
    finally:
        planning.stopped = True
        task.cancel()


class _Stopped(Exception):
    """Nobody waits for this plan any more."""


class _TooLarge(Exception):
    """This is more than a thread should plan."""


class _Planning:
    """One plan while it is made; works in a thread, and is looked at from the loop."""

    def __init__(self, verb: Verb, sources: Sources, choices: Choices, destination: bytes | None) -> None:
        self._verb, self._sources, self._destination = verb, sources, destination
        self._choices = choices
        self.looked_at = 0
        self.stopped = False

    def make(self) -> Plan:
        """Plan, and make sure that it is about the files that were shown."""
        return with_real_places(self._sources.check(self._plan()), self._choices.protection)

    def _plan(self) -> Plan:
        paths = self._sources.paths
        if len(paths) < LARGE:
            try:
                return make_plan(self._verb, paths, self._destination, replace(self._choices, check=self._one_more))
            except _TooLarge:
                self.looked_at = 0
        return plan_in_process(self._verb, paths, self._destination, self._choices, self._more)

    def _one_more(self) -> None:
        self._more(1)
        if self.looked_at > LARGE:
            raise _TooLarge

    def _more(self, entries: int) -> None:
        self.looked_at += entries
        if self.stopped:
            raise _Stopped
