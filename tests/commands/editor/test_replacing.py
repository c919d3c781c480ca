"""A text replaced in many files is found by set, paths or search, shown as one review, and keeps every other byte."""

import os

import pytest
from tests.commands.editor.test_edits_of_many import AGENT, accept, opened, proposed, undone

from cmdr.commands.editor import replacing
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.editing import replacing as core_replacing
from cmdr.model.texts import files_review


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(tmp_path / "state"), **how)


async def ask(at, **arguments):
    return await at.ask(AGENT, "replace", arguments)


async def test_eight_files_are_one_call_one_answer_and_one_undo(desk, small_tree):
    async with opened(desk, small_tree) as at:
        contents = {
            "plain.txt": b"call legacy_api here\nand legacy_api there\n",
            "windows.txt": b"legacy_api\r\nlast\r\n",
            "old_mac.txt": b"legacy_api\rlast",
            "mixed.txt": b"legacy_api\r\nlegacy_api\nend",
            "marked.txt": b"\xef\xbb\xbflegacy_api\n",
            "wide.txt": "legacy_api é\n".encode("utf-16"),
            "western.txt": "legacy_api é\n".encode("latin-1"),
            "same.txt": b"nothing of it\n",
        }
        files = [at.left / name for name in contents]
        for file, content in zip(files, contents.values(), strict=True):
            file.write_bytes(content)
        call, case = await proposed(
            at, "replace", find="legacy_api", **{"with": "api"}, paths=[str(file) for file in files]
        )
        assert (len(case.files), case.title) == (7, "replace legacy_api with api")
        assert await accept(at, case) == "OK: Accepted 7 files"
        assert await call == "OK: FILES_SAVED: 7 files, 7 changes, operation 1"
        assert [file.read_bytes() for file in files] == [
            b"call api here\nand api there\n",
            b"api\r\nlast\r\n",
            b"api\rlast",
            b"api\r\napi\nend",
            b"\xef\xbb\xbfapi\n",
            "api é\n".encode("utf-16"),
            "api é\n".encode("latin-1"),
            b"nothing of it\n",
        ]
        await undone(at)
        assert [file.read_bytes() for file in files] == list(contents.values())


async def test_a_set_and_a_search_name_the_files_too(shelf, small_tree):
    async with opened(shelf, small_tree) as at:
        (at.left / ".git").mkdir(exist_ok=True)
        (at.left / ".git" / "config").write_text("one\n")
        (at.left / "notes.md").write_text("one\n")
        os.symlink(at.files[0], at.left / "link.py")
        for arguments in (
            {"root": str(at.left), "name": "*.py"},
            {"root": str(at.left), "filter": "ext:py"},
            {
                "set": (await at.ask(AGENT, "query_run", {"root": str(at.left), "name": "*.py"}))
                .split("set: ")[1]
                .split()[0]
            },
        ):
            call, case = await proposed(at, "replace", find="one", **{"with": "1"}, **arguments)
            assert sorted(os.path.basename(file.path) for file in case.files) == [b"a.py", b"b.py", b"c.py"]
            await at.person("review.reject", review=case.id)
            assert await call == "OK: DIFF_REJECTED"
        call, case = await proposed(at, "replace", find="one", **{"with": "1"}, root=str(at.left))
        names = [os.path.basename(file.path) for file in case.files]
        assert b"notes.md" in names
        assert b"config" not in names
        await at.person("review.reject", review=case.id)
        await call


