"""Saved queries and sets in lists of a few, with addresses that work; queries are changed by their owner."""

import json
import re

import pytest

from cmdr.core.dispatch.principals import Principal

OTHER = Principal("agent", "somebody-else", token=True)


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700, exist_ok=True)
    return lambda **how: desk(indexes=str(state), **how)


async def test_a_saved_query_is_changed_by_its_owner_and_stays_the_same_query(shelf):
    async with shelf() as at:
        saved = json.loads(await at.agent("savedQuery.save", name="docs", filter="ext:md", root=at.path()))["query"]
        changed = json.loads(await at.agent("savedQuery.change", queryId=saved["id"], filter="ext:txt"))["query"]
        assert (changed["id"], changed["name"], changed["root"]) == (saved["id"], "docs", at.path())
        assert (await at.agent("query_run", queryId="docs")).startswith("OK: 2 found")
        await at.agent("savedQuery.change", queryId="docs", name="texts", root=f"{at.path()}/docs")
        assert (await at.agent("query_run", queryId="texts")).startswith("OK: 0 found")
        assert "no saved query" in await at.agent("query_run", query="docs")


async def test_a_change_of_nothing_or_to_a_name_in_use_or_by_another_is_refused(shelf):
    async with shelf() as at:
        for name in ("one", "two"):
            await at.agent("savedQuery.save", name=name, filter="ext:md")
        assert (await at.agent("savedQuery.change", queryId="one")).startswith('ERROR: A change needs "name"')
        assert "already. Use another name." in await at.agent("savedQuery.change", queryId="one", name="two")
        assert "printable" in await at.agent("savedQuery.change", queryId="one", name="\x1b")
        theirs = await at.ask(OTHER, "savedQuery.change", {"queryId": "one", "name": "three"})
        assert theirs.startswith("ERROR: There is no saved query")


@pytest.mark.parametrize("listed", ["queries", "sets"])
async def test_lists_of_queries_and_sets_are_told_20_at_a_time(shelf, listed):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        for number in range(23):
            if listed == "queries":
                await at.agent("savedQuery.save", name=f"q{number:02d}", filter="ext:md")
            else:
                await at.agent("resource_set", action="create", name=f"q{number:02d}", paths=[f"{at.path()}/a9.txt"])
        tool = ("query_list", {}) if listed == "queries" else ("resource_set", {"action": "list"})
        answer = await at.agent(tool[0], **tool[1])
        assert len(re.findall(r"\bq\d\d: ", answer)) == 20
        left, cursor = re.search(r"… (\d) more: \S+\?cursor=(\S+)$", answer).groups()
        rest = await at.agent(tool[0], **tool[1], cursor=cursor)
        assert len(re.findall(r'(?:q\d\d|"x"): ', rest)) == int(left)
        names = set(re.findall(r"\bq\d\d", answer + rest))
        assert len(names) == 23
        program = "savedQuery.list" if listed == "queries" else "set.list"
        page = json.loads(await at.agent(program))
        assert (len(page[listed]), page["cursor"]) == (20, cursor)
        assert "start again without it" in await at.agent(program, cursor="gone")
