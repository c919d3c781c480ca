"""The inbox: everything that waits in one list, answered one by one or many at once, each as it was shown."""

import asyncio
import json
import os
import re
import threading

import pytest

from cmdr.core.changes.engine import Engine
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.core.proposals.proposal_store import NotKept, ProposalStore
from cmdr.core.settings import Settings
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.control import Unattended
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.job import Job, JobState, Progress
from cmdr.model.plans.command_plan import CommandPlan
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.trust_plan import TrustPlan
from cmdr.model.root_spec import RootSpec

AGENT = Principal("agent", "tester")
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
        job_of(at, JobState.FAILED, is_seen=False, outcome="copy: 4 done, 1 failed", problems=("a: no room", "b"))
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


class Crash(BaseException):
    """The program ends here."""


class Crashing(Syscalls):
    """Ends the program when the second file is to land."""

    landed = 0

    def rename(self, *what):
        self.landed += 1
        if self.landed == 2:
            raise Crash
        super().rename(*what)


@pytest.fixture
def cut_short(small_tree, tmp_path):
    """A copy of two files that came to the first."""
    paths = [bytes(small_tree / "left" / name) for name in ("a9.txt", "a10.txt")]
    journal = Journal(bytes(tmp_path / "journal.db"))
    with pytest.raises(Crash):
        Engine(journal, Crashing()).run(plan_copy(paths, bytes(small_tree / "right")), "agent:tester", Unattended())
    journal.close()
    return small_tree / "right"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("go_on", ["a10.txt", "a9.txt", "other.txt"]),
        ("take_back", ["other.txt"]),
        ("leave", ["a9.txt", "other.txt"]),
    ],
)
async def test_what_a_crash_cut_short_goes_on_is_taken_back_or_left(desk, cut_short, said, left):
    async with desk(engine=True) as at:
        (row,) = await rows(at)
        assert (row["id"], row["kind"], row["by"]) == ("operation 1", "interrupted", "tester")
        assert (row["detail"], row["amount"]) == ("interrupted: 1 of 2 done", "1 of 2")
        assert row["answers"] == ["go_on", "take_back", "leave"]
        told = await answer(at, [row], said)
        assert len(told["jobs"]) == (said != "leave")
        for job in told["jobs"]:
            await at.person("await", job=job)
        assert sorted(path.name for path in cut_short.iterdir()) == left
        assert await rows(at) == []
        assert "waits no longer" in (await answer(at, [row], said))["failures"][0]["why"]


async def test_one_that_was_answered_in_the_same_breath_is_a_failure_of_its_own(desk, cut_short):
    async with desk(engine=True) as at:
        (row,) = await rows(at)
        told = await answer(at, [row, row], "leave")
        assert (told["answered"], len(told["failures"])) == ([row["id"]], 1)


class Slow:
    """Holds a job that was begun until it is let go."""

    def __init__(self, commander):
        self.gate = threading.Event()
        run = commander.engine.run

        def held(plan, by, control):
            while not self.gate.wait(0.01):
                control.checkpoint()
            return run(plan, by, control)

        commander.jobs._run = held


async def paused(at):
    """An agent's job that was approved, began, and is paused."""
    proposal = id_in(await at.agent("copy", paths=[at.path("left/README.md")]))
    told = await answer(at, [row for row in await rows(at) if row["id"] == proposal], "yes")
    (job,) = told["jobs"]
    at.commander.jobs.pause(at.commander.jobs.get(job, PERSON))
    (row,) = await rows(at, "paused")
    assert (row["id"], row["by"], row["answers"]) == (job, "tester", ["go_on", "take_back", "leave"])
    return row


@pytest.mark.parametrize(("said", "arrives"), [("go_on", True), ("take_back", False), ("leave", False)])
async def test_a_paused_job_of_an_agent_goes_on_is_taken_back_or_cancelled(desk, said, arrives):
    async with desk(engine=True) as at:
        slow = Slow(at.commander)
        row = await paused(at)
        told = await answer(at, [row], said)
        assert (told["answered"], told["jobs"]) == ([row["id"]], [])
        slow.gate.set()
        await at.commander.jobs.finished(at.commander.jobs.get(row["id"], PERSON))
        assert (at.root / "right" / "README.md").exists() is arrives
        assert await rows(at, "paused") == []


async def test_what_failed_is_tried_again_or_taken_back(desk):
    async with desk(engine=True) as at:
        paths = [at.path(f"left/{name}") for name in ("a9.txt", "a10.txt")]
        proposal = id_in(await at.agent("copy", paths=paths))
        (at.root / "left" / "a10.txt").write_text("changed since")
        (row,) = [row for row in await rows(at) if row["id"] == proposal]
        (job,) = (await answer(at, [row], "yes"))["jobs"]
        await at.agent("await", job=job)
        (failed,) = await rows(at, "failed")
        assert "1" in failed["detail"] and "take_back" in failed["answers"]
        (back,) = (await answer(at, [failed], "take_back"))["jobs"]
        await at.person("await", job=back)
        assert not (at.root / "right" / "a9.txt").exists()
        assert await rows(at) == []


