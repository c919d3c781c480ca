"""Rules are made, suspended, allowed and removed by the person alone; what they wrote in the settings stays."""

import asyncio
import os

import pytest
from tests.core.rules.rules_ground import CLAUDE, House

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.core.settings import Settings
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return House(tmp_path)


async def propose(house, *names, by=CLAUDE):
    paths = house.plant(*names)
    await house.move(*paths, by=by)
    return house.pending[-1]


async def test_a_rule_is_offered_in_words_made_by_one_command_and_matches_the_next(house):
    async with house.open():
        proposal = await propose(house, "a.txt", "b.txt")
        offer = await house.person("rules.offer", proposal=proposal.id)
        assert offer["today"] == "claude, move within ~/Downloads, up to 200 files and 2 GiB an hour, today"
        assert offer["always"].endswith(", always") and offer["roots"] == [str(house.downloads)]
        made = await house.person("rules.make", proposal=proposal.id, until="today")
        assert made["said"] == f"Rule 1: {offer['today']}"
        assert "number = 1\n" in house.settings_text and 'roots = ["~/Downloads"]' in house.settings_text
        (path,) = house.plant("c.txt")
        assert "by rule 1" in await house.move(path)
        again = await house.person("rules.make", proposal=proposal.id, until="today")
        assert again["rule"] == 1 and house.settings_text.count("[[rules]]") == 1
        always = await house.person("rules.make", proposal=proposal.id, until="always")
        assert always["rule"] == 2


async def test_an_offer_is_there_at_once_after_it_was_looked_up(house):
    async with house.open():
        proposal = await propose(house, "a.txt")
        rules = house.commander.rules
        assert rules.offer(proposal) is None
        await asyncio.gather(*rules._book._tasks)
        assert rules.offer(proposal).roots == (os.fsencode(house.downloads),)
        await house.person("mkdir", path=str(house.downloads / "mine"))
        mine = house.pending[-1]
        assert rules.offer(mine) is None and await rules.offer_now(mine) is None


async def test_offers_are_forgotten_with_the_oldest_first(house, monkeypatch):
    monkeypatch.setattr("cmdr.core.rules.rules._KEPT_OFFERS", 1)
    async with house.open():
        first, second = await propose(house, "a.txt"), await propose(house, "b.txt")
        for proposal in (first, second):
            await house.commander.rules.offer_now(proposal)
        assert list(house.commander.rules._offers) == [second.id]


async def test_no_rule_is_made_from_what_has_to_be_asked(house):
    async with house.open():
        (path,) = house.plant("a.txt")
        os.chmod(path, 0o755)
        await house.move(path)
        proposal = house.pending[0]
        assert (await house.person("rules.offer", proposal=proposal.id))["today"] == ""
        with pytest.raises(CommandError, match="No rule may be made from this"):
            await house.person("rules.make", proposal=proposal.id)
        await house.agent("delete", paths=[path], permanent=True)
        assert await house.commander.rules.offer_now(house.pending[-1]) is None


async def test_no_rule_is_offered_outside_the_agents_folders(house):
    (house.home / "work").mkdir()
    async with house.open(roots=[RootSpec(os.fsencode(house.home / "work"))]):
        assert await house.commander.rules.offer_now(await propose(house, "a.txt")) is None


async def test_a_folder_that_was_swapped_since_it_was_shown_gets_no_rule(house):
    async with house.open():
        proposal = await propose(house, "a.txt")
        await house.person("rules.offer", proposal=proposal.id)
        house.downloads.rename(house.home / "aside")
        house.plant("a.txt")
        with pytest.raises(CommandError, match="another folder than the one that was shown"):
            await house.person("rules.make", proposal=proposal.id)


async def test_a_new_folder_is_offered_by_the_one_that_is_there(house):
    async with house.open():
        (path,) = house.plant("a.txt")
        await house.agent("move", paths=[path], to=str(house.downloads / "new/deep"))
        assert (await house.commander.rules.offer_now(house.pending[0])).roots == (os.fsencode(house.downloads),)


async def test_comments_and_order_stay_and_numbers_are_never_given_twice(house):
    house.write_rules('# first\n[general]\nview = "brief" # mine\n\n' + house.rule(number="4") + "# tail\n")
    async with house.open():
        proposal = await propose(house, "a.txt", by=Principal("agent", "codex", token=True))
        made = await house.person("rules.make", proposal=proposal.id)
        assert made["rule"] == 5
        assert (await house.person("rules.remove", rule=5))["said"] == "Rule 5 is removed"
        made = await house.person("rules.make", proposal=proposal.id)
        assert made["rule"] == 6
        text = house.settings_text
        assert text.startswith('# first\n[general]\nview = "brief" # mine\n') and "# tail" in text
        assert (await house.person("rules.suspend", rule=4))["said"] == "Rule 4 is suspended"
        assert 'suspended = "by you"' in house.settings_text
        rows = await house.rules()
        assert (rows[4]["suspended"], rows[4]["holds"], rows[4]["problem"]) == ("by you", False, "")
        assert (await house.person("rules.allow", rule=4))["said"] == "Rule 4 holds again"
        assert "suspended" not in house.settings_text
    async with house.open():
        proposal = await propose(house, "b.txt", by=Principal("agent", "other", token=True))
        assert (await house.person("rules.make", proposal=proposal.id))["rule"] == 7


