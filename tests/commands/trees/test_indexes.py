"""The shell-style session of an agent: cd, index, queries, sets and reports over a real tree."""

import json
import os
import re

import pytest

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS
from cmdr.core.trees.indexing import Indexing
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.index.query.queries import IndexQueries
from cmdr.model.job import Job, JobState, Progress, ScanJob
from cmdr.model.root_spec import RootSpec

AGENT = Principal("agent", "tester")
OTHER = Principal("agent", "somebody-else", token=True)
NONE_YET = " You have none yet: query_run makes one of what it finds."


def set_in(answer):
    return re.search(r"set: (s_\w+)", answer)[1]


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


@pytest.fixture
def no_patience(monkeypatch):
    """Nobody waits until an answer is true, and nothing makes it so behind."""
    monkeypatch.setattr(Indexing, "_follow", lambda *_: None)
    monkeypatch.setattr(IndexQueries.as_of, "__defaults__", (None, 0.0))
    monkeypatch.setattr("cmdr.index.delta.catching_up.LITTLE", -1)


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
        assert await at.agent("cd", path="nope/nor/this") == (
            f"ERROR: Path not found: {at.path()}/nope/nor/this. To look below the nearest folder that is there: "
            f'query_run {{"root": "{at.path()}", "name": "this"}}.'
        )
        assert await at.person("cd", path=at.path("nope")) == f"ERROR: Path not found: {at.path('nope')}"
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
        assert "d docs 10b 1 file" in answer
        assert "below 6 files, 4 dirs, 3.5K" in answer


QUESTIONS = [
    ({"ext": ["md"]}, 2),
    ({"ext": "md"}, 2),
    ({"name": "a*.txt"}, 2),
    ({"kind": "dir"}, 4),
    ({"kind": "file", "minSize": 1000}, 2),
    ({"kind": "file", "minSize": 1000, "maxSize": 2000}, 1),
    ({"filter": "ext:md size>=1000"}, 1),
    ({"filter": {"or": [{"ext": ["md"]}, {"ext": ["json"]}]}}, 3),
    ({"newerThan": "2100-01-01"}, 0),
]


async def test_predicates_find_what_they_say(shelf):
    async with shelf() as at:
        for question, count in QUESTIONS:
            answer = await at.agent("query_run", root=at.path(), **question)
            assert answer.startswith(f"OK: {count} found"), question


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
        assert theirs.startswith(f"ERROR: No resource set {mine}. ")
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
        first, *lines = (await at.agent("report", kind="growth", root=at.path())).splitlines()
        assert re.fullmatch(r"OK: growth: 1 change since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S+, 3.5K → 101K", first)
        assert lines[0] == "added docs/huge.bin 98K"


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


async def test_commands_for_programs_are_no_tools_and_not_in_the_palette_and_answer_with_data(shelf):
    async with shelf() as at:
        listed = re.findall(r"id: (\S+)", await at.agent("commands_list"))
        for_programs = {command.name for command in at.commander.registry if command.programs_only}
        assert len(for_programs) == 29
        assert not for_programs & set(listed)
        assert not any(command.is_tool for command in at.commander.registry if command.programs_only)
        answer = json.loads(await at.agent("index.list"))
        assert answer == {"indexes": []}


async def test_the_units_of_a_session_hold_for_every_answer_about_trees(shelf):
    async with shelf() as at:
        await at.agent("session_preferences", units="bytes")
        assert "2403b" in await at.agent("query_run", root=at.path(), text="readme")
        assert "2403b" in await at.agent("report", kind="largest-files", root=at.path())
        assert "2403b" in await at.agent("resource_set", action="list")


