"""What agents did, by client and turn, and one yes for the way back."""

import json
import os
import time

import pytest
from tests.commands.agents.agents_at_work import CLAUDE, CODEX, approve, did, edited, make_zip, tree_of, undo
from tests.core.rules.rules_ground import House

from cmdr.core.agents import turns
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import NotAllowed
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.job import JobState
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def clock(monkeypatch):
    """The journal's time, which a test moves."""

    class Clock:
        now = time.time()

        def __call__(self):
            return self.now

    moved = Clock()
    from cmdr.engine.journal.journal import Journal

    begin = Journal.__init__
    monkeypatch.setattr(Journal, "__init__", lambda self, path: begin(self, path, moved))
    return moved


async def test_everything_of_a_day_is_undone_byte_for_byte(desk, small_tree):
    make_zip(small_tree / "left" / "old.zip", one="1", two="2")
    os.chmod(small_tree / "left" / "a9.txt", 0o640)
    sandbox = Sandbox([RootSpec(bytes(small_tree))])
    async with desk(engine=True, sandbox=sandbox) as at:
        before = tree_of(small_tree)
        await did(at, CLAUDE, "copy", paths=[at.path("left/a9.txt"), at.path("left/docs")], to=at.path("right"))
        await did(at, CLAUDE, "move", paths=[at.path("left/README.md")], to=at.path("right/docs"))
        await did(at, CLAUDE, "rename", path=at.path("right/docs/README.md"), newName="READ.me")
        await did(at, CODEX, "mkdir", path=at.path("left/new/deep"))
        await did(at, CLAUDE, "attributes", paths=[at.path("left/a9.txt")], mode="600", modified="2020-01-01T00:00")
        await did(at, CLAUDE, "move", paths=[at.path("left/a9.txt")], to=at.path("left/new/deep"))
        await did(at, CODEX, "delete", paths=[at.path("left/new/deep/a9.txt"), at.path("left/package.json")])
        await did(at, CLAUDE, "unpack", paths=[at.path("left/old.zip")], to=at.path("right"))
        await did(at, CLAUDE, "pack", paths=[at.path("right")], to=at.path("left/all.zip"))
        await edited(at, CODEX, at.path("left/a10.txt"), "xxxxx", "yes")
        await did(at, CODEX, "copy", paths=[at.path("left/a10.txt")], to=at.path("right"))
        assert tree_of(small_tree) != before
        offer = await at.data("agents.undoOffer", since=0)
        assert offer["operations"] == [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
        assert offer["words"].startswith("11 operations of codex, claude since ")
        job = await undo(at, operations=offer["operations"])
        assert (job.state, job.problems) == (JobState.DONE, ()), job.outcome
        assert job.outcome.startswith("11 operations undone, ")
        assert tree_of(small_tree) == before
        # Each undo is an operation of its own, by the person; of the jobs one row is left for all of them.
        undos = (await at.commander.engine.history(11))[::-1]
        assert [entry.undoes for entry in undos] == offer["operations"]
        assert {entry.by for entry in undos} == {PERSON.id}
        assert sum("Undo" in each.title for each in at.commander.jobs.all()) == 1
        with pytest.raises(Exception, match="is left there to undo"):
            await at.data("agents.undoOffer", since=0)


async def test_an_accepted_edit_is_the_operation_of_the_agent_that_proposed_it(desk, small_tree):
    async with desk(engine=True, sandbox=Sandbox([RootSpec(bytes(small_tree))])) as at:
        number = await edited(at, CLAUDE, at.path("left/a10.txt"), "xxxxx", "mine")
        assert (await at.commander.engine.entry(number)).by == "agent:claude"
        (row,) = (await at.data("agents"))["rows"]
        assert [one["operation"] for one in row["turns"][0]["operations"]] == [number]
    # The journal names the agent; that the person accepted it stands in the audit log.
    lines = [line for log in (small_tree.parent / "audit").glob("*") for line in log.read_text().splitlines()]
    records = [json.loads(line) for line in lines if line.startswith("{")]
    told = [(each["who"], each["decision"]) for each in records if each.get("what", "").startswith("review r_")]
    assert told == [("agent:claude", "proposed"), ("person", "accepted")]


async def test_a_pause_of_more_than_two_minutes_begins_another_turn(desk, clock):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        clock.now += 100
        await did(at, CODEX, "mkdir", path=at.path("left/other"))
        await did(at, CLAUDE, "mkdir", path=at.path("left/two"))
        clock.now += 121
        await did(at, CLAUDE, "mkdir", path=at.path("left/three"))
        rows = {row["client"]: row for row in (await at.data("agents", since=0))["rows"]}
        assert [turn["id"] for turn in rows["claude"]["turns"]] == ["claude 4", "claude 1"]
        assert [[one["operation"] for one in turn["operations"]] for turn in rows["claude"]["turns"]] == [[4], [3, 1]]
        assert [turn["id"] for turn in rows["codex"]["turns"]] == ["codex 2"]
        assert (rows["claude"]["operations"], rows["claude"]["undoable"]) == (3, 3)


async def test_a_turn_is_undone_and_the_others_stay(desk, clock, small_tree):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        clock.now += 500
        await did(at, CLAUDE, "mkdir", path=at.path("left/two"))
        await did(at, CODEX, "mkdir", path=at.path("left/other"))
        await did(at, CLAUDE, "mkdir", path=at.path("left/two/deep"))
        clock.now += 500
        await did(at, CLAUDE, "mkdir", path=at.path("left/three"))
        offer = await at.data("agents.undoOffer", turn="claude 2")
        assert (offer["operations"], offer["clients"], offer["items"]) == ([4, 2], ["claude"], 2)
        job = await undo(at, turn="claude 2")
        assert job.state is JobState.DONE
        made = {name for name in os.listdir(small_tree / "left") if name in ("one", "two", "three", "other")}
        assert made == {"one", "three", "other"}
        for wrong in ("claude 3", "claude", "claude 99", "codex 2", "", "claude -1", "claude ²"):
            assert "No turn" in await at.person("agents.undo", turn=wrong)


async def test_only_what_a_client_did_since_a_moment_is_undone(desk, clock, small_tree):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        clock.now += 60
        moment = clock.now
        await did(at, CODEX, "mkdir", path=at.path("left/other"))
        await did(at, CLAUDE, "mkdir", path=at.path("left/two"))
        job = await undo(at, client="claude", since=moment)
        assert job.outcome == "1 operation undone, 1 item"
        assert not (small_tree / "left/two").exists()
        assert (small_tree / "left/one").exists()
        assert (small_tree / "left/other").exists()
        assert await at.person("agents.undo", client="nobody") == (
            "ERROR: Nothing of nobody is left there to undo. `cmdr agents` lists what agents did."
        )


async def test_the_persons_own_work_is_never_undone_by_it(desk, small_tree):
    async with desk(engine=True) as at:
        await did(at, PERSON, "mkdir", path=at.path("left/mine"))
        await did(at, CLAUDE, "mkdir", path=at.path("left/theirs"))
        assert "Operation 1 is your own" in await at.person("agents.undo", operations=[2, 1])
        assert "There is no operation 7" in await at.person("agents.undo", operations=[2, 7])
        assert (small_tree / "left/theirs").exists()
        await undo(at, since=0)
        assert (small_tree / "left/mine").exists()
        assert not (small_tree / "left/theirs").exists()
        assert [row["client"] for row in (await at.data("agents"))["rows"]] == ["claude"]


async def test_an_agents_undo_of_the_persons_work_is_taken_back_too(desk, small_tree):
    async with desk(engine=True) as at:
        mine = await did(at, PERSON, "mkdir", path=at.path("left/mine"))
        await did(at, CLAUDE, "undo", operation=mine)
        assert not (small_tree / "left/mine").exists()
        job = await undo(at, client="claude")
        assert job.state is JobState.DONE
        assert (small_tree / "left/mine").exists()


async def test_what_an_agent_has_undone_itself_stays_undone(desk, small_tree):
    async with desk(engine=True) as at:
        before = tree_of(small_tree)
        first = await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        second = await did(at, CLAUDE, "undo", operation=first)
        await did(at, CLAUDE, "mkdir", path=at.path("left/two"))
        (row,) = (await at.data("agents"))["rows"]
        told = {one["operation"]: (one["state"], one["canUndo"]) for one in row["turns"][0]["operations"]}
        assert told == {1: ("undone", False), 2: ("done", False), 3: ("done", True)}
        assert (row["undoable"], row["operations"]) == (1, 3)
        assert (await at.data("agents.undoOffer", client="claude"))["operations"] == [3]
        # Taken back once more, what it made is there again, and is undone again: in the very order, backwards.
        again = await did(at, CLAUDE, "undo", operation=second)
        (row,) = (await at.data("agents"))["rows"]
        assert [one["canUndo"] for one in row["turns"][0]["operations"]] == [False, True, False, True]
        offer = await at.data("agents.undoOffer", client="claude")
        assert offer["operations"] == [again, 3, 2, 1]
        assert (await undo(at, client="claude")).problems == ()
        assert tree_of(small_tree) == before


async def test_what_was_done_before_an_undo_and_hangs_on_it_is_undone_too(desk, small_tree):
    async with desk(engine=True) as at:
        before = tree_of(small_tree)
        moved = await did(at, CLAUDE, "move", paths=[at.path("left/docs")], to=at.path("right"))
        await did(at, CLAUDE, "mkdir", path=at.path("right/docs/new"))
        await did(at, CLAUDE, "undo", operation=moved)
        assert (small_tree / "left/docs/new").is_dir()
        job = await undo(at, client="claude")
        assert (job.state, job.problems) == (JobState.DONE, ())
        assert tree_of(small_tree) == before


async def test_what_the_person_brought_back_is_undone_as_well(desk, small_tree):
    async with desk(engine=True) as at:
        before = tree_of(small_tree)
        made = await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        undone = await did(at, PERSON, "undo", operation=made)
        assert "Nothing of claude" in await at.person("agents.undo", client="claude")
        await did(at, PERSON, "undo", operation=undone)
        assert (small_tree / "left/one").exists()
        assert (await undo(at, client="claude")).state is JobState.DONE
        assert tree_of(small_tree) == before


async def test_what_was_deleted_for_good_is_not_promised(desk, small_tree):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        await did(at, CLAUDE, "delete", paths=[at.path("left/a9.txt")], permanent=True)
        (row,) = (await at.data("agents"))["rows"]
        assert (row["undoable"], row["operations"]) == (1, 2)
        offer = await at.data("agents.undoOffer", client="claude")
        assert offer["operations"] == [1]
        assert offer["words"].endswith("; what 1 operation deleted for good does not come back")


async def test_it_stops_where_something_changed_and_goes_on_without_it(desk, small_tree):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "copy", paths=[at.path("left/a9.txt")], to=at.path("right"))
        await did(at, CLAUDE, "copy", paths=[at.path("left/a10.txt")], to=at.path("right"))
        await did(at, CLAUDE, "mkdir", path=at.path("right/new"))
        (small_tree / "right/a10.txt").write_text("the person's own words")
        job = await undo(at, client="claude")
        assert job.state is JobState.FAILED
        assert job.outcome.startswith("1 of 3 operations undone, 1 item; stopped at operation 2: ")
        assert job.problems == ("undone: 3", "not undone: 2, 1")
        assert (small_tree / "right/a10.txt").read_text() == "the person's own words"
        assert (small_tree / "right/a9.txt").exists()
        job = await undo(at, client="claude", without=[2])
        assert (job.state, job.outcome) == (JobState.DONE, "1 operation undone, 1 item")
        assert not (small_tree / "right/a9.txt").exists()