async def test_a_job_that_failed_and_can_be_tried_again_is(desk):
    async with desk(engine=True) as at:
        (at.root / "right").chmod(0o700)
        proposal = id_in(await at.agent("copy", paths=[at.path("left/a9.txt")]))
        run, at.commander.jobs._run = at.commander.jobs._run, None
        (row,) = [row for row in await rows(at) if row["id"] == proposal]
        (job,) = (await answer(at, [row], "yes"))["jobs"]
        await at.commander.jobs.finished(at.commander.jobs.get(job, PERSON))
        (failed,) = await rows(at, "failed")
        assert failed["answers"] == ["seen"] and failed["detail"].startswith("stopped: ")
        at.commander.jobs._run = run
        retried = []

        async def retry(job, principal):
            retried.append((job.id, principal))
            return job_of(at, JobState.RUNNING)

        at.commander.jobs.get(job, PERSON).can_retry = True
        at.commander.jobs.retry = retry
        (failed,) = await rows(at, "failed")
        assert (await answer(at, [failed], "again"))["jobs"] == ["j_made"]
        assert retried == [(job, "person:terminal")]
        assert await rows(at, "failed") == []


async def test_what_is_wrong_with_the_record_is_told_until_seen_or_until_it_is_over(desk, small_tree, tmp_path):
    (tmp_path / "journal.db").write_bytes(b"this was a journal once" * 1000)
    async with desk(engine=True) as at:
        (row,) = await rows(at)
        assert (row["id"], row["kind"], row["answers"]) == ("warning 1", "warning", ["seen"])
        assert row["what"].startswith("The journal was damaged on")
        other = await answer(at, [{**row, "digest": "0" * 64}], "seen")
        assert "not the warning that was shown" in other["failures"][0]["why"]
        await answer(at, [row], "seen")
        assert await rows(at) == []
        at.commander.warnings.lasting = lambda: ["The audit log cannot be written"]
        (row,) = await rows(at)
        why = (await answer(at, [row], "seen"))["failures"][0]["why"]
        assert why.endswith("It takes none: it goes when it is over.")


async def test_an_agent_that_proposes_without_end_changes_nothing_for_the_person(desk):
    """Ten thousand proposals a minute, those that are refused and those that are withdrawn at once."""
    async with desk(engine=True) as at:
        mine = id_in(await at.ask(OTHER, "mkdir", {"name": "quiet"}))
        proposals, plan = at.commander.proposals, at.commander.proposals.all()[0].plan
        refused = 0
        for _ in range(10_000):
            try:
                await proposals.propose(plan, AGENT)
            except CommandError:
                refused += 1
        assert refused == 10_000 - 5
        assert len(await rows(at)) == 6
        for proposal in proposals.pending()[1:]:
            proposals.cancel(proposal.id, AGENT)
        for _ in range(2_000):
            proposals.cancel((await proposals.propose(plan, AGENT)).id, AGENT)
        found = await rows(at)
        assert found[0]["id"] == mine, "what waits comes first"
        assert len(found) == 1 + 5 + 1
        assert found[-1]["what"] == "2000 more proposals ended without an answer"
        assert len(proposals.all()) <= 201
        counted = found[-1]
        await answer(at, [counted], "seen")
        assert [row["id"] for row in await rows(at)] == [mine]


async def test_rows_have_an_end_and_say_how_many_more_there_are(desk, monkeypatch):
    monkeypatch.setattr("cmdr.core.proposals.inbox.MAX_ROWS", 2)
    async with desk(engine=True) as at:
        for name in "abc":
            await at.person("mkdir", name=name)
        told = json.loads(await at.person("inbox"))
        assert ([row["by"] for row in told["rows"]], told["more"]) == (["", ""], 1)
        assert told["rows"][0]["alike"] == ""


async def test_a_command_that_could_change_what_others_obey_says_so_and_stands_alone(desk):
    async with desk(engine=True) as at:
        at.commander.proposals.add(CommandPlan(Verb.RUN, (), command="make", unkept=(b"/w/.git",)), AGENT)
        at.commander.proposals.add(CommandPlan(Verb.RUN, (), command="make"), AGENT)
        at.commander.proposals.add(TrustPlan(Verb.TRUST, (), folder=b"/w"), AGENT)
        first, second, trust = await rows(at)
        assert [row["kind"] for row in (first, second, trust)] == ["command", "command", "trust"]
        assert first["risk"] == ["could change /w/.git, which other programs obey"]
        assert {row["alike"] for row in (first, second, trust)} == {""}
        assert "CMDR_MCP_ALLOW_SHELL=1" in (await answer(at, [second], "yes"))["failures"][0]["why"]
        assert len(await rows(at)) == 3