async def test_a_page_of_cd_leads_to_the_next_one_in_the_same_order(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        answer = await at.agent("cd", path=at.path(), limit=2, sort="size", order="desc")
        rows, more = answer.splitlines()[1:3], answer.splitlines()[-1]
        assert [row.split()[1] for row in rows] == ["README.md", "package.json"]
        asked = dict(re.findall(r"(\w+)=([^&]+)", more.partition("?")[2]))
        assert (asked["sort"], asked["order"]) == ("size", "desc")
        index = re.search(r"i_\w+", more)[0]
        page = json.loads(await at.ask(PERSON, "tree.page", {"indexId": index, "limit": 1, **asked}))
        assert page["entries"][0]["name"] not in ("README.md", "package.json")


async def test_a_saved_query_remembers_when_it_was_asked(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="docs")
        (saved,) = json.loads(await at.ask(PERSON, "savedQuery.list", {}))["queries"]
        assert saved["lastRunNs"] is not None
        assert (await at.agent("query_list")).startswith("OK: 1 saved query\n")


async def test_inspect_tells_where_a_link_leads(shelf):
    async with shelf() as at:
        (at.root / "left" / "link").symlink_to("docs/guide.md")
        await at.agent("query_run", root=at.path(), text="x")
        answer = await at.agent("inspect", path=f"{at.path()}/link")
        assert answer.splitlines()[0] == f"OK: {at.path()}/link → docs/guide.md"


async def test_the_link_of_a_report_leads_to_the_same_folder_or_set(shelf):
    async with shelf() as at:
        (at.root / "left" / "docs" / "second.txt").write_text("x")
        found = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        for about in ({"root": f"{at.path()}/docs"}, {"set": found}):
            answer = await at.agent("report", kind="largest-files", limit=1, **about)
            index, asked = re.search(r"indexes/(i_\w+)/reports/largest-files\?(\S+)", answer).groups()
            linked = {"indexId": index, "kind": "largest-files", **dict(re.findall(r"(\w+)=(\w+)", asked))}
            told = json.loads(await at.ask(AGENT, "report.page", linked))["report"]
            assert f"OK: largest-files: {told['total']} in all" in answer
        assert told["total"] == 2


async def indexed(at, **how):
    """Index a tree and wait until it is done."""
    await at.agent("index", **how)
    answer = await at.agent("await", job=at.commander.indexing.scans()[-1].id)
    assert answer.startswith("OK: done"), answer


async def test_a_shallow_index_does_not_hide_what_the_one_above_knows(shelf):
    async with shelf() as at:
        await indexed(at, root=str(at.root))
        await indexed(at, root=at.path(), depthLimit=1)
        assert "f guide.md 10b" in await at.agent("cd", path=f"{at.path()}/docs")
        assert (await at.agent("query_run", root=at.path(), text="guide")).startswith("OK: 1 found")


async def test_a_query_says_what_its_index_never_looked_into(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=1)
        answer = await at.agent("query_run", root=at.path(), text="readme")
        assert answer.splitlines()[:2] == [
            f"OK: 1 found, 2.3K in all below {at.path()}: 2403b",
            "not covered: 3 folders beyond the depth limit",
        ]
        await indexed(at, root=at.path())
        assert "not covered" not in await at.agent("query_run", root=at.path(), text="readme")


async def test_beyond_a_depth_limit_cd_looks_at_the_disk_and_queries_index_it(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=1)
        assert "d docs ?" in await at.agent("cd", path=at.path())
        assert "(not indexed)\nd deep ?\nf guide.md 10b" in await at.agent("cd", path=f"{at.path()}/docs")
        found = await at.agent("query_run", root=f"{at.path()}/docs", text="guide")
        assert found.startswith("OK: 1 found")
        assert "indexed just now" in found


async def test_an_index_says_that_its_depth_limit_is_why_it_is_partial(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=1)
        (known,) = json.loads(await at.agent("index.list"))["indexes"]
        assert (known["freshness"]["state"], known["freshness"]["reason"]) == (
            "partial",
            "3 folders beyond the depth limit",
        )


async def test_a_folder_that_is_known_whole_is_not_called_partial_for_what_is_elsewhere(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=2)
        assert (await at.agent("cd", path=at.path())).splitlines()[0].endswith("(partial)")
        whole = f"{at.path()}/src"
        assert (await at.agent("cd", path=whole)).splitlines()[0].endswith("0 dirs, 0b")
        assert "not covered" not in await at.agent("query_run", root=whole, name="*")
        assert "incomplete" not in await at.agent("report", kind="largest-files", root=whole)
        assert "(incomplete)" in await at.agent("report", kind="largest-files", root=at.path())


async def test_of_a_folder_that_was_not_listed_it_is_said_why(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=1)
        docs = await at.agent("inspect", path=f"{at.path()}/docs")
        assert "\nchildren: unknown, beyond the depth limit\n" in docs
        found = json.loads(await at.agent("node.find", path=f"{at.path()}/docs"))
        assert (found["node"]["size"], found["node"]["totals"]["state"]) == (None, "unlisted")
        listed = json.loads(await at.agent("tree.page", indexId=found["index"], parent=found["node"]["id"]))
        assert (listed["total"], listed["entries"], listed["cursor"]) == (None, [], None)


async def test_what_could_not_be_read_is_told_with_the_reason(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path())
        answers = await at.commander.indexing.open(json.loads(await at.agent("index.list"))["indexes"][0]["id"])
        answers.view.facts |= {"problems": [[os.fsencode(f"{at.path()}/docs").hex(), 13]], "problem_count": 1}
        assert await at.agent("report", kind="problems", root=at.path()) == (
            "OK: problems: 1 in all\ndocs: Permission denied"
        )


async def test_without_an_index_links_to_folders_are_no_folders_and_no_folders_are_not_told(shelf):
    async with shelf() as at:
        os.makedirs(at.path("only"))
        os.symlink(at.path(), f"{at.path('only')}/link")
        told = await at.agent("cd", path=at.path("only"))
        *lines, session = told.splitlines()
        assert lines == [f"OK: {at.path('only')}: 1 file, 0b (not indexed)", "l link ?"]
        assert session.startswith("session: sh_")


async def test_growth_is_told_from_the_index_that_remembers_longest(shelf):
    async with shelf() as at:
        await indexed(at, root=str(at.root))
        (at.root / "left" / "docs" / "new.bin").write_bytes(b"x" * 5000)
        await indexed(at, root=str(at.root))
        await indexed(at, root=at.path("left/docs"))
        told = await at.agent("report", kind="growth", root=at.path("left/docs"))
        assert "added new.bin 4.9K" in told, told


async def test_an_answer_that_may_not_know_the_latest_says_so_and_how_many_folders_are_behind(shelf, no_patience):
    async with shelf() as at:
        await indexed(at, root=at.path())
        late = "(index behind: 5 folders)"
        found = await at.agent("query_run", root=at.path(), text="readme")
        assert found.splitlines()[0] == f"OK: 1 found, 2.3K in all below {at.path()}: 2403b {late}"
        assert f" {late}\n" in await at.agent("report", kind="largest-files", root=at.path())
        assert (await at.agent("cd", path=at.path())).splitlines()[0].endswith(f" {late}")
        assert (await at.agent("find.run", root=at.path(), text="readme")).splitlines()[0].endswith(f" {late}")
        index = json.loads(await at.agent("index.list"))["indexes"][0]["id"]
        assert json.loads(await at.agent("tree.page", indexId=index))["behind"] == 5


async def test_a_scan_says_what_it_could_not_cover(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path(), depthLimit=1)
        job = at.commander.indexing.scans()[-1].id
        assert "\nnot covered: 3 folders beyond the depth limit\n" in await at.agent("job_progress", jobId=job)


async def test_a_scan_that_is_done_is_done_to_the_full(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path())
        await indexed(at, root=at.path())
        told = json.loads(await at.agent("job.status", jobId=at.commander.indexing.scans()[-1].id))
        assert (told["state"], told["percent"]) == ("done", 100.0)


async def test_a_folder_made_since_the_scan_is_found_without_an_index_of_its_own(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path())
        (at.root / "left" / "fresh").mkdir()
        (at.root / "left" / "fresh" / "new.txt").write_text("x")
        assert (await at.agent("query_run", root=f"{at.path()}/fresh", text="new")).startswith("OK: 1 found")
        assert len(json.loads(await at.agent("index.list"))["indexes"]) == 1


async def test_one_client_holds_several_sessions_under_names_of_its_own(shelf):
    async with shelf() as at:
        await at.agent("cd", path=f"{at.path()}/docs", sessionId="one")
        await at.agent("cd", path=at.path("right"), sessionId="two")
        assert (await at.agent("cd", path=".", sessionId="one")).startswith(f"OK: {at.path()}/docs:")
        assert (await at.agent("cd", path=".")).startswith(f"OK: {at.path()}:")
        told = json.loads(await at.agent("session.show", sessionId="two"))
        assert told["cwd"] == at.path("right")


@pytest.fixture
def crowd(small_tree):
    """A folder of 30 numbered files, each a byte bigger than the one before."""
    folder = small_tree / "crowd"
    folder.mkdir()
    for number in range(30):
        (folder / f"f{number:02d}").write_bytes(b"x" * number)
    return folder


def rows_of(answer):
    return [line.split()[1] for line in answer.splitlines() if line.startswith("f ")]


@pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "live"])
async def test_cd_leads_from_page_to_page_and_counts_what_is_left(shelf, crowd, is_indexed):
    async with shelf() as at:
        if is_indexed:
            await indexed(at, root=str(crowd))
        seen, cursor, left = [], {}, []
        while True:
            answer = await at.agent("cd", path=str(crowd), limit=20, sort="size", order="desc", **cursor)
            seen += rows_of(answer)
            more = re.search(r"… (\d+) more: \S*cursor[ =](\S+)", answer)
            if more is None:
                break
            left.append(int(more[1]))
            cursor = {"cursor": more[2]}
            assert "biggest:" not in answer or len(seen) == 20
        assert seen == [f"f{number:02d}" for number in reversed(range(30))]
        assert left == [10]


