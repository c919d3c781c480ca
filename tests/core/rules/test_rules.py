"""What a rule of the person's admits runs at once; everything else is asked about, and what went wrong suspends it."""

import asyncio
import os
import sqlite3
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.core.rules.rules_ground import CLAUDE, House

from cmdr.commands.editor import review_answers
from cmdr.core.audit.chain import read_log
from cmdr.core.changes.engine import OperationInterrupted
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Principal
from cmdr.core.errors import NotAllowed
from cmdr.core.rules import rule_facts
from cmdr.core.rules import rules as at_work
from cmdr.core.rules.rule_ledger import FILE_NAME
from cmdr.model.plans.proposal import ProposalState
from cmdr.model.root_spec import RootSpec
from cmdr.model.rules import Admission

WAITS = "dialog opened. Waiting for user confirmation."


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return House(tmp_path)


def asked(answer):
    assert WAITS in answer, answer
    return answer


def ran(answer, rule=1):
    assert f" by rule {rule}, operation " in answer, answer
    return int(answer.split(", operation ")[1].split(".")[0])


async def test_a_plan_that_a_rule_admits_runs_at_once_and_names_the_rule_and_the_operation(house):
    house.write_rules(house.rule())
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        answer = await house.move(first, second)
        assert answer.splitlines()[0] == "OK: Moved by rule 1, operation 1."
        assert answer.splitlines()[1].startswith("proposal: p_")
        assert (house.archive / "a.txt").exists() and not os.path.exists(first)
        assert house.pending == [] and not house.commander.workspace.dialogs
        assert house.commander.rules.rule_of(1) == 1 and house.commander.rules.rule_of(2) is None
        assert house.commander.rules.rule_of(None) is None
        assert house.commander.rules.latest.told == "claude moved 2 files, 20 B · Ctrl+Z undoes"
        assert "by agent:claude, rule 1" in await house.commander.run(PERSON, "history.list", {})
        assert (await house.person("history.entries"))["entries"][0]["rule"] == 1
        named = answer.split("proposal: ")[1].split()[0]
        assert "Approved. " in await house.agent("await", proposal=named)
    decided = [one["who"] for one in read_log(str(house.folder / "audit")) if one.get("decision") == "approved"]
    assert decided == ["rule 1"]


async def test_without_a_rule_everything_is_asked_as_ever(house):
    (path,) = house.plant("a.txt")
    async with house.open():
        assert (await house.move(path)).startswith(
            "OK: Move dialog opened. Waiting for user confirmation.\nproposal: p_"
        )
        assert len(house.pending) == 1 and house.pending[0].rule is None


async def test_a_rule_written_by_hand_with_a_mistake_is_named_with_its_line_and_the_others_hold(house):
    house.write_rules("# mine\n" + house.rule(verbs='["moove"]') + house.rule(files="7"))
    (path,) = house.plant("a.txt")
    async with house.open():
        (told,) = house.commander.settings.problems
        assert told.startswith("settings.toml, rules: line 4: verbs is a list of ")
        ran(await house.move(path))
        rows = (await house.person("rules.list"))["rows"]
        assert [(row["number"], row["holds"]) for row in rows] == [(0, False), (1, True)]
        assert rows[0]["problem"].startswith("line 4: ")


async def test_a_file_that_is_no_toml_has_no_rules_and_a_mended_one_has_them_again(house):
    house.write_rules(house.rule())
    (path, other) = house.plant("a.txt", "b.txt")
    async with house.open():
        good = house.settings_text
        house.write_rules("[[rules]\n")
        asked(await house.move(path))
        assert any("none holds" in problem for problem in house.commander.settings.problems)
        house.write_rules(good)
        ran(await house.move(other))
        assert house.commander.settings.problems == []


