"""The record on a disk that is really full: what cannot be recorded is not answered, and the gap is told."""

import asyncio
import os
import sys
from contextlib import suppress

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import mounted

from cmdr.core.audit import Audit, AuditRecord
from cmdr.core.audit_chain import read_log, verify
from cmdr.core.errors import NotRecorded


def fill(place):
    """Leave no room on a small disk; the path of what takes it."""
    filler = place + b"/filler"
    with open(filler, "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    return filler


def test_a_disk_that_is_really_full_and_then_has_room_again():
    with mounted("256k", 1) as places:
        if not places:
            pytest.skip("mounting a file system is not allowed here")
        folder = os.path.join(os.fsdecode(places[0]), "audit")
        audit = Audit(folder)
        filler = fill(places[0])

        async def scene():
            kept = 0
            with pytest.raises(NotRecorded, match="No space left"):
                while True:
                    await audit.written(AuditRecord("agent:a", "fs_read", "", "ok"))
                    kept += 1
            assert verify(folder).lines == kept
            os.unlink(filler)
            await audit.written(AuditRecord("agent:a", "after", "", "ok"))
            return kept

        kept = asyncio.run(scene())
        audit.close()
        verdict = verify(folder)
        assert (verdict.lines, verdict.broken_at, verdict.cut_off) == (kept + 2, None, False)
        assert verdict.gaps[0].unrecorded == 1


def test_agents_read_nothing_that_is_not_recorded(start_server):
    """Sixty reads were answered, eight were in the record, and checking it found nothing amiss."""
    with mounted("8m", 1) as places:
        if not places:
            pytest.skip("mounting a file system is not allowed here")
        state = os.fsdecode(places[0])
        served = start_server(XDG_STATE_HOME=state, CMDR_MCP_TOOLSETS="panes,fs", CMDR_MCP_ALLOW_WRITE="true")
        served.headers = {"authorization": f"Bearer {served.token}"}
        document = f"{served.tree.left}/notes.txt"
        with open(document, "w") as file:
            file.write("secret words")
        served.call("fs_read", path=document)
        filler = fill(places[0])
        answers = [served.call("fs_read", path=document) for _ in range(60)]
        written = served.call("fs_write", path=f"{served.tree.left}/new.txt", content="x")
        names = served.call("state")
        os.unlink(filler)
        after = served.call("fs_read", path=document)
        served.close()
        folder = os.path.join(state, "cmdr", "audit")
        rows = [row["what"] for row in read_log(folder)]
        verdict = verify(folder)
    told = [answer for answer in answers if "secret words" in answer]
    assert 0 < len(told) < 60
    assert rows.index("gap") == 1 + len(told)
    assert all(answer.is_error and "cannot be written (No space left" in answer for answer in answers[len(told) :])
    assert written.is_error
    assert not os.path.exists(f"{served.tree.left}/new.txt")
    assert not names.is_error
    assert "secret words" in after
    assert (verdict.broken_at, verdict.cut_off) == (None, False)
    (gap,) = verdict.gaps
    # One read found out that the disk was full; the look at names may be recorded after the gap.
    assert (gap.unrecorded + rows.count("state"), gap.refused) == (2, 60 - len(told))
