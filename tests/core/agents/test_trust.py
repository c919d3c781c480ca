"""Folders the person trusts: by path and by identity, kept in a private file, asked about once."""

import json
import os
import shutil
import stat

import pytest

from cmdr.core.agents import trust as trust_module
from cmdr.core.agents.trust import FILE_NAME, CannotTrust, TrustStore, UnreadableTrustList, identity_of
from cmdr.core.changes.engine import Engine
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.core.proposals.proposal_store import ProposalStore
from cmdr.engine.journal.journal import Journal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.job import JobState
from cmdr.model.plans.plan_text import summary_of, title_of, word_to_type
from cmdr.model.plans.proposal import ProposalState
from cmdr.model.plans.trust_plan import Extras

AGENT = Principal("agent", "tester", token=True)
OTHER = Principal("agent", "other", token=True)


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "repo"
    (folder / "src").mkdir(parents=True)
    return folder


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


def test_trust_holds_for_everything_below_and_for_nothing_beside(repo, state):
    trust = TrustStore(str(state))
    assert trust.of(bytes(repo)) is None
    trust.add(bytes(repo))
    assert trust.of(bytes(repo)).path == bytes(repo)
    assert trust.of(bytes(repo / "src" / "not there.py")).path == bytes(repo)
    for beside in (repo.parent, repo.parent / "repo2" / "a.py", repo.parent / "repo-other"):
        assert trust.of(bytes(beside)) is None


def test_trust_is_kept_in_a_private_file_with_what_was_given(repo, state):
    more = Extras(network=True, write=True, read=(bytes(repo / "src"),))
    TrustStore(str(state)).add(bytes(repo), more)
    assert stat.S_IMODE((state / FILE_NAME).stat().st_mode) == 0o600
    (kept,) = TrustStore(str(state)).all()
    assert (kept.path, kept.extras, kept.stands) == (bytes(repo), more, True)
    assert kept.extras.told == f"network, write, read {repo / 'src'}"
    TrustStore(str(state)).add(bytes(repo))  # a new word replaces the old one
    assert [each.extras for each in TrustStore(str(state)).all()] == [Extras()]


def test_trust_taken_back_is_gone(repo, state):
    trust = TrustStore(str(state))
    trust.add(bytes(repo))
    assert trust.remove(bytes(repo))
    assert trust.of(bytes(repo)) is None
    assert not trust.remove(bytes(repo))


def another_folder(repo):
    """Somebody else's folder under the trusted name."""
    os.rename(repo, repo.parent / "aside")
    repo.mkdir()


def made_anew(repo):
    """On most file systems the new folder even gets the old inode."""
    shutil.rmtree(repo)
    repo.mkdir()


def link_elsewhere(repo):
    os.rename(repo, repo.parent / "aside")
    (repo.parent / "evil").mkdir()
    repo.symlink_to(repo.parent / "evil")


def link_to_itself(repo):
    os.rename(repo, repo.parent / "aside")
    repo.symlink_to(repo.parent / "aside")


def link_above(repo):
    above = repo.parent
    os.rename(above, str(above) + "-aside")
    os.symlink(str(above) + "-aside", above)


@pytest.mark.parametrize("replaced", [another_folder, made_anew, link_elsewhere, link_to_itself, link_above])
def test_what_was_put_in_the_place_of_a_trusted_folder_is_not_trusted(tmp_path, state, replaced):
    repo = tmp_path / "here" / "repo"
    repo.mkdir(parents=True)
    trust = TrustStore(str(state))
    trust.add(bytes(repo))
    replaced(repo)
    assert trust.of(bytes(repo)) is None
    assert trust.of(bytes(repo / "a.py")) is None
    (kept,) = trust.all()
    assert not kept.stands
    assert trust.remove(bytes(repo) if replaced is not link_elsewhere else kept.path)


def test_a_link_is_trusted_by_where_it_really_leads(repo, state):
    link = repo.parent / "link"
    link.symlink_to(repo)
    trust = TrustStore(str(state))
    assert trust.add(bytes(link)).path == bytes(repo)
    assert trust.of(bytes(link / "a.py")).path == bytes(repo)
    link.unlink()
    (repo.parent / "evil").mkdir()
    link.symlink_to(repo.parent / "evil")
    assert trust.of(bytes(link / "a.py")) is None


