"""An edit that an agent proposes is shown to the person, and written only when they say so, over nothing else."""

import asyncio
import contextlib
import hashlib
import json

import pytest

from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.core.editing import reviews as reviews_module
from cmdr.core.errors import CommandError
from cmdr.core.proposals.proposal_store import ProposalStore
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec

AGENT = Principal("agent", "tester", token=True)
OTHER = Principal("agent", "other", token=True)


@contextlib.asynccontextmanager
async def opened(desk, tree):
    """A desk whose agents may use the whole tree."""
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(tree)),))) as at:
        at.file = tree / "left" / "hello.py"
        at.file.write_text("one\ntwo\nthree\n")
        yield at


async def proposed(at, principal=AGENT, **arguments):
    """A call that waits, and the review it waits for."""
    known = {case.id for case in at.commander.editor.reviews.waiting}
    if "old_file_path" not in arguments:
        arguments.setdefault("path", str(at.file))
    call = asyncio.create_task(at.commander.run(principal, "open_diff", arguments))
    rev = at.commander.events.rev
    while True:
        new = [case for case in at.commander.editor.reviews.waiting if case.id not in known]
        if new:
            return call, new[0]
        if call.done():
            call.result()
        with contextlib.suppress(TimeoutError):
            rev = await asyncio.wait_for(at.commander.events.beyond(rev), 0.1)


def accept(at, case, **more):
    return at.person("review.accept", review=case.id, digest=case.review.digest, **more)


