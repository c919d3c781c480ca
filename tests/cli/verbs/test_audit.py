"""`cmdr audit`: the last calls in a line each, and whether the record is whole."""

import json

import pytest

from cmdr.cli.main import run
from cmdr.core.audit.log import Audit, AuditRecord


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A record of three calls and one decision."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "cmdr").mkdir(mode=0o700)
    audit = Audit(str(tmp_path / "cmdr" / "audit"))
    for number in range(3):
        audit.record(AuditRecord("agent:codex", f"tool_{number}", "", "ok"))
    audit.record(AuditRecord("person:shell", "proposal p_1", "", "ok", decision="approved"))
    audit.close()
    return tmp_path / "cmdr" / "audit"


def test_calls_are_listed_oldest_first_with_who_and_what(folder, capsys):
    assert run(["audit"], None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == [
        "agent:codex tool_0 ok",
        "agent:codex tool_1 ok",
        "agent:codex tool_2 ok",
        "person:shell proposal p_1 approved ok",
    ]


def test_only_the_newest_are_listed_when_fewer_are_wanted(folder, capsys):
    assert run(["audit", "--limit", "1"], None) == 0
    assert capsys.readouterr().out.endswith("person:shell proposal p_1 approved ok\n")


def test_a_whole_record_is_said_to_be_whole(folder, capsys):
    assert run(["audit", "--verify"], None) == 0
    assert capsys.readouterr().out == "4 lines, nothing changed.\n"


def test_a_changed_line_and_a_missing_end_are_told(folder, capsys):
    log = folder / "audit.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b"tool_1", b"tool_9"))
    assert run(["audit", "--verify"], None) == 1
    assert capsys.readouterr().err == "Line 2 does not fit: the record was changed there.\n"
    log.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]))
    assert run(["audit", "--verify"], None) == 1
    assert capsys.readouterr().err == "2 lines fit, but the newest ones are missing.\n"


def test_a_record_that_is_gone_and_one_without_its_beginning_are_told(folder, capsys):
    log = folder / "audit.jsonl"
    whole = log.read_bytes()
    log.unlink()
    assert run(["audit", "--verify"], None) == 1
    assert capsys.readouterr().err == "The record is gone: 4 calls were in it.\n"
    log.write_bytes(b"".join(whole.splitlines(keepends=True)[2:]))
    assert run(["audit", "--verify"], None) == 1
    assert capsys.readouterr().err == "Line 1 is not the next one: records before it were taken out.\n"


def test_a_gap_is_told_though_nothing_was_changed(folder, capsys):
    anchor = folder.parent / "audit.anchor"
    kept = json.loads(anchor.read_text())
    gap = {"since": 1e9, "until": 1e9, "why": "No space left on device", "unrecorded": 2, "refused": 51}
    anchor.write_text(json.dumps({**kept, "gap": gap}))
    Audit(str(folder)).close()
    assert run(["audit", "--verify"], None) == 1
    told = capsys.readouterr()
    assert told.err.startswith("Not recorded: 2001-09-")
    assert told.err.endswith(": 2 calls not recorded, 51 calls refused (No space left on device)\n")
    assert told.out == "5 lines, nothing changed, but records are missing: see above.\n"
    assert run(["audit", "--limit", "1"], None) == 0
    assert "cmdr gap 2001-09-" in capsys.readouterr().out


@pytest.mark.parametrize("limit", ["0", "many"])
def test_a_number_of_calls_is_one_or_more(limit, capsys):
    with pytest.raises(SystemExit) as ended:
        run(["audit", "--limit", limit], None)
    assert ended.value.code == 2
    assert "1 or more" in capsys.readouterr().err