def test_the_inner_of_two_trusted_folders_says_what_holds(repo, state):
    trust = TrustStore(str(state))
    trust.add(bytes(repo), Extras(network=True))
    trust.add(bytes(repo / "src"))
    assert not trust.of(bytes(repo / "src" / "a.py")).extras.network
    made_anew(repo / "src")
    assert trust.of(bytes(repo / "src" / "a.py")).extras.network  # still below the outer one


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"trusted": [{}]}',
        b'{"trusted": 1}',
        b'{"trusted": [{"path": "relative", "device": 1, "inode": 2, "born_ns": null, "network": false, '
        b'"write": false, "read": []}]}',
        b'{"trusted": [{"path": "/", "device": 1, "inode": 2, "born_ns": null, "network": "yes", '
        b'"write": false, "read": []}]}',
        b'{"trusted": [{"path": "/", "device": 1, "inode": 2, "born_ns": null, "network": false, '
        b'"write": false, "read": ["x"]}]}',
        b"\xff" * 100,
        b"[" * 100_000,
    ],
)
def test_a_damaged_list_trusts_nothing_says_so_and_is_left_as_it_is(repo, state, data):
    trust = TrustStore(str(state))
    trust.add(bytes(repo))
    (state / FILE_NAME).write_bytes(data)
    for ask in (lambda: trust.of(bytes(repo)), trust.all, lambda: trust.add(bytes(repo)), lambda: trust.remove(b"/x")):
        with pytest.raises(UnreadableTrustList, match="nothing is trusted"):
            ask()
    assert (state / FILE_NAME).read_bytes() == data


def test_a_list_that_others_can_write_trusts_nothing(repo, state):
    trust = TrustStore(str(state))
    trust.add(bytes(repo))
    (state / FILE_NAME).chmod(0o666)
    with pytest.raises(UnreadableTrustList):
        trust.of(bytes(repo))


def test_only_a_folder_can_be_trusted(repo, state):
    (repo / "file").touch()
    trust = TrustStore(str(state))
    for path in (repo / "file", repo / "nothing"):
        with pytest.raises(CannotTrust, match="no folder"):
            trust.add(bytes(path))
    with pytest.raises(CannotTrust, match="no folder"):
        trust.add(bytes(repo), Extras(read=(bytes(repo / "file"),)))
    with pytest.raises(CannotTrust, match="another folder"):
        trust.add(bytes(repo), shown=(1, 2, 3))
    assert trust.all() == ()


def test_names_that_are_no_text_come_back_from_the_file(tmp_path, state):
    odd = bytes(tmp_path) + b"/\xff\n\xc3\xa9"
    os.mkdir(odd)
    TrustStore(str(state)).add(odd)
    assert TrustStore(str(state)).of(odd + b"/a").path == odd


@pytest.fixture
def opened(core, tmp_path, repo):
    """A core with a home of its own, in which the person's answers count."""
    home = tmp_path / "home"
    home.mkdir()
    return lambda **how: core(
        engine=Engine(Journal(bytes(tmp_path / "journal.db"))),
        sandbox=Sandbox((), PrivatePlaces(homes=(bytes(home),))),
        trust=TrustStore(str(_state_of(tmp_path))),
        **how,
    )


def _state_of(tmp_path):
    (tmp_path / "state").mkdir(mode=0o700, exist_ok=True)
    return tmp_path / "state"


async def over(commander, proposal):
    job = commander.jobs.get(proposal.job, PERSON)
    while not job.state.is_over:
        await commander.events.beyond(commander.events.rev)
    return job


async def test_the_question_says_in_plain_words_what_trusting_means(opened, repo):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        assert title_of(proposal.plan) == f"Trust {repo}"
        told = "\n".join(summary_of(proposal.plan))
        assert "Language servers may then run code of this folder, behind walls" in told
        assert "change nothing" in told and "without network" in told
        assert word_to_type(proposal.plan) is None
        assert proposal.proposed_by == "agent:tester"
        listed = json.loads(await commander.run(PERSON, "inbox"))["rows"]
        assert [(row["kind"], row["what"]) for row in listed] == [("trust", f"Trust {repo}")]


async def test_a_question_about_a_folder_outlives_a_restart_and_is_not_asked_twice(opened, repo, tmp_path):
    kept = ProposalStore(str(_state_of(tmp_path)))
    async with opened(kept=kept) as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
    async with opened(kept=kept) as commander:
        await commander.start_panes()
        (proposal,) = commander.proposals.pending()
        assert title_of(proposal.plan) == f"Trust {repo}"
        await commander.trusting.ask(bytes(repo), AGENT)
        assert commander.proposals.pending() == [proposal]


async def test_a_yes_trusts_the_folder(opened, repo, tmp_path):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        await commander.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
        job = await over(commander, proposal)
        assert (job.state, job.outcome) == (JobState.DONE, f"{repo} is trusted")
        assert await commander.trusting.is_trusted(bytes(repo / "src"))
    assert TrustStore(str(tmp_path / "state")).of(bytes(repo)) is not None


async def test_a_folder_replaced_between_question_and_yes_is_not_trusted(opened, repo):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        another_folder(repo)
        await commander.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
        job = await over(commander, proposal)
        assert job.state is JobState.FAILED
        assert "another folder than the one that was shown" in job.outcome
        assert not await commander.trusting.is_trusted(bytes(repo))


