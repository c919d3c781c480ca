"""What an agent is told is true as of its call, and what it proposes from it is about the right files."""

import re

import pytest

from cmdr.core.threads import in_thread
from cmdr.core.trees.indexing import Indexing
from cmdr.index.query.queries import IndexQueries


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


def set_in(answer):
    return re.search(r"set: (s_\w+)", answer)[1]


def make(folder, count, end="new"):
    for number in range(count):
        (folder / f"{number}.{end}").write_bytes(b"x")


async def test_files_that_were_made_a_moment_ago_are_counted_and_renamed_all(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["new"])
        for turn in range(3):
            folder = at.root / "left" / f"turn{turn}"
            folder.mkdir()
            make(folder, 100)
            found = await at.agent("query_run", root=at.path(), name="*.new")
            assert found.startswith(f"OK: {100 * (turn + 1)} found"), found
            assert "behind" not in found
            assert f"({100 * (turn + 1)} files, " in await at.agent(
                "rename", set=set_in(found), match="new", replace="newer"
            )
        assert (await at.agent("cd", path=str(folder))).startswith(f"OK: {folder}: 100 entries; below 100 files")


async def test_thousands_of_new_files_are_counted_right_or_the_answer_says_that_it_is_behind(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["new"])
        folder = at.root / "left" / "many"
        folder.mkdir()
        await in_thread(make, folder, 3000)
        found = await at.agent("query_run", root=at.path(), ext=["new"])
        assert found.startswith("OK: 3000 found") or re.search(r"\(index behind: \d+ folders?\)", found), found


@pytest.fixture
def hasty(monkeypatch):
    """Nobody waits until an answer is true, and nothing makes it so behind."""
    monkeypatch.setattr(Indexing, "_follow", lambda *_: None)
    monkeypatch.setattr("cmdr.index.delta.catching_up.LITTLE", -1)
    monkeypatch.setattr(IndexQueries.as_of, "__defaults__", (None, 0.0))


async def test_a_set_of_an_answer_that_was_behind_is_asked_for_again_before_a_change_is_planned(shelf, hasty):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["new"])  # scanned in this call, and so true
        make(at.root / "left", 3)
        found = await at.agent("query_run", root=at.path(), ext=["new"])
        assert "0 found" in found
        assert "(index behind:" in found
        told = await at.agent("rename", set=set_in(found), match="new", replace="newer")
        assert "(3 files, " in told, told


async def test_a_set_put_together_from_one_that_was_behind_is_not_worked_on(shelf, hasty):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), ext=["new"])
        make(at.root / "left", 3)
        found = set_in(await at.agent("query_run", root=at.path(), ext=["new"]))
        await at.agent("resource_set", action="union", set=found, other=found, name="both")
        told = await at.agent("delete", set="both")
        assert re.fullmatch(
            r"ERROR: The set was made while \d+ folders were not known as they are\. Make it anew, then repeat\.", told
        ), told
