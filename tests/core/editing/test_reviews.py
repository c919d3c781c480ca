"""The core's reviews: one answer each, the folders that agents share, and parameters that are lists of objects."""

import asyncio
import os

import pytest

from cmdr.core.dispatch.parameter import Fields, Unlisted, bind, input_schema, parameters_of
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.editing.documents import Documents, Mention, Mentions
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.editing.reviews import new_review
from cmdr.core.editing.workspace_folders import folders_of
from cmdr.core.environment import BadSetting, Environment
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.model.texts.text_format import read_text


def add(commander, path, proposed, *, connection="ide:1", tab="tab"):
    reviews = commander.editor.reviews
    base = read_text(path.read_bytes()) if path.exists() else None
    review = new_review(
        reviews, connection=connection, agent="x", tab=tab, path=bytes(path), base=base, proposed=proposed
    )
    return reviews.add(ReviewRecord(review, "agent:x", saves=False))


async def test_the_first_answer_counts_also_when_two_come_at_once(core, tmp_path):
    async with core() as commander:
        case = add(commander, tmp_path / "a", "1")
        reviews = commander.editor.reviews
        answers = await asyncio.gather(
            reviews.accept(case.id, PERSON, case.review.digest),
            reviews.accept(case.id, PERSON, case.review.digest),
            return_exceptions=True,
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["CommandError", "ReviewRecord"]
        with pytest.raises(CommandError, match="already accepted"):
            reviews.reject(case.id, PERSON)


async def test_nobody_but_a_person_answers(core, tmp_path, agent):
    async with core() as commander:
        case = add(commander, tmp_path / "a", "1")
        reviews = commander.editor.reviews
        for answer in (lambda: reviews.reject(case.id, agent), lambda: reviews.edit(case.id, agent, "2")):
            with pytest.raises(NotAllowed):
                answer()
        with pytest.raises(NotAllowed):
            await reviews.accept(case.id, agent, case.review.digest)
        assert case in reviews.waiting


async def test_a_tab_that_is_opened_again_replaces_what_waited_in_it(core, tmp_path):
    async with core() as commander:
        first = add(commander, tmp_path / "a", "1")
        second = add(commander, tmp_path / "a", "2")
        assert first.review.outcome.reason == "replaced"
        assert commander.editor.reviews.waiting == (second,)
        assert commander.editor.reviews.unused_tab("ide:1", "tab") != "tab"


async def test_the_end_of_the_program_rejects_what_waits(core, tmp_path):
    async with core() as commander:
        case = add(commander, tmp_path / "a", "1")
    assert case.review.outcome.reason == "shutdown"
    assert case.over.is_set()


async def test_what_cannot_be_shown_is_refused_before_it_waits(core, tmp_path):
    async with core() as commander:
        with pytest.raises(CommandError, match="larger than 8 MiB"):
            add(commander, tmp_path / "a", "x" * (8 * 2**20 + 1))
        with pytest.raises(CommandError, match="binary"):
            add(commander, tmp_path / "a", "\0")
        assert commander.editor.reviews.waiting == ()


async def test_old_reviews_are_forgotten(core, tmp_path):
    async with core() as commander:
        reviews = commander.editor.reviews
        cases = [add(commander, tmp_path / "a", "1", tab=str(number)) for number in range(130)]
        for case in cases:
            reviews.reject(case.id, PERSON)
        reviews.close_tabs("ide:1")
        with pytest.raises(CommandError, match="No review"):
            reviews.get(cases[0].id, PERSON)
        assert reviews.get(cases[-1].id, PERSON) is cases[-1]


def test_workspace_folders_are_real_repositories_each_once(tmp_path):
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "a" / "b").mkdir(parents=True)
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "link").symlink_to(project / "a")
    paths = (project / "a" / "b", tmp_path / "link", plain, tmp_path / "gone", project)
    assert folders_of(tuple(map(bytes, paths))) == (bytes(project), bytes(plain))


async def test_folders_are_told_apart_by_their_whole_name(core, tmp_path):
    async with core() as commander:
        folders = commander.editor.folders
        left = os.path.realpath(bytes(tmp_path / "left"))
        assert folders.contains(left + b"/x")
        assert not folders.contains(left + b"-other/x")


def test_a_mention_that_nobody_hears_is_known():
    mentions = Mentions()
    assert not mentions.tell(Mention(b"/x"))
    heard = []
    stop = mentions.listen(lambda mention: not heard.append(mention))
    assert mentions.tell(Mention(b"/x", 0, 1))
    stop()
    assert heard == [Mention(b"/x", 0, 1)]


def test_a_list_of_objects_is_checked_and_an_unlisted_parameter_is_accepted():
    from typing import Annotated

    def function(call, *, edits: Annotated[list[dict[str, str]], Fields(("old", "new"))],
                 title: Annotated[str, Unlisted()] = ""):  # fmt: skip
        """For its signature."""

    parameters = parameters_of(function)
    assert list(input_schema(parameters)["properties"]) == ["edits"]
    good = [{"old": "a", "new": "b"}]
    assert bind(parameters, {"edits": good, "title": "t"}, "x") == {"edits": good, "title": "t"}
    for bad in ("a", ["a"], [{"old": "a"}], [{"old": "a", "new": 1}], [{"old": "a", "new": "b", "more": "c"}], {}):
        with pytest.raises(CommandError, match=r"a list of \{old, new\}"):
            bind(parameters, {"edits": bad}, "x")


def test_the_editor_socket_can_be_switched_off():
    assert Environment.read({}).ide
    assert not Environment.read({"CMDR_IDE_ENABLED": "false"}).ide
    with pytest.raises(BadSetting):
        Environment.read({"CMDR_IDE_ENABLED": "maybe"})


async def test_a_document_goes_with_its_viewer(core, tmp_path):
    async with core() as commander:
        documents: Documents = commander.editor.documents
        file = tmp_path / "left" / "a.txt"
        file.write_text("one\ntwo\n")
        await documents.open_file(bytes(file), "agent:x", "two", None, to_end_of_line=False, front=True)
        assert documents.selection().text == "two"
        commander.workspace.close_dialog(commander.workspace.dialogs[-1])
        assert documents.selection() is None
        assert documents.latest_selection().text == "two"
        assert documents.is_dirty(bytes(file)) is None
