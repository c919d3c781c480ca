"""What query_run says of what it found, and what saved queries remember."""

import json
import os
import re

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(tmp_path / "state"), **how)


def set_in(answer):
    return re.search(r"set: (s_\w+)", answer)[1]


async def test_folders_are_counted_beside_the_files_and_shown(shelf):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), limit=20)
        assert answer.startswith("OK: 10 found (6 files 3.5K, 4 dirs), 3.5K in all below ")
        rows = re.findall(r"^([fd]) (\S+)", answer, re.M)
        assert {name for kind, name in rows if kind == "d"} == {"docs", "src", "docs/deep", ".git"}
        assert len(rows) == 10
        assert 'a dir stands for all in it; kind "file" leaves dirs out' in answer
        files = await at.agent("query_run", root=at.path(), kind="file")
        assert files.startswith("OK: 6 found, 3.5K in all below ")
        assert "leaves dirs out" not in files


async def test_files_are_told_apart_from_what_folders_hold(shelf):
    async with shelf() as at:
        (at.root / "left" / "src" / "old.bin").write_bytes(b"x" * 50_000)
        os.utime(at.root / "left" / "src" / "old.bin", (1, 1))
        answer = await at.agent("query_run", root=at.path(), newerThan="1d")
        assert re.match(r"OK: 4 found \(4 dirs\), 49K in all", answer), answer
        os.utime(at.root / "left" / "a9.txt")
        await at.agent("index", root=at.path())
        await at.agent("await", job=at.commander.indexing.scans()[-1].id)
        assert "OK: 5 found (1 file 7b, 4 dirs), 49K in all" in await at.agent(
            "query_run", root=at.path(), newerThan="1d"
        )


async def test_a_limit_beyond_the_most_is_cut_and_the_set_is_said_to_hold_all(shelf):
    async with shelf() as at:
        for number in range(30):
            (at.root / "left" / "src" / f"n{number}").write_text("x")
        answer = await at.agent("query_run", root=at.path("left/src"), limit=50)
        assert len(re.findall("^f ", answer, re.M)) == 20
        assert f"set: {set_in(answer)} of all 30: " in answer
        assert "30 entries" in await at.agent("resource_set", action="get", set=set_in(answer))


@pytest.mark.parametrize("question", [{"kind": "folder"}, {"type": "directory"}, {"filter": "type:folder"}])
async def test_other_words_for_folders_are_understood(shelf, question):
    async with shelf() as at:
        assert (await at.agent("query_run", root=at.path(), **question)).startswith("OK: 4 found (4 dirs)")


async def test_what_is_no_kind_is_refused_with_the_kinds(shelf):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), kind="pipe")
        assert answer == 'ERROR: "kind" must be one of file, dir, link, not "pipe".'


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ({"name": "*.{md,json}"}, 3),
        ({"filter": "*.{md,json}"}, 3),
        ({"name": "docs/*.md"}, 1),
        ({"text": "docs/guide"}, 1),
        ({"filter": "name~^a[0-9]+"}, 2),
    ],
)
async def test_globs_and_patterns_work_as_agents_write_them(shelf, question, count):
    async with shelf() as at:
        assert (await at.agent("query_run", root=at.path(), **question)).startswith(f"OK: {count} found")


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ({"name": {"glob": "docs/*.md"}}, 'hint: no name holds "/"'),
        ({"not": {"or": [{"not": {"path": {"glob": "docs/*"}}}]}}, "hint: a glob for"),
        ({"and": [{"name": {"glob": "*.{md,json}"}}]}, "hint: braces are plain text"),
    ],
)
async def test_an_exact_glob_that_finds_nothing_gets_a_hint(shelf, wanted, hint):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), filter=wanted)
        assert answer.startswith("OK: 0 found, ")
        assert hint in answer


async def test_a_saved_query_is_asked_in_the_folder_it_was_saved_for(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path("left"), ext=["md"], saveAs="docs")
        await at.agent("cd", path=at.path("right"))
        assert (await at.agent("query_run", query="docs")).startswith(
            f"OK: 2 found, 2.4K in all below {at.path('left')}"
        )
        assert (await at.agent("query_run", query="docs", root=".")).startswith("OK: 0 found")
        assert f"docs: ext:md below {at.path('left')}" in await at.agent("query_list")
        assert f"docs: ext:md below {at.path('left')}" in await at.agent("query_list", query="docs")
        ran = json.loads(await at.agent("savedQuery.run", queryId="docs"))
        assert ran["set"]["count"] == 2
        shown = json.loads(await at.agent("savedQuery.show", queryId="docs", format="explain"))
        assert (shown["query"]["root"], shown["explanation"]["complete"]) == (at.path("left"), True)


async def test_a_query_of_a_program_may_be_saved_for_a_folder_and_places_in_it_are_seen_from_there(shelf):
    async with shelf() as at:
        saved = json.loads(
            await at.agent("savedQuery.save", name="deep", filter="under:docs ext:md", root=at.path("left"))
        )
        await at.agent("query_run", root=at.path("right"))  # the newest index is another one
        assert json.loads(await at.agent("savedQuery.run", queryId=saved["query"]["id"]))["set"]["count"] == 1