async def test_what_can_be_undone_only_in_part_is_asked_about(desk, small_tree):
    async with desk(engine=True) as at:
        names = [at.path("left/a9.txt"), at.path("left/a10.txt")]
        await did(at, CLAUDE, "mkdir", path=at.path("right/first"))
        await did(at, CLAUDE, "copy", paths=names, to=at.path("right"))
        (small_tree / "right/a10.txt").write_text("the person's own words")
        job = await undo(at, client="claude")
        assert job.state is JobState.FAILED
        (asked,) = at.commander.proposals.pending()
        assert "stopped at operation 2, which needs your word (" in job.outcome
        assert job.outcome.endswith(f": proposal {asked.id}")
        assert (small_tree / "right/a9.txt").exists()
        assert (await approve(at, asked.id)).state is JobState.DONE
        # Now it is known that one file stays: the rest of it goes on, and says so once more.
        job = await undo(at, client="claude")
        assert job.state is JobState.DONE
        assert len(job.problems) == 1
        assert job.problems[0].startswith("operation 2, undone in part before: ")
        assert not (small_tree / "right/first").exists()
        assert (small_tree / "right/a10.txt").read_text() == "the person's own words"


async def test_a_risky_undo_is_asked_about(desk, small_tree):
    os.chmod(small_tree / "left/a9.txt", 0o666)
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        await did(at, CLAUDE, "attributes", paths=[at.path("left/a9.txt")], mode="600")
        await did(at, CLAUDE, "mkdir", path=at.path("left/two"))
        job = await undo(at, client="claude")
        assert (job.state, job.problems) == (JobState.FAILED, ("undone: 3", "not undone: 2, 1"))
        (asked,) = at.commander.proposals.pending()
        assert asked.plan.risk.is_high
        assert asked.id in job.outcome
        await approve(at, asked.id)
        assert (await undo(at, client="claude")).state is JobState.DONE
        assert os.stat(small_tree / "left/a9.txt").st_mode & 0o777 == 0o666


