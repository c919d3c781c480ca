"""The inbox: everything that waits in one list, answered one by one or many at once, each as it was shown."""

import asyncio
import json
import re

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.job import Job, JobState, Progress
from cmdr.model.root_spec import RootSpec

OTHER = Principal("agent", "other", token=True)


def id_in(answer):
    return re.search(r"proposal: (\S+)", answer)[1]


async def rows(at, kind=None):
    found = json.loads(await at.person("inbox"))["rows"]
    return [row for row in found if kind in (None, row["kind"])]


async def answer(at, what, said, **more):
    """What became of an answer to some rows."""
    asked = {"ids": [row["id"] for row in what], "digests": [row["digest"] for row in what], "answer": said, **more}
    told = await at.person("inbox.answer", **asked)
    assert not told.startswith("ERROR"), told
    return json.loads(told)


async def waiting_jobs(at):
    """A job that asks about a taken name."""
    (at.root / "right" / "README.md").write_text("taken")
    proposal = id_in(await at.agent("copy", paths=[at.path("left/README.md")]))
    await answer(at, [row for row in await rows(at) if row["id"] == proposal], "yes")
    while not (asked := await rows(at, "question")):
        await at.commander.events.beyond(at.commander.events.rev)
    return asked


async def test_no_agent_sees_or_answers_it(desk):
    async with desk(engine=True) as at:
        await at.agent("mkdir", name="new")
        (row,) = await rows(at)
        for name, how in {
            "inbox": {},
            "inbox.answer": {"ids": [row["id"]], "digests": [row["digest"]], "answer": "yes"},
        }.items():
            assert await at.agent(name, **how) == f"ERROR: {name} is for the person only. Ask them to do it."
        assert (await rows(at)) == [row]


async def test_a_proposal_is_told_with_who_what_how_much_since_when_and_until_when(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("copy", paths=[at.path("left/README.md")], reason="a backup"))
        (row,) = await rows(at)
        assert (row["id"], row["kind"], row["by"], row["reason"]) == (proposal, "proposal", "tester", "a backup")
        assert row["what"].startswith("Copy 1 file, 2.3 KiB to ")
        assert (row["detail"], row["amount"], row["risk"]) == (at.path("left/README.md"), "1 file, 2.3 KiB", [])
        assert 0 < row["since"] < row["expires"]
        assert (row["word"], row["answers"], row["question"]) == ("", ["yes", "no"], "")
        assert row["alike"]


async def test_many_are_answered_at_once_and_one_that_fails_stops_no_other(desk):
    async with desk(engine=True) as at:
        for name in ("one", "two", "three"):
            await at.agent("mkdir", name=name)
        one, two, three = await rows(at)
        told = await answer(at, [one, {**two, "digest": "0" * 64}, {"id": "p_gone", "digest": ""}, three], "yes")
        assert (told["answered"], len(told["jobs"])) == ([one["id"], three["id"]], 2)
        assert [failure["id"] for failure in told["failures"]] == [two["id"], "p_gone"]
        assert "not the plan that was shown" in told["failures"][0]["why"]
        assert "waits no longer" in told["failures"][1]["why"]
        assert told["said"].startswith("2 answers: approved; 2 could not be answered: ")
        assert [row["id"] for row in await rows(at)] == [two["id"]]
        for id in told["jobs"]:
            await at.agent("await", job=id)
        assert sorted(path.name for path in (at.root / "left").glob("t*e*")) == ["three"]
        assert not (at.root / "left" / "two").exists()


async def test_a_no_with_a_reason_reaches_the_agent(desk):
    async with desk(engine=True) as at:
        proposal = id_in(await at.agent("mkdir", name="new"))
        told = await answer(at, await rows(at), "no", reason="not these,\nthey are this year's")
        assert told["said"] == "1 answer: rejected"
        assert (
            await at.agent("await", proposal=proposal)
            == 'OK: Proposal rejected: "not these, they are this year\'s". Nothing was changed.'
        )
        assert await rows(at) == []


async def test_each_row_needs_its_digest_and_there_is_an_end_to_them(desk):
    async with desk(engine=True) as at:
        for ids, digests in ((["a"], []), (["a"] * 501, [""] * 501)):
            told = await at.person("inbox.answer", ids=ids, digests=digests, answer="yes")
            assert told.startswith("ERROR: ")


async def test_what_needs_a_word_is_answered_alone_and_with_that_word(desk):
    async with desk(engine=True) as at:
        await at.agent("mkdir", name="new")
        await at.agent("delete", paths=[at.path("left/README.md")], permanent=True)
        risky, plain = sorted(await rows(at), key=lambda row: not row["word"])
        assert (risky["word"], risky["risk"], risky["alike"]) == ("delete", ["deletes for good"], "")
        told = await answer(at, [risky, plain], "yes", word="delete")
        assert told["answered"] == [plain["id"]]
        assert 'needs the word "delete"; answer it alone' in told["failures"][0]["why"]
        assert 'type the word "delete"' in (await answer(at, [risky], "yes"))["failures"][0]["why"]
        assert (await answer(at, [risky], "yes", word="delete"))["answered"] == [risky["id"]]


