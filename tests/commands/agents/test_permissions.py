"""All agents at once: told what they may do, stopped, and let in again."""

import asyncio
import json


async def test_what_agents_may_do_in_this_run_is_told(desk):
    async with desk() as at:
        told = json.loads(await at.person("app.access"))
        assert told["switches"] == [] and "panes" in told["toolsets"]


async def test_the_kill_switch_ends_waiting_agents_and_drops_their_proposals(desk):
    async with desk(engine=True) as at:
        proposal = (await at.agent("mkdir", name="new")).partition("proposal: ")[2].split()[0]
        waiting = asyncio.ensure_future(at.agent("await", proposal=proposal))
        mine = asyncio.ensure_future(at.person("await", rev=10**6))
        for _ in range(5):
            await asyncio.sleep(0)
        assert await at.person("agents.stop") == "OK: All agents are stopped"
        assert await waiting == ("ERROR: The person has stopped all agents. Wait until they allow agents again.")
        assert at.workspace.dialogs == []
        assert not mine.done()
        assert "stopped all agents" in await at.agent("state")
        assert await at.person("agents.allow") == "OK: Agents may call again"
        assert (await at.agent("state")).startswith("focused")
        mine.cancel()
