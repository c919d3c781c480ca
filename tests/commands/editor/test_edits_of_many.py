"""Edits of many files are one proposal with one review and one answer, written as one operation and undone as one."""

import asyncio
import contextlib
import random

import pytest

from cmdr.core.dispatch.principals import PERSON, SAME_USER, Principal
from cmdr.core.errors import CommandError
from cmdr.core.proposals.proposal_store import ProposalStore
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.text_format import write_text

AGENT = Principal("agent", "tester", token=True)
NAMES = ("a.py", "b.py", "c.py")


@contextlib.asynccontextmanager
async def opened(desk, tree):
    """A desk with three files of five lines each."""
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(tree)),))) as at:
        at.left = tree / "left"
        at.files = [at.left / name for name in NAMES]
        for file in at.files:
            file.write_text("one\ntwo\nthree\nfour\nfive\n")
        yield at


def edits(at, *lines):
    """Lines of every file, each in capitals."""
    return [{"path": str(file), "old": line, "new": line.upper()} for file in at.files for line in lines]


async def proposed(at, command="open_diff", principal=AGENT, **arguments):
    """A call that waits, and the review it waits for."""
    known = {case.id for case in at.commander.editor.reviews.waiting}
    call = asyncio.create_task(at.commander.run(principal, command, arguments))
    rev = at.commander.events.rev
    while True:
        new = [case for case in at.commander.editor.reviews.waiting if case.id not in known]
        if new:
            return call, new[0]
        if call.done():
            raise AssertionError(call.result())
        with contextlib.suppress(TimeoutError):
            rev = await asyncio.wait_for(at.commander.events.beyond(rev), 0.1)


def accept(at, case, **more):
    return at.person("review.accept", review=case.id, digest=case.review.digest, **more)


async def undone(at):
    await at.person("undo")
    (undo,) = at.commander.proposals.pending()
    await at.person("approve", proposal=undo.id, digest=undo.plan.digest)
    await at.commander.jobs.finished(at.commander.jobs.all()[-1])


