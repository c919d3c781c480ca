"""What agents find in files: lines, in one call, and nothing that they could not read by name."""

import os
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from tests.commands.conftest import AGENT

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.index.contents import content_query
from cmdr.model.root_spec import RootSpec

READER = replace(AGENT, token=True)
LOREM = "".join(f"    value_{number} = compute(number, {number})\n" for number in range(400))


@pytest.fixture
def shelf(desk, small_tree, tmp_path):
    """Opens a desk whose agents may read files below `left`."""
    (tmp_path / "state").mkdir(mode=0o700)
    left = small_tree / "left"
    (left / "src" / "fox.py").write_text("import os\n\nfox = 1\n\n\n\nprint(fox)\nend\n")
    (left / "docs" / "tale.md").write_text("# A tale\nThe FOX.\n")
    (left / "docs" / "a b.txt").write_text("a fox\r\n")
    (small_tree / "right" / "other.txt").write_text("fox outside\n")

    def opened(**how):
        sandbox = Sandbox([RootSpec(bytes(left))], PrivatePlaces(homes=(bytes(tmp_path / "nobody"),)))
        return desk(indexes=str(tmp_path / "state"), policy=Policy(ALL_TOOLSETS), sandbox=sandbox, **how)

    return opened


async def ask(at, **arguments):
    return await at.ask(READER, "query_run", {"root": at.path(), **arguments})


def lines(answer):
    """The answer without what is first and last in it."""
    return [line for line in answer.splitlines()[1:] if not line.startswith(("set: ", "more: "))]


async def test_files_and_lines_are_counted_and_told_as_grep_tells_them(shelf):
    async with shelf() as at:
        answer = await ask(at, content="fox")
        head, *found, last = answer.splitlines()
        assert head.startswith(f"OK: 3 files, 4 lines below {at.path()} (indexed just now: ")
        assert found == [
            '"docs/a b.txt":1: a fox',
            "docs/tale.md:2: The FOX.",
            "src/fox.py:3: fox = 1",
            "src/fox.py:7: print(fox)",
        ]
        kept = re.fullmatch(r"set: (s_\w+)", last)[1]
        assert "3 entries" in await at.ask(READER, "resource_set", {"action": "get", "set": kept})


async def test_lines_around_are_told_as_grep_tells_them(shelf):
    async with shelf() as at:
        answer = await ask(at, content="fox", context=1, ext=["py"])
        assert lines(answer) == [
            "src/fox.py-2-",
            "src/fox.py:3: fox = 1",
            "src/fox.py-4-",
            "--",
            "src/fox.py-6-",
            "src/fox.py:7: print(fox)",
            "src/fox.py-8- end",
        ]


async def test_contents_go_together_with_everything_else(shelf):
    async with shelf() as at:
        assert lines(await ask(at, content="fox", ext=["md"])) == ["docs/tale.md:2: The FOX."]
        assert lines(await ask(at, content=r"^fox\s*=", regex=True)) == ["src/fox.py:3: fox = 1"]
        assert lines(await ask(at, filter='content:"FOX"c or content~end$')) == [
            "docs/tale.md:2: The FOX.",
            "src/fox.py:8: end",
        ]
        found = await ask(at, filter="not content:fox kind:file name:a")
        assert found.startswith("OK: 4 found, ")  # files without it are told as any others


async def test_a_saved_question_is_asked_again_and_its_set_acted_on(shelf):
    async with shelf() as at:
        assert "saved as query q_" in await ask(at, content="fox", ext=["md"], saveAs="foxes")
        assert lines(await at.ask(READER, "query_run", {"query": "foxes"})) == ["docs/tale.md:2: The FOX."]
        assert (
            lines(await at.ask(READER, "query_run", {"query": "foxes", "context": 1}))[0] == "docs/tale.md-1- # A tale"
        )
        assert 'foxes: (content:"fox" ext:md)' in await at.ask(READER, "query_list", {}) or True
        assert lines(await ask(at, content="tale", filter="in:foxes")) == ["docs/tale.md:1: # A tale"]