async def test_an_accepted_edit_is_saved_and_can_be_undone(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.chmod(0o755)
        call, case = await proposed(at, contents="one\n2\nthree\n")
        assert at.file.read_text() == "one\ntwo\nthree\n"
        assert await accept(at, case) == f"OK: Accepted {at.file}"
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert at.file.read_text() == "one\n2\nthree\n"
        assert at.file.stat().st_mode & 0o777 == 0o755
        await at.person("undo")
        (undo,) = at.commander.proposals.pending()
        await at.person("approve", proposal=undo.id, digest=undo.plan.digest)
        await at.commander.jobs.finished(at.commander.jobs.all()[-1])
        assert at.file.read_text() == "one\ntwo\nthree\n"


async def test_an_agent_whose_call_was_cut_finds_its_review_in_the_state_and_nobody_elses(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="nothing\n")
        assert f"{case.id} {at.file}" in await at.ask(AGENT, "state", {"limit": 0})
        assert case.id not in await at.ask(OTHER, "state", {"limit": 0})
        await at.person("review.reject", review=case.id)
        await call
        assert case.id not in await at.ask(AGENT, "state", {"limit": 0})


async def test_a_rejected_edit_leaves_the_file_alone(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="nothing\n")
        assert (await at.person("review.reject", review=case.id)).startswith("OK: Rejected the edit of ")
        assert await call == "OK: DIFF_REJECTED"
        assert at.file.read_text() == "one\ntwo\nthree\n"
        assert await accept(at, case) == "ERROR: This edit was already rejected."


async def test_edits_are_applied_to_the_file_as_it_stands(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.write_bytes(b"one\r\ntwo\r\nthree\r\n")
        call, case = await proposed(at, edits=[{"old": "two\n", "new": "zwei\n"}, {"old": "three", "new": "drei"}])
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert at.file.read_bytes() == b"one\r\nzwei\r\ndrei\r\n"


async def test_an_edit_that_fits_nowhere_or_twice_is_refused_at_once(desk, small_tree):
    async with opened(desk, small_tree) as at:
        assert (await at.ask(AGENT, "open_diff", {"path": str(at.file), "edits": [{"old": "x", "new": "y"}]})) == (
            "ERROR: Edit 1: its old text does not stand in the file; read the file again and copy it."
        )
        assert (await at.ask(AGENT, "open_diff", {"path": str(at.file), "edits": [{"old": "o", "new": "0"}]})) == (
            "ERROR: Edit 1: its old text stands in 2 places; add lines around it."
        )
        assert (await at.ask(AGENT, "open_diff", {"path": str(at.file), "edits": ["x"]})) == (
            'ERROR: "edits" must be a list of {old, new, path?}, not a list.'
        )


async def test_the_answer_carries_what_the_person_made_of_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="one\n2\nthree\n")
        await at.person("review.edit", review=case.id, text="one\nzwei\nthree\n")
        await accept(at, case)
        assert await call == "OK: FILE_SAVED, operation 1, changed by the person to:\none\nzwei\nthree\n"
        assert at.file.read_text() == "one\nzwei\nthree\n"


async def test_of_a_long_text_the_answer_carries_what_differs_from_the_proposal(desk, small_tree):
    async with opened(desk, small_tree) as at:
        lines = [f"line {number}\n" for number in range(400)]
        at.file.write_text("".join(lines))
        edits = [{"old": "line 10\n", "new": "LINE TEN\n"}, {"old": "line 390\n", "new": "LINE LATE\n"}]
        call, case = await proposed(at, edits=edits)
        await at.person("review.hunk", review=case.id, hunk=1, decision="rejected")
        await accept(at, case)
        assert await call == (
            "OK: FILE_SAVED, operation 1, changed by the person as in this patch:\n--- proposed\n+++ saved\n"
            "@@ -10,3 +10,3 @@\n line 9\n-LINE TEN\n+line 10\n line 11\n"
        )
        call, case = await proposed(at, edits=[{"old": "line 20\n", "new": "x"}])
        await at.person("review.edit", review=case.id, text="\n".join(f"another {number}" for number in range(400)))
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation 2, changed by the person in many places (")


async def test_single_changes_are_decided_one_by_one(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.write_text("a\nb\nc\nd\ne\n")
        call, case = await proposed(at, contents="A\nb\nc\nd\nE\n")
        assert await at.person("review.hunk", review=case.id, hunk=1, decision="rejected") == "OK: Change 1 is rejected"
        await accept(at, case)
        assert "changed by the person" in await call
        assert at.file.read_text() == "a\nb\nc\nd\nE\n"
        assert await at.person("review.hunk", review=case.id, hunk=9, decision="rejected") == (
            "ERROR: This edit was already accepted."
        )


async def test_a_file_that_changed_meanwhile_is_merged_and_shown_again(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.write_text("a\nb\nc\nd\ne\n")
        call, case = await proposed(at, contents="A\nb\nc\nd\ne\n")
        at.file.write_text("a\nb\nc\nd\nE\n")
        assert await accept(at, case) == (
            f"ERROR: {at.file} changed on disk meanwhile. Look at the edit again, then answer."
        )
        assert not call.done()
        assert case.review.result_text == "A\nb\nc\nd\nE\n"
        await accept(at, case)
        assert "A\nb\nc\nd\nE\n" in await call


async def test_a_conflict_stands_until_the_person_settles_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="one\nagent\nthree\n")
        at.file.write_text("one\nperson\nthree\n")
        await accept(at, case)
        assert len(case.review.merge.conflicts) == 1
        assert "choose a side there first" in await accept(at, case)
        assert at.file.read_text() == "one\nperson\nthree\n"
        await at.person("review.conflict", review=case.id, conflict=1, choice="both")
        await accept(at, case)
        await call
        assert at.file.read_text() == "one\nperson\nagent\nthree\n"


async def test_an_answer_counts_only_for_what_was_shown(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="one\n2\nthree\n")
        seen = case.review.digest
        await at.person("review.edit", review=case.id, text="else\n")
        answer = await at.person("review.accept", review=case.id, digest=seen)
        assert answer == "ERROR: This edit has changed since it was shown; look at it again."
        await at.person("review.reject", review=case.id)
        await call


async def test_a_new_file_is_made_and_one_that_appeared_meanwhile_is_not_overwritten(desk, small_tree):
    async with opened(desk, small_tree) as at:
        new = small_tree / "left" / "new.txt"
        call, case = await proposed(at, path=str(new), contents="fresh")
        assert case.review.is_new_file
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert new.read_text() == "fresh"
        other = small_tree / "left" / "other.txt"
        call, case = await proposed(at, path=str(other), contents="mine")
        other.write_text("theirs")
        assert "changed on disk meanwhile" in await accept(at, case)
        assert other.read_text() == "theirs"
        await at.person("review.reject", review=case.id)
        assert await call == "OK: DIFF_REJECTED"


async def test_an_edit_can_rename_the_file_too(desk, small_tree):
    async with opened(desk, small_tree) as at:
        to = small_tree / "left" / "docs" / "bye.py"
        call, case = await proposed(at, newPath=str(to), contents="bye\n")
        await accept(at, case)
        assert await call == "OK: FILE_SAVED, operations 1 and 2"
        assert to.read_text() == "bye\n"
        assert not at.file.exists()


async def test_a_taken_new_name_is_told_before_anything_is_written(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, newPath=str(small_tree / "left" / "README.md"), contents="bye\n")
        assert "exists already" in await accept(at, case)
        assert at.file.read_text() == "one\ntwo\nthree\n"
        await at.person("review.reject", review=case.id)
        await call


async def test_encodings_and_the_missing_last_newline_are_kept(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.write_bytes(b"\xef\xbb\xbfone\r\ntwo")
        call, case = await proposed(at, contents="one\nzwei")
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert at.file.read_bytes() == b"\xef\xbb\xbfone\r\nzwei"


async def test_binary_and_huge_and_outside_and_private_are_refused_clearly(desk, small_tree):
    async with opened(desk, small_tree) as at:
        at.file.write_bytes(b"\0\1\2")
        ask = lambda **arguments: at.ask(AGENT, "open_diff", {"path": str(at.file), "contents": "x", **arguments})  # noqa: E731
        assert "is binary" in await ask()
        at.file.write_text("x\n")
        assert "larger than 8 MiB" in await ask(contents="x" * (8 * 2**20 + 1))
        assert (await ask(path="/etc/hosts")).startswith("ERROR: ")
        (small_tree / "left" / ".ssh").mkdir()
        assert "private" in await ask(path=str(small_tree / "left" / ".ssh" / "config"))
        assert (await ask(contents="x\n")) == "ERROR: The edit changes nothing."
        assert (await at.ask(AGENT, "open_diff", {"path": str(at.file)})).startswith("ERROR: open_diff needs")
        assert not at.commander.editor.reviews.waiting


async def test_a_link_is_followed_inside_the_roots_and_the_person_sees_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        link = small_tree / "left" / "link.py"
        link.symlink_to("hello.py")
        call, case = await proposed(at, path=str(link), contents="linked\n")
        assert case.link == bytes(link)
        assert case.review.path == bytes(at.file)
        await accept(at, case)
        await call
        assert link.is_symlink()
        assert at.file.read_text() == "linked\n"


async def test_a_protected_file_takes_a_typed_word(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, path=str(small_tree / "left" / "CLAUDE.md"), contents="be good\n")
        assert 'type the word "write"' in await accept(at, case)
        assert await accept(at, case, word="write") == f"OK: Accepted {small_tree / 'left' / 'CLAUDE.md'}"
        assert (await call).startswith("OK: FILE_SAVED, operation ")


async def test_claude_codes_own_names_of_the_parameters_work_over_mcp_too(desk, small_tree):
    async with opened(desk, small_tree) as at:
        arguments = {"old_file_path": str(at.file), "new_file_path": str(at.file), "new_file_contents": "x\n"}
        call, case = await proposed(at, tab_name="Tidy up", **arguments)
        assert case.review.tab == "Tidy up"
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation ")


async def test_what_the_agent_calls_an_edit_is_told_where_it_says_more_than_the_name(desk, small_tree):
    async with opened(desk, small_tree) as at:
        for title, told in (("Tidy\x1b[31m up", "Tidy\\u{1b}[31m up"), ("✻ hello.py (12ab)", ""), ("", "")):
            call, case = await proposed(at, contents="x\n", title=title)
            assert case.title == told
            shown = json.loads(await at.person("review.show", review=case.id))
            assert shown["title"] == case.title
            await at.person("review.reject", review=case.id)
            await call


async def test_an_agent_saves_no_document_of_the_persons_unless_agents_may_write(desk, small_tree):
    """It wrote the person's unsaved text, unasked."""
    async with opened(desk, small_tree) as at:
        at.commander.policy.toolsets |= {"ide"}
        with pytest.raises(CommandError, match="Only the person saves it"):
            await at.commander.run(AGENT, "save_document", {"filePath": str(at.file)})


async def test_an_agent_can_neither_answer_nor_see_what_is_not_its_own(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="x\n")
        for name, more in (("review.accept", {"digest": case.review.digest}), ("review.reject", {}), ("reviews", None)):
            arguments = {} if more is None else {"review": case.id, **more}
            with pytest.raises(CommandError, match="for the person only"):
                await at.commander.run(AGENT, name, arguments)
        with pytest.raises(CommandError, match="No review"):
            await at.commander.run(OTHER, "await", {"review": case.id, "timeout": 0})
        still = await at.commander.run(AGENT, "await", {"review": case.id, "timeout": 0})
        assert still == f"OK: still waiting for the person.\nreview: {case.id} (await it)"
        await at.person("review.reject", review=case.id)
        await call
        assert await at.commander.run(AGENT, "await", {"review": case.id}) == "OK: DIFF_REJECTED"
        assert await at.commander.run(AGENT, "await", {"proposal": case.id}) == "OK: DIFF_REJECTED"


async def test_two_agents_wait_side_by_side_each_for_its_own(desk, small_tree):
    async with opened(desk, small_tree) as at:
        one, first = await proposed(at, contents="1\n")
        two, second = await proposed(at, OTHER, path=str(small_tree / "right" / "other.txt"), contents="2\n")
        listed = await at.person("reviews")
        assert listed.index("tester") < listed.index("other")
        await accept(at, second)
        assert (await two).startswith("OK: FILE_SAVED, operation ")
        assert not one.done()
        await at.person("review.reject", review=first.id)
        assert await one == "OK: DIFF_REJECTED"


async def test_a_caller_that_leaves_takes_its_edit_with_it(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="1\n")
        call.cancel()
        await asyncio.wait({call})
        assert case.review.outcome.reason == "client gone"
        assert "already rejected" in await accept(at, case)


async def test_the_kill_switch_rejects_what_waits(desk, small_tree):
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="1\n")
        await at.person("agents.stop")
        with pytest.raises(CommandError, match="stopped all agents"):
            await call
        assert case.review.outcome is not None


async def test_an_edit_that_nobody_answers_ends(desk, small_tree, monkeypatch):
    monkeypatch.setattr(reviews_module, "UNATTENDED_LIFETIME_S", 0.0)
    async with opened(desk, small_tree) as at:
        answer = await at.ask(AGENT, "open_diff", {"path": str(at.file), "contents": "1\n"})
        assert answer == "OK: DIFF_REJECTED (time is up)"


async def test_too_many_waiting_edits_of_one_agent_are_refused(desk, small_tree):
    async with opened(desk, small_tree) as at:
        calls = [await proposed(at, contents=f"{number}\n") for number in range(5)]
        assert "already wait for the person" in await at.ask(AGENT, "open_diff", {"path": str(at.file), "contents": ""})
        for call, case in calls:
            await at.person("review.reject", review=case.id)
            await call


async def test_without_a_token_nothing_of_a_file_is_told(desk, small_tree):
    async with opened(desk, small_tree) as at:
        edits = {"path": str(at.file), "edits": [{"old": "two", "new": "2"}]}
        assert "needs a token" in await at.ask(SAME_USER, "open_diff", edits)
        assert "needs a token" in await at.ask(SAME_USER, "get_diagnostics", {})
        call, case = await proposed(at, SAME_USER, contents="whole\n")
        await at.person("review.edit", review=case.id, text="secret\n")
        await accept(at, case)
        assert await call == "OK: FILE_SAVED, operation 1, changed by the person (7 characters; read the file)"


async def test_a_file_with_unsaved_changes_is_not_reviewed(desk, small_tree):
    from cmdr.core.editing.text_files import text_now

    async with opened(desk, small_tree) as at:
        documents = at.commander.editor.documents
        buffer = documents.hold(bytes(at.file), await text_now(bytes(at.file)), None)
        documents.typed(buffer, "typed\n")
        answer = await at.ask(AGENT, "open_diff", {"path": str(at.file), "contents": "x\n"})
        assert "has unsaved changes" in answer


async def test_open_file_opens_a_viewer_and_selects(desk, small_tree):
    async with opened(desk, small_tree) as at:
        answer = await at.ask(AGENT, "open_file", {"filePath": str(at.file), "startText": "two", "endText": "three"})
        assert answer == f"OK: Opened file: {at.file}"
        assert at.workspace.dialogs[-1].path == bytes(at.file)
        found = at.commander.editor.documents.selection()
        assert found.text == "two\nthree"
        told = await at.ask(AGENT, "open_file", {"filePath": str(at.file), "makeFrontmost": False})
        assert json.loads(told.removeprefix("OK: ")) == {
            "success": True,
            "filePath": str(at.file),
            "languageId": "python",
            "lineCount": 4,
        }
        assert "startText was not found" in await at.ask(
            AGENT, "open_file", {"filePath": str(at.file), "startText": "four"}
        )


async def test_a_check_that_ran_out_of_time_is_not_told_as_clean(desk, small_tree, monkeypatch):
    monkeypatch.setattr("cmdr.commands.editor.review.PATIENT_TIMEOUT_S", 0.000001)
    async with opened(desk, small_tree) as at:
        bad = small_tree / "left" / "bad.json"
        bad.write_text('{"a": }\n')
        (told,) = json.loads((await at.ask(AGENT, "get_diagnostics", {"uri": f"file://{bad}"})).removeprefix("OK: "))
        assert "Ask again" in told["note"]


async def test_diagnostics_name_the_place_and_forget_nothing(desk, small_tree):
    async with opened(desk, small_tree) as at:
        bad = small_tree / "left" / "bad.json"
        bad.write_text('{"a": }\n')
        answer = await at.ask(AGENT, "get_diagnostics", {"uri": f"file://{bad}"})
        (told,) = json.loads(answer.removeprefix("OK: "))
        assert told["uri"] == f"file://{bad}"
        assert told["diagnostics"][0]["severity"] == "Error"
        assert "note" not in told
        assert (
            json.loads((await at.ask(AGENT, "get_diagnostics", {})).removeprefix("OK: "))[0]["uri"] == f"file://{bad}"
        )
        assert (await at.ask(AGENT, "get_diagnostics", {"uri": "file:///etc/hosts"})).startswith("ERROR: ")


async def test_the_engine_refuses_to_write_over_a_file_it_did_not_expect(desk, small_tree):
    """The last moment: the file changes after the plan was made, and nothing is lost."""
    async with opened(desk, small_tree) as at:
        call, case = await proposed(at, contents="agent\n")
        saving = at.commander.editor.reviews._save
        plan = saving.plan

        async def plan_then_change(case):
            made = await plan(case)
            at.file.write_text("changed in the last moment\n")
            return made

        saving.plan = plan_then_change
        assert (await accept(at, case)).startswith("ERROR: Accepted, but not saved: ")
        with pytest.raises(CommandError, match="not saved"):
            await call
        assert at.file.read_text() == "changed in the last moment\n"
        assert hashlib.sha256(b"changed in the last moment\n").hexdigest() != case.review.base.digest


async def test_a_new_file_makes_the_folders_it_needs(desk, small_tree):
    async with opened(desk, small_tree) as at:
        new = small_tree / "left" / "new" / "deep" / "file.py"
        call, case = await proposed(at, path=str(new), contents="x = 1\n")
        await accept(at, case)
        assert (await call).startswith("OK: FILE_SAVED, operation ")
        assert new.read_text() == "x = 1\n"
        secret = await at.ask(AGENT, "open_diff", {"path": str(small_tree / "left/.ssh/a/b"), "contents": "x"})
        assert secret.startswith("ERROR: ")


@contextlib.asynccontextmanager
async def kept_run(desk, tree, state):
    """A desk that keeps what agents propose; opened again, it is the next run of the program."""
    state.mkdir(mode=0o700, exist_ok=True)
    async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(tree)),)), kept=ProposalStore(str(state))) as at:
        at.file = tree / "left" / "hello.py"
        yield at