async def test_the_first_look_at_a_big_folder_leads_to_the_row_behind_the_last(shelf, crowd):
    async with shelf() as at:
        await indexed(at, root=str(crowd))
        answer = await at.agent("cd", path=str(crowd), sort="size", order="desc")
        assert "… 10 more: " in answer
        asked = dict(re.findall(r"(\w+)=([^&]+)", answer.splitlines()[-1].partition("?")[2]))
        index = re.search(r"i_\w+", answer)[0]
        page = json.loads(await at.agent("tree.page", indexId=index, **asked))
        assert [entry["name"] for entry in page["entries"]] == [f"f{number:02d}" for number in reversed(range(10))]


async def test_a_cursor_of_another_listing_is_refused_in_both_kinds_of_folder(shelf, crowd):
    async with shelf() as at:
        assert "start again without it" in await at.agent("cd", path=str(crowd), cursor="c_nonsense")
        await indexed(at, root=str(crowd))
        assert "start again without it" in await at.agent("cd", path=str(crowd), cursor="5")


async def test_a_page_of_a_folder_is_20_entries_and_of_a_very_big_one_a_few_unless_others_are_preferred(shelf, crowd):
    async with shelf() as at:
        assert len(rows_of(await at.agent("cd", path=str(crowd)))) == 20
        for number in range(30, 201):
            (crowd / f"f{number}").write_bytes(b"")
        assert len(rows_of(await at.agent("cd", path=str(crowd)))) == 5
        assert len(rows_of(await at.agent("cd", path=str(crowd), limit=500))) == 20
        await at.agent("session_preferences", limit=500)
        assert len(rows_of(await at.agent("cd", path=str(crowd)))) == 20
        assert len(rows_of(await at.agent("cd", path=str(crowd), limit=3))) == 3