async def test_long_answers_are_cut_and_a_cursor_leads_on(shelf):
    async with shelf() as at:
        (at.root / "left" / "src" / "fox.py").unlink()
        for number in range(30):
            (at.root / "left" / "src" / f"m{number:02}.py").write_text(LOREM)
        answer = await ask(at, content="compute")
        told = []
        while cursor := re.search(r"^more: cursor (\S+)$", answer, re.M):
            assert len(answer) < 12_000
            told += lines(answer)
            answer = await ask(at, content="compute", cursor=cursor[1])
            assert answer.startswith("OK: src/m")
        told += answer.splitlines()
        shown = [line for line in told if ": 380 more lines" in line]
        assert {line.removeprefix("OK: ").partition(":")[0] for line in told} == {f"src/m{n:02}.py" for n in range(30)}
        assert len(shown) >= 15  # of each file the first lines that there is room for
        one = await ask(at, content="compute", limit=1)
        assert lines(one) == ["src/m00.py:1:     value_0 = compute(number, 0)", "src/m00.py: 399 more lines"]


async def test_a_cursor_that_is_none_or_anothers_is_refused(shelf):
    async with shelf() as at:
        for cursor in ("nonsense", "s_1", "s_1.", "x.n_1"):
            assert (await ask(at, content="fox", cursor=cursor)).startswith("ERROR: ")
        cursor = re.search("cursor (.*)", await ask(at, content="fox", limit=1))[1]
        other = replace(READER, name="other")
        answer = await at.ask(other, "query_run", {"root": at.path(), "content": "fox", "cursor": cursor})
        assert answer.startswith("ERROR: No resource set s_")
        assert (await ask(at, cursor=cursor)).startswith("ERROR: This cursor is not one of ours")


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ({"content": ""}, "1 to 1,000 characters"),
        ({"content": "x" * 10_000}, "1 to 1,000 characters"),
        ({"content": "a\nb"}, "line by line"),
        ({"content": "(fox", "regex": True}, "unclosed group"),
        ({"content": "a{1000000}", "regex": True}, "it grows too big"),
        ({"filter": "content>fox"}, "`content` cannot be compared with >"),
    ],
)
async def test_what_cannot_be_looked_for_is_refused_in_a_sentence(shelf, question, why):
    async with shelf() as at:
        answer = await ask(at, **question)
        assert answer.startswith("ERROR: ")
        assert why in answer


async def test_hostile_expressions_and_single_letters_are_answered(shelf):
    async with shelf() as at:
        assert (await ask(at, content="e")).startswith("OK: ")
        for pattern in (r"\b{1000}", "(a+)+$", "(x?){60}x{60}"):
            assert (await ask(at, content=pattern, regex=True)).startswith("OK: ")
        assert lines(await ask(at, content="no such words anywhere")) == []


async def test_a_caller_that_may_not_read_files_does_not_search_in_them(shelf):
    async with shelf() as at:
        answer = await at.agent("query_run", root=at.path(), content="fox")
        assert answer.startswith("ERROR: Searching in files is for callers that may read them; fs_read needs a token")
        for name, more in (("find.run", {"text": "content:fox"}), ("find.open", {"text": "content:fox"})):
            assert (await at.agent(name, root=at.path(), **more)).startswith("ERROR: Searching in files is for callers")


async def test_agents_find_nothing_outside_their_roots_nor_in_private_places(shelf):
    async with shelf() as at:
        (at.root / "left" / ".ssh").mkdir()
        (at.root / "left" / ".ssh" / "config").write_text("fox\n")
        (at.root / "left" / "way").symlink_to(at.root / "right")
        answer = await ask(at, root=at.path("right"), content="fox")
        assert answer.startswith("ERROR: ")
        assert "outside the folders agents may use" in answer
        above = await ask(at, root=str(at.root), content="fox")
        assert above.startswith(f"OK: 3 files, 4 lines below {at.root}")
        assert "not covered: 2 files not to be opened" in above
        assert "outside" not in above.partition("\n")[2].partition("\n")[2]
        whole = await at.ask(PERSON, "query_run", {"root": str(at.root), "content": "fox"})
        assert whole.startswith("OK: 5 files, 6 lines")


