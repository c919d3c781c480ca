"""The shell-style session of an agent: cd, index, queries, sets and reports over a real tree."""

import json
import os
import re

import pytest

from cmdr.core.principals import PERSON, Principal

OTHER = Principal("agent", "somebody-else", token=True)


def set_in(answer):
    return re.search(r"set: (s_\w+)", answer)[1]


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


async def test_cd_works_at_once_without_an_index(shelf):
    async with shelf() as at:
        answer = await at.agent("cd", path=at.path())
        assert answer.splitlines()[0] == f"OK: {at.path()}: 5 files, 3.5K; 3 dirs of unknown size (not indexed)"
        assert "d docs ?" in answer
        assert "f README.md 2.3K" in answer


async def test_cd_knows_dots_tilde_and_the_way_back(shelf):
    async with shelf() as at:
        await at.agent("cd", path=at.path("left"))
        assert (await at.agent("cd", path="docs")).startswith(f"OK: {at.path('left')}/docs:")
        assert (await at.agent("cd", path="..")).startswith(f"OK: {at.path('left')}:")
        assert (await at.agent("cd", path="-")).startswith(f"OK: {at.path('left')}/docs:")
        assert (await at.agent("cd", path=".")).startswith(f"OK: {at.path('left')}/docs:")
        assert (await at.agent("cd", path="~")).startswith(f"OK: {os.path.expanduser('~')}:")


async def test_cd_moves_no_pane_and_another_agent_not_either(shelf):
    async with shelf() as at:
        await at.agent("cd", path="/")
        assert at.tab().path == os.fsencode(at.path())
        elsewhere = await at.ask(OTHER, "cd", {"path": "."})
        assert elsewhere.startswith(f"OK: {at.path()}:")


async def test_cd_to_what_is_not_a_folder_is_refused_and_stays(shelf):
    async with shelf() as at:
        await at.agent("cd", path=at.path())
        assert await at.agent("cd", path="nope") == f"ERROR: Path not found: {at.path()}/nope"
        assert (await at.agent("cd", path="README.md")).startswith("ERROR: Not a folder")
        assert (await at.agent("cd", path=".")).startswith(f"OK: {at.path()}:")


async def test_a_query_indexes_the_tree_when_nobody_did(shelf):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), text="readme")
        assert answer.startswith("OK: 1 found, 2.3K in all")
        assert "indexed just now" in answer
        assert "f README.md 2.3K" in answer
        assert "indexed just now" not in await at.agent("query_run", root=at.path(), text="readme")


async def test_after_indexing_cd_tells_folder_sizes(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        answer = await at.agent("cd", path=at.path())
        assert "d docs 10b 1 files" in answer
        assert "below 6 files, 4 dirs, 3.5K" in answer


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ({"ext": ["md"]}, 2),
        ({"ext": "md"}, 2),
        ({"name": "a*.txt"}, 2),
        ({"kind": "dir"}, 4),
        ({"minSize": 1000}, 2),
        ({"minSize": 1000, "maxSize": 2000}, 1),
        ({"filter": "ext:md size>=1000"}, 1),
        ({"filter": {"or": [{"ext": ["md"]}, {"ext": ["json"]}]}}, 3),
        ({"newerThan": "2100-01-01"}, 0),
    ],
)
async def test_predicates_find_what_they_say(shelf, question, count):
    async with shelf() as at:
        question = {"root": at.path(), **question}
        if "minSize" in question:
            question["kind"] = "file"
        assert (await at.agent("query_run", **question)).startswith(f"OK: {count} found")


async def test_a_filter_that_makes_no_sense_says_where(shelf):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), filter={"and": [{"nonsense": 1}]})
        assert answer.startswith("ERROR:")
        assert "$.and[0]" in answer


async def test_an_exploding_pattern_is_only_a_pattern(shelf):
    async with shelf() as at:
        (at.root / "left" / ("a" * 60)).write_text("")
        answer = await at.agent("query_run", root=at.path(), filter={"name": {"regex": "(a+)+$"}})
        assert answer.startswith("OK: ")


async def test_sets_are_combined_shown_and_fed_to_operations(shelf):
    async with shelf(engine=True) as at:
        texts = set_in(await at.agent("query_run", root=at.path(), name="*.txt", kind="file"))
        docs = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        both = await at.agent("resource_set", action="union", set=texts, other=docs, name="both")
        assert "both: 4 entries" in both
        together = re.search(r"(s_\w+)", both)[1]
        assert "2 entries" in await at.agent("resource_set", action="subtract", set=together, other=docs)
        assert (await at.agent("resource_set", action="open", set=docs)).startswith(f"OK: Opened set {docs}")
        assert sorted(at.names()) == ["README.md", "docs/guide.md"]
        copied = await at.agent("copy", set=docs, to=at.path("right"))
        assert copied.startswith("OK: Copy dialog opened. Waiting for user confirmation.")
        assert "(2 files, 2.4 KiB)" in copied