async def test_one_of_something_is_told_as_one(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path("right"))
        assert (
            (await at.agent("cd", path=at.path("right"))).splitlines()[0].endswith("1 entry; below 1 file, 0 dirs, 3b")
        )


async def test_a_set_answers_to_its_name_everywhere_and_only_to_its_owner(shelf):
    async with shelf(engine=True) as at:
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="papers")
        assert "papers: 2 entries" in await at.agent("resource_set", action="get", set="papers")
        assert (await at.agent("report", kind="largest-files", set="papers")).startswith("OK: largest-files: 2 in all")
        assert await at.agent("select", pane="left", set="papers") == "OK: Selected 1 file"
        assert (await at.agent("copy", set="papers", to=at.path("right"))).startswith("OK: Copy dialog opened")
        theirs = await at.ask(OTHER, "resource_set", {"action": "get", "set": "papers"})
        assert theirs == f"ERROR: No resource set papers.{NONE_YET}"


async def test_a_filter_takes_a_set_by_its_name_and_only_from_its_owner(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="my papers")
        for line in ('in:"my papers"', 'kind:file and (ext:md or in:"my papers") and not (not in:"my papers")'):
            assert (await at.agent("query_run", root=at.path(), filter=line)).startswith("OK: 2 found")
            theirs = await at.ask(OTHER, "query_run", {"root": at.path(), "filter": line})
            assert theirs == f"ERROR: No resource set my papers.{NONE_YET}"
        mine = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        theirs = await at.ask(OTHER, "query_run", {"root": at.path(), "filter": {"inSet": mine}})
        assert theirs.startswith(f"ERROR: No resource set {mine}. ")
        assert json.loads(await at.agent("set.show", setId="my papers"))["counts"] == 2