async def test_an_entry_without_a_number_keeps_the_one_it_was_given(house):
    house.write_rules(house.rule() + house.rule(client='"codex"'))
    async with house.open():
        assert sorted(await house.rules()) == [1, 2]
    house.write_rules(house.rule(client='"codex"') + house.rule())
    async with house.open():
        assert {number: row["client"] for number, row in (await house.rules()).items()} == {1: "claude", 2: "codex"}
        await house.person("rules.suspend", rule=2)
        assert house.settings_text.count("number = ") == 1
    house.write_rules(house.rule(number="1", client='"codex"') + house.rule())
    async with house.open():
        assert {number: row["client"] for number, row in (await house.rules()).items()} == {1: "codex", 3: "claude"}


async def test_removing_the_last_rule_leaves_no_trace(house):
    house.write_rules("[general]\n\n" + house.rule())
    async with house.open():
        await house.person("rules.remove", rule=1)
        assert "rules" not in house.settings_text
        with pytest.raises(CommandError, match="There is no rule 1"):
            await house.person("rules.remove", rule=1)


async def test_expired_rules_go_when_a_new_one_is_made(house):
    house.write_rules(house.rule(number="1", until="2020-01-01") + house.rule(number="2", client='"codex"'))
    async with house.open():
        proposal = await propose(house, "a.txt")
        assert (await house.person("rules.make", proposal=proposal.id))["rule"] == 3
        assert sorted(await house.rules()) == [2, 3]


async def test_a_rule_that_cannot_be_understood_is_not_suspended_but_can_be_removed(house):
    house.write_rules(house.rule(number="3", files='"many"'))
    async with house.open():
        with pytest.raises(CommandError, match=r"Rule 3 cannot be understood \(line 5: files"):
            await house.person("rules.suspend", rule=3)
        await house.person("rules.remove", rule=3)
        assert await house.rules() == {}


async def test_rules_in_one_line_hold_and_are_left_to_the_person(house):
    entry = house.rule().replace("[[rules]]\n", "").strip().replace("\n", ", ")
    house.write_rules(f"rules = [{{{entry}}}]\n")
    async with house.open():
        (path,) = house.plant("a.txt")
        assert "by rule 1" in await house.move(path)
        before = house.settings_text
        with pytest.raises(CommandError, match=r"written as \[\[rules\]\]"):
            await house.person("rules.suspend", rule=1)
        assert house.settings_text == before


async def test_a_rule_that_left_the_file_meanwhile_is_told(house):
    house.write_rules(house.rule())
    async with house.open():
        rule = house.commander.rules.all()[0]
        house.write_rules(house.rule(client='"codex"'))
        from cmdr.core.rules.rule_file import changed

        with pytest.raises(CommandError, match="not in the settings any more"):
            await house.commander.settings.rewrite(changed(rule, suspended="x"))


async def test_what_cannot_be_kept_still_rests(house):
    house.write_rules(house.rule())
    async with house.open():
        (path, other) = house.plant("a.txt", "b.txt")
        answer = await house.move(path)
        operation = int(answer.split(", operation ")[1].split(".")[0])
        house.commander.settings._broken = True  # as if the file could not be written
        await house.undo(operation)
        await asyncio.gather(*house.commander.rules._book._tasks)
        assert "suspended" not in house.settings_text
        assert "dialog opened" in await house.move(other)


async def test_settings_that_cannot_be_read_are_not_written_over(house):
    house.write_rules("[[rules]\n")
    async with house.open():
        proposal = await propose(house, "a.txt")
        with pytest.raises(CommandError, match="cannot be read"):
            await house.person("rules.make", proposal=proposal.id)
        assert house.settings_text == "[[rules]\n"


async def test_without_a_file_rules_live_as_long_as_the_program(house):
    async with house.open():
        rules, settings = house.commander.rules, Settings()
        rules._book._settings = settings
        proposal = await propose(house, "a.txt")
        rule = await rules.make(proposal, PERSON, today=False)
        assert rules.all() == (rule,) and rules.of_client("claude") == [rule]
        await rules.suspend(rule.number, PERSON)
        assert rules.of_client("claude") == []
