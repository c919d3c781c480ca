"""The folder in which proposals are kept: whole files of the person's own, or nothing; what is damaged is put aside."""

import errno
import os
from dataclasses import replace

import pytest

from cmdr.core import places
from cmdr.core.proposals import proposal_store
from cmdr.core.proposals.ended_proposals import EndedProposal
from cmdr.core.proposals.kept_forms import KeptEdit, KeptProposal, encode
from cmdr.core.proposals.proposal_store import NotKept, ProposalStore
from cmdr.engine.plan.new_plan import plan_mkfile
from cmdr.model.plans.command_plan import CommandPlan
from cmdr.model.plans.plan import Verb

EDIT = KeptEdit(
    "r_123456789012", "agent:a", 1.0, 9.0, "A", "tab", b"/nowhere/a", b"/nowhere/a", None, "new\n", "", None, ""
)
EDIT = replace(EDIT, digest=EDIT.review().digest)
ENDED = [EndedProposal("p_1", "agent:a", "Copy", "expired", 3.0)]


def proposal(id="p_123456789012", since=2.0, by="agent:a"):
    return KeptProposal(id, by, "", since, 9.0, CommandPlan(Verb.RUN, (), command=f"echo {id}"))


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def store(state):
    return ProposalStore(str(state))


def names(state):
    return sorted(os.listdir(state / "proposals"))


def test_what_is_kept_is_found_again_oldest_first_and_nobody_else_can_read_it(store, state):
    store.keep(proposal())
    store.keep(EDIT)
    assert [kept.id for kept in store.load().waiting] == [EDIT.id, proposal().id]
    assert store.load().waiting[1].digest == proposal().digest
    assert (state / "proposals").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (state / "proposals").iterdir()} == {0o600}


def test_the_contents_of_a_new_file_are_kept_with_it(store, tmp_path):
    plan = plan_mkfile(os.fsencode(tmp_path / "new"), b"\0\1\2")
    store.keep(KeptProposal("p_123456789012", "agent:a", "", 1.0, 9.0, plan))
    (kept,) = store.load().waiting
    assert (kept.plan.subject.data, kept.digest) == (b"\0\1\2", plan.digest)


def test_what_was_answered_is_forgotten_and_an_approval_is_noted_before_its_job(store, state):
    for id in ("p_123456789012", "p_223456789012"):
        store.keep(proposal(id))
    store.approve("p_123456789012")
    store.approve("p_not_kept_12")
    assert names(state) == ["p_123456789012.approved", "p_223456789012.waiting"]
    found = store.load()
    assert [kept.id for kept in found.approved] == ["p_123456789012"]
    assert [kept.id for kept in found.waiting] == ["p_223456789012"]
    for id in ("p_123456789012", "p_223456789012", "p_not_kept_12"):
        store.forget(id)
    assert names(state) == []


def test_an_edit_is_never_taken_for_an_approval(store, state):
    store.keep(EDIT)
    store.approve(EDIT.id)
    found = store.load()
    assert (found.waiting, found.approved, found.aside) == ([], [], [])


def test_what_ended_is_kept_until_it_was_seen(store, state):
    store.keep_ended(ENDED, {"agent:a": 3})
    found = store.load()
    assert (found.ended, found.more) == (ENDED, {"agent:a": 3})


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b'{"ended": [[1]], "more": {}}', b'{"ended": 7, "more": {}}', b'{"ended": [], "more": []}',
     b'{"ended": [["a", "b", "c", "d", "x"]], "more": {}}', b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_list_of_what_ended_costs_the_list_and_nothing_else(store, state, text):
    store.keep(proposal())
    (state / "proposals" / "ended.json").write_bytes(text)
    found = store.load()
    assert (found.ended, found.more, found.aside) == ([], {}, ["ended.json.damaged"])
    assert len(found.waiting) == 1
    assert (state / "proposals" / "ended.json.damaged").exists()


