"""What agents propose about files: one call for many targets, nothing of the plan hidden in the answer."""

import os

import pytest

from cmdr.model.plans.plan_text import summary_of, word_to_type

SUMMER, WINTER = 1720000000, 1705300000


def lines(answer):
    return answer.splitlines()


def pending(at):
    return at.commander.proposals.pending()[-1].plan


def made(at, *names, when=SUMMER):
    for name in names:
        path = at.root / "left" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (when, when))
    return [at.path(f"left/{name}") for name in names]


async def test_a_swap_of_names_is_told_as_two_renames(desk):
    async with desk(engine=True) as at:
        paths = made(at, "draft.txt", "final.txt")
        answer = await at.agent("rename_many", paths=paths, names=["final.txt", "draft.txt"])
        assert "(2 files, 18 B)" in lines(answer)[1]
        assert lines(answer)[2:] == ["draft.txt → final.txt", "final.txt → draft.txt"]
        assert summary_of(pending(at))[2:] == ["draft.txt → final.txt", "final.txt → draft.txt"]


async def test_renaming_each_marks_private_files_as_renaming_by_pattern_does(desk):
    async with desk(engine=True) as at:
        paths = made(at, ".ssh/id_ed25519")
        await at.agent("rename_many", paths=paths, names=["notes.txt"])
        assert word_to_type(pending(at)) == "rename"


async def test_one_call_renames_by_date(desk):
    async with desk(engine=True) as at:
        paths = made(at, "a.jpg", "b.JPG", "plain")
        answer = await at.agent("rename", paths=paths, replace="{year}-{month}_{n:03}.{ext}")
        assert lines(answer)[2:] == [
            "a.jpg → 2024-07_001.jpg",
            "b.JPG → 2024-07_002.JPG",
            "plain → 2024-07_003",
        ]


@pytest.mark.parametrize(
    ("replace", "told"),
    [
        ("{datum}", '"{datum}" is no field. There are {name} {ext} {date}'),
        ("$2", '"$2" is no group of the pattern: it has none'),
    ],
)
async def test_a_field_or_group_that_is_not_there_is_an_error(desk, replace, told):
    async with desk(engine=True) as at:
        answer = await at.agent("rename", paths=made(at, "a.jpg"), match="a", replace=replace)
        assert answer.startswith(f"ERROR: {told}")
        assert not at.commander.proposals.pending()


async def test_one_call_sorts_files_into_folders(desk):
    async with desk(engine=True) as at:
        paths = [*made(at, "a.jpg", "b.JPG"), *made(at, "c.txt", when=WINTER)]
        answer = await at.agent("move", paths=paths, to=at.path("right/Sorted/{year}/{ext}"))
        there = at.path("right/Sorted")
        assert lines(answer)[2:] == [
            "into 2024/jpg: 2",
            "into 2024/txt: 1",
            "new folders: 4",
        ]
        assert f"creates folder: {there}/2024/txt" in summary_of(pending(at))
        assert len(at.commander.proposals.pending()) == 1


async def test_a_folder_whose_name_has_braces_is_itself_and_an_unknown_field_is_an_error(desk):
    async with desk(engine=True) as at:
        paths = made(at, "a.jpg")
        answer = await at.agent("copy", paths=paths, to=at.path("right/{kind}"))
        assert answer.startswith('ERROR: "{kind}" is no field. There are {name} {ext}')
        (at.root / "right" / "{kind}").mkdir()
        assert not (await at.agent("copy", paths=paths, to=at.path("right/{kind}"))).startswith("ERROR")
        assert pending(at).items[0].target.path == os.fsencode(at.path("right/{kind}/a.jpg"))
        await at.agent("copy", paths=paths, to=at.path("right/{{ext}}"))
        assert pending(at).destination == os.fsencode(at.path("right/{ext}"))


async def test_the_person_sorts_too_also_a_single_file(desk):
    async with desk(engine=True) as at:
        paths = made(at, "a.jpg")
        await at.person("copy", paths=paths, to=at.path("right/{ext}"))
        assert pending(at).items[-1].target.path == os.fsencode(at.path("right/jpg/a.jpg"))


async def test_what_lies_inside_other_chosen_is_told(desk):
    async with desk(engine=True) as at:
        paths = made(at, "tree/a", "tree/sub/b")
        answer = await at.agent("delete", paths=[*paths, at.path("left/tree")])
        assert "(2 folders, 2 files, 16 B)" in answer
        assert "inside other chosen folders, taken along: 2" in lines(answer)


async def test_what_a_policy_skips_is_told_to_agent_and_person(desk):
    async with desk(engine=True) as at:
        paths = made(at, "one.txt", "two.txt")
        for name in ("one.txt", "two.txt"):
            (at.root / "right" / name).write_text("there")
        answer = await at.agent("copy", paths=paths, to=at.path("right"), onConflict="skip")
        assert "(0 files)" in answer
        assert "2 will be skipped: the name is taken" in lines(answer)
        assert "2 will be skipped: the name is taken" in summary_of(pending(at))


async def test_equal_names_are_numbered_or_all_told(desk):
    async with desk(engine=True) as at:
        paths = made(at, "1/x.pdf", "2/x.pdf", "3/x.pdf")
        refused = await at.agent("copy", paths=paths, to=at.path("right"))
        assert refused.startswith("ERROR: ")
        assert refused.count("would both become") == 2
        assert refused.endswith('Let taken names get a number (onConflict "rename"), or do them one after the other.')
        answer = await at.agent("copy", paths=paths, to=at.path("right"), onConflict="rename")
        assert lines(answer)[2:] == ["new name: x.pdf → x (1).pdf", "new name: x.pdf → x (2).pdf"]
