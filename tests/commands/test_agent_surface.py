"""What an agent asks in passing: it is understood or refused with the right spelling, and told briefly."""

import json
import os
import re

import pytest


@pytest.fixture
def shelf(desk, tmp_path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


def set_in(answer):
    return re.search(r"set: (s_\w+)", answer)[1]


@pytest.mark.parametrize(
    "question",
    [
        {"ext": "md,json"},
        {"ext": ["md, json"]},
        {"ext": [".md", "json"]},
        {"filter": "ext:md,json"},
        {"filter": "ext = md,json and size >= 0"},
        {"filter": "ext == md or ext : json"},
        {"filter": '{"ext": ["md", "json"]}'},
        {"filter": '{"ext": "md,json"}'},
        {"filter": {"ext": "md,json"}},
    ],
)
async def test_every_usual_spelling_of_a_question_finds_the_same(shelf, question):
    async with shelf() as at:
        assert (await at.agent("query_run", root=at.path(), **question)).startswith("OK: 3 found"), question


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("type = pdf", "There is no kind `pdf`; use file, dir"),
        ("colour = red", "`=` has no field"),
        ("ext:md && size>1", "`&&` has no field"),
        ("ext != md", "`!=` has no field"),
        (">5k", "`>5k` has no field"),
        ('{"ext": ["md"', "begins as JSON but is not"),
        ("{" * 3000, "begins as JSON but is not"),
        ('{"and":' * 5000, ""),
        ('{"ext": 5}', "This takes a list of texts"),
    ],
)
async def test_a_filter_that_would_find_nothing_is_refused_with_its_place(shelf, wanted, why):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), filter=wanted)
        assert answer.startswith("ERROR: ")
        assert why in answer


async def test_signs_in_quotes_are_looked_for_in_names(shelf):
    async with shelf() as at:
        (at.root / "left" / "a = b").write_text("x")
        assert (await at.agent("query_run", root=at.path(), filter='"a = b"')).startswith("OK: 1 found")
        assert (await at.agent("query_run", root=at.path(), text="a = b")).startswith("OK: 1 found")
        assert (await at.data("find.run", root=at.path(), text="a = b"))["count"] == 1


async def test_places_in_a_filter_are_seen_from_the_root(shelf):
    async with shelf() as at:
        (at.root / "left" / "same.txt").write_bytes((at.root / "left" / "docs" / "guide.md").read_bytes())
        for wanted in ('{"duplicateOf":"same.txt"}', {"duplicateOf": "docs/guide.md"}, "duplicateof:same.txt"):
            assert (await at.agent("query_run", root=at.path(), filter=wanted)).startswith("OK: 2 found"), wanted
        assert (await at.agent("query_run", root=at.path(), filter={"not": {"under": "docs"}})).startswith("OK: ")
        assert "No such" not in await at.agent("query_run", root=at.path(), filter="under:docs or under:docs")
        missing = await at.agent("query_run", root=at.path(), filter={"duplicateOf": "none.txt"})
        assert missing.startswith("ERROR: ")


async def test_members_of_a_set_come_in_natural_path_order(shelf):
    async with shelf(engine=True) as at:
        folder = at.root / "left" / "shots"
        folder.mkdir()
        for number in (98, 115, 7, 1000):
            (folder / f"DSC{number}.raw").write_text(str(number))
        found = await at.agent("query_run", root=at.path(), text="dsc")
        assert re.findall(r"DSC(\d+)", found) == ["7", "98", "115", "1000"]
        chosen = set_in(found)
        got = await at.agent("resource_set", action="get", set=chosen)
        assert re.findall(r"DSC(\d+)", got) == ["7", "98", "115", "1000"]
        first = json.loads(await at.agent("set.entries", setId=chosen, limit=2))
        behind = first["members"][-1]["node"]
        pages = json.loads(await at.agent("set.entries", setId=chosen, limit=2, cursor=behind))
        assert [os.path.basename(one["path"]) for one in pages["members"]] == ["DSC115.raw", "DSC1000.raw"]
        renamed = await at.agent("rename", set=chosen, match=r"^DSC\d+", replace="{n:03}")
        assert "DSC7.raw → 001.raw\nDSC98.raw → 002.raw\nDSC115.raw → 003.raw" in renamed


async def test_duplicates_are_named_summed_and_ready_to_be_trashed(shelf):
    async with shelf(engine=True) as at:
        base = at.root / "left"
        for name, age in (("new.bin", 300), ("docs/old.bin", 100), ("middle.bin", 200)):
            (base / name).write_bytes(b"same" * 1000)
            os.utime(base / name, (age, age))
        for name in ("twin one", "two"):
            (base / name).write_bytes(b"other" * 100)
            os.utime(base / name, (100, 100))
        told = await at.agent("report", kind="duplicates", root=at.path())
        assert told.splitlines()[0] == "OK: duplicates: 2 in all, 8.3K (8500b) wasted"
        assert "docs/old.bin = middle.bin = new.bin 7.8K wasted" in told
        assert 'two = "twin one" 500b wasted' in told
        assert "all but the oldest (first named) of each: 3 files, 8.3K (8500b)" in told
        plan = await at.agent("delete", set=set_in(told))
        assert "(3 files, 8.3 KiB)" in plan
        [proposal] = at.commander.proposals.pending()
        gone = {os.path.basename(item.source.path) for item in proposal.plan.items}
        assert gone == {b"middle.bin", b"new.bin", b"twin one"}
        assert "set:" not in await at.agent("report", kind="duplicates", root=at.path("left/docs"))


