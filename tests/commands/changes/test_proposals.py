"""From proposal to outcome: agents propose and wait, the person decides."""

import asyncio
import json
import re

import yaml

from cmdr.core.dispatch.principals import Principal


def id_in(answer):
    return re.search(r"proposal: (\S+)", answer)[1]


async def shown(at, proposal):
    return json.loads(await at.person("proposal.show", proposal=proposal))


async def test_an_approved_copy_is_carried_out_and_can_be_undone(desk):
    async with desk(engine=True) as at:
        await at.agent("select", pane="left", names=["README.md", "docs"])
        proposal = id_in(await at.agent("copy", reason="a backup"))
        waiting = asyncio.ensure_future(at.agent("await", proposal=proposal))
        told = await shown(at, proposal)
        assert (told["by"], told["reason"], told["word"]) == ("agent:tester", "a backup", None)
        answer = await at.person("approve", proposal=proposal, digest=told["digest"])
        assert answer.startswith(f"OK: Approved {proposal}\njob: j_")
        outcome = await waiting
        assert outcome.startswith("OK: Approved. copy done: 2 files")
        assert (at.root / "right" / "README.md").read_bytes() == b"x" * 2403
        assert (at.root / "right" / "docs" / "guide.md").exists()
        back = id_in(await at.agent("undo", operation="last"))
        await at.person("approve", proposal=back, digest=(await shown(at, back))["digest"])
        await at.agent("await", proposal=back)
        assert not (at.root / "right" / "README.md").exists()