async def test_edits_of_three_files_are_one_review_one_operation_and_one_undo(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.files[1].write_bytes(b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n")
        at.files[2].write_bytes("one\ntwo\nthree\nfour\nfive\né".encode("latin-1"))
        at.files[2].chmod(0o755)
        before = [file.read_bytes() for file in at.files]
        call, case = await proposed(at, edits=edits(at, "one", "five"), title="capitals")
        assert len(at.commander.editor.reviews.waiting) == 1
        assert case.subject == "3 files"
        assert [file.read_bytes() for file in at.files] == before
        assert await accept(at, case) == "OK: Accepted 3 files"
        assert await call == "OK: FILES_SAVED: 3 files, 6 changes, operation 1"
        assert at.files[1].read_bytes() == b"ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n"
        assert at.files[2].read_bytes() == "ONE\ntwo\nthree\nfour\nFIVE\né".encode("latin-1")
        assert at.files[2].stat().st_mode & 0o777 == 0o755
        await undone(at)
        assert [file.read_bytes() for file in at.files] == before
        assert at.files[2].stat().st_mode & 0o777 == 0o755


async def test_the_answer_names_only_what_was_not_taken_as_proposed(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one", "five"))
        assert await at.person("review.hunk", review=case.id, file=1, hunk=2, decision="rejected") == (
            "OK: Change 2 is rejected"
        )
        assert await at.person("review.file", review=case.id, file=2, decision="rejected") == "OK: File 2 is rejected"
        await accept(at, case)
        assert await call == (
            f"OK: FILES_SAVED: 2 of 3 files, 3 of 6 changes, operation 1\n{at.files[0]}: without change 2 of 2\n"
            f"{at.files[1]}: rejected"
        )
        assert [file.read_text() for file in at.files] == [
            "ONE\ntwo\nthree\nfour\nfive\n",
            "one\ntwo\nthree\nfour\nfive\n",
            "ONE\ntwo\nthree\nfour\nFIVE\n",
        ]


async def test_what_the_person_wrote_themselves_is_named_too(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        await at.person("review.edit", review=case.id, file=3, text="mine\n")
        await accept(at, case)
        told = await call
        assert told.endswith(f"\n{at.files[2]}: changed by the person; read it")
        assert at.files[2].read_text() == "mine\n"


async def test_a_file_that_changed_meanwhile_is_left_out_and_never_overwritten(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        at.files[1].write_text("somebody else's\n")
        assert await accept(at, case) == f"OK: Accepted 2 files; left out: {at.files[1]} (changed on disk)"
        assert await call == (
            f"OK: FILES_SAVED: 2 of 3 files, 2 of 3 changes, operation 1\n{at.files[1]}: changed on disk"
        )
        assert at.files[1].read_text() == "somebody else's\n"
        assert at.files[2].read_text().startswith("ONE\n")


async def test_when_all_files_changed_nothing_is_written_and_both_sides_hear_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        for file in at.files:
            file.write_text("else\n")
        assert await accept(at, case) == f"OK: Nothing was written: {at.files[0]} (changed on disk) and 2 more"
        assert await call == "OK: DIFF_REJECTED (changed on disk)"
        assert {file.read_text() for file in at.files} == {"else\n"}


async def test_a_rejection_leaves_every_file_and_carries_the_reason(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        assert (
            await at.person("review.reject", review=case.id, reason="not these") == "OK: Rejected the edit of 3 files"
        )
        assert await call == 'OK: DIFF_REJECTED: "not these"'
        assert {file.read_text() for file in at.files} == {"one\ntwo\nthree\nfour\nfive\n"}


async def test_rejecting_every_file_is_a_rejection(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        for file in (1, 2, 3):
            await at.person("review.file", review=case.id, file=file, decision="rejected")
        assert await accept(at, case) == "OK: Rejected: every change was"
        assert await call == "OK: DIFF_REJECTED"


async def test_what_is_accepted_is_what_was_shown(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        shown = case.review.digest
        await at.person("review.file", review=case.id, file=1, decision="rejected")
        assert await at.person("review.accept", review=case.id, digest=shown) == (
            "ERROR: This edit has changed since it was shown; look at it again."
        )
        await at.person("review.reject", review=case.id)
        await call


async def test_one_edit_that_fits_nowhere_keeps_all_from_being_proposed(desk, small_tree):
    async with opened(desk, small_tree) as at:
        some = edits(at, "one")
        some[1]["old"] = "nowhere"
        assert await at.ask(AGENT, "open_diff", {"edits": some}) == (
            "ERROR: Edit 2: its old text does not stand in the file; read the file again and copy it."
        )
        assert at.commander.editor.reviews.waiting == ()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, 'open_diff needs "path" with "contents", or "edits" as [{path, old, new}].'),
        ({"edits": [{"old": "a", "new": "b"}]}, 'Edit 1 of open_diff needs a "path".'),
        (
            {"contents": "x", "edits": [{"path": "a", "old": "a", "new": "b"}, {"path": "b", "old": "a", "new": "b"}]},
            'Of many files open_diff takes "edits" alone, each with its path.',
        ),
    ],
)
async def test_what_is_missing_is_said(desk, small_tree, arguments, told):
    async with opened(desk, small_tree) as at:
        assert await at.ask(AGENT, "open_diff", arguments) == f"ERROR: {told}"


async def test_a_file_that_is_missing_is_named_with_the_way_to_make_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        some = [*edits(at, "one"), {"path": str(at.left / "new.py"), "old": "x", "new": "y"}]
        assert await at.ask(AGENT, "open_diff", {"edits": some}) == (
            f"ERROR: {at.left / 'new.py'} does not exist, so there is nothing to replace. "
            'Check the path, or give "contents".'
        )


async def test_a_new_file_among_them_is_made_and_undone_with_the_others(desk, small_tree):
    async with opened(desk, small_tree) as at:
        new = at.left / "deep" / "er" / "new.py"
        call, case = await proposed(at, edits=[*edits(at, "one"), {"path": str(new), "old": "", "new": "made\n"}])
        await accept(at, case)
        assert await call == "OK: FILES_SAVED: 4 files, 4 changes, operation 1"
        assert new.read_text() == "made\n"
        await undone(at)
        assert not (at.left / "deep").exists()
        assert at.files[0].read_text().startswith("one\n")


async def test_a_new_file_whose_name_was_taken_meanwhile_is_left_out(desk, small_tree):
    async with opened(desk, small_tree) as at:
        new = at.left / "new.py"
        call, case = await proposed(at, edits=[*edits(at, "one"), {"path": str(new), "old": "", "new": "made\n"}])
        new.write_text("theirs\n")
        await accept(at, case)
        assert (await call).endswith(f"\n{new}: is there by now")
        assert new.read_text() == "theirs\n"


async def test_edits_that_all_name_one_file_are_answered_like_an_edit_of_one(desk, small_tree):
    async with opened(desk, small_tree) as at:
        both = [
            {"path": str(at.files[0]), "old": "one", "new": "1"},
            {"path": str(at.files[0]), "old": "five", "new": "5"},
        ]
        call, case = await proposed(at, edits=both)
        await accept(at, case)
        assert await call == "OK: FILE_SAVED, operation 1"


async def test_one_file_under_two_spellings_is_refused(desk, small_tree):
    async with opened(desk, small_tree) as at:
        twice = [
            {"path": str(at.files[0]), "old": "one", "new": "1"},
            {"path": f"{at.left}/./a.py", "old": "five", "new": "5"},
        ]
        assert "is named twice" in await at.ask(AGENT, "open_diff", {"edits": twice})


async def test_a_protected_file_among_them_needs_the_word(desk, small_tree):
    async with opened(desk, small_tree) as at:
        hook = at.left / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(parents=True)
        hook.write_text("one\n")
        at.files.append(hook)
        call, case = await proposed(at, edits=edits(at, "one"))
        assert str(hook) in case.care
        assert (await accept(at, case)).endswith(': type the word "write" to accept.')
        assert (await accept(at, case, word="write")).startswith("OK: Accepted 4 files")
        await call


async def test_an_agent_without_a_token_does_not_learn_what_stands_in_files(desk, small_tree):
    async with opened(desk, small_tree) as at:
        for command, arguments in (
            ("open_diff", {"edits": edits(at, "one")}),
            ("replace", {"find": "one", "with": "1", "paths": [str(at.files[0])]}),
        ):
            assert "needs a token" in await at.ask(SAME_USER, command, arguments)


async def test_it_is_one_row_of_the_inbox_answered_there_too(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one", "five"), title="capitals")
        (row,) = at.commander.inbox.rows().rows
        assert (row.what, row.amount, row.reason) == (
            "Edit 3 files, 6 places",
            "6 changes, +6 -6 lines",
            "capitals",
        )
        assert f"{case.id} 3 files" in await at.ask(AGENT, "state", {"limit": 0})
        await at.person("inbox.answer", ids=[row.id], digests=[row.digest], answer="yes")
        assert (await call).startswith("OK: FILES_SAVED: 3 files")


async def test_at_a_prompt_it_is_one_patch(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, edits=edits(at, "one"))
        shown = (await at.commander.ask(PERSON, "review.show", {"review": case.id})).json
        assert (shown["path"], shown["amount"]) == ("3 files", "3 changes, 3 lines added, 3 lines removed")
        assert shown["patch"].count("--- ") == 3
        await at.person("review.reject", review=case.id)
        await call


async def test_it_outlives_a_restart_with_all_its_files(desk, small_tree, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    kept = lambda **more: desk(kept=ProposalStore(str(tmp_path / "state")), **more)  # noqa: E731
    async with opened(kept, small_tree) as at:
        at.files[1].write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
        made = {"path": str(at.left / "new.py"), "old": "", "new": "made\n"}
        call, case = await proposed(at, edits=[*edits(at, "one"), made], title="capitals")
        at.commander.quitting.set()
        at.commander.end_agent_calls()
        with contextlib.suppress(CommandError, asyncio.CancelledError):
            await call
    async with desk(
        engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),)), kept=ProposalStore(str(tmp_path / "state"))
    ) as at:
        (again,) = at.commander.editor.reviews.waiting
        assert (again.id, again.owner, again.review.digest, again.title) == (
            case.id,
            AGENT.id,
            case.review.digest,
            "capitals",
        )
        waiting = asyncio.ensure_future(at.commander.run(AGENT, "await", {"proposal": case.id}))
        assert await accept(at, again) == "OK: Accepted 4 files"
        assert await waiting == "OK: FILES_SAVED: 4 files, 4 changes, operation 1"
        assert (small_tree / "left" / "b.py").read_bytes() == b"\xef\xbb\xbfONE\r\ntwo\r\n"
        assert (small_tree / "left" / "new.py").read_text() == "made\n"


async def test_it_counts_as_one_edit_against_how_many_may_wait(desk, small_tree):
    async with opened(desk, small_tree) as at:
        calls = [(await proposed(at, edits=edits(at, "one")))[0] for _ in range(5)]
        assert "5 of your edits already wait" in await at.ask(AGENT, "open_diff", {"edits": edits(at, "one")})
        for case in at.commander.editor.reviews.waiting:
            await at.person("review.reject", review=case.id)
        await asyncio.gather(*calls)


async def test_too_many_files_are_refused_with_the_number(desk, small_tree):
    async with opened(desk, small_tree) as at:
        many = []
        for number in range(201):
            (at.left / f"f{number}").write_text("x\n")
            many.append({"path": str(at.left / f"f{number}"), "old": "x", "new": "y"})
        assert await at.ask(AGENT, "open_diff", {"edits": many}) == (
            "ERROR: 201 files are too many for one review; at most 200. Edit them in parts."
        )


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_part_is_accepted_undo_brings_every_byte_back(desk, small_tree, seed):
    draw = random.Random(seed)
    async with opened(desk, small_tree) as at:
        for file in at.files:
            end = draw.choice(["\n", "\r\n", "\r"])
            lines = [draw.choice(["old", "é", "", "keep old"]) + str(number) for number in range(draw.randrange(4, 30))]
            file.write_bytes(end.join(["old", *lines]).encode(draw.choice(["utf-8", "utf-16", "utf-8-sig", "latin-1"])))
        before = [file.read_bytes() for file in at.files]
        call, case = await proposed(at, "replace", find="old", **{"with": "new"}, paths=[*map(str, at.files)])
        for number, file in enumerate(case.files, start=1):
            for hunk in range(1, len(file.decisions) + 1):
                if draw.random() < 0.4:
                    await at.person("review.hunk", review=case.id, file=number, hunk=hunk, decision="rejected")
        case.files[0].decide(0, Decision.ACCEPTED)
        expected = [write_text(file.result_text, file.format) for file in case.files]
        await accept(at, case)
        assert (await call).startswith("OK: FILES_SAVED: ")
        assert [file.read_bytes() for file in at.files] == expected
        await undone(at)
        assert [file.read_bytes() for file in at.files] == before