async def test_an_operation_on_an_opened_set_takes_the_real_files(shelf):
    async with shelf(engine=True) as at:
        docs = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        await at.agent("resource_set", action="open", set=docs)
        await at.person("select", pane="left", start=0, count="all")
        await at.person("delete", pane="left")
        plan = at.commander.proposals.pending()[-1].plan
        paths = sorted(os.fsdecode(item.place.path) for item in plan.items)
        assert paths == [f"{at.path()}/README.md", f"{at.path()}/docs/guide.md"]


async def test_selecting_a_set_selects_its_members_in_the_pane(shelf):
    async with shelf() as at:
        docs = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        assert await at.agent("select", pane="left", set=docs) == "OK: Selected 1 file"
        assert at.selected() == {"README.md"}


async def test_handles_of_another_agent_do_not_exist(shelf):
    async with shelf() as at:
        mine = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        theirs = await at.ask(OTHER, "resource_set", {"action": "get", "set": mine})
        assert theirs == f"ERROR: No resource set {mine}."
        assert "0 sets" in await at.ask(OTHER, "resource_set", {"action": "list"})
        assert mine in await at.ask(PERSON, "resource_set", {"action": "get", "set": mine})


async def test_a_saved_query_is_listed_shown_and_run_again(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="docs")
        assert "docs: ext:md" in await at.agent("query_list")
        assert '{"ext": ["md"]}' in await at.agent("query-get", query="docs")
        assert (await at.agent("query_run", root=at.path(), query="docs")).startswith("OK: 2 found")


async def test_reports_are_short_and_unknown_ones_name_the_known(shelf):
    async with shelf() as at:
        answer = await at.agent("report", kind="largest-files", root=at.path(), limit=1)
        assert answer.splitlines()[1].startswith("README.md 2.3K")
        assert "largest-dirs" in await at.agent("report", kind="nonsense", root=at.path())


async def test_growth_between_two_scans_in_one_call(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        (at.root / "left" / "docs" / "huge.bin").write_bytes(b"x" * 100_000)
        await at.agent("index", root=at.path())
        await at.agent("await", job=at.commander.indexing.scans()[-1].id)
        answer = await at.agent("report", kind="growth", root=at.path())
        assert "10b → 98K" in answer


async def test_inspect_tells_metadata_and_no_contents(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        answer = await at.agent("inspect", path=f"{at.path()}/README.md")
        assert "kind: file size: 2403b" in answer
        node = re.search(r"nodeId: (n_\w+)", answer)[1]
        assert await at.agent("inspect", nodeId=node) == answer


async def test_a_vanished_node_says_where_it_was(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        node = re.search(r"nodeId: (n_\w+)", await at.agent("inspect", path=f"{at.path()}/a9.txt"))[1]
        (at.root / "left" / "a9.txt").unlink()
        await at.agent("index", root=at.path())
        await at.agent("await", job=at.commander.indexing.scans()[-1].id)
        answer = await at.agent("inspect", nodeId=node)
        assert answer.startswith("ERROR:")
        assert "a9.txt" in answer


async def test_panes_show_folder_sizes_once_an_index_knows_them(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        rows = (await at.state(pane="left", detail="short"))["left"]["files"]
        assert any(re.match(r"i:0 d docs ~?10b", row) for row in rows)


async def test_session_preferences_change_how_things_are_told(shelf):
    async with shelf() as at:
        assert "units bytes" in await at.agent("session_preferences", units="bytes", limit=2)
        assert "README.md 2403b" in await at.agent("cd", path=at.path(), limit=20)


async def test_every_tool_answers_a_wrong_root_in_one_line(shelf):
    async with shelf() as at:
        for name, arguments in {
            "index": {"root": "/nonexistent"},
            "query_run": {"root": "/nonexistent", "text": "x"},
            "report": {"kind": "ages", "root": "/nonexistent"},
            "inspect": {"path": "/nonexistent"},
            "job_progress": {"jobId": "j_nope"},
        }.items():
            assert (await at.agent(name, **arguments)).startswith("ERROR:"), name


async def test_rest_commands_are_no_tools_and_not_in_the_palette(shelf):
    async with shelf() as at:
        listed = await at.agent("commands_list")
        assert "rest_" not in listed
        answer = json.loads(await at.agent("rest_indexes"))
        assert answer == {"indexes": []}