@pytest.mark.parametrize("answer", ["reject", "cancel", "expire", "stop"])
async def test_nobody_is_asked_twice_about_a_folder_whatever_the_answer(opened, repo, answer):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        if answer == "reject":
            commander.proposals.reject(proposal.id, PERSON)
        elif answer == "cancel":  # the agent takes it back, to ask again
            commander.proposals.cancel(proposal.id, AGENT)
        elif answer == "expire":
            commander.proposals._expire(proposal)
        else:
            commander.proposals.drop_of_agents()
        assert proposal.state is not ProposalState.PENDING
        for folder in (repo, repo / "src"):  # a new project below is no new question
            for who in (AGENT, OTHER):
                await commander.trusting.ask(bytes(folder), who)
        assert commander.proposals.pending() == []


async def test_one_question_for_one_folder_however_many_ask(opened, repo):
    import asyncio

    async with opened() as commander:
        await asyncio.gather(*(commander.trusting.ask(bytes(repo), who) for who in (AGENT, OTHER) * 10))
        assert len(commander.proposals.pending()) == 1


async def test_questions_end_after_a_few_in_one_run(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(trust_module, "MAX_QUESTIONS", 3)
    async with opened() as commander:
        for number in range(5):
            folder = tmp_path / f"project{number}"
            folder.mkdir()
            await commander.trusting.ask(bytes(folder), AGENT)
        assert len(commander.proposals.pending()) == 3


async def test_a_caller_with_too_much_waiting_asks_another_time(opened, tmp_path):
    async with opened() as commander:
        folders = [tmp_path / f"project{number}" for number in range(6)]
        for folder in folders:
            folder.mkdir()
            await commander.trusting.ask(bytes(folder), AGENT)
        assert len(commander.proposals.pending()) == 5
        commander.proposals.reject(commander.proposals.pending()[0].id, PERSON)
        await commander.trusting.ask(bytes(folders[-1]), AGENT)
        assert len(commander.proposals.pending()) == 5


async def test_nobody_is_asked_about_a_home_or_the_whole_disk(opened, tmp_path, repo):
    async with opened() as commander:
        for folder in (b"/", bytes(tmp_path), bytes(tmp_path / "home")):
            await commander.trusting.ask(folder, AGENT)
        await commander.trusting.ask(bytes(repo / "nothing"), AGENT)  # and not about what is not there
        assert commander.proposals.pending() == []


async def test_callers_that_propose_nothing_ask_nothing(opened, repo):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), Principal("agent", "reader", token=True, read_only=True))
        await commander.trusting.ask(bytes(repo), PERSON)
        assert commander.proposals.pending() == []


async def test_no_agent_trusts_anything(opened, repo):
    async with opened() as commander:
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        for name, wish in (
            ("trust.add", {"folder": str(repo)}),
            ("trust.remove", {"folder": str(repo)}),
            ("trust.list", {}),
            ("approve", {"proposal": proposal.id, "digest": proposal.plan.digest}),
            ("command", {"id": "trust.add", "args": {"folder": str(repo)}}),
        ):
            with pytest.raises((CommandError, UnknownCommand)):
                await commander.run(AGENT, name, wish)
        assert commander.trusting.trust.all() == ()
        assert proposal.state is ProposalState.PENDING


async def test_the_person_trusts_lists_and_takes_back(opened, repo):
    async with opened() as commander:
        wish = {"folder": str(repo), "network": True, "read": [str(repo / "src")]}
        said = await commander.run(PERSON, "trust.add", wish)
        assert said == f"OK: {repo} is trusted (network, read {repo / 'src'})"
        listed = await commander.run(PERSON, "trust.list")
        assert str(repo) in listed and "network" in listed and "state: trusted" in listed
        another_folder(repo)
        assert "another folder by now" in await commander.run(PERSON, "trust.list")
        assert await commander.run(PERSON, "trust.remove", {"folder": str(repo)}) == f"OK: {repo} is trusted no longer"
        with pytest.raises(CommandError, match="not on the list"):
            await commander.run(PERSON, "trust.remove", {"folder": str(repo)})


async def test_a_damaged_list_is_told_to_the_person(opened, repo, tmp_path):
    async with opened() as commander:
        (_state_of(tmp_path) / FILE_NAME).write_text("{")
        with pytest.raises(CommandError, match="nothing is trusted"):
            await commander.run(PERSON, "trust.list")
        assert not await commander.trusting.is_trusted(bytes(repo))


def test_the_identity_of_what_is_no_folder_is_nothing(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    for path in ("file", "link", "nothing"):
        assert identity_of(bytes(tmp_path / path)) is None


def test_without_a_place_to_keep_it_trust_lasts_as_long_as_the_program(repo):
    trust = TrustStore()
    trust.add(bytes(repo))
    assert trust.of(bytes(repo)) is not None
    assert TrustStore().of(bytes(repo)) is None


async def test_a_yes_is_kept_even_when_cmdr_ends_at_once(opened, repo, tmp_path):
    async with opened() as commander:
        commander.trusting.changed = None  # as long as no editor was built
        await commander.trusting.ask(bytes(repo), AGENT)
        (proposal,) = commander.proposals.pending()
        await commander.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    assert TrustStore(str(tmp_path / "state")).of(bytes(repo)) is not None