async def test_after_a_restart_the_sets_of_others_still_do_not_exist(shelf):
    async with shelf() as at:
        mine = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
    async with shelf() as at:
        answer = await at.ask(OTHER, "set.show", {"setId": mine})
        assert answer.startswith(f"ERROR: No resource set {mine}. ")
    async with shelf(engine=True) as at:
        assert (await at.ask(OTHER, "copy", {"set": mine})).startswith(f"ERROR: No resource set {mine}. ")


async def test_folders_that_were_found_hold_what_is_in_them_for_the_query_and_for_its_set(shelf):
    async with shelf() as at:
        found = await at.agent("query_run", root=at.path(), kind="dir")
        assert found.startswith("OK: 4 found (4 dirs), 10b in all")
        assert "4 entries, 10b" in await at.agent("resource_set", action="get", set=set_in(found))


async def test_an_empty_folder_is_told_as_holding_nothing(shelf):
    async with shelf() as at:
        answer = await at.agent("report", kind="empty", root=at.path())
        assert re.search(r"^docs/deep/ 0b 0 files \d{4}", answer, re.M)


async def test_a_report_that_is_told_whole_leads_nowhere_else(shelf):
    async with shelf() as at:
        assert "more:" not in await at.agent("report", kind="largest-files", root=at.path())
        assert "more:" in await at.agent("report", kind="largest-files", root=at.path(), limit=1)


async def test_what_is_no_node_id_is_refused_with_where_to_get_one(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path())
        answer = await at.agent("resource_set", action="create", nodes=["n_bogus"])
        assert "begin with n_" not in answer
        assert answer.startswith("ERROR: ")


async def test_whoever_still_waits_for_a_scan_learns_how_far_it_is(shelf):
    async with shelf() as at:
        scan = ScanJob("j_slow", b"/", "i_1", AGENT.id, entries=1200, folders=1, bytes=2048, seconds=2.0, rate=600.0)
        at.commander.indexing._scans._jobs[scan.id] = scan
        seen = "1200 entries, 1 dir, 2.0K in 2.0 s, 600/s"
        waiting = await at.agent("await", job="j_slow", timeout=0)
        assert waiting == f"OK: still waiting for job j_slow ({seen}). Await it again."
        scan.percent = 25.0
        told = await at.agent("job_progress", jobId="j_slow")
        assert told.splitlines()[0] == f"OK: running: {seen}, 25%, about 6 s left"
        assert told.splitlines()[-1].endswith("/api/jobs/j_slow")
        assert "percent: 25\n" in await at.agent("jobs.show", job="j_slow")


async def test_how_far_an_operation_is_comes_with_its_share_and_its_link(shelf):
    async with shelf() as at:
        progress = Progress(3, 12, 1024, 4096, rate=1024.0)
        job = Job("j_copy", "Copy 12 files", AGENT.id, frozenset(), JobState.RUNNING, progress)
        at.commander.jobs.adopt(job, lambda: None)
        counts = "3 of 12 items, 1.0K of 4.0K, 25%, about 3 s left"
        told = await at.agent("job_progress", jobId="j_copy")
        assert told.startswith(f"OK: running: Copy 12 files, {counts}\nstatus: ")
        assert f"job j_copy ({counts})" in await at.agent("await", job="j_copy", timeout=0)