async def test_a_file_that_is_no_text_has_no_rules(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        (house.config / "settings.toml").write_bytes(b"\xff\xfe")
        asked(await house.move(path))
        assert any("none holds" in problem for problem in house.commander.settings.problems)
        (house.config / "settings.toml").unlink()
        asked(await house.move(path))


async def test_a_hand_edit_counts_at_the_next_proposal(house):
    house.write_rules(house.rule())
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        ran(await house.move(first))
        house.write_rules(house.rule(verbs='["copy"]'))
        asked(await house.move(second))


async def test_a_rule_whose_root_is_gone_a_link_or_another_folder_matches_nothing(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        aside = house.home / "aside"
        house.downloads.rename(aside)
        house.plant("a.txt")  # another folder of the same name
        asked(await house.move(path))
        assert (await house.rules())[1]["problem"].endswith("is another folder by now")
        house.downloads.rename(house.home / "second")
        assert (await house.rules())[1]["problem"].endswith("Downloads is gone")
        house.downloads.symlink_to(aside)
        asked(await house.agent("move", paths=[str(house.downloads / "a.txt")], to=str(house.archive)))
        assert "is reached by a link: write " in (await house.rules())[1]["problem"]
        house.downloads.unlink()
        aside.rename(house.downloads)
        ran(await house.move(path))


async def test_a_link_as_root_never_matches_even_if_it_was_there_first(house):
    house.plant("a.txt")
    (house.home / "dl").symlink_to(house.downloads)
    house.write_rules(house.rule(roots=f'["{house.home}/dl"]'))
    async with house.open():
        asked(await house.move(str(house.downloads / "a.txt")))


async def test_allowing_a_rule_again_takes_the_folder_that_stands_there_now(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        house.downloads.rename(house.home / "aside")
        house.plant("a.txt")
        asked(await house.move(path))
        await house.person("rules.allow", rule=1)
        ran(await house.move(path))


async def test_what_lies_outside_the_roots_of_a_rule_is_asked_about_by_real_path(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    (house.home / "Other").mkdir()
    (house.downloads / "way").symlink_to(house.home / "Other")
    async with house.open():
        asked(await house.agent("move", paths=[path], to=str(house.home / "Other")))
        asked(await house.agent("move", paths=[path], to=str(house.downloads / "way")))
        asked(await house.agent("copy", paths=[str(house.downloads)], to=str(house.home / "Other")))


async def test_two_rules_that_both_match_use_both_budgets(house):
    house.write_rules(house.rule(files="10") + house.rule(files="3"))
    paths = house.plant(*(f"{number}.txt" for number in range(4)))
    async with house.open():
        ran(await house.move(*paths[:2]))
        rows = await house.rules()
        assert (rows[1]["filesLeft"], rows[2]["filesLeft"]) == (8, 1)
        ran(await house.move(*paths[2:]))  # too much for the second rule, and the first has room
        rows = await house.rules()
        assert (rows[1]["filesLeft"], rows[2]["filesLeft"]) == (6, 1)


async def test_an_agent_that_splits_a_big_change_meets_the_hourly_budget(house):
    house.write_rules(house.rule(files="5"))
    paths = house.plant(*(f"{number}.txt" for number in range(7)))
    async with house.open():
        answers = [await house.move(path) for path in paths]
        assert [" by rule 1" in answer for answer in answers] == [True] * 5 + [False] * 2


@pytest.mark.parametrize(
    ("limit", "value"), [("files", "2"), ("bytes", "25"), ("operations", "2")], ids=["files", "bytes", "operations"]
)
async def test_each_budget_ends_what_a_rule_admits(house, limit, value):
    house.write_rules(house.rule(**{limit: value}))
    paths = house.plant("a.txt", "b.txt", "c.txt", size=10)
    async with house.open():
        answers = [await house.move(path) for path in paths]
        assert [" by rule 1" in answer for answer in answers] == [True, True, False]


async def test_folders_count_as_files_do(house):
    house.write_rules(house.rule(verbs='["mkdir"]', files="2"))
    async with house.open():
        answers = [await house.agent("mkdir", path=str(house.downloads / name)) for name in "abc"]
        assert [" by rule 1" in answer for answer in answers] == [True, True, False]


async def test_a_restart_does_not_refill_a_budget_and_remembers_which_rule_admitted_what(house):
    house.write_rules(house.rule(files="2"))
    paths = house.plant("a.txt", "b.txt", "c.txt")
    async with house.open():
        for path in paths[:2]:
            ran(await house.move(path))
    async with house.open():
        assert house.commander.rules.rule_of(2) == 1
        asked(await house.move(paths[2]))


async def test_an_agent_that_renames_itself_has_no_rule(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        for other in (Principal("agent", "Claude", token=True), Principal("agent", "claude2", token=True)):
            asked(await house.move(path, by=other))


async def test_a_rule_never_widens_what_a_token_allows(house):
    house.write_rules(house.rule() + house.rule(client='"same-user"'))
    (path,) = house.plant("a.txt")
    narrow = RootSpec(os.fsencode(house.home / "elsewhere"))
    (house.home / "elsewhere").mkdir()
    reading = RootSpec(os.fsencode(house.home), read_only=True)
    async with house.open():
        asked(await house.move(path, by=replace(CLAUDE, roots=(narrow,))))
        asked(await house.move(path, by=replace(CLAUDE, roots=(reading,))))
        asked(await house.move(path, by=replace(CLAUDE, roots=(RootSpec(b"/nowhere"),))))
        asked(await house.move(path, by=replace(CLAUDE, token=False)))
        asked(await house.move(path, by=SAME_USER))
        plan = house.pending[0].plan
        assert await house.commander.rules.run(plan, replace(CLAUDE, read_only=True)) is None
        assert await house.commander.rules.run(plan, PERSON) is None


async def test_nothing_outside_the_agents_roots_runs_unasked(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    (house.home / "work").mkdir()
    async with house.open(roots=[RootSpec(os.fsencode(house.home / "work"))]):
        asked(await house.move(path))


async def test_what_agents_may_only_read_may_be_copied_and_not_changed(house):
    house.write_rules(house.rule())
    (path,) = house.plant("in/a.txt")
    roots = [RootSpec(os.fsencode(house.downloads)), RootSpec(os.fsencode(house.downloads / "in"), read_only=True)]
    async with house.open(roots=roots):
        asked(await house.move(path))
        ran(await house.agent("copy", paths=[path], to=str(house.archive)))


async def test_only_verbs_that_a_rule_names_run_unasked(house):
    house.write_rules(house.rule(verbs='["copy"]'))
    (path,) = house.plant("a.txt")
    async with house.open():
        asked(await house.move(path))
        asked(await house.agent("delete", paths=[path]))
        asked(await house.agent("rename", path=path, newName="b.txt"))


EVERY = (
    '["copy", "move", "trash", "rename", "mkdir", "mkfile", "link", "restore", "write", "attributes", "pack", "unpack"]'
)


async def test_every_other_verb_runs_by_a_rule_that_names_it_and_comes_back_by_undo(house):
    house.write_rules(house.rule(verbs=EVERY))
    paths = house.plant("a.txt", "b.txt", "c.txt", "d.txt")
    os.chmod(paths[2], 0o644)
    async with house.open():
        answers = [
            await house.agent("rename", path=paths[0], newName="A.txt"),
            await house.agent("delete", paths=[paths[1]]),
            await house.agent("attributes", paths=[paths[2]], mode="600"),
            await house.agent("mkdir", path=str(house.downloads / "new")),
            await house.agent("mkfile", path=str(house.downloads / "new.txt")),
            await house.agent("link", to=paths[3], path=str(house.downloads / "link.txt")),
            await house.agent("link", to=paths[3], path=str(house.downloads / "hard.txt"), kind="hard"),
            await house.agent("pack", paths=[paths[3]], to=str(house.archive / "d.zip")),
            await house.agent("unpack", paths=[str(house.archive / "d.zip")], to=str(house.archive)),
        ]
        words = [answer.split(" by rule 1")[0].removeprefix("OK: ") for answer in answers]
        assert words == [
            *(
                "Renamed",
                "Moved to the trash",
                "Changed attributes",
                "Created",
                "Created",
                "Linked",
                "Linked",
                "Packed",
            ),
            "Unpacked",
        ]
        for operation in reversed([ran(answer) for answer in answers]):
            assert (await house.undo(operation, by=CLAUDE)).state == "done"
        assert sorted(os.listdir(house.downloads)) == ["a.txt", "archive", "b.txt", "c.txt", "d.txt"]
        assert os.stat(paths[2]).st_mode & 0o777 == 0o644


async def test_deleting_for_good_and_undoing_are_always_asked(house):
    house.write_rules(house.rule(verbs=EVERY))
    (path, other) = house.plant("a.txt", "b.txt")
    async with house.open():
        asked(await house.agent("delete", paths=[path], permanent=True))
        ran(await house.move(other))
        asked(await house.agent("undo", operation="last"))


async def test_nothing_is_overwritten_unless_the_rule_says_so_and_then_it_is_in_the_trash(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    (house.archive / "a.txt").write_text("old")
    async with house.open():
        asked(await house.move(path, on_conflict="overwrite"))
        asked(await house.move(path))  # a question would be left
        house.write_rules(house.rule(overwrites="true"))
        operation = ran(await house.move(path, on_conflict="overwrite"), 2)
        assert (house.archive / "a.txt").read_text("latin-1") != "old"
        await house.undo(operation)
        assert (house.archive / "a.txt").read_text() == "old" and os.path.exists(path)


def scripted(path):
    with open(path, "w") as file:
        file.write("#!/bin/sh\n")


TRAPS = {
    "program": lambda house, path: os.chmod(path, 0o755),
    "script": lambda house, path: scripted(path),
    "set-id": lambda house, path: os.chmod(path, 0o4644),
}


@pytest.mark.parametrize("trap", TRAPS)
async def test_programs_are_asked_about(house, trap):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    TRAPS[trap](house, path)
    async with house.open():
        asked(await house.move(path))
        asked(await house.agent("copy", paths=[path], to=str(house.archive)))


async def test_names_that_are_run_when_opened_are_asked_about(house):
    house.write_rules(house.rule(verbs=EVERY))
    (path, other) = house.plant("a.desktop", "b.txt")
    async with house.open():
        asked(await house.move(path))
        asked(await house.agent("rename", path=other, newName="b.sh"))
        asked(await house.agent("mkfile", path=str(house.downloads / "c.command")))


async def test_a_folder_is_looked_at_with_all_that_lies_in_it(house):
    house.write_rules(house.rule())
    house.plant("plain/deep/a.txt", "hooks/.git/config", "keys/.ssh/id_rsa", "tool/deep/run", "agents/deep/CLAUDE.md")
    os.chmod(house.downloads / "tool/deep/run", 0o755)
    async with house.open():
        for name in ("hooks", "keys", "tool", "agents"):
            asked(await house.move(str(house.downloads / name)))
            house.commander.proposals.drop_of_agents()
        ran(await house.move(str(house.downloads / "plain")))


async def test_a_folder_with_something_that_is_no_file_is_asked_about(house):
    house.write_rules(house.rule())
    house.plant("odd/a.txt")
    os.mkfifo(house.downloads / "odd/pipe")
    async with house.open():
        asked(await house.move(str(house.downloads / "odd")))
        asked(await house.move(str(house.downloads / "odd/pipe")))


async def test_a_folder_with_too_much_to_look_at_is_asked_about(house, monkeypatch):
    monkeypatch.setattr(rule_facts, "MOST_INSIDE", 2)
    house.write_rules(house.rule())
    house.plant("full/a.txt", "full/b.txt", "full/c.txt")
    async with house.open():
        asked(await house.move(str(house.downloads / "full")))


async def test_private_and_protected_places_are_asked_about(house):
    house.write_rules(house.rule(verbs=EVERY, roots=f'["{house.home}"]'))
    (path, key) = house.plant("a.txt", "id_rsa")
    (house.home / ".ssh").mkdir()
    async with house.open():
        asked(await house.agent("copy", paths=[path], to=str(house.home / ".ssh")))
        asked(await house.agent("delete", paths=[key]))
        asked(await house.agent("rename", path=path, newName=".bashrc"))
        asked(await house.agent("link", to=str(house.home / ".ssh"), path=str(house.downloads / "way")))


async def test_a_second_name_of_something_private_is_asked_about(house):
    house.write_rules(house.rule(verbs=EVERY))
    (path,) = house.plant("a.txt")
    (house.home / ".ssh").mkdir()
    os.link(path, house.home / ".ssh" / "id_rsa")
    async with house.open():
        asked(await house.agent("delete", paths=[path]))


async def test_an_outlier_and_a_risk_are_asked_about(house):
    house.write_rules(house.rule())
    alike = house.plant(*(f"{number}.jpg" for number in range(4)), "tax.pdf")
    many = house.plant(*(f"many/{number}.txt" for number in range(12)))
    async with house.open():
        asked(await house.move(*alike))
        asked(await house.move(*many))  # more than half of their folder
        ran(await house.move(*alike[:3]))


async def test_attributes_that_open_something_up_are_asked_about(house):
    house.write_rules(house.rule(verbs='["attributes"]'))
    (path,) = house.plant("a.txt")
    os.chmod(path, 0o600)
    async with house.open():
        for mode in ("644", "u+x", "666"):
            asked(await house.agent("attributes", paths=[path], mode=mode))
        ran(await house.agent("attributes", paths=[path], modified="2020-01-01T00:00:00"))


async def test_a_link_that_leads_out_of_the_roots_is_asked_about(house):
    house.write_rules(house.rule(verbs='["link"]'))
    (house.home / "out.txt").write_text("x")
    house.plant("a.txt")
    async with house.open():
        asked(await house.agent("link", to=str(house.home / "out.txt"), path=str(house.downloads / "l")))


async def test_a_volume_without_a_trash_is_asked_about(house, monkeypatch):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")

    def none(folder, home):
        raise rule_facts.NoTrashHere("the volume is read-only")

    monkeypatch.setattr(rule_facts, "locate", none)
    async with house.open():
        asked(await house.move(path))


async def test_a_plan_that_becomes_risky_between_match_and_run_is_asked(house, monkeypatch):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        jobs = house.commander.jobs
        start = jobs.start

        def and_then(plan, by):
            os.chmod(path, 0o755)  # somebody makes a program of it, after the match
            return start(plan, by)

        monkeypatch.setattr(jobs, "start", and_then)
        answer = asked(await house.move(path))
        (proposal,) = house.pending
        assert proposal.id in answer and proposal.job is None and os.path.exists(path)
        assert [dialog.proposal for dialog in house.commander.workspace.dialogs] == [proposal.id]
        assert house.commander.rules.latest is None
        monkeypatch.setattr(jobs, "start", start)
        await house.person("reject", proposal=proposal.id)
    decisions = [one["decision"] for one in read_log(str(house.folder / "audit")) if one["what"].startswith("proposal")]
    assert decisions[:2] == ["proposed", "approved"] and decisions[2].startswith("asked instead: ")


async def test_a_rule_that_is_gone_when_its_plan_has_its_turn_admits_nothing(house, monkeypatch):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        jobs = house.commander.jobs
        start = jobs.start

        def and_then(plan, by):
            house.commander.rules._book.rules = ()
            return start(plan, by)

        monkeypatch.setattr(jobs, "start", and_then)
        asked(await house.move(path))


async def test_too_many_that_have_to_be_asked_after_all_are_withdrawn(house, monkeypatch):
    house.write_rules(house.rule())
    paths = house.plant(*(f"{number}.txt" for number in range(6)))
    async with house.open():
        for path in paths[:5]:
            await house.move(path, by=Principal("agent", "claude"))
        assert len(house.pending) == 5
        jobs = house.commander.jobs
        start = jobs.start

        def and_then(plan, by):
            os.chmod(paths[5], 0o755)
            return start(plan, by)

        monkeypatch.setattr(jobs, "start", and_then)
        answer = await house.move(paths[5])
        assert len(house.pending) == 5 and os.path.exists(paths[5])
        named = answer.split("proposal: ")[1].split()[0]
        assert house.commander.proposals.get(named, PERSON).state is ProposalState.CANCELLED


async def test_long_work_is_told_as_running_and_await_tells_the_rest(house, monkeypatch):
    monkeypatch.setattr(at_work, "ANSWER_WAIT_S", 0.0)
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        answer = await house.move(path)
        assert answer.startswith("OK: Runs by rule 1; await tells what comes of it.\nproposal: p_")
        named = answer.split("proposal: ")[1].split()[0]
        assert "operation: 1" in await house.agent("await", proposal=named)


async def test_what_a_rule_admitted_and_fails_is_told_as_such(house, monkeypatch):
    house.write_rules(house.rule())
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        run = house.commander.engine.run

        def and_then(plan, *more):
            os.unlink(second)
            return run(plan, *more)

        monkeypatch.setattr(house.commander.engine, "run", and_then)
        answer = (await house.commander.ask(CLAUDE, "move", {"paths": [first, second], "to": str(house.archive)})).text
        told, *rest = answer.splitlines()
        assert told.startswith("ERROR: Begun by rule 1, operation 1: move: 1 done, 1 changed meanwhile")
        assert rest[0].startswith("drifted: ") and rest[1].startswith("proposal: p_")


async def test_undoing_what_a_rule_admitted_suspends_the_rule_and_says_so(house):
    house.write_rules("# my own words\n" + house.rule() + "\n# the end\n")
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        operation = ran(await house.move(first))
        await house.undo(operation)
        rules = house.commander.rules
        assert rules.latest is None
        ((rule, why, since),) = rules.suspended_unseen()
        assert (rule.number, why) == (1, "you undid operation 1") and since > 0
        asked(await house.move(second))
        assert "# my own words" in house.settings_text and "# the end" in house.settings_text
    assert 'suspended = "you undid operation 1"' in house.settings_text
    async with house.open():
        assert [row[0].number for row in house.commander.rules.suspended_unseen()] == [1]
        await house.commander.rules.seen(1)
        assert house.commander.rules.suspended_unseen() == []
        asked(await house.move(second))
        await house.person("rules.allow", rule=1)
        ran(await house.move(second))


async def test_an_agents_own_undo_that_the_person_approves_suspends_nothing(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        operation = ran(await house.move(path))
        await house.undo(operation, by=CLAUDE)
        assert house.commander.rules.suspended_unseen() == []


async def test_two_noes_in_a_row_suspend_all_rules_of_that_client(house):
    house.write_rules(house.rule() + house.rule(verbs='["trash"]') + house.rule(client='"codex"'))
    paths = house.plant(*(f"{number}.txt" for number in range(4)))
    async with house.open():

        async def no():
            await house.agent("rename", path=paths[3], newName="x.txt")
            await house.reject(house.pending[0])

        await no()
        await house.agent("rename", path=paths[3], newName="x.txt")
        await house.person("approve", proposal=house.pending[0].id, digest=house.pending[0].plan.digest)
        (house.downloads / "3.txt").write_text("again")
        await no()
        assert house.commander.rules.suspended_unseen() == []  # a yes came in between
        await no()
        told = [(rule.number, why) for rule, why, _ in house.commander.rules.suspended_unseen()]
        assert told == [(1, "you said no 2 times in a row"), (2, "you said no 2 times in a row")]
        asked(await house.move(paths[0]))
        ran(await house.move(paths[0], by=Principal("agent", "codex", token=True)), 3)


async def test_what_the_person_does_themselves_is_no_answer_to_an_agent(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        for _ in range(3):
            await house.person("mkdir", path=str(house.downloads / "x"))
            await house.reject(house.pending[0])
        ran(await house.move(path))


async def test_the_newest_that_ran_unasked_is_told_until_the_person_does_something_newer(house):
    house.write_rules(house.rule())
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        ran(await house.move(first))
        assert house.commander.rules.latest.operation == 1
        await house.person("mkdir", path=str(house.downloads / "mine"))
        mine = house.pending[0]
        approved = await house.person("approve", proposal=mine.id, digest=mine.plan.digest)
        await house.commander.jobs.finished(house.commander.jobs.get(approved["job"], PERSON))
        assert house.commander.rules.latest is None
        ran(await house.move(second))
        assert house.commander.rules.latest.client == "claude"


async def test_a_rule_that_cannot_be_written_down_admits_nothing(house):
    house.write_rules(house.rule())
    (path, other) = house.plant("a.txt", "b.txt")
    async with house.open():
        house.commander.rules._ledger.close()
        asked(await house.move(path))
        await house.commander.rules.seen(1)
        assert "cannot be written" in house.commander.rules.trouble
        asked(await house.move(other))
        assert not (await house.rules())[1]["holds"]


async def test_a_plan_admitted_when_the_program_was_cut_off_is_still_known_by_its_rule(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        operation = ran(await house.move(path))
        digest = house.commander.proposals.all()[0].plan.digest
    with sqlite3.connect(house.state / FILE_NAME) as db:
        db.execute("DELETE FROM admitted")
        db.execute("INSERT INTO begun VALUES (?, 1, 0)", (digest,))
        db.execute("INSERT INTO begun VALUES ('never ran', 1, 0)")
    async with house.open():
        assert house.commander.rules.rule_of(operation) == 1
        assert house.commander.rules._ledger.begun == {}


async def test_what_went_on_after_a_stop_is_still_of_its_rule(house):
    house.write_rules(house.rule())
    (path, other) = house.plant("a.txt", "b.txt")
    async with house.open():
        operation = ran(await house.move(path))
        await house.agent("rename", path=other, newName="c.txt")
        plan = replace(house.pending[0].plan, continues=operation)
        job = house.commander.jobs.start(plan, PERSON.id)
        await house.commander.jobs.finished(job)
        assert house.commander.rules.rule_of(job.operation) == 1


async def test_an_expired_rule_stays_expired_when_the_clock_is_set_back(house, monkeypatch):
    import time

    now = time.time()
    house.write_rules(house.rule(until="2026-01-01T00:00:00Z"))
    (path,) = house.plant("a.txt")
    before, after = 1767000000.0, 1767300000.0
    assert before < 1767225600 < after < now
    async with house.open():
        monkeypatch.setattr(time, "time", lambda: after)
        asked(await house.move(path))
        assert (await house.rules())[1]["problem"] == "expired"
        await asyncio.gather(*house.commander.rules._book._tasks)
        monkeypatch.setattr(time, "time", lambda: before)
        asked(await house.move(path))
        assert (await house.rules())[1]["problem"] == "expired"
    monkeypatch.undo()


async def test_a_flood_of_proposals_changes_nothing_for_the_person(house):
    house.write_rules(house.rule(operations="3"))
    paths = house.plant(*(f"{number}.txt" for number in range(40)))
    async with house.open():
        answers = [await house.agent("rename", path=path, newName=f"x{os.path.basename(path)}") for path in paths]
        assert len(house.pending) == 5
        assert sum(answer.startswith("ERROR: 5 of your proposals already wait") for answer in answers) == 35
        moved = await asyncio.gather(*(house.move(path) for path in paths))
        assert sum(" by rule 1" in answer for answer in moved) == 3
        assert len(house.pending) == 5 and len(house.commander.rules._offers) <= 5


async def test_an_admission_is_for_one_plan_of_one_client_and_never_for_the_person(house):
    (path,) = house.plant("a.txt")
    async with house.open():
        await house.move(path)
        plan = house.pending[0].plan
        proposals = house.commander.proposals
        good = Admission(plan.digest, "claude", (1,))
        for who, what in ((PERSON, good), (Principal("agent", "codex"), good), (CLAUDE, replace(good, digest="x"))):
            with pytest.raises(NotAllowed):
                proposals.admit(plan, who, what)
        before = len(proposals.pending())
        proposals.ask_instead(proposals.pending()[0], plan, "it never was by a rule")
        assert len(proposals.pending()) == before


async def test_agents_have_none_of_the_commands_and_cannot_change_the_settings(house):
    house.write_rules(house.rule(verbs=EVERY, roots=f'["{house.folder}"]'))
    (path,) = house.plant("settings.toml")
    async with house.open(roots=[RootSpec(os.fsencode(house.folder))]):
        for name in ("rules.list", "rules.make", "rules.suspend", "rules.allow", "rules.remove", "rules.offer"):
            told = await house.agent(name, **({} if name == "rules.list" else {"proposal": "p_1", "rule": 1}))
            assert "for the person only" in told
        before = house.settings_text
        answer = await house.agent("copy", paths=[path], to=str(house.config), on_conflict="overwrite")
        asked(answer)
        assert house.pending[0].plan.risk.is_high  # a protected place: a word has to be typed
        asked(await house.agent("rename", path=str(house.config / "settings.toml"), newName="old.toml"))
        assert house.settings_text == before
        with pytest.raises(NotAllowed):
            await house.commander.rules.remove(1, CLAUDE)


async def test_noes_to_a_client_without_rules_suspend_nothing(house):
    async with house.open():
        rules = house.commander.rules
        for _ in range(2):
            rules.answered("claude", yes=False)
        assert rules.suspended_unseen() == []


async def test_what_did_nothing_is_not_told_as_done(house, monkeypatch):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        run = house.commander.engine.run

        def and_then(plan, *more):
            os.unlink(path)
            return run(plan, *more)

        monkeypatch.setattr(house.commander.engine, "run", and_then)
        await house.move(path)
        assert house.commander.rules.latest is None and house.commander.rules.rule_of(1) == 1


async def test_an_operation_that_is_cut_short_is_still_of_its_rule(house, monkeypatch):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        run = house.commander.engine.run

        def cut_short(plan, *more):
            raise OperationInterrupted(run(plan, *more).operation, "The journal is full.")

        monkeypatch.setattr(house.commander.engine, "run", cut_short)
        assert "interrupted" in await house.move(path)
        assert house.commander.rules.rule_of(1) == 1


async def test_a_record_that_fails_while_it_is_read_at_the_start_is_left_for_the_next(house, monkeypatch):
    async with house.open():
        rules = house.commander.rules
        rules._ledger.begun["digest"] = 1
        monkeypatch.setattr(
            rules._ledger, "_save", lambda work: (_ for _ in ()).throw(sqlite3.OperationalError("full"))
        )
        rules._find_begun(lambda digest: 7)
        assert rules.rule_of(7) == 1
        monkeypatch.undo()


async def test_after_the_end_of_the_loop_nothing_is_told(house):
    async with house.open():
        book = house.commander.rules._book
    book._loop = None
    book.from_thread(lambda: pytest.fail("nobody is there"))


async def test_a_no_to_an_edit_counts_as_one_to_a_proposal(house):
    house.write_rules(house.rule())
    (path,) = house.plant("a.txt")
    async with house.open():
        record = SimpleNamespace(owner="agent:claude")
        call = SimpleNamespace(commander=house.commander)
        for _ in range(2):
            review_answers.count_answer(call, record, yes=False)
        review_answers.count_answer(call, SimpleNamespace(owner="person:terminal"), yes=False)
        asked(await house.move(path))


async def test_the_inbox_offers_the_rule_in_words_and_tells_what_was_suspended_until_it_is_seen(house):
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        await house.move(first)
        await house.commander.rules.offer_now(house.pending[0])
        (row,) = (await house.person("inbox"))["rows"]
        assert row["rule"] == "claude, move within ~/Downloads, up to 200 files and 2 GiB an hour"
        answer = {"ids": [row["id"]], "digests": [row["digest"]], "answer": "rule"}
        assert (await house.person("inbox.answer", **answer))["rule"] == 1
        operation = ran(await house.move(second))
        await house.undo(operation)
        (row,) = [each for each in (await house.person("inbox"))["rows"] if each["kind"] == "suspended"]
        assert (row["id"], row["by"], row["answers"]) == ("rule 1", "claude", ["seen"])
        assert row["what"] == f"Rule 1 is suspended: you undid operation {operation}"
        await house.person("inbox.answer", ids=[row["id"]], digests=[row["digest"]], answer="seen")
        assert [each for each in (await house.person("inbox"))["rows"] if each["kind"] == "suspended"] == []


async def test_where_nobody_named_roots_a_rule_names_its_folders_itself(house):
    """From the left pane to the right one: the usual root is the left folder, and no rule was ever offered."""
    first, second = house.plant("a.txt", "b.txt")
    other = house.home / "Elsewhere"
    other.mkdir()
    usual = [RootSpec(bytes(house.downloads))]
    async with house.open(roots=usual, is_chosen=False):
        asked(await house.agent("move", paths=[first], to=str(other)))
        rule = await house.commander.rules.offer_now(house.pending[0])
        assert rule.roots == (bytes(house.downloads), bytes(other))
        await house.person("rules.make", proposal=house.pending[0].id, until="today")
        ran(await house.agent("move", paths=[second], to=str(other)))


async def test_where_the_person_named_roots_nothing_outside_is_offered_or_admitted(house):
    (path,) = house.plant("a.txt")
    other = house.home / "Elsewhere"
    other.mkdir()
    house.write_rules(house.rule(roots=f'["{house.downloads}", "{other}"]'))
    async with house.open(roots=[RootSpec(bytes(house.downloads))]):
        asked(await house.agent("move", paths=[path], to=str(other)))
        assert await house.commander.rules.offer_now(house.pending[0]) is None


async def test_no_rule_is_offered_for_a_whole_home(house, monkeypatch):
    (path,) = house.plant("a.txt")
    monkeypatch.setenv("HOME", str(house.home))
    async with house.open():
        asked(await house.agent("move", paths=[path], to=str(house.home)))
        assert await house.commander.rules.offer_now(house.pending[0]) is None