async def test_running_a_saved_query_again_leaves_one_set_of_its_name(shelf):
    async with shelf() as at:
        for _ in range(3):
            await at.agent("query_run", root=at.path(), ext=["md"], saveAs="docs")
        assert (await at.agent("resource_set", action="list")).count(" docs: ") == 1


async def test_a_query_does_not_take_the_name_of_a_set_that_was_made_by_hand(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path())
        await at.agent("resource_set", action="create", name="mine", paths=[at.path("left/a9.txt")])
        answer = await at.agent("query_run", root=at.path(), ext=["md"], saveAs="mine")
        assert answer.startswith('ERROR: You have a set "mine" already, s_')
        assert "1 entry, 7b" in await at.agent("resource_set", action="get", set="mine")


async def test_paths_with_blanks_are_quoted_in_every_answer(shelf):
    async with shelf() as at:
        folder = at.root / "left" / "two words"
        folder.mkdir()
        (folder / "a b.txt").write_text("x")
        quoted = json.dumps(str(folder))
        assert (await at.agent("cd", path=str(folder))).startswith(f"OK: {quoted}: ")
        found = await at.agent("query_run", root=str(folder))
        assert f"below {quoted}" in found
        assert json.dumps(str(folder / "a b.txt")) in await at.agent("resource_set", action="get", set=set_in(found))
        assert quoted in await at.agent("index", root=str(folder))
        assert (await at.agent("inspect", path=str(folder / "a b.txt"))).startswith(
            f"OK: {json.dumps(str(folder / 'a b.txt'))}"
        )
        assert f"cwd {quoted}" in await at.agent("session_preferences")


async def test_an_agent_saves_only_so_many_queries(shelf, monkeypatch):
    monkeypatch.setattr("cmdr.core.trees.ownership.MAX_QUERIES", 1)
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["md"], saveAs="one")
        assert "the most there may be" in await at.agent("query_run", root=at.path(), ext=["md"], saveAs="two")
        assert (await at.agent("query_run", root=at.path(), ext=["txt"], saveAs="one")).startswith("OK: ")
        assert (await at.person("query_run", root=at.path(), ext=["md"], saveAs="two")).startswith("OK: ")


OLD, NEW = 1_500_000_000, 4_000_000_000


@pytest.fixture
def aged(shelf, small_tree):
    """A shelf with one file of long ago among those of 2023, and one of the far future."""
    for name, seconds in (("left/old.log", OLD), ("left/new.log", NEW)):
        (small_tree / name).write_bytes(b"x" * 2000)
        os.utime(small_tree / name, (seconds, seconds))
    return shelf


async def test_older_and_newer_are_understood_everywhere_and_told_in_words(aged):
    async with aged() as at:
        for question, found, words in (
            ({"filter": "older:2020-01-01"}, "old.log", "older than 2020-01-01"),
            ({"filter": {"older": "2020-01-01"}}, "old.log", "older than 2020-01-01"),
            ({"filter": "mtime<2020-01-01"}, "old.log", "older than 2020-01-01"),
            ({"olderThan": "2020-01-01"}, "old.log", "older than 2020-01-01"),
            ({"filter": "newer:2090-01-01"}, "new.log", "newer than 2090-01-01"),
            ({"filter": {"newer": "2090-01-01"}}, "new.log", "newer than 2090-01-01"),
            ({"filter": "mtime>2090-01-01"}, "new.log", "newer than 2090-01-01"),
            ({"newerThan": "2090-01-01"}, "new.log", "newer than 2090-01-01"),
        ):
            answer = await at.agent("query_run", root=at.path(), kind="file", **question)
            assert f"/left: 2000b, {words}" in answer.splitlines()[0], answer
            assert re.findall(r"^f (\S+)", answer, re.M) == [found]
        for age in ("a month", "2 weeks", "30d", "yesterday", "last week"):
            answer = await at.agent("query_run", root=at.path(), kind="file", name="*.log", olderThan=age)
            assert re.match(r"OK: 1 found, .*, older than \d{4}-\d\d-\d\d\b", answer), answer
        told = await at.person("find.run", root=at.path(), text="older:2020-01-01")
        assert told.splitlines()[0].endswith("/left: older than 2020-01-01")
        await at.person("savedQuery.save", name="old", filter="older:2020-01-01", root=at.path())
        assert (await at.data("savedQuery.run", queryId="old"))["directions"] == "older than 2020-01-01"