async def test_what_would_not_outlive_a_restart_says_so_to_agent_and_person(desk, tmp_path, monkeypatch):
    (tmp_path / "state").mkdir(mode=0o700)
    store = ProposalStore(str(tmp_path / "state"))

    def full(_):
        raise NotKept("No space left on device")

    monkeypatch.setattr(store, "keep", full)
    async with desk(engine=True, kept=store) as at:
        told = await at.agent("mkdir", name="new")
        assert told.startswith("OK: Create folder dialog opened. Waiting for user confirmation.\nproposal: p_")
        assert told.endswith("\nnot kept over a restart: No space left on device")
        (row,) = await rows(at)
        assert row["detail"] == "would not outlive a restart: No space left on device"
        assert (await answer(at, [row], "yes"))["answered"] == [row["id"]]
    assert not (tmp_path / "state" / "proposals").exists() or os.listdir(tmp_path / "state" / "proposals") == []


async def test_a_rule_is_offered_where_one_may_be_made_and_made_only_of_what_was_shown(desk, small_tree, tmp_path):
    (tmp_path / "config").mkdir(mode=0o700)
    async with desk(
        engine=True, settings=Settings(str(tmp_path / "config")), sandbox=Sandbox((RootSpec(bytes(small_tree)),))
    ) as at:
        await at.ask(OTHER, "mkdir", {"name": "new"})
        proposal = at.commander.proposals.pending()[0]
        assert await at.commander.rules.offer_now(proposal) is not None
        (row,) = await rows(at)
        assert row["answers"] == ["yes", "no", "rule"]
        assert "other" in row["rule"]
        stale = await answer(at, [{**row, "digest": "0"}], "rule")
        assert "not the plan that was shown" in stale["failures"][0]["why"]
        assert at.commander.rules.all() == ()
        told = await answer(at, [row], "rule", until="always")
        assert (told["answered"], told["failures"], len(told["jobs"])) == ([row["id"]], [], 1)
        (rule,) = at.commander.rules.all()
        assert told["rule"] == rule.number


async def test_a_rule_that_was_suspended_by_itself_is_told_until_seen(desk, small_tree, tmp_path):
    (tmp_path / "config").mkdir(mode=0o700)
    async with desk(
        engine=True, settings=Settings(str(tmp_path / "config")), sandbox=Sandbox((RootSpec(bytes(small_tree)),))
    ) as at:
        await at.ask(OTHER, "mkdir", {"name": "new"})
        proposal = at.commander.proposals.pending()[0]
        rule = await at.commander.rules.make(proposal, PERSON, today=True)
        at.commander.rules._ledger.suspended[rule.number] = ("you said no twice", 5.0)
        (row,) = await rows(at, "suspended")
        assert (row["id"], row["by"], row["since"]) == (f"rule {rule.number}", "other", 5.0)
        assert row["what"] == f"Rule {rule.number} is suspended: you said no twice"
        assert row["detail"].startswith("other, mkdir within ")
        await answer(at, [row], "seen")
        assert await rows(at, "suspended") == []


async def edit_waiting(at, contents, **more):
    proposing = asyncio.ensure_future(
        at.ask(OTHER, "open_diff", {"path": at.path("left/README.md"), "contents": contents, **more})
    )
    while not (found := await rows(at, "edit")):
        await at.commander.events.beyond(at.commander.events.rev)
    return proposing, found[0]


async def test_an_edit_that_is_saved_behind_others_does_not_keep_them_from_their_answer(desk, small_tree, monkeypatch):
    monkeypatch.setattr("cmdr.commands.changes.inbox.SAVING_PATIENCE_S", 0.01)
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),))) as at:
        slow = Slow(at.commander)
        proposing, row = await edit_waiting(at, "new\n")
        await at.agent("mkdir", name="new")
        told = await answer(at, [row, (await rows(at, "proposal"))[0]], "yes")
        assert len(told["answered"]) == 2
        slow.gate.set()
        assert (await proposing).startswith("OK: FILE_SAVED")


async def test_an_edit_of_a_file_that_changed_in_the_same_lines_takes_a_no_only(desk, small_tree):
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),))) as at:
        proposing, row = await edit_waiting(at, "new\n")
        (small_tree / "left" / "README.md").write_text("changed meanwhile\n")
        assert "changed on disk" in (await answer(at, [row], "yes"))["failures"][0]["why"]
        (row,) = await rows(at, "edit")
        assert (row["answers"], row["risk"]) == (["no"], ["the file was changed meanwhile, in the same lines"])
        await answer(at, [row], "no")
        assert await proposing == "OK: DIFF_REJECTED"


async def test_an_edit_of_a_protected_file_says_why_and_takes_its_word(desk, small_tree):
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),))) as at:
        (small_tree / "left" / ".git" / "hooks").mkdir()
        proposing, row = await edit_waiting(at, "echo\n", path=at.path("left/.git/hooks/pre-commit"))
        assert (row["what"], row["word"]) == ("Create pre-commit", "write")
        assert row["risk"][0].startswith("this file ")
        assert "type the word" in (await answer(at, [row], "yes"))["failures"][0]["why"]
        assert (await answer(at, [row], "yes", word="write"))["failures"] == []
        assert (await proposing).startswith("OK: FILE_SAVED")