async def test_an_expression_puts_its_groups_there(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.files[0].write_bytes(b"get_name()\r\nget_size()\r\n")
        call, case = await proposed(
            at,
            "replace",
            find=r"^get_(?P<what>\w+)\(\)$",
            **{"with": "${what} $$1 $1"},
            paths=[str(at.files[0])],
            regex=True,
        )
        await accept(at, case)
        await call
        assert at.files[0].read_bytes() == b"name $1 name\r\nsize $1 size\r\n"


async def test_case_is_ignored_only_when_asked(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.files[0].write_text("Fox fox FOX $a.b\n")
        call, case = await proposed(at, "replace", find="fox", **{"with": "$1"}, paths=[str(at.files[0])], case=False)
        await accept(at, case)
        await call
        assert at.files[0].read_text() == "$1 $1 $1 $a.b\n"
        call, case = await proposed(at, "replace", find="$A.B", **{"with": "x"}, paths=[str(at.files[0])], case=False)
        await accept(at, case)
        await call
        assert at.files[0].read_text() == "$1 $1 $1 x\n"


async def test_what_matches_nothing_says_on_what_it_was_tried(shelf, small_tree):
    async with opened(shelf, small_tree) as at:
        told = await ask(at, find="Nine", **{"with": "9"}, root=str(at.left), name="*.py")
        assert told == (
            f'ERROR: "Nine" stands in none of 3 files looked at ({at.files[0]}, {at.files[1]}, {at.files[2]}): '
            'case counts; it was taken as it stands; "regex": true makes it an expression.'
        )
        assert await ask(at, find="one", **{"with": "one"}, paths=[str(at.files[0])]) == (
            'ERROR: "one" stands in 1 file, and replacing it changes nothing.'
        )


async def test_what_is_no_text_is_named_and_left_out(desk, small_tree, monkeypatch):
    async with opened(desk, small_tree) as at:
        (at.left / "b.bin").write_bytes(b"one\0\1")
        os.mkfifo(at.left / "pipe")
        (at.left / "big.txt").write_bytes(b"one" * 3_000_000)
        (at.left / "western.txt").write_bytes(b"one \xe9\n")
        paths = [str(at.left / name) for name in ("b.bin", "big.txt", "western.txt", "pipe", "a.py")]
        call, case = await proposed(at, "replace", find="one", **{"with": "日"}, paths=paths)
        assert case.told == (
            f"left out: {paths[0]} (binary), {paths[1]} (larger than 8 MiB), "
            rf"{paths[2]} ('\u65e5' cannot be written in cp1252) and 1 more",
        )
        await accept(at, case)
        assert await call == f"OK: FILES_SAVED: 1 file, 1 change, operation 1\n{case.told[0]}"
        assert (at.left / "b.bin").read_bytes() == b"one\0\1"


async def test_more_files_than_one_review_holds_are_told(desk, small_tree, monkeypatch):
    monkeypatch.setattr(core_replacing, "MAX_FILES", 2)
    async with opened(desk, small_tree) as at:
        for arguments in ({}, {"regex": True}):
            call, case = await proposed(
                at, "replace", find="one", **{"with": "1"}, paths=[*map(str, at.files)], **arguments
            )
            assert (len(case.files), case.told) == (2, ("2 of 3 files; narrow it, or ask again for the rest",))
            await at.person("review.reject", review=case.id)
            await call


async def test_more_changes_than_one_review_holds_are_told(desk, small_tree, monkeypatch):
    monkeypatch.setattr(replacing, "MAX_CHANGES", 2)
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, "replace", find="one", **{"with": "1"}, paths=[*map(str, at.files)])
        assert (len(case.files), case.told) == (2, ("2 of 3 files; narrow it, or ask again for the rest",))
        assert files_review.MAX_CHANGES > 2
        await at.person("review.reject", review=case.id)
        await call


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"find": "", "with": "x"}, '"find" is empty. Say which text is to be replaced.'),
        ({"find": "x" * 1001, "with": "x"}, '"find" is 1,001 characters long; 1,000 are allowed.'),
        (
            {"find": "(", "with": "x", "regex": True},
            "The expression '(' cannot be used: unclosed group (at character 1).",
        ),
        (
            {"find": "(a)", "with": "$1b", "regex": True},
            '"with" names the group "1b", and the expression has 1 group. Write ${1}b.',
        ),
        (
            {"find": "a", "with": "$x", "regex": True},
            '"with" names the group "x", and the expression has no groups. Write $$ for a dollar.',
        ),
        ({"find": "a\0", "with": "x"}, '"find" holds what no text file holds.'),
    ],
)
async def test_what_cannot_be_meant_is_refused_at_once(desk, small_tree, arguments, told):
    async with opened(desk, small_tree) as at:
        assert await ask(at, paths=[str(at.files[0])], **arguments) == f"ERROR: {told}"


