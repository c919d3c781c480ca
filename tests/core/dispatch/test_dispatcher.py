"""The dispatcher: few calls at once, and while the record fails names may be looked at and no more."""

import asyncio

import pytest

from cmdr import commands
from cmdr.core.admission.fair_semaphore import FairSemaphore
from cmdr.core.admission.limits import CALL_RATES, Concurrency, Rate
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.chain import read_log, verify
from cmdr.core.dispatch.dispatcher import Dispatcher
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, Access, Principal
from cmdr.core.dispatch.registry import REGISTRY, Registry, command
from cmdr.core.errors import CommandError, NotRecorded, TooMany
from cmdr.files.errors import PathNotFound
from cmdr.model.results.result import Said

AGENT = Principal("agent", "tester", token=True)


def test_whatever_reads_contents_or_changes_anything_is_no_look():
    commands.register()
    looks = {each.name for each in REGISTRY if each.is_look}
    for each in REGISTRY:
        changes = each.access in (Access.PROPOSE, Access.ACT) or each.lasting
        if changes or each.toolset in ("fs", "shell", "review", "ide"):
            assert each.name not in looks
    assert not looks & {"resource_set", "savedQuery.delete", "index"}, "these are kept"
    assert {"state", "nav_to_path", "jobs.list", "tree.page", "command"} <= looks
    assert "await" not in looks, "it may tell what a command printed"
    assert "node.detail" not in looks, "it tells how a text begins"


@pytest.fixture
def done():
    return []


@pytest.fixture
def registry(done):
    made = Registry()

    def declare(name, **how):
        def run(call) -> Said:
            """Do something."""
            done.append(name)
            return Said(name)

        command(name, registry=made, **how)(run)

    declare("names", access=Access.READ, toolset="panes")
    declare("contents", access=Access.READ, toolset="index", contents=True)
    declare("proposes", access=Access.PROPOSE, toolset="ops")
    return made


class Full:
    """A disk without room: nothing is appended to the log."""

    def __init__(self, audit, monkeypatch):
        self.is_full, real = True, audit._append

        def append(*what):
            if self.is_full:
                raise OSError(28, "No space left on device")
            real(*what)

        monkeypatch.setattr(audit, "_append", append)


async def test_a_call_that_needs_a_record_is_not_even_run_while_there_can_be_none(core, registry, done, monkeypatch):
    async with core(registry=registry) as commander:
        audit = commander.audit
        disk = Full(audit, monkeypatch)
        with pytest.raises(NotRecorded):
            await commander.run(AGENT, "contents")
        assert done == ["contents"], "this one found out; nobody got its answer"
        for name in ("contents", "proposes"):
            with pytest.raises(NotRecorded, match="No space left on device"):
                await commander.run(AGENT, name)
        assert done == ["contents"]
        assert await commander.run(AGENT, "names") == "OK: names"
        assert await commander.run(PERSON, "contents") == "OK: contents"
        audit.flush()
        assert (audit.gap.unrecorded, audit.gap.refused) == (3, 2)
        disk.is_full = False
        assert await commander.run(AGENT, "proposes") == "OK: proposes"
        rows = [(row["what"], row.get("result")) for row in read_log(audit._folder)]
        assert rows[0][0] == "gap"
        assert rows[1:] == [("proposes", "ok")], "it is on the disk before its answer leaves"
        assert verify(audit._folder).gaps[0].refused == 2


async def test_only_what_was_proposed_counts_against_the_rate_of_proposals(core, registry):
    """Twenty mistakes in a row kept an agent from its first real proposal for a minute."""
    fails = []

    def run(call, *, path: str) -> Said:
        """Propose something."""
        if fails:
            raise fails[0]
        return Said(path)

    command("picky", registry=registry, access=Access.PROPOSE, toolset="ops")(run)
    rates = RateLimiter(CALL_RATES | {Access.PROPOSE: Rate(1e-6, 2)}, scale=1)
    async with core(registry=registry, rates=rates) as commander:
        for _ in range(5):
            with pytest.raises(CommandError, match='needs "path"'):
                await commander.run(AGENT, "picky")
        for wrong in (CommandError("no"), PathNotFound(b"/gone")):
            fails[:] = [wrong]
            for _ in range(5):
                with pytest.raises(CommandError):
                    await commander.run(AGENT, "picky", {"path": "x"})
        fails.clear()
        for _ in range(2):
            assert await commander.run(AGENT, "picky", {"path": "x"}) == "OK: x"
        with pytest.raises(TooMany, match="Too many propose calls"):
            await commander.run(AGENT, "picky", {"path": "x"})


async def test_a_proposal_whose_caller_went_away_counts(core, registry):
    begun = asyncio.Event()

    async def run(call) -> Said:
        """Propose something, and wait for the answer."""
        begun.set()
        await asyncio.Event().wait()
        return Said("never")

    command("waits", registry=registry, access=Access.PROPOSE, toolset="ops", blocking=True)(run)
    rates = RateLimiter(CALL_RATES | {Access.PROPOSE: Rate(1e-6, 1)}, scale=1)
    async with core(registry=registry, rates=rates) as commander:
        call = asyncio.ensure_future(commander.run(AGENT, "waits"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(TooMany):
            await commander.run(AGENT, "proposes")


@pytest.fixture
def narrow():
    """A dispatcher that runs one call at a time, and lets one wait."""
    dispatcher = Dispatcher(None, Policy(), RateLimiter())
    dispatcher._running = FairSemaphore(Concurrency(1, 1, queue_length=1))
    return dispatcher


async def test_people_never_wait_and_inner_calls_are_admitted_already(narrow):
    async with narrow._permitted(AGENT), narrow._permitted(PERSON), narrow._permitted(AGENT):
        assert narrow._running.running == 1
    assert narrow._running.running == 0


async def test_a_caller_with_too_many_waiting_calls_is_told_to_come_back(narrow):
    async def call():
        async with narrow._permitted(AGENT):
            await asyncio.Event().wait()

    waiting = [asyncio.create_task(call()) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match="Too many waiting calls"):
        async with narrow._permitted(AGENT):
            pass
    for each in waiting:
        each.cancel()
