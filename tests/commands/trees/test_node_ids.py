"""Handles in answers: the short id of each row, the index and session it belongs to, and where they are taken again."""

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


def number_of(answer, name):
    return re.search(rf"{re.escape(name)} .*(#\d+)", answer)[1]


async def test_every_row_carries_a_short_id_and_the_answer_its_index_and_session(shelf):
    async with shelf() as at:
        found = await at.agent("query_run", root=at.path(), ext=["md"])
        answer = await at.agent("cd", path=at.path())
        rows = [line for line in answer.splitlines()[1:] if line[:2] in ("d ", "f ")]
        assert all(re.search(r" #\d+$", row) for row in rows)
        assert re.fullmatch(r"session: sh_\w+ index: \S*/api/indexes/i_\w+", answer.splitlines()[-1])
        index = re.search(r"i_\w+", answer)[0]
        assert found.splitlines()[-1].endswith(f"index: {index}")
        assert number_of(found, "README.md") == number_of(answer, "README.md")


async def test_a_short_id_is_taken_wherever_a_node_id_is(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        number = number_of(answer := await at.agent("cd", path=at.path()), "README.md")
        index = re.search(r"i_\w+", answer)[0]
        for spelled in (number, number[1:], f"{index}{number}"):
            assert (await at.agent("inspect", nodeId=spelled)).startswith(f"OK: {at.path()}/README.md"), spelled
        whole = re.search(r"nodeId: (n_\w+)", await at.agent("inspect", nodeId=number))[1]
        shown = json.loads(await at.agent("node.show", indexId=index, nodeId=number[1:]))
        assert shown["node"]["id"] == whole
        made = await at.agent("resource_set", action="create", name="two", nodeIds=[number, whole])
        assert "two: 1 entry" in made
        chosen = re.search(r"s_\w+", made)[0]
        assert "README.md" in await at.agent("resource_set", action="get", selectionId=chosen)


async def test_a_short_id_that_could_be_of_two_indexes_is_not_guessed(shelf):
    async with shelf() as at:
        assert "told of none yet" in await at.agent("inspect", nodeId="#1")
        for side in ("left", "right"):
            await at.agent("query_run", root=at.path(side), text="x")
        number = number_of(await at.agent("cd", path=at.path()), "README.md")
        answer = await at.agent("inspect", nodeId=number)
        assert answer.startswith(f"ERROR: {number} may be a node of several indexes. Write i_")
        named = re.findall(r"i_\w+#\d+", answer)
        assert len(named) == 2
        assert f"OK: {at.path()}/README.md" in "".join([await at.agent("inspect", nodeId=one) for one in named])


async def test_the_ids_that_one_caller_was_told_mean_nothing_to_another(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        number = number_of(await at.agent("cd", path=at.path()), "README.md")
        assert "told of none yet" in await at.ask(OTHER, "inspect", {"nodeId": number})


async def test_programs_get_the_whole_of_what_cd_tells_in_a_few_lines(shelf):
    async with shelf() as at:
        await at.agent("query_run", root=at.path(), text="x")
        told = await at.data("cd", path=f"{at.path()}/docs")
        assert told["breadcrumb"] == ["/", *[part for part in f"{at.path()}/docs".split("/") if part]]
        assert told["sessionId"].startswith("sh_")
        entry = told["entries"][-1]
        assert entry["nodeId"].startswith("n_")
        assert entry["link"].endswith(f"/api/indexes/{told['indexId']}/nodes/{entry['nodeId']}")


async def test_a_folder_in_no_index_is_paged_by_its_address_and_by_cd(shelf, tmp_path):
    crowd = tmp_path / "a crowd & more"
    crowd.mkdir()
    (crowd / "sub").mkdir()
    for number in range(24):
        (crowd / f"50%25 {number:02d}").write_bytes(b"x" * number)
    async with shelf() as at:
        answer = await at.agent("cd", path=str(crowd))
        address = re.search(r"… 5 more: (\S+)$", answer)[1]
        assert "/api/folders?path=" in address
        cursor = address.partition("&cursor=")[2]
        by_cd = await at.agent("cd", path=str(crowd), cursor=cursor)
        assert re.findall(r"50%25 \d\d", by_cd) == [f"50%25 {number:02d}" for number in range(19, 24)]


async def test_where_a_session_stands_survives_a_restart(shelf):
    async with shelf() as at:
        named = await at.agent("cd", path=f"{at.path()}/docs", sessionId="work")
        await at.agent("session_preferences", units="bytes")
        await at.agent("cd", path=at.path())
        await at.agent("cd", path=at.path("right"))
        id = re.search(r"session: (sh_\w+)", named)[1]
    async with shelf() as at:
        assert (await at.agent("cd", path=".", sessionId="work")).startswith(f"OK: {at.path()}/docs:")
        assert (await at.agent("cd", path=".", sessionId=id)).startswith(f"OK: {at.path()}/docs:")
        assert (await at.agent("cd", path="-")).startswith(f"OK: {at.path()}:")
        assert "units bytes" in await at.agent("session_preferences")