async def test_the_files_must_be_named_in_one_way(shelf, small_tree):
    async with opened(shelf, small_tree) as at:
        for arguments in ({}, {"paths": [str(at.files[0])], "root": str(at.left)}):
            assert await ask(at, find="a", **{"with": "b"}, **arguments) == (
                'ERROR: replace needs one of "set", "paths" or "root" (with "name" or "filter").'
            )
        assert await ask(at, find="a", **{"with": "b"}, root=str(at.left), name="*.nothing") == (
            "ERROR: No file is meant by that. Look with query_run which there are."
        )


async def test_a_hostile_expression_is_ended_and_everything_goes_on(desk, small_tree, monkeypatch):
    monkeypatch.setattr(core_replacing, "TIMEOUT_S", 0.5)
    async with opened(desk, small_tree) as at:
        at.files[0].write_text("a" * 4_000_000)
        find = r"(?:[a-z]{0,40}[a-y]{0,40}){0,6}\d"
        told = await ask(at, find=find, **{"with": "x"}, paths=[str(at.files[0])], regex=True)
        assert told.startswith("ERROR: This expression takes too long over these files.") or "stands in none" in told
        assert (await ask(at, find="zz", **{"with": "x"}, paths=[str(at.files[1])])).startswith('ERROR: "zz" stands')


async def test_a_replacement_that_would_grow_without_end_is_left_out(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.files[0].write_text("a" * 100_000)
        for arguments in ({}, {"regex": True}):
            told = await ask(at, find="a", **{"with": "b" * 10_000}, paths=[str(at.files[0])], **arguments)
            assert f"left out: {at.files[0]} (would be larger than 8 MiB)" in told


async def test_what_an_agent_may_not_read_is_refused_by_name_and_left_out_of_a_search(shelf, small_tree):
    async with opened(shelf, small_tree) as at:
        key = at.left / ".ssh"
        key.mkdir()
        (key / "id_rsa").write_text("one\n")
        outside = small_tree.parent / "outside.txt"
        outside.write_text("one\n")
        assert (await ask(at, find="one", **{"with": "1"}, paths=[str(outside)])).startswith("ERROR: ")
        call, case = await proposed(at, "replace", find="one", **{"with": "1"}, root=str(at.left))
        assert all(b".ssh" not in file.path for file in case.files)
        await at.person("review.reject", review=case.id)
        await call
        assert outside.read_text() == "one\n"


async def test_a_person_gets_the_same_review_at_once_and_answers_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        made = (await at.commander.ask(PERSON, "replace", {"find": "one", "with": "1", "paths": ["a.py", "b.py"]})).json
        assert (made["kind"], made["files"], made["places"]) == ("editProposed", 2, 2)
        (case,) = at.commander.editor.reviews.waiting
        assert case.id == made["review"]
        (row,) = at.commander.inbox.rows().rows
        assert (row.by, row.what) == ("", "Edit 2 files, 2 places")
        assert await accept(at, case) == "OK: Accepted 2 files"
        assert at.files[0].read_text().startswith("1\n")


async def test_a_file_with_unsaved_changes_is_told(desk, small_tree, monkeypatch):
    async with opened(desk, small_tree) as at:
        monkeypatch.setattr(at.commander.editor.documents, "is_dirty", lambda path: path == bytes(at.files[1]))
        assert await ask(at, find="one", **{"with": "1"}, paths=[*map(str, at.files)]) == (
            f"ERROR: {at.files[1]} has unsaved changes in the editor. Ask the person to save it."
        )
