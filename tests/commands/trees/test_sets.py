"""Resource sets as an agent uses them: names that mean one set, members that changed, pages."""

import json
import os
import re

import pytest


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(tmp_path / "state"), **how)


def set_in(answer):
    return re.search(r"\b(s_[a-z2-7]{16})\b", answer)[1]


async def scanned(at):
    await at.agent("index", root=at.path())
    await at.agent("await", job=at.commander.indexing.scans()[-1].id)


async def made(at, name, *files):
    paths = [at.path(f"left/{file}") for file in files]
    return await at.agent("resource_set", action="create", name=name, paths=paths)


async def test_a_name_means_one_set(shelf):
    async with shelf() as at:
        await scanned(at)
        first = set_in(await made(at, "n1", "a9.txt"))
        assert await made(at, "n1", "a10.txt") == (
            f'ERROR: You have a set "n1" already, {first}. Change or delete it, or use another name.'
        )
        other = set_in(await made(at, "n2", "a10.txt"))
        for again in (
            await at.agent("resource_set", action="union", set="n1", other="n2", name="n1"),
            await at.agent("set.create", name="n1", nodes=[]),
            await at.agent("set.rename", setId="n2", name="n1"),
        ):
            assert again.startswith("ERROR: "), again
        assert json.loads(await at.agent("set.rename", setId=other, name="n2"))["set"]["name"] == "n2"
        assert "set: " in await made(at, None, "a9.txt")
        assert " set 2: " in await made(at, None, "a9.txt")
        assert (
            await at.agent("resource_set", action="delete", set="n1") == "OK: Deleted 1 set: n1; the files in it stay"
        )
        assert (await at.agent("delete", set="n1")).startswith("ERROR: No resource set n1.")


async def test_sets_of_one_name_from_before_go_together(shelf):
    async with shelf() as at:
        await scanned(at)
        library = await at.commander.indexing.library()
        index = library.indexes()[0].id
        for file in ("a9.txt", "a10.txt"):
            old = library.sets.create(index, "n1", [os.fsencode(at.path(f"left/{file}"))])
            library.catalogue.put_owner(old.id, "agent:tester", passing=False)
        assert (await at.agent("resource_set", action="delete", set="n1")).startswith("OK: Deleted 2 sets: n1;")
        assert "0 sets" in await at.agent("resource_set", action="list")


async def test_an_agent_makes_only_so_many_sets_that_last(shelf, monkeypatch):
    monkeypatch.setattr("cmdr.core.trees.ownership.MAX_SETS", 1)
    async with shelf() as at:
        await scanned(at)
        await made(at, "n1", "a9.txt")
        assert await made(at, "n2", "a9.txt") == "ERROR: You have 1 sets, the most there may be. Delete one first."


async def test_only_what_changed_is_said_to_have_been_added_or_removed(shelf):
    async with shelf() as at:
        await scanned(at)
        set = set_in(await made(at, "n1", "a9.txt"))
        paths = [at.path("left/a9.txt"), at.path("left/a10.txt")]
        added = await at.agent("resource_set", action="add", set="n1", paths=paths)
        assert added.startswith(f"OK: Added 1 (1 in it already): {set} n1: 2 entries, 12b")
        none = await at.agent("resource_set", action="remove", set="n1", paths=[at.path("left/README.md")])
        assert none.startswith(f"OK: Removed 0 (1 not in it): {set} n1: 2 entries")
        node = re.search(r"n_\w+", await at.agent("resource_set", action="get", set="n1"))[0]
        assert (await at.agent("resource_set", action="remove", set="n1", paths=[node])).startswith("OK: Removed 1: ")
        assert await at.agent("resource_set", action="add", set="n1") == 'ERROR: add needs "paths" or "nodes".'