async def test_sizes_are_understood_as_people_write_them(shelf):
    async with shelf() as at:
        (at.root / "left" / "big").write_bytes(b"x" * (1 << 20))
        for size in ("1MB", "1 MiB", "1.0M", 1 << 20, "1048576"):
            answer = await at.agent("query_run", root=at.path(), kind="file", minSize=size)
            assert answer.startswith("OK: 1 found, 1.0M in all"), answer
            assert ": 1048576b" in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("question", "parameter"),
    [
        ({"olderThan": "someday"}, "olderThan"),
        ({"newerThan": "someday", "olderThan": "30d"}, "newerThan"),
        ({"newerThan": "30d", "olderThan": "30"}, "olderThan"),
        ({"minSize": "big"}, "minSize"),
        ({"maxSize": "-1"}, "maxSize"),
        ({"maxSize": -1}, "maxSize"),
    ],
)
async def test_a_mistake_names_the_parameter_it_stands_in_and_what_to_write(shelf, question, parameter):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), **question)
        assert answer.startswith(f'ERROR: "{parameter}" must be a '), answer
        assert ": write " in answer


@pytest.mark.parametrize("arguments", [{}, {"limit": 3}, {"saveAs": "all"}])
async def test_a_question_that_asks_for_nothing_says_what_it_needs(shelf, arguments):
    async with shelf() as at:
        answer = await at.agent("query_run", **arguments)
        assert answer.startswith("ERROR: query_run needs something to find, such as "), answer
        assert (await at.data("savedQuery.list"))["queries"] == []


async def test_one_extension_is_a_text_and_several_are_a_list(shelf):
    async with shelf() as at:
        one = await at.agent("query_run", root=at.path(), ext="md")
        assert one.startswith("OK: 2 found")
        assert (await at.agent("query_run", root=at.path(), ext=["md", "json"])).startswith("OK: 3 found")
        assert (await at.agent("query_run", root=at.path(), ext="md,json")).startswith("OK: 3 found")
        assert (await at.agent("query_run", root=at.path(), ext="")).startswith("ERROR: This takes at least one value")


async def test_whoever_asks_is_told_how_a_question_was_understood(shelf):
    async with shelf() as at:
        told = await at.agent("query_run", root=at.path(), filter="not (ext:md or size>=1M)", explain=True)
        asked, by = (line for line in told.splitlines() if line.startswith(("asked: ", "by: ")))
        assert "not ext:md" in asked
        assert "rows examined" in by


async def test_a_name_is_a_part_of_it_or_a_glob_and_text_is_its_other_name(shelf):
    async with shelf() as at:
        part = await at.agent("query_run", root=at.path(), name="read")
        assert part.startswith("OK: 1 found")
        assert "content searches" not in part
        assert (await at.agent("query_run", root=at.path(), name="a*.txt")).startswith("OK: 2 found")
        assert (await at.agent("query_run", root=at.path(), name="docs/gui")).startswith("OK: 1 found")
        same = await at.agent("query_run", root=at.path(), text="a*.txt")
        assert same.startswith("OK: 2 found")
        assert "text means names; content searches in files" in same.splitlines()


async def test_a_word_that_is_in_no_name_says_where_it_was_looked_for(shelf):
    """`query_run {text: "legacy_api"}` said "0 found" while eight files held it."""
    async with shelf() as at:
        for given, told in (("text", "text means names"), ("name", "name means file names")):
            answer = await at.agent("query_run", root=at.path(), **{given: "legacy_api"})
            assert answer.startswith("OK: 0 found")
            assert f"{told}; content searches in files" in answer.splitlines()
        assert "content searches" not in await at.agent("query_run", root=at.path(), name="*.legacy")


async def test_a_set_is_read_and_counted_and_relative_paths_begin_where_cd_went(shelf):
    reader = Principal("agent", "tester", token=True)
    async with shelf() as at:
        root = os.fsencode(at.root)
        sandbox = Sandbox([RootSpec(root)])
        at.commander.sandbox = sandbox
        (at.root / "left" / "a9.txt").write_text("1\n2\n")
        (at.root / "left" / "a10.txt").write_text("3\n")
        found = set_in(await at.ask(reader, "query_run", {"root": at.path(), "name": "a*.txt"}))
        counted = await at.ask(reader, "fs_read", {"set": found, "count": True})
        assert sorted(counted.removeprefix("OK: ").splitlines()) == ["1 a10.txt", "2 a9.txt", "3 total"]
        told = await at.ask(reader, "fs_read", {"path": "left/a10.txt"})
        assert told.startswith(f"ERROR: Path not found: {at.path('left/left/a10.txt')}. ")
        assert await at.ask(reader, "fs_read", {"path": "a10.txt"}) == "OK: lines 1-1\n3\n"
        await at.ask(reader, "cd", {"path": at.path("right")})
        assert await at.ask(reader, "fs_read", {"path": "../left/a10.txt"}) == "OK: lines 1-1\n3\n"
        assert (
            await at.ask(reader, "fs_exists", {"path": ["other.txt", "a10.txt"]})
            == "OK: other.txt: yes, file\na10.txt: no"
        )
        assert "empty" in await at.ask(
            reader, "fs_read", {"set": set_in(await at.ask(reader, "query_run", {"name": "none"}))}
        )
        assert (await at.ask(reader, "fs_read", {"set": found, "path": "x"})).startswith('ERROR: Give "path"')
        sandbox.close()
