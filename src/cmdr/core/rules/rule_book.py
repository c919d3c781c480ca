"""The rules of the settings as they hold now: read again when somebody changed the file, numbered once and for all,
bound to the very folders they name, and changed by the person alone.
"""

import asyncio
import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cmdr.core.agents.trust import identity_of
from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.rules.rule_facts import real_folder, stands
from cmdr.core.rules.rule_file import Change, added, changed, removed
from cmdr.core.rules.rule_ledger import Ledger
from cmdr.core.settings import Settings
from cmdr.core.threads import in_thread
from cmdr.model.names import display_name
from cmdr.model.plans.trust_plan import Identity
from cmdr.model.rules import NOTHING, Rule, Spent, holds_not, words_of

log = logging.getLogger(__name__)
_EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class RuleStanding:
    """A rule as it is listed: how much of it is used up, and why it does not hold."""

    rule: Rule
    words: str
    spent: Spent
    why_not: str
    """Empty while it holds."""


class RuleBook:
    """Belongs to the loop; reads and writes in threads."""

    def __init__(self, settings: Settings, ledger: Ledger, events: Events, audit: Audit) -> None:
        self._settings = settings
        self._events = events
        self._audit = audit
        self._stamp: tuple[int, ...] | None = None
        self._reading = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._resting: dict[int, str] = {}
        """Rules that were suspended and why, as long as the file has not been told."""
        self.ledger = ledger
        self.rules: tuple[Rule, ...] = ()
        """Every rule as it was last read, those with problems too."""

    async def start(self) -> None:
        """Read what was admitted, and the rules."""
        self._loop = asyncio.get_running_loop()
        await in_thread(self.ledger.load)
        self._resting = {number: why for number, (why, _) in self.ledger.suspended.items()}
        await self.read_again()

    async def close(self) -> None:
        """Wait for what is being written."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await in_thread(self.ledger.close)

    def numbered(self, number: int) -> Rule:
        """A rule by its number; raises `CommandError`."""
        for rule in self.rules:
            if rule.number == number and number:
                return rule
        raise CommandError(f"There is no rule {number}. cmdr rules lists them.")

    def holding(self, client: str) -> Sequence[Rule]:
        """The rules that hold for a client now."""
        return [rule for rule in self.rules if rule.client == client and not self.holds_not(rule)]

    def holds_not(self, rule: Rule) -> str:
        """Why a rule matches nothing; what has expired once stays so, whatever the clock says later."""
        if rule.until is not None and not rule.problem:
            if rule.until <= self.ledger.expired.get(rule.number, float("-inf")):
                return _EXPIRED
            if (now := time.time()) >= rule.until:
                until = rule.until
                self.from_thread(lambda: self.keep(self.ledger.note_expired(rule.number, until)))
                return _EXPIRED
        else:
            now = 0.0
        return holds_not(rule, now)

    async def standings(self) -> Sequence[RuleStanding]:
        """Every rule of the settings as they are now, with what keeps it from holding."""
        await self.fresh()
        now, home = time.time(), _home()
        gone = await in_thread(self._gone, self.rules)
        return [
            RuleStanding(
                rule,
                words_of(rule, now, home),
                self.ledger.spent(rule.number) if rule.number else NOTHING,
                self.holds_not(rule) or gone.get(rule.number, "") or self.ledger.trouble,
            )
            for rule in self.rules
        ]

    async def add(self, rule: Rule, identities: Sequence[Identity | None], by: str) -> Rule:
        """Keep a rule that the person made, for the very folders that they were shown; with its number."""
        await self.fresh()
        for known in self.rules:
            if not known.problem and known.identity == rule.identity and not self.holds_not(known):
                return known
        for root, identity in zip(rule.roots, identities, strict=True):
            if not await in_thread(stands, root, identity):
                raise CommandError(f"{display_name(root)} is another folder than the one that was shown. Look again.")
        rule = replace(rule, number=self.ledger.new_number())
        roots = [(rule.number, root, seen) for root, seen in zip(rule.roots, identities, strict=True) if seen]
        await self._kept_or_told(self.ledger.remember(roots=roots))
        over = {known.number for known in self.rules if self.holds_not(known) == _EXPIRED}
        await self._rewrite(added(rule, over, _home()), by, rule.number, "made")
        return rule

    async def set_suspended(self, number: int, why: str, by: str) -> Rule:
        """Let a rule rest, or without a reason let it hold again for the folders that stand at its roots now."""
        await self.fresh()
        rule = self.numbered(number)
        if rule.problem:
            raise CommandError(f"Rule {number} cannot be understood ({rule.problem}). Mend it in the settings first.")
        if not why:
            found = await in_thread(lambda: [(number, root, identity_of(root)) for root in rule.roots])
            roots = [(at, root, seen) for at, root, seen in found if seen is not None]
            await self._kept_or_told(self.ledger.remember(roots=roots))
            await self._kept_or_told(self.ledger.note_seen(number))
            self._resting.pop(number, None)
        await self._rewrite(changed(rule, suspended=why), by, number, "suspended" if why else "allowed")
        return self.numbered(number)

    async def remove(self, number: int, by: str) -> Rule:
        """Take a rule out of the settings."""
        await self.fresh()
        rule = self.numbered(number)
        await self._rewrite(removed(rule), by, number, "removed")
        await self._kept_or_told(self.ledger.note_seen(number))
        self._resting.pop(number, None)
        return rule

    def rest(self, rules: Sequence[Rule], why: str) -> None:
        """Suspend some rules by themselves: they rest at once, and the person is told until they have seen it."""
        for rule in rules:
            self._resting[rule.number] = why
            self.rules = tuple(self._rested(known) for known in self.rules)
            self._note("breaker", rule.number, f"suspended: {why}")
            self.keep(self.ledger.note_suspended(rule.number, why))
            self.do(self._keep_rest(rule, why))
        if rules:
            self._events.changed()

    async def fresh(self) -> None:
        """Read the rules again if somebody changed the file."""
        if await in_thread(self._stamp_now) != self._stamp:
            await self.read_again()

    async def read_again(self) -> None:
        """Read the rules as the file has them now; where it cannot be read, none holds."""
        async with self._reading:

            def read() -> tuple[tuple[int, ...], str, str]:
                stamp = self._stamp_now()
                try:
                    return stamp, self._settings.read_rules(), ""
                except (OSError, ValueError) as problem:
                    return stamp, "", str(problem)

            stamp, text, problem = await in_thread(read)
            self._settings.take_rules(text)
            if problem:
                self._settings.no_rules_because(problem)
            rules, remember = self._with_numbers(self._settings.rules)
            found = await in_thread(self._new_roots, rules)
            kept = [rule.number for rule in rules] if rules else None
            if found or remember or kept is not None:
                await self._kept_or_told(self.ledger.remember(roots=found, numbers=remember, kept=kept))
            self.rules = tuple(self._rested(rule) for rule in rules)
            self._stamp = stamp
        self._events.changed()

    def keep(self, write: Callable[[], None]) -> asyncio.Task[None]:
        """Write to the ledger in the background."""
        return self.do(self._kept_or_told(write))

    def do(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something in the background; the end of the program waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def from_thread(self, work: Callable[[], object]) -> None:
        """Do something on the loop, from wherever."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)

    def _rested(self, rule: Rule) -> Rule:
        why = self._resting.get(rule.number)
        return replace(rule, suspended=why) if why and not rule.suspended else rule

    async def _keep_rest(self, rule: Rule, why: str) -> None:
        try:
            await self._settings.rewrite(changed(rule, suspended=why))
            await self.read_again()
            self._resting.pop(rule.number, None)
        except CommandError:
            log.exception("rule %d is suspended, and the settings could not be told", rule.number)

    async def _rewrite(self, change: Change, by: str, number: int, decision: str) -> None:
        await self._settings.rewrite(change)
        self._note(by, number, decision)
        await self.read_again()

    def _note(self, by: str, number: int, decision: str) -> None:
        self._audit.record(AuditRecord(by, f"rule {number}", "", "ok", decision=decision))

    async def _kept_or_told(self, write: Callable[[], None]) -> None:
        try:
            await in_thread(write)
        except (sqlite3.Error, OSError) as problem:
            self.ledger.trouble = f"the record of what rules admitted cannot be written: {problem}"
            log.exception("the record of what rules admitted could not be written")

    def _stamp_now(self) -> tuple[int, ...]:
        path = self._settings.path
        if path is None:
            return (0,)
        try:
            found = os.stat(path)
        except OSError:
            return (1,)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _with_numbers(self, rules: Sequence[Rule]) -> tuple[Sequence[Rule], Sequence[tuple[str, int]]]:
        """The rules, each with a number; one that has none gets the one it had before, or a new one."""
        taken = {rule.number for rule in rules}
        self.ledger.last_number = max(self.ledger.last_number, *taken, 0)
        numbered, remember = [], []
        for rule in rules:
            number = rule.number
            if not rule.problem and not number:
                entry = hashlib.sha256(repr(rule.identity).encode()).hexdigest()
                number = self.ledger.numbers.get(entry, 0)
                if not number or number in taken:
                    number = self.ledger.new_number()
                    remember.append((entry, number))
                taken.add(number)
            numbered.append(replace(rule, number=number))
        return numbered, remember

    def _new_roots(self, rules: Sequence[Rule]) -> Sequence[tuple[int, bytes, Identity]]:
        """The folders of rules that were written by hand, as they are found now; blocks."""
        found = []
        for rule in rules:
            for root in rule.roots:
                is_known = (rule.number, root) in self.ledger.roots
                identity = None if is_known or real_folder(root) != root else identity_of(root)
                if identity is not None:
                    found.append((rule.number, root, identity))
        return found

    def _gone(self, rules: Sequence[Rule]) -> dict[int, str]:
        """Why rules do not match by what stands at their roots; blocks."""
        return {
            rule.number: f"{display_name(root)} {_instead(root)}"
            for rule in rules
            for root in rule.roots
            if not stands(root, self.ledger.roots.get((rule.number, root)))
        }


def _home() -> bytes:
    return os.path.expanduser(b"~")


def _instead(root: bytes) -> str:
    real = real_folder(root)
    if real is None:
        return "is gone"
    return "is another folder by now" if real == root else f"is reached by a link: write {display_name(real)}"
