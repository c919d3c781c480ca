"""The one door: every call is checked, counted, written down, and ended when the person says so."""

import asyncio

import pytest

from cmdr.core.admission.limits import Rate
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.chain import read_log
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, Access, Principal
from cmdr.core.dispatch.registry import Registry, command
from cmdr.core.errors import CommandError, NotAllowed, TooMany, UnknownCommand
from cmdr.files.errors import PathNotFound
from cmdr.model.results.result import PlainText, Said


@pytest.fixture
def registry():
    """A few commands that do nothing but show what the door does with them."""
    found = Registry()

    @command("look", access=Access.READ, toolset="panes", registry=found)
    def look(workspace) -> PlainText:
        """Look."""
        return PlainText(f"rev {workspace.rev}\n")

    @command("change", access=Access.VIEW, toolset="panes", registry=found)
    def change(call, *, what: str = "it") -> Said:
        """Change."""
        call.events.changed()
        return Said(f"changed {what}")

    @command("act", access=Access.ACT, toolset="panes", registry=found)
    def act(call) -> Said:
        """Act."""
        return Said("acted")

    @command("fail", access=Access.READ, toolset="panes", registry=found)
    async def fail(call, *, how: str) -> Said:
        """Fail."""
        if how == "disk":
            raise PathNotFound(b"/x")
        if how == "bug":
            raise KeyError("inside")
        raise CommandError("Mend this.")

    @command("block", access=Access.READ, toolset="panes", blocking=True, registry=found)
    async def block(call) -> Said:
        """Wait for ever."""
        await asyncio.get_running_loop().create_future()
        return Said("never")

    @command("secret", access=Access.READ, toolset="index", registry=found)
    def secret(call) -> Said:
        """Not switched on."""
        return Said("told")

    return found


async def test_a_command_answers_ok_and_a_document_stands_alone(core, registry, agent):
    async with core(registry=registry) as commander:
        assert await commander.run(agent, "change", {"what": "this"}) == "OK: changed this"
        assert (await commander.run(agent, "look")).startswith("rev ")


async def test_what_the_caller_can_mend_is_a_command_error(core, registry, agent):
    async with core(registry=registry) as commander:
        with pytest.raises(CommandError, match="Path not found: /x"):
            await commander.run(agent, "fail", {"how": "disk"})
        with pytest.raises(CommandError, match=r"Mend this\."):
            await commander.run(agent, "fail", {"how": "so"})
        with pytest.raises(CommandError, match='fail needs "how": text'):
            await commander.run(agent, "fail")


async def test_a_bug_is_not_dressed_up(core, registry, agent):
    async with core(registry=registry) as commander:
        with pytest.raises(KeyError):
            await commander.run(agent, "fail", {"how": "bug"})


async def test_agents_cannot_act_and_people_can(core, registry, agent):
    async with core(registry=registry) as commander:
        with pytest.raises(NotAllowed, match="act is for the person only"):
            await commander.run(agent, "act")
        assert await commander.run(PERSON, "act") == "OK: acted"


async def test_what_is_not_switched_on_does_not_exist(core, registry, agent):
    async with core(registry=registry, policy=Policy(frozenset({"panes"}))) as commander:
        with pytest.raises(UnknownCommand, match="secret is switched off: the person adds index"):
            await commander.run(agent, "secret")
        assert "secret" not in {found.name for found in commander.available(agent)}
    async with core(registry=registry, policy=Policy(frozenset({"index"}))) as commander:
        assert await commander.run(agent, "secret") == "OK: told"
        assert [found.name for found in commander.available(agent)] == ["secret"]


async def test_every_call_is_written_down_with_its_result(core, registry, agent, tmp_path):
    async with core(registry=registry) as commander:
        await commander.run(agent, "change", {"what": "password=hunter2hunter2"})
        for how in ("disk", "bug"):
            with pytest.raises((CommandError, KeyError)):
                await commander.run(agent, "fail", {"how": how})
        with pytest.raises(NotAllowed):
            await commander.run(agent, "act")
        with pytest.raises(CommandError):
            await commander.run(agent, "change", {"wrong": 1})
    rows = [(row["who"], row["what"], row["result"]) for row in read_log(str(tmp_path / "audit"))]
    assert rows == [
        ("agent:tester", "change", "ok"),
        ("agent:tester", "fail", "error"),
        ("agent:tester", "fail", "error"),
        ("agent:tester", "act", "refused"),
        ("agent:tester", "change", "error"),
    ]
    assert b"hunter2" not in (tmp_path / "audit" / "audit.jsonl").read_bytes()


async def test_an_agent_that_calls_too_fast_is_told_to_wait(core, registry, agent):
    rates = RateLimiter({**dict.fromkeys(Access, Rate(1, 3))}, scale=1)
    async with core(registry=registry, rates=rates) as commander:
        for _ in range(3):
            await commander.run(agent, "change")
        with pytest.raises(TooMany, match="Too many view calls"):
            await commander.run(agent, "change")
        await commander.run(agent, "look")
        await commander.run(Principal("agent", "other"), "change")
        for _ in range(10):
            await commander.run(PERSON, "change")


async def test_the_kill_switch_ends_blocked_calls_at_once_and_refuses_new_ones(core, registry, agent):
    async with core(registry=registry) as commander:
        blocked = [asyncio.ensure_future(commander.run(agent, "block")) for _ in range(5)]
        mine = asyncio.ensure_future(commander.run(PERSON, "block"))
        for _ in range(3):
            await asyncio.sleep(0)
        rev = commander.events.rev
        commander.stop_agents()
        for _ in range(10):  # a few turns of the loop, and no clock
            await asyncio.sleep(0)
        assert all(call.done() for call in blocked)
        for call in blocked:
            with pytest.raises(NotAllowed, match="stopped all agents"):
                call.result()
        assert commander.events.rev > rev
        assert not mine.done()
        with pytest.raises(NotAllowed, match="Wait until they allow agents again"):
            await commander.run(agent, "look")
        assert await commander.run(PERSON, "look")
        commander.allow_agents()
        assert await commander.run(agent, "look")
        mine.cancel()
        assert commander._dispatcher._agent_calls == set()


async def test_a_caller_that_leaves_is_cancelled_and_not_told_about_the_kill_switch(core, registry, agent):
    async with core(registry=registry) as commander:
        call = asyncio.ensure_future(commander.run(agent, "block"))
        for _ in range(3):
            await asyncio.sleep(0)
        call.cancel()
        commander.stop_agents()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert commander._dispatcher._agent_calls == set()


async def test_a_blocked_call_holds_up_nobody(core, registry, agent):
    async with core(registry=registry) as commander:
        blocked = [asyncio.ensure_future(commander.run(agent, "block")) for _ in range(100)]
        assert await asyncio.wait_for(commander.run(agent, "change"), 60) == "OK: changed it"
        commander.stop_agents()
        await asyncio.gather(*blocked, return_exceptions=True)


async def test_without_an_engine_files_cannot_be_changed(core, agent):
    async with core() as commander:
        with pytest.raises(CommandError, match="cannot change files"):
            await commander.run(agent, "undo")