async def test_no_agent_decides(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        digest = (await shown(at, proposal))["digest"]
        for name, how in {
            "approve": {"proposal": proposal, "digest": digest},
            "reject": {"proposal": proposal},
            "proposal.show": {"proposal": proposal},
            "inbox": {},
            "inbox.answer": {"ids": [proposal], "digests": [digest], "answer": "yes"},
            "agents.allow": {},
        }.items():
            assert await at.agent(name, **how) == f"ERROR: {name} is for the person only. Ask them to do it."
        assert not (at.root / "left" / "new").exists()


async def test_a_rejected_proposal_changes_nothing(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        assert proposal in await at.person("inbox")
        assert await at.person("reject", proposal=proposal) == f"OK: Proposal {proposal} is rejected"
        assert await at.agent("await", proposal=proposal) == "OK: Proposal rejected. Nothing was changed."
        assert json.loads(await at.person("inbox"))["rows"] == []


async def test_a_risky_plan_needs_its_word(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("delete", paths=["README.md"], permanent=True))
        told = await shown(at, proposal)
        assert told["word"] == "delete"
        answer = await at.person("approve", proposal=proposal, digest=told["digest"])
        assert answer.startswith("ERROR: This is risky (deletes for good")
        assert (at.root / "left" / "README.md").exists()
        await at.person("approve", proposal=proposal, digest=told["digest"], word=" Delete ")
        assert (await at.agent("await", proposal=proposal)).startswith("OK: Approved. delete done")
        assert not (at.root / "left" / "README.md").exists()


async def test_a_wrong_digest_approves_nothing(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        for digest in ("0" * 64, "", "ä"):
            answer = await at.person("approve", proposal=proposal, digest=digest)
            assert answer == f"ERROR: Proposal {proposal} is not the plan that was shown. Look at it again."


async def test_another_agents_proposal_is_not_to_be_seen(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        answer = await at.ask(Principal("agent", "other"), "await", {"proposal": proposal})
        assert answer == (f"ERROR: No proposal {proposal}. It may have been forgotten; propose the change again.")


async def test_waiting_needs_one_thing_to_wait_for(desk):
    async with desk() as at:
        told = 'ERROR: await needs one of "proposal", "job", "review" or "rev".'
        assert await at.agent("await") == told
        assert await at.agent("await", rev=1, job="x") == told


async def test_waiting_for_a_newer_state_ends_with_the_change(desk):
    async with desk() as at:
        rev = at.workspace.rev
        waiting = asyncio.ensure_future(at.agent("await", rev=rev))
        await asyncio.sleep(0)
        await at.person("switch_pane")
        assert await waiting == f"OK: rev: {at.workspace.rev}"


async def test_waiting_ends_with_its_time(desk):
    async with desk() as at:
        rev = at.workspace.rev
        answer = await at.agent("await", rev=rev, timeout=0)
        assert answer == f"OK: still waiting for state rev {rev}. Await it again."
        assert "from 0 to 60" in await at.agent("await", rev=rev, timeout=61)


async def test_jobs_and_history_are_told(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        await at.person("approve", proposal=proposal, digest=(await shown(at, proposal))["digest"])
        await at.agent("await", proposal=proposal)
        (job,) = yaml.safe_load(await at.agent("jobs.list"))["jobs"]
        assert (job["state"], job["by"]) == ("done", "agent:tester")
        assert yaml.safe_load(await at.ask(Principal("agent", "other"), "jobs.list", {})) == {"jobs": []}
        (line,) = yaml.safe_load(await at.agent("history.list"))["history"]
        assert f"mkdir {at.path('left/new')}" in line


async def test_jobs_are_steered_by_people(desk):
    async with desk(engine=True) as at:
        for name in ("job.pause", "job.resume", "job.retry", "job.rollback"):
            assert await at.person(name, job="j_x\n") == "ERROR: No job j_x\\u{a}. It may have been forgotten."
            assert "for the person only" in await at.agent(name, job="j_x")


async def test_an_approved_proposal_names_its_job(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="made"))
        await at.person("approve", proposal=proposal, digest=(await shown(at, proposal))["digest"])
        state = yaml.safe_load(await at.agent("proposal.state", proposal=proposal))
        assert (state["state"], state["job"][:2]) == ("approved", "j_")


async def test_a_proposal_that_waits_has_no_job_yet(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        state = yaml.safe_load(await at.agent("proposal.state", proposal=proposal))
        assert (state["id"], state["state"]) == (proposal, "pending")
        assert "job" not in state


async def test_only_the_person_names_what_is_created_and_only_while_it_waits(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", pane="left", name="new"))
        before = (await shown(at, proposal))["digest"]
        refused = await at.agent("proposal.name", proposal=proposal, name="mine")
        assert refused.startswith("ERROR: proposal.name is for the person only")
        assert await at.person("proposal.name", proposal=proposal, name="a9.txt") == (
            f"ERROR: {at.path('left/a9.txt')} exists already. Choose another name."
        )
        assert await at.person("proposal.name", proposal=proposal, name="a/b") == 'ERROR: A name holds no "/".'
        named = await at.person("proposal.name", proposal=proposal, name="yours")
        assert named == f"OK: Named {at.path('left/yours')}"
        stale = await at.person("approve", proposal=proposal, digest=before)
        assert stale == f"ERROR: Proposal {proposal} is not the plan that was shown. Look at it again."
        await at.person("approve", proposal=proposal, digest=(await shown(at, proposal))["digest"])
        await at.agent("await", proposal=proposal)
        assert (at.root / "left" / "yours").is_dir() and not (at.root / "left" / "new").exists()
        late = await at.person("proposal.name", proposal=proposal, name="late")
        assert late == f"ERROR: Proposal {proposal} is already approved."
        copying = id_in(await at.agent("copy", paths=["README.md"]))
        assert (await at.person("proposal.name", proposal=copying, name="x")).startswith("ERROR: Only a new folder")


async def test_a_followed_job_tells_its_question_and_its_end(desk):
    async with desk(engine=True) as at:
        (at.root / "right" / "README.md").write_text("theirs")
        proposal = id_in(await at.agent("copy", paths=["README.md"]))
        await at.person("approve", proposal=proposal, digest=(await shown(at, proposal))["digest"])
        job = (await shown(at, proposal))["job"]
        told = json.loads(await at.person("job.follow", job=job))
        assert (told["over"], told["state"]) == (False, "waiting")
        assert told["question"]["there"].startswith(f"{at.path('right/README.md')} (6 B, ")
        (asks,) = json.loads(await at.person("inbox"))["rows"]
        assert (asks["id"], asks["kind"], asks["question"]) == (job, "question", told["question"]["id"])
        assert asks["detail"].startswith(at.path("right/README.md"))
        await at.person("job.answer", job=job, question=told["question"]["id"], answer="overwrite")
        told = json.loads(await at.person("job.follow", job=job))
        assert (told["over"], told["done"], told["question"]) == (True, True, None)
        assert told["outcome"].startswith("copy done: 1 file")


async def test_all_of_a_proposal_is_listed_for_the_person_alone(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("delete", paths=["README.md", "docs"], permanent=True))
        assert "for the person only" in await at.agent("proposal.items", proposal=proposal)
        told = await shown(at, proposal)
        page = json.loads(await at.person("proposal.items", proposal=proposal))
        assert (page["digest"], page["total"]) == (told["digest"], told["steps"])
        assert any(line.endswith(at.path("left/README.md")) for line in page["lines"])
        last = json.loads(await at.person("proposal.items", proposal=proposal, start=1, count=1))
        assert last["lines"] == page["lines"][1:2]


async def test_what_expired_is_told_until_the_person_has_seen_it(desk):
    """Proposals were gone after ten minutes, and nobody was told."""
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        at.commander.proposals._expire(at.commander.proposals.pending()[0])
        (expired,) = json.loads(await at.person("inbox"))["rows"]
        assert (expired["id"], expired["kind"], expired["by"]) == (proposal, "ended", "tester")
        assert expired["what"] == f"Create folder {at.path('left/new')}"
        seen = {"ids": [proposal], "digests": [""], "answer": "seen"}
        assert "for the person only" in await at.agent("inbox.answer", **seen)
        await at.person("inbox.answer", **seen)
        assert json.loads(await at.person("inbox"))["rows"] == []


async def test_a_question_of_the_persons_own_that_expires_is_not_told(desk):
    async with desk(engine=True) as at:
        await at.person("mkdir", name="new")
        at.commander.proposals._expire(at.commander.proposals.pending()[0])
        assert json.loads(await at.person("inbox"))["rows"] == []


async def test_a_long_list_comes_in_answers_that_are_whole(desk):
    """An answer is cut at 20,000 characters; half a JSON document says nothing."""
    async with desk(engine=True) as at:
        wide = "\u4f60" * 70
        folder = at.root / "left" / wide
        folder.mkdir()
        for number in range(150):
            (folder / f"{number:03}{wide}").write_text("x")
        proposal = id_in(await at.agent("delete", paths=[str(folder)], permanent=True))
        lines, total = [], 1
        while len(lines) < total:
            page = json.loads(await at.person("proposal.items", proposal=proposal, start=len(lines), count=500))
            assert page["lines"] and page["start"] == len(lines)
            lines, total = [*lines, *page["lines"]], page["total"]
        assert len(lines) == total == 151


async def test_the_history_as_data_goes_on_before_an_operation(desk):
    async with desk(engine=True) as at:
        for name in ("one", "two", "three"):
            proposal = id_in(await at.agent("mkdir", name=name))
            await at.person("approve", proposal=proposal, digest=(await shown(at, proposal))["digest"])
            await at.agent("await", proposal=proposal)
        (newest,) = json.loads(await at.agent("history.entries", limit=1))
        assert (newest["operation"], newest["first"]) == (3, at.path("left/three"))
        older = json.loads(await at.agent("history.entries", before=3))
        assert [entry["operation"] for entry in older] == [2, 1]
        assert json.loads(await at.agent("history.entries", before=1)) == []