async def test_an_edit_outlives_the_program_with_its_digest_and_is_accepted_then(desk, small_tree, tmp_path):
    (small_tree / "left" / "hello.py").write_text("one\ntwo\nthree\n")
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        call, case = await proposed(at, contents="one\n2\nthree\n")
        at.commander.quitting.set()
        at.commander.end_agent_calls()
        with contextlib.suppress(CommandError, asyncio.CancelledError):
            await call
        assert case in at.commander.editor.reviews.waiting
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        (again,) = at.commander.editor.reviews.waiting
        assert (again.id, again.owner, again.review.digest) == (case.id, AGENT.id, case.review.digest)
        assert (again.since, again.expires_at) == (case.since, pytest.approx(case.expires_at, abs=60))
        with pytest.raises(CommandError, match="No review"):
            await at.commander.run(OTHER, "await", {"review": case.id})
        waiting = asyncio.ensure_future(at.commander.run(AGENT, "await", {"proposal": case.id}))
        assert await accept(at, again) == f"OK: Accepted {at.file}"
        assert (await waiting).startswith("OK: FILE_SAVED")
        assert at.file.read_text() == "one\n2\nthree\n"
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        assert at.commander.services.waiting_reviews() == ()
        assert at.commander.proposals.ended.all() == []


async def test_an_edit_that_was_left_by_its_client_or_expired_is_told_until_seen(desk, small_tree, tmp_path):
    (small_tree / "left" / "hello.py").write_text("one\n")
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        call, gone = await proposed(at, contents="two\n")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        call, late = await proposed(at, contents="three\n")
        at.commander.editor.reviews.end(late, "time is up")
        assert await call == "OK: DIFF_REJECTED (time is up)"
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        told = {one.id: (one.what, one.how) for one in at.commander.proposals.ended.all()}
        assert told == {
            gone.id: (f"Edit {at.file}", "withdrawn before you answered"),
            late.id: (f"Edit {at.file}", "expired without an answer"),
        }