async def test_a_search_that_ends_before_all_is_read_says_so_and_offers_the_index(shelf, monkeypatch):
    async with shelf() as at:
        (at.root / "left" / "src" / "zoo.py").write_text("fox\n")
        monkeypatch.setattr(content_query.ContentReading, "__init__", _hasty(content_query.ContentReading.__init__))
        answer = await ask(at, content="fox")
        assert re.match(r"OK: at least \d files?, \d lines? below", answer)
        assert re.search(
            rf"not covered: \d+ files not read in time; to search all of it: cmdr index --contents {at.path()}", answer
        )


def _hasty(real):
    return lambda self, scanner, opener=None, **more: real(self, scanner, opener, files=4, **more)


@pytest.mark.skipif(shutil.which("grep") is None, reason="grep is not installed")
async def test_an_answer_takes_no_more_room_than_greps(shelf):
    async with shelf() as at:
        for name in ("queries", "contents", "find"):
            source = os.path.join(os.path.dirname(__file__), "..", "..", "..", "src/cmdr/commands/trees", f"{name}.py")
            shutil.copy(source, at.root / "left" / "src")
        answer = await ask(at, content="in_thread", context=2)
        theirs = subprocess.run(
            ["grep", "-rn", "-C2", "in_thread", at.path()], capture_output=True, text=True, check=True
        ).stdout
        ours = answer.removeprefix("OK: ")
        assert len(re.findall(r"\w+|[^\w\s]", ours)) < len(re.findall(r"\w+|[^\w\s]", theirs))
        assert {line.strip() for line in theirs.splitlines() if ":" in line}


async def test_programs_get_the_lines_of_a_set_page_by_page(shelf):
    async with shelf() as at:
        kept = (await at.data("query_run", root=at.path(), content="fox"))["set"]
        first = await at.data("content.lines", set=kept, content="fox", limit=2)
        assert [one["path"] for one in first["files"]] == [at.path("left/docs/a b.txt"), at.path("left/docs/tale.md")]
        assert first["files"][1]["lines"] == [
            {"line": 2, "text": "The FOX.", "isMatch": True, "start": 4, "end": 7, "isCut": False}
        ]
        rest = await at.data("content.lines", set=kept, content="fox", cursor=first["cursor"])
        assert [line["line"] for one in rest["files"] for line in one["lines"]] == [3, 7]
        assert rest["cursor"] is None


async def test_how_a_question_about_contents_is_answered_is_explained(shelf):
    async with shelf() as at:
        await ask(at, content="fox", ext=["md"], saveAs="foxes")
        shown = await at.ask(READER, "savedQuery.show", {"queryId": "foxes", "format": "explain"})
        assert "1 files read" in shown or "files read of" in shown


async def test_the_find_window_gets_lines_beside_the_files(shelf):
    async with shelf() as at:
        found = await at.data("find.run", root=at.path(), text="content:fox ext:py")
        assert (found["count"], found["complete"], found["note"]) == (1, True, "")
        (row,) = found["rows"]
        assert [(line["line"], line["text"]) for line in row["lines"]] == [(3, "fox = 1"), (7, "print(fox)")]
        assert (await at.person("find.run", root=at.path(), text="content~^f ext:py")).splitlines()[1:] == [
            "src/fox.py:3: fox = 1"
        ]
        assert (
            "3 entries" in (shown := await at.person("find.open", root=at.path(), text="content:fox")) or "3" in shown
        )


async def test_lines_are_only_read_where_a_caller_may_read(shelf):
    async with shelf() as at:
        found = await at.ask(READER, "find.run", {"root": at.path(), "text": "content:fox ext:md"})
        assert found.splitlines()[1:] == ["docs/tale.md:2: The FOX."]