async def test_what_agents_reach_by_command_answers_like_every_tool(shelf):
    async with shelf(engine=True) as at:
        (at.root / "left" / "crowd").mkdir()
        for number in range(300):
            (at.root / "left" / "crowd" / f"a rather long name of a file {number}").write_text("")
        found = await at.agent("command", id="find.run", args={"text": "rather", "root": at.path()})
        assert found.splitlines()[0].startswith("OK: 300 found, 0b in all below")
        assert len(found) < 3000
        assert (await at.data("find.run", text="rather", root=at.path()))["count"] == 300
        for id in ("history", "settings.list", "bookmark.list", "jobs.list", "commands_list", "find.run"):
            arguments = {"text": "rather", "root": at.path(), "limit": 200} if id == "find.run" else {}
            answer = await at.agent("command", id=id, args=arguments)
            assert answer.startswith("OK: "), id
            assert len(answer) < 6200, id
        assert "more characters left out" in await at.agent("command", id="commands_list")
        assert (await at.person("command", id="settings.list")).startswith("general.")


async def test_inspect_says_why_it_does_not_know_a_path(shelf):
    async with shelf() as at:
        lonely = at.path("right")
        assert f'Run index {{"root": "{at.root}"}} first' in await at.agent("inspect", path=lonely)
        await at.agent("query_run", root=at.path(), text="x")
        missing = await at.agent("inspect", path=at.path("left/none.txt"))
        assert missing == f"ERROR: {at.path('left/none.txt')} does not exist. Look for it with query_run."


async def test_what_a_pane_chose_is_named(shelf):
    async with shelf(engine=True) as at:
        await at.agent("move_cursor", pane="left", to="README.md")
        assert f"chosen in the pane: {at.path('left/README.md')}" in await at.agent("delete", pane="left")
        assert "chosen in the pane" not in await at.agent("delete", paths=[at.path("left/README.md")])
        wrong = await at.agent("rename", match="zzz", replace="y", pane="left")
        assert wrong == (
            'ERROR: "zzz" changes none of these names: README.md. It was tried on what is chosen in the left pane; '
            'mend the pattern, or name others by "folder", "path", "paths" or "set".'
        )
        wrong = await at.agent("rename", match="zzz", replace="y", paths=[at.path("left/README.md")])
        assert "changes none of these names: README.md. It was tried on 1 path; " in wrong


async def test_the_top_of_the_file_system_is_refused_by_its_name(shelf):
    async with shelf(engine=True) as at:
        for path in ("/", "//"):
            assert "top of the file system" in await at.agent("delete", paths=[path])
            assert "top of the file system" in await at.agent("copy", paths=[path], to=at.path("right"))


async def test_missing_folders_are_part_of_the_proposal(shelf):
    async with shelf(engine=True) as at:
        found = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        answer = await at.agent("move", set=found, to=at.path("right/sorted/md"))
        assert f"creates folder: {at.path('right/sorted')}\ncreates folder: {at.path('right/sorted/md')}" in answer
        assert "(2 files" in answer
        made = await at.agent("mkdir", path=at.path("right/a/b/c"), reason="for the reports")
        assert f"creates folder: {at.path('right/a')}\n" in made
        assert "creates folder" in await at.agent("command", id="mkfile", args={"path": at.path("right/x/y")})
        asked = at.commander.proposals.pending()
        assert asked[1].reason == "for the reports"
        for proposal in asked:
            digest = proposal.plan.digest
            assert (await at.person("approve", proposal=proposal.id, digest=digest)).startswith("OK: ")
            assert "Approved" in await at.agent("await", proposal=proposal.id)
        assert sorted(os.listdir(at.path("right/sorted/md"))) == ["README.md", "guide.md"]
        assert os.path.isdir(at.path("right/a/b/c"))
        assert os.path.isfile(at.path("right/x/y"))


async def test_a_set_too_long_for_one_operation_is_refused_and_not_cut(shelf, monkeypatch):
    async with shelf(engine=True) as at:
        texts = set_in(await at.agent("query_run", root=at.path(), name="*.txt", kind="file"))
        monkeypatch.setattr("cmdr.core.trees.ownership.MAX_MEMBERS", 1)
        assert "The set holds 2 entries, and one operation takes 1." in await at.agent("delete", set=texts)
        assert at.commander.proposals.pending() == []