async def test_an_edit_that_expired_while_cmdr_was_off_is_told(desk, small_tree, tmp_path, monkeypatch):
    (small_tree / "left" / "hello.py").write_text("one\n")
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        call, case = await proposed(at, contents="two\n")
        at.commander.quitting.set()
        at.commander.end_agent_calls()
        with contextlib.suppress(CommandError, asyncio.CancelledError):
            await call
    monkeypatch.setattr(reviews_module, "UNATTENDED_LIFETIME_S", 0.0)
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        while not (ended := at.commander.proposals.ended.all()):
            await at.commander.events.beyond(at.commander.events.rev)
        assert [one.id for one in ended] == [case.id]
        assert at.commander.editor.reviews.waiting == ()


async def test_edits_that_are_being_kept_count_too(desk, small_tree, tmp_path):
    async with kept_run(desk, small_tree, tmp_path / "state") as at:
        at.file.write_text("one\n")
        asked = {"path": str(at.file), "contents": "two\n"}
        calls = [asyncio.create_task(at.ask(AGENT, "open_diff", {**asked, "title": str(n)})) for n in range(8)]
        while len(done := [call for call in calls if call.done()]) < 3:
            await at.commander.events.beyond(at.commander.events.rev)
        assert {call.result() for call in done} == {
            "ERROR: 5 of your edits already wait for the person. Await one, then repeat."
        }
        assert len(at.commander.editor.reviews.waiting) <= 5
        for case in at.commander.editor.reviews.waiting:
            await at.person("review.reject", review=case.id, reason="enough")
        assert 'OK: DIFF_REJECTED: "enough"' in await asyncio.gather(*calls)


async def test_an_edit_of_a_file_that_is_not_there_says_so_and_what_to_do(desk, small_tree):
    async with opened(desk, small_tree) as at:
        path = str(small_tree / "left" / "nowhere.md")
        answer = await at.ask(AGENT, "open_diff", {"path": path, "edits": [{"old": "a", "new": "b"}]})
        assert answer == (
            f'ERROR: {path} does not exist, so there is nothing to replace. Check the path, or give "contents".'
        )