async def test_inspect_leads_to_the_listing_of_a_folder_and_to_the_download_of_a_file(shelf):
    async with shelf() as at:
        await indexed(at, root=at.path())
        folder = await at.agent("inspect", path=f"{at.path()}/docs")
        node = re.search(r"nodeId: (n_\w+)", folder)[1]
        assert re.search(rf"list: \S+/tree\?parent={node} growth: \S+/reports/growth\?below={node}$", folder)
        # What would be refused is not offered: this caller may read no contents.
        assert (await at.agent("inspect", path=f"{at.path()}/README.md")).endswith(" (+ /detail)")
    roots = Sandbox([RootSpec(os.fsencode(at.path()))])
    async with shelf(policy=Policy(DEFAULT_TOOLSETS | {"fs"}), sandbox=roots) as at:
        file = {"path": f"{at.path()}/README.md"}
        assert (await at.ask(OTHER, "inspect", file)).endswith(" (+ /detail, /download)")
        await indexed(at, root=at.path("right"))
        assert (await at.ask(OTHER, "inspect", {"path": f"{at.path('right')}/other.txt"})).endswith(" (+ /detail)")


async def test_links_out_of_the_tree_are_named_when_links_are_to_be_followed(shelf):
    async with shelf() as at:
        os.symlink(at.path("right"), f"{at.path()}/out")
        os.symlink(f"{at.path()}/docs", f"{at.path()}/in")
        await at.agent("index", root=at.path(), followSymlinks=True)
        told = await at.agent("await", job=at.commander.indexing.scans()[-1].id)
        assert f"1 link to folders elsewhere not followed: {at.path()}/out" in told
        problems = await at.agent("report", kind="problems", root=at.path())
        assert "out: a link that leads out of the tree, not followed" in problems


async def test_cards_of_saved_queries_say_where_they_are_run(shelf):
    async with shelf() as at:
        assert await at.agent("query_list") == "OK: 0 saved queries"
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="docs")
        (saved,) = json.loads(await at.agent("savedQuery.list"))["queries"]
        assert (await at.agent("query_list")).splitlines()[-1].endswith(f"/api/queries/{saved['id']}/run")


@pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "live"])
async def test_the_newest_of_one_day_are_told_with_one_date(shelf, crowd, is_indexed):
    async with shelf() as at:
        for number, name in enumerate(("f01", "f02", "f03"), 1):
            os.utime(crowd / name, (2_000_000_000 + number, 2_000_000_000 + number))
        os.utime(crowd / "f04", (1_999_800_000, 1_999_800_000))
        if is_indexed:
            await indexed(at, root=str(crowd))
        newest = re.search(r"newest: (.*)", await at.agent("cd", path=str(crowd)))[1]
        assert re.match(r"2033-05-1\d f03, f02, f01; 2033-05-1\d f04; 20", newest)


@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_an_indexed_folder_is_listed_in_the_order_of_a_pane(shelf, order):
    async with shelf() as at:
        for name in ("f2", "f10", "F1", "f010", "x"):
            (at.root / "left" / name).write_text("")
        live = await at.agent("cd", path=at.path(), order=order)
        await indexed(at, root=at.path())
        known = await at.agent("cd", path=at.path(), order=order)
        assert [line.split()[1] for line in known.splitlines()[1:]] == [
            line.split()[1] for line in live.splitlines()[1:]
        ]


async def test_a_node_tells_where_a_link_leads_and_not_what_a_file_holds(shelf):
    async with shelf() as at:
        (at.root / "left" / "link").symlink_to("docs/guide.md")
        await indexed(at, root=at.path())
        for name, leads in (("link", "docs/guide.md"), ("README.md", None)):
            found = json.loads(await at.agent("node.find", path=f"{at.path()}/{name}"))
            for used in ("node.show", "node.detail"):
                told = json.loads(await at.agent(used, indexId=found["index"], nodeId=found["node"]["id"]))
                assert told["target"] == leads
                assert all(told.get(part) is None for part in ("attributes", "preview", "digest"))