async def test_an_operation_says_what_became_of_the_members_since(shelf):
    async with shelf(engine=True) as at:
        await scanned(at)
        await made(at, "all four", "a9.txt", "a10.txt", "README.md", "package.json")
    left = at.root / "left"  # nobody watches while these change
    (left / "a9.txt").unlink()
    (left / "README.md").write_text("changed since")
    (left / "a10.txt").rename(left / "src" / "moved.txt")
    async with shelf(engine=True) as at:
        await scanned(at)
        rows = await at.agent("resource_set", action="get", set="all four")
        assert f"moved {left}/a10.txt → {left}/src/moved.txt" in rows
        note = f"of the set's 4 entries since it was made: 1 gone and left out ({left}/a9.txt), 1 changed, 1 moved"
        assert note in await at.agent("copy", set="all four", to=at.path("right"))
        assert note in await at.agent("delete", set="all four")
        assert note in await at.agent("rename", set="all four", match="^", replace="x")
        (left / "README.md").unlink()
        await scanned(at)
        answer = await at.agent("copy", set="all four", to=at.path("right"))
        assert f"2 gone and left out ({left}/a9.txt and 1 more), 1 moved" in answer


async def test_a_set_of_which_nothing_is_left_is_refused_and_an_untouched_one_needs_no_note(shelf):
    async with shelf(engine=True) as at:
        await scanned(at)
        await made(at, "one", "a9.txt")
        assert "since it was made" not in await at.agent("copy", set="one", to=at.path("right"))
        (at.root / "left" / "a9.txt").unlink()
        await scanned(at)
        answer = await at.agent("copy", set="one", to=at.path("right"))
        assert answer == "ERROR: Nothing of the set one is there any more. Make it anew with query_run."


async def test_a_set_that_made_room_for_newer_ones_says_how_to_keep_the_next(shelf):
    async with shelf() as at:
        first = set_in(await at.agent("query_run", root=at.path(), ext=["md"]))
        for _ in range(20):
            await at.agent("query_run", root=at.path(), ext=["md"])
        answer = await at.agent("resource_set", action="get", set=first)
        assert answer == (
            f"ERROR: No resource set {first}. "
            "Of what queries find the last 20 are kept: run it again, with saveAs to keep it."
        )


async def test_a_set_is_read_through_page_by_page(shelf):
    async with shelf() as at:
        found = set_in(await at.agent("query_run", root=at.path()))
        seen, more = [], {}
        while True:
            answer = await at.agent("resource_set", action="get", set=found, limit=4, **more)
            seen += re.findall(r"^n_\w+ ok (\S+)", answer, re.M)
            onward = re.search(r"^… (\d+) more: resource_set (.*)$", answer, re.M)
            if onward is None:
                break
            assert int(onward[1]) == 10 - len(seen)
            more = {"cursor": json.loads(onward[2])["cursor"]}
        assert len(seen) == len(set(seen)) == 10
        page = json.loads(await at.agent("set.entries", setId=found, limit=4))
        assert (len(page["members"]), page["cursor"]) == (4, page["members"][-1]["node"])


async def test_a_set_is_made_in_the_index_that_knows_all_its_paths(shelf):
    async with shelf() as at:
        await scanned(at)
        await at.agent("index", root=at.path("left/docs"))
        await at.agent("await", job=at.commander.indexing.scans()[-1].id)
        answer = await made(at, "both", "docs/guide.md", "README.md")
        assert answer.startswith("OK: Created"), answer
        assert ": 2 entries" in answer
        outside = at.path("right/elsewhere")
        os.makedirs(outside)
        refused = await at.agent("resource_set", action="create", name="no", paths=[at.path("left/docs"), outside])
        assert refused == (
            f"ERROR: No index knows {outside} together with {at.path('left/docs')}. Index a folder above both."
        )


async def test_a_set_that_is_not_there_names_those_that_are(shelf):
    async with shelf() as at:
        told = "ERROR: No resource set old."
        none = await at.agent("resource_set", action="get", set="old")
        assert none == f"{told} You have none yet: query_run makes one of what it finds."
        for name in ("one", "two", "three", "four"):
            await at.agent("query_run", root=at.path(), ext="md", saveAs=name)
        answer = await at.agent("resource_set", action="get", set="old")
        assert re.sub(r"s_\w+", "ID", answer).startswith(
            f"{told} You have: ID four, ID three, ID two and 1 more (resource_set "
        )