async def test_no_agent_sees_or_undoes_what_others_did(desk):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        for command, arguments in (("agents", {}), ("agents.undoOffer", {"since": 0}), ("agents.undo", {"since": 0})):
            with pytest.raises(NotAllowed):
                await at.commander.ask(CLAUDE, command, arguments)


async def test_it_must_be_said_what_is_undone(desk):
    async with desk(engine=True) as at:
        for which in ({}, {"turn": "claude 1", "since": 0}, {"operations": [1], "client": "claude"}):
            assert (await at.person("agents.undo", **which)).startswith("ERROR: Say what to undo: ")
        assert "must be a list of whole numbers" in await at.person("agents.undo", operations=["1"])
        assert "must be a number" in await at.person("agents.undo", since="today")


async def test_ten_thousand_operations_are_counted_and_not_all_listed(desk, monkeypatch):
    async with desk(engine=True) as at:
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        entry = await at.commander.engine.entry(1)
        from dataclasses import replace

        many = [
            replace(entry, id=number, started=entry.started + number, ended=None) for number in range(10_000, 0, -1)
        ]
        asked = []

        async def history(limit=50, before=None):
            asked.append(limit)
            return [one for one in many if before is None or one.id < before][:limit]

        monkeypatch.setattr(at.commander.engine, "history", history)
        answer = await at.data("agents", since=0)
        (row,) = answer["rows"]
        assert (row["operations"], row["undoable"], answer["isCut"]) == (10_000, 10_000, False)
        assert max(asked) == turns.PAGE
        assert sum(len(turn["operations"]) for turn in row["turns"]) <= turns.MAX_LISTED
        assert len(json.dumps(answer)) < 200_000
        monkeypatch.setattr(turns, "PAUSE_S", 0.5)
        (row,) = (await at.data("agents", since=0))["rows"]
        assert (len(row["turns"]), row["operations"]) == (turns.MAX_TURNS, 10_000)
        monkeypatch.setattr(turns, "MAX_LISTED", 7)
        (row,) = (await at.data("agents", since=0))["rows"]
        assert len(row["turns"]) == 7
        # Only as far back as was asked for.
        asked.clear()
        await at.data("agents", since=many[100].started)
        assert len(asked) == 2
        monkeypatch.setattr(turns, "MAX_LOOKED_THROUGH", 1000)
        assert (await at.data("agents", since=0))["isCut"]
        assert "more than 1000 operations" in await at.person("agents.undo", since=0)


