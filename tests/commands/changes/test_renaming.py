"""Renaming by pattern: which files are meant, in one call, and what is said when nothing changes."""

import os
import re
from pathlib import Path


def pending(at):
    return at.commander.proposals.pending()


def renames(at):
    return {item.source.name.decode(): item.target.name.decode() for item in pending(at)[-1].plan.items if item.source}


def photos(at, *names):
    folder = at.root / "left" / "photos"
    (folder / "raw").mkdir(parents=True, exist_ok=True)
    for name in names or ("IMG_1.jpg", "IMG_2.jpg", "IMG_10.jpg", "notes.txt", ".hidden.jpg"):
        (folder / name).write_text(name)
    return str(folder)


async def test_all_files_of_a_folder_are_renamed_by_one_call(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        answer = await at.agent("rename", folder=folder, match=r"^IMG_(\d+)", replace="{n:02}-$1")
        assert answer.splitlines()[0] == "OK: Rename dialog opened. Waiting for user confirmation."
        assert answer.splitlines()[2:] == [
            f"3 of 4 files in {folder}",
            "IMG_1.jpg → 01-1.jpg",
            "IMG_2.jpg → 02-2.jpg",
            "IMG_10.jpg → 03-10.jpg",
        ]
        assert renames(at) == {"IMG_1.jpg": "01-1.jpg", "IMG_2.jpg": "02-2.jpg", "IMG_10.jpg": "03-10.jpg"}


async def test_a_folder_whose_own_name_stays_stands_for_its_files(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        assert f"3 of 4 files in {folder}" in await at.agent("rename", path=folder, match="IMG", replace="x")
        await at.agent("rename", path=folder, match="photos", replace="pictures")
        assert renames(at) == {"photos": "pictures"}


async def test_a_glob_names_the_files_that_fit(desk):
    async with desk(engine=True) as at:
        folder = photos(at, "a.jpg", "b.png", "c.txt", "d[1].jpg")
        answer = await at.agent("rename", path="photos/*.{jpg,png}", replace="{n}.{ext}")
        assert f"3 of 3 files in {folder} that fit *.{{jpg,png}}" in answer
        assert renames(at) == {"a.jpg": "1.jpg", "b.png": "2.png", "d[1].jpg": "3.jpg"}
        await at.agent("rename", path="photos/d[1].jpg", match="d", replace="e")
        assert renames(at) == {"d[1].jpg": "e[1].jpg"}


async def test_a_pattern_that_changes_nothing_says_what_it_was_tried_on_and_shows_names(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        answer = await at.agent("rename", folder=folder, match="^DSC", replace="x")
        assert answer == (
            f'ERROR: "^DSC" changes none of these names: IMG_1.jpg, IMG_2.jpg, IMG_10.jpg and 1 more. It was tried on '
            f'4 files in {folder}; mend the pattern, or name others by "folder", "path", "paths" or "set".'
        )
        answer = await at.agent("rename", path=f"{folder}/*.png", match="a", replace="b")
        assert answer == f"ERROR: There are no files in {folder} that fit *.png."
        assert "tried on 1 path;" in await at.agent("rename", paths=[f"{folder}/notes.txt"], match="z", replace="b")
        assert "tried on what is chosen in the left pane;" in await at.agent(
            "rename", pane="left", match="zzz", replace="b"
        )
        assert not pending(at)


async def test_one_new_name_is_for_one_path(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        for arguments, told in (
            ({"newName": "x"}, 'rename needs "path" beside "newName".'),
            ({"newName": "x", "folder": folder}, '"newName" is for the one file at "path"; '),
            ({"newName": "x", "path": folder, "match": "a"}, '"newName" is for the one file at "path"; '),
            ({"newName": "x", "path": f"{folder}/*.jpg"}, '"newName" is for the one file at "path"; '),
            ({"match": "a", "replace": "b"}, 'rename needs "folder", "path", "paths" or "set".'),
            ({"match": "a", "replace": "b", "path": "x", "set": "y"}, 'rename takes one of "path", "paths", '),
            ({"match": "a", "replace": "b", "folder": "nowhere"}, "Path not found: "),
        ):
            answer = await at.agent("rename", **arguments)
            assert answer.startswith(f"ERROR: {told}"), answer
        assert not pending(at)
        answer = await at.agent("rename", path=f"{folder}/notes.txt", newName="diary.txt")
        assert "notes.txt → diary.txt" in answer


async def test_a_glob_stands_for_the_files_that_fit_it_and_the_answer_says_how_many(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        for verb in ("copy", "move", "delete"):
            answer = await at.agent(verb, paths=[f"{folder}/*.jpg"])
            (proposal,) = pending(at)
            chosen = [item.place.path for item in proposal.plan.items if item.place.path.endswith(b".jpg")]
            assert f"{len(chosen)} files in {folder} that fit *.jpg" in answer
            assert len(chosen) > 1
            await at.person("reject", proposal=proposal.id)
            assert await at.agent(verb, paths=["*.zip"]) == f"ERROR: There are no files in {at.path()} that fit *.zip."
            assert await at.agent(verb, paths=[]) == ('ERROR: "paths" is empty. Name at least one file, or give "set".')
        assert not pending(at)


async def test_a_file_whose_name_looks_like_a_glob_is_that_file(desk):
    async with desk(engine=True) as at:
        folder = photos(at)
        Path(folder, "[draft].jpg").write_text("x")
        await at.agent("delete", paths=[f"{folder}/[draft].jpg"])
        (proposal,) = pending(at)
        assert [os.path.basename(item.place.path) for item in proposal.plan.items] == [b"[draft].jpg"]


async def test_a_change_without_a_target_says_where_it_goes(desk):
    async with desk(engine=True) as at:
        for verb in ("copy", "move"):
            answer = await at.agent(verb, paths=["README.md"])
            assert f"to the other pane: {at.path('right')}" in answer.splitlines()
            assert "other pane" not in await at.agent(verb, paths=["README.md"], to=at.path("right"))
        answer = await at.agent("link", to="README.md")
        assert f"to the other pane: {at.path('right')}" in answer.splitlines()


async def test_undo_without_a_number_tells_the_last_operations(desk):
    async with desk(engine=True) as at:
        assert await at.agent("undo") == "ERROR: There is nothing to undo: no operation was carried out yet."
        await at.agent("mkdir", name="new")
        proposal = pending(at)[-1]
        await at.person("approve", proposal=proposal.id, digest=proposal.plan.digest)
        await at.agent("await", proposal=proposal.id)
        answer = await at.agent("undo")
        assert re.match(
            r'ERROR: undo needs "operation": a number, or "last". The last ones: 1 .* mkdir .*/new ', answer
        )
        assert not pending(at)
        assert (await at.agent("undo", operation="last")).startswith("OK: Undo dialog opened.")