def spoil(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "harm",
    [
        spoil,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"x" * 100),
        lambda path: path.rename(path.with_name("p_another_one_.waiting")),
        lambda path: path.rename(path.with_name("something else")),
        lambda path: path.chmod(0o622),
        lambda path: (path.rename(path.with_name("..").resolve() / "away"), path.symlink_to("../away")),
        lambda path: path.write_bytes(encode(proposal(by="person:terminal"))),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), os.mkfifo(path)),
    ],
    ids=["byte", "empty", "foreign", "renamed", "unknown", "writable", "link", "person", "folder", "pipe"],
)
def test_what_is_damaged_or_not_ours_is_put_aside_and_told_and_never_asked_about(store, state, harm):
    store.keep(proposal())
    store.keep(EDIT)
    harm(state / "proposals" / "p_123456789012.waiting")
    found = store.load()
    assert [kept.id for kept in found.waiting] == [EDIT.id]
    (aside,) = found.aside
    assert aside.endswith(".damaged") and aside in names(state)
    again = store.load()
    assert (again.aside, len(again.waiting)) == ([], 1), "told once, and kept for whoever wants to look"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_a_file_of_another_user_is_not_believed(store, state):
    store.keep(proposal())
    os.chown(state / "proposals" / "p_123456789012.waiting", 12345, 12345)
    found = store.load()
    assert (found.waiting, found.aside) == ([], ["p_123456789012.waiting.damaged"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_another_user_keeps_nothing(store, state):
    (state / "proposals").mkdir(mode=0o700)
    os.chown(state / "proposals", 12345, 12345)
    with pytest.raises(NotKept, match="belongs to user 12345"):
        store.keep(proposal())


def test_a_file_that_is_larger_than_any_of_ours_is_not_read(store, state, monkeypatch):
    store.keep(proposal())
    monkeypatch.setattr(proposal_store, "MAX_FILE_BYTES", 50)
    assert store.load().aside == ["p_123456789012.waiting.damaged"]
    with pytest.raises(NotKept, match="larger than 0 MiB"):
        store.keep(proposal("p_223456789012"))


def test_what_was_half_written_when_the_program_was_killed_is_gone_at_the_next_start(store, state):
    store.keep(proposal())
    (state / "proposals" / "p_223456789012.waiting.0123456789abcdef.tmp").write_bytes(b"half")
    (state / "proposals" / "stuck.tmp").mkdir()
    found = store.load()
    assert (len(found.waiting), found.aside) == (1, [])
    assert names(state) == ["p_123456789012.waiting", "stuck.tmp"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_refuses_keeps_nothing_half(store, state, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    store.keep(EDIT)
    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(NotKept, match=os.strerror(number)):
        store.keep(proposal())
    monkeypatch.undo()
    assert names(state) == [f"{EDIT.id}.waiting"]


def test_there_is_an_end_to_what_is_kept(store, monkeypatch):
    store.keep(proposal())
    monkeypatch.setattr(proposal_store, "MAX_FILES", 1)
    with pytest.raises(NotKept, match="too many others"):
        store.keep(EDIT)
    monkeypatch.setattr(proposal_store, "MAX_FILES", 10)
    monkeypatch.setattr(proposal_store, "MAX_TOTAL_BYTES", 300)
    with pytest.raises(NotKept, match="too many others"):
        store.keep(EDIT)
    monkeypatch.setattr("cmdr.core.proposals.kept_forms.MAX_PAYLOAD_BYTES", 10)
    with pytest.raises(NotKept, match="larger than"):
        store.keep(EDIT)


def test_a_place_that_is_not_safe_keeps_nothing(tmp_path):
    (tmp_path / "proposals").symlink_to("/tmp")
    with pytest.raises(NotKept, match="symbolic link"):
        ProposalStore(str(tmp_path)).keep(proposal())
    with pytest.raises(places.UnsafePlace):
        ProposalStore(str(tmp_path)).load()
