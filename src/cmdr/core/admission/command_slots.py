"""How many commands run side by side: few of one client, some in all; what was approved beyond that waits its turn."""

import asyncio

from cmdr.core.admission.limits import COMMANDS, Concurrency


class CommandSlots:
    """Belongs to the loop. Whoever came first goes first, unless that client has enough running."""

    def __init__(self, limit: Concurrency = COMMANDS) -> None:
        self._limit = limit
        self._running: list[Slot] = []
        self._waiting: list[Slot] = []

    def claim(self, client: str) -> "Slot":
        """A slot for one command, at once or as soon as there is one."""
        why = self._why_full(client)
        slot = Slot(self, client, why)
        if why:
            self._waiting.append(slot)
        else:
            self._let_run(slot)
        return slot

    def count(self, client: str) -> int:
        """How many commands of a client run or wait."""
        return sum(slot.client == client for slot in (*self._running, *self._waiting))

    def give_back(self, slot: "Slot") -> None:
        """One command is over, or waits no longer."""
        for slots in (self._running, self._waiting):
            if slot in slots:
                slots.remove(slot)
        for waiting in list(self._waiting):
            if not self._why_full(waiting.client):
                self._waiting.remove(waiting)
                self._let_run(waiting)

    def _let_run(self, slot: "Slot") -> None:
        self._running.append(slot)
        slot.ready.set()

    def _why_full(self, client: str) -> str:
        """Why another command of this client cannot run now, or nothing."""
        if sum(slot.client == client for slot in self._running) >= self._limit.per_caller:
            return f"{self._limit.per_caller} commands of {client} are running; it waits for one to end"
        if len(self._running) >= self._limit.total:
            return f"{self._limit.total} commands of all clients are running; it waits for one to end"
        return ""


class NeverRan(Exception):
    """The command was stopped before it began."""


class Slot:
    """The place one command takes, from the moment it was asked for until it is given back."""

    def __init__(self, slots: CommandSlots, client: str, why: str) -> None:
        self._slots = slots
        self.client = client
        self.why = why
        """Why it had to wait; empty when there was one at once."""
        self.ready = asyncio.Event()
        self._has_begun = False
        self._why_not = ""

    async def begin(self) -> None:
        """Wait until the command may run; raises `NeverRan` when it may not any more."""
        await self.ready.wait()
        if self._why_not:
            raise NeverRan(f"{self._why_not} before it ran")
        self._has_begun = True

    def stop(self, why: str) -> bool:
        """Keep a command from running; False when it has begun already."""
        if not self._has_begun:
            self._why_not = self._why_not or why
            self.ready.set()
        return not self._has_begun

    def give_back(self) -> None:
        """The command is over, or will never run."""
        self._slots.give_back(self)
