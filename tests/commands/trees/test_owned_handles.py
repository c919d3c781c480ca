"""Sets and saved queries belong to who made them: other agents cannot see, run, probe or delete them."""

import json
import re

import pytest

from cmdr.core.dispatch.principals import PERSON, Principal

ONE = Principal("agent", "one", token=True)
OTHER = Principal("agent", "other", token=True)


@pytest.fixture
def shelf(desk, tmp_path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


async def saved_by(at, who, **more):
    answer = await at.ask(who, "query_run", {"root": at.path(), "ext": ["md"], "saveAs": "mine", **more})
    return re.search(r"saved as query (q_\w+)", answer)[1], re.search(r"set: (s_\w+)", answer)[1]


async def test_a_saved_query_of_another_agent_does_not_exist(shelf):
    async with shelf() as at:
        query, _ = await saved_by(at, ONE)
        assert query in await at.ask(ONE, "query_list", {})
        assert (await at.ask(OTHER, "query_list", {})).startswith("OK: 0 saved queries")
        for named in (query, "mine"):
            for tool in ("query_list", "query_run"):
                assert "no saved query" in await at.ask(OTHER, tool, {"query": named})
            for used in ("savedQuery.show", "savedQuery.run", "savedQuery.delete"):
                assert "no saved query" in await at.ask(OTHER, used, {"queryId": named})
        assert json.loads(await at.ask(OTHER, "savedQuery.list", {}))["queries"] == []
        assert query in await at.ask(ONE, "query_list", {})


async def test_two_agents_may_use_one_name_and_the_person_sees_both(shelf):
    async with shelf() as at:
        first, _ = await saved_by(at, ONE)
        second, _ = await saved_by(at, OTHER, ext=["txt"])
        assert first != second
        assert "ext:md" in await at.ask(ONE, "query_list", {"query": "mine"})
        assert "ext:txt" in await at.ask(OTHER, "query_list", {"query": "mine"})
        everything = await at.person("query_list")
        assert first in everything
        assert second in everything
        third, _ = await saved_by(at, PERSON, ext=["json"])
        assert "ext:json" in await at.person("query_list", query="mine")
        assert third not in await at.ask(ONE, "query_list", {})
        assert first in await at.person("savedQuery.delete", queryId=first)
        assert "no saved query" in await at.ask(ONE, "query_list", {"query": "mine"})


async def test_another_agents_set_cannot_be_probed_by_a_filter(shelf):
    async with shelf() as at:
        _, theirs = await saved_by(at, ONE)
        told = set()
        for root in (at.path(), at.path("right")):
            for wanted in (
                {"inSet": theirs},
                {"not": {"inSet": theirs}},
                f"in:{theirs}",
                json.dumps({"inSet": theirs}),
            ):
                told.add(await at.ask(OTHER, "query_run", {"root": root, "filter": wanted}))
        assert len(told) == 1
        assert told.pop().startswith(f"ERROR: No resource set {theirs}. ")
        assert (await at.person("query_run", root=at.path(), filter={"inSet": theirs})).startswith("OK: 2 found")


async def test_a_set_that_nobody_is_known_to_own_is_the_persons(shelf):
    async with shelf() as at:
        await saved_by(at, ONE)
        library = await at.commander.indexing.library()
        [index] = library.indexes()
        made = library.sets.create(index.id, "nobody's", [at.path().encode()])
        assert "No resource set" in await at.ask(OTHER, "resource_set", {"action": "get", "set": made.id})
        assert made.id in await at.person("resource_set", action="list")


@pytest.mark.parametrize("name", ["<b>\x1b[31mq", "two\nlines", "", " ", "x" * 81, "\u202ereversed", "half \udc80"])
async def test_a_name_that_does_not_show_as_itself_is_refused_when_it_is_given(shelf, name):
    async with shelf() as at:
        wrong = await at.ask(ONE, "query_run", {"root": at.path(), "saveAs": name})
        assert wrong.startswith("ERROR: A name has 1 to 80 printable characters"), wrong
        assert "\x1b" not in wrong
        for tool, arguments in (
            ("savedQuery.save", {"name": name, "filter": "ext:md"}),
            ("set.create", {"name": name, "nodes": [at.path()]}),
        ):
            assert (await at.ask(ONE, tool, arguments)).startswith("ERROR: A name has")
        assert (await at.ask(ONE, "query_list", {})).startswith("OK: 0 saved")


async def test_names_in_other_scripts_and_with_backslashes_are_names(shelf):
    async with shelf() as at:
        for name in ("счета за май", "a\\b", "写真"):
            assert "saved as query" in await at.ask(ONE, "query_run", {"root": at.path(), "saveAs": name})
            assert name in await at.ask(ONE, "query_list", {})


async def test_what_a_filter_holds_is_told_printably(shelf):
    async with shelf() as at:
        odd = {"name": {"contains": "\x1b[31m"}}
        assert "\x1b" not in await at.ask(ONE, "query_run", {"root": at.path(), "filter": odd, "saveAs": "odd"})
        assert "\x1b" not in await at.ask(ONE, "query_run", {"root": at.path(), "filter": odd})
        for told in ("query_list", "resource_set"):
            more = {"action": "list"} if told == "resource_set" else {}
            assert "\x1b" not in await at.ask(ONE, told, more)
        assert "\x1b" not in await at.ask(ONE, "query_list", {"query": "odd"})