async def test_an_answer_that_a_row_does_not_take_is_refused_with_those_it_takes(desk):
    async with desk(engine=True) as at:
        await at.agent("mkdir", name="new")
        why = (await answer(at, await rows(at), "overwrite"))["failures"][0]["why"]
        assert why.endswith("overwrite is no answer to this. It takes yes, no.")
        assert len(await rows(at)) == 1


async def test_alike_are_those_of_one_client_with_one_verb_and_the_same_folders(desk):
    async with desk(engine=True) as at:
        for name in ("docs", "src"):
            await at.agent("copy", paths=[at.path(f"left/{name}")])
        await at.ask(OTHER, "copy", {"paths": [at.path("left/docs")]})
        await at.agent("delete", paths=[at.path("left/docs")])
        await at.agent("mkdir", name="new")
        (at.root / "right" / "README.md").write_text("old")
        await at.agent("copy", paths=[at.path("left/README.md")], onConflict="overwrite")
        groups = [row["alike"] for row in await rows(at)]
        assert groups[0] == groups[1]
        assert len({*groups[1:5]}) == 4
        assert groups[5] == ""
        assert (await rows(at))[5]["risk"] == ["overwrites 1 file"]


async def test_a_question_of_a_job_is_answered_and_the_job_goes_on(desk):
    async with desk(engine=True) as at:
        (row,) = await waiting_jobs(at)
        assert row["detail"] == f"{at.root}/right/README.md is taken"
        assert row["answers"] == ["skip", "overwrite", "rename", "newer", "larger"]
        stale = await answer(at, [row], "skip", question="q_other")
        assert "does not ask q_other any more" in stale["failures"][0]["why"]
        assert (await answer(at, [row], "overwrite", question=row["question"], forAll=True))["answered"] == [row["id"]]
        await at.agent("await", job=row["id"])
        assert (at.root / "right" / "README.md").read_bytes() == b"x" * 2403
        assert await rows(at) == []


def job_of(at, state, **more):
    job = Job("j_made", "Copy 5 files", "agent:tester", frozenset(), state, Progress(4, 5, 40, 50), **more)
    at.commander.jobs.adopt(job, lambda: None)
    return job


async def test_a_failed_job_is_told_until_it_was_seen(desk):
    async with desk(engine=True) as at:
        job_of(at, JobState.FAILED, outcome="copy: 4 done, 1 failed", problems=("a: no room", "b"), is_seen=False)
        (row,) = await rows(at)
        assert (row["kind"], row["by"], row["what"], row["amount"]) == (
            "failed",
            "tester",
            "Copy 5 files",
            "4 of 5, 40 B of 50 B",
        )
        assert (row["detail"], row["answers"]) == ("copy: 4 done, 1 failed; a: no room", ["seen"])
        assert (await rows(at)) == [row], "it waits since the first look"
        assert (await answer(at, [row], "seen"))["said"] == "1 answer: noted"
        assert await rows(at) == []


async def test_what_an_agent_withdrew_or_let_expire_is_told_until_seen(desk):
    async with desk(engine=True) as at:
        withdrawn = id_in(await at.agent("mkdir", name="one"))
        await at.agent("dialog", action="close", type="confirmation", proposal=withdrawn)
        expired = id_in(await at.agent("mkdir", name="two"))
        at.commander.proposals._expire(at.commander.proposals.all()[-1])
        first, second = await rows(at)
        assert [(row["id"], row["kind"], row["by"], row["detail"], row["answers"]) for row in (first, second)] == [
            (withdrawn, "ended", "tester", "withdrawn before you answered", ["seen"]),
            (expired, "ended", "tester", "expired without an answer", ["seen"]),
        ]
        await answer(at, [first, second], "seen")
        assert await rows(at) == []


@pytest.mark.parametrize("said", ["yes", "no"])
async def test_an_edit_is_accepted_or_rejected_as_it_was_shown(desk, small_tree, said):
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),))) as at:
        edit = {"path": at.path("left/README.md"), "contents": "new\n"}
        proposing = asyncio.ensure_future(at.ask(OTHER, "open_diff", edit))
        while not (found := await rows(at, "edit")):
            await at.commander.events.beyond(at.commander.events.rev)
        (row,) = found
        assert (row["what"], row["detail"], row["alike"]) == ("Edit README.md", at.path(), "")
        assert row["amount"] == "1 change, +1 -1 lines"
        stale = await answer(at, [{**row, "digest": "0" * 64}], "yes")
        assert "changed since it was shown" in stale["failures"][0]["why"]
        assert (await answer(at, [row], said, reason="no tabs"))["failures"] == []
        told = await proposing
        assert told.startswith("OK: FILE_SAVED" if said == "yes" else 'OK: DIFF_REJECTED: "no tabs"')
        assert await rows(at) == []