async def test_what_was_done_in_part_says_so(desk, small_tree):
    async with desk(engine=True) as at:
        (small_tree / "right/a9.txt").write_text("taken")
        names = [at.path("left/a9.txt"), at.path("left/a10.txt")]
        await did(at, CLAUDE, "copy", paths=names, to=at.path("right"), onConflict="skip")
        (row,) = (await at.data("agents"))["rows"]
        assert row["turns"][0]["operations"][0]["state"] == "1 of 2 done"
        assert row["turns"][0]["operations"][0]["what"].endswith(f"and 1 more to {at.path('right')}")
        await did(at, CLAUDE, "mkdir", path=at.path("left/" + "/".join(["long" * 20] * 5)))
        (row,) = (await at.data("agents"))["rows"]
        assert len(row["turns"][0]["operations"][0]["what"]) == turns.MAX_WHAT_CHARS


async def test_the_answer_reads_well_at_a_prompt(desk, clock):
    async with desk(engine=True) as at:
        assert (await at.person("agents")).startswith("No agent has called or changed anything since 00:00.")
        await did(at, CLAUDE, "mkdir", path=at.path("left/one"))
        when = time.strftime("%H:%M", time.localtime(clock.now))
        await at.commander.ask(CLAUDE, "mkdir", {"path": at.path("left/two")})
        at.commander.stop_agents()
        assert await at.person("agents") == (
            "All agents are stopped.\n"
            "claude: connected · 1 operation, undoable\n"
            f"  turn claude 1 · {when}–{when} · 1 operation, undoable\n"
            f"        1  {when}  mkdir {at.path('left/one')} (done)"
        )


async def test_what_a_rule_admitted_says_so_and_its_undo_suspends_the_rule(tmp_path):
    house = House(tmp_path)
    house.write_rules(house.rule())
    names = house.plant("a.txt", "b.txt")
    before = tree_of(house.home)
    async with house.open():
        for name in names:
            assert " by rule 1, operation " in await house.move(name)
        (row,) = (await house.person("agents"))["rows"]
        assert (row["rules"], [one["rule"] for one in row["turns"][0]["operations"]]) == (1, [1, 1])
        assert "(done, by rule 1)" in await house.commander.run(PERSON, "agents", {})
        begun = await house.person("agents.undo", client="claude")
        await house.commander.jobs.finished(house.commander.jobs.get(begun["job"], PERSON))
        assert tree_of(house.home) == before
        assert (await house.person("agents"))["rows"][0]["rules"] == 0
        assert "you undid operation" in (await house.rules())[1]["suspended"]
