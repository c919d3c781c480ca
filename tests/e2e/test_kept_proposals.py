"""What waits for the person outlives the program: a real `cmdr serve`, asked to quit or killed, and started again."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from tests.conftest import Served

SWITCHES = {"CMDR_MCP_TOOLSETS": "panes,ops,review,fs", "CMDR_MCP_ALLOW_WRITE": "1", "CMDR_MCP_ALLOW_SHELL": "1"}
# The person's line only answers a process at a terminal, so the person is one with a terminal of its own.
_PERSON = """
import json, sys
from cmdr.core import places
from cmdr.core.runtime.control_socket import ControlClient
caller = ControlClient(places.runtime())
print(json.dumps([caller.ask(name, how).result for name, how in json.loads(sys.argv[1])]))
"""


def person(served, *asked):
    """What the person is answered, one after the other."""
    terminal = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PERSON, json.dumps(asked)],
            env=served.environment,
            stdin=terminal[1],
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
    finally:
        for end in terminal:
            os.close(end)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def inbox(served):
    ((answer),) = person(served, ("inbox", {}))
    return answer["rows"]


def call(served, tool, **arguments):
    """As the client with the token of this run."""
    answer = served.rpc(
        "tools/call", {"name": tool, "arguments": arguments}, headers={"authorization": f"Bearer {served.token}"}
    )
    return "\n".join(part["text"] for part in answer["result"]["content"])


def propose_five(served):
    """Five proposals of several kinds; their ids."""
    left = served.tree.left
    (left / ".git" / "hooks").mkdir()
    answers = [
        call(served, "copy", paths=[str(left / "file1.txt")], reason="a backup"),
        call(served, "mkdir", name="new"),
        call(served, "delete", paths=[str(left / "file2.txt")]),
        call(served, "fs_write", path=str(left / ".git" / "hooks" / "pre-commit"), content="echo hooked\n"),
        call(served, "move", paths=[str(left / "file3.txt")]),
    ]
    return [re.search(r"proposal: (\S+)", answer)[1] for answer in answers]


def restarted(served):
    again = Served(served.home, served.tree.left, served.tree.right, **SWITCHES)
    again.tree = served.tree
    return again


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGKILL], ids=["quit", "killed"])
def test_five_that_wait_are_there_after_a_restart_with_their_digests_and_are_answered(start_server, way):
    served = start_server(**SWITCHES)
    ids = propose_five(served)
    before = {row["id"]: row for row in inbox(served)}
    assert list(before) == ids
    served.process.send_signal(way)
    served.process.wait(60)
    again = restarted(served)
    try:
        after = {row["id"]: row for row in inbox(again)}
        assert after == before
        ended = call(again, "await", proposal=ids[1], timeout=0)
        assert ended.startswith(f"OK: still waiting for the person to decide on proposal {ids[1]}")
        risky = [row["id"] for row in after.values() if row["word"]]
        assert risky == [ids[3]]
        plain = [id for id in ids[:4] if id not in risky]
        digests = [after[id]["digest"] for id in plain]
        told, alone, no = person(
            again,
            ("inbox.answer", {"ids": plain, "digests": digests, "answer": "yes"}),
            (
                "inbox.answer",
                {"ids": risky, "digests": [after[ids[3]]["digest"]], "answer": "yes", "word": after[ids[3]]["word"]},
            ),
            ("inbox.answer", {"ids": [ids[4]], "digests": [""], "answer": "no", "reason": "not that one"}),
        )
        assert (told["failures"], alone["failures"], no["failures"]) == ([], [], [])
        for id in ids[:4]:
            assert call(again, "await", proposal=id).startswith("OK: Approved. ")
        assert call(again, "await", proposal=ids[4]) == 'OK: Proposal rejected: "not that one". Nothing was changed.'
        left, right = served.tree.left, served.tree.right
        assert (right / "file1.txt").read_bytes() == b"x" * 10
        assert (left / "new").is_dir()
        assert not (left / "file2.txt").exists()
        assert (left / ".git" / "hooks" / "pre-commit").read_text() == "echo hooked\n"
        assert (left / "file3.txt").exists()
        assert inbox(again) == []
    finally:
        again.close()
    assert [name for name in os.listdir(served.home / "state" / "cmdr" / "proposals") if name != "ended.json"] == []


def test_what_was_kept_is_the_persons_alone_and_out_of_agents_reach(start_server):
    served = start_server(**SWITCHES)
    call(served, "mkdir", name="new")
    folder = served.home / "state" / "cmdr" / "proposals"
    (kept,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_between_proposal_and_yes_is_left_alone_also_over_a_restart(start_server):
    served = start_server(**SWITCHES)
    target = served.tree.left / "file1.txt"
    id = re.search(r"proposal: (\S+)", call(served, "delete", paths=[str(target)]))[1]
    served.process.kill()
    served.process.wait(60)
    target.write_text("written meanwhile")
    again = restarted(served)
    try:
        (row,) = inbox(again)
        person(again, ("inbox.answer", {"ids": [id], "digests": [row["digest"]], "answer": "yes"}))
        assert "changed" in call(again, "await", proposal=id)
        assert target.read_text() == "written meanwhile"
    finally:
        again.close()


def test_a_damaged_file_is_put_aside_and_told_and_the_others_stand(start_server):
    served = start_server(**SWITCHES)
    first, second = (re.search(r"proposal: (\S+)", call(served, "mkdir", name=name))[1] for name in ("one", "two"))
    served.process.kill()
    served.process.wait(60)
    folder = served.home / "state" / "cmdr" / "proposals"
    kept = folder / f"{first}.waiting"
    data = bytearray(kept.read_bytes())
    data[-3] ^= 1
    kept.write_bytes(data)
    again = restarted(served)
    try:
        waiting, told = inbox(again)
        assert waiting["id"] == second
        assert (told["kind"], told["by"]) == ("ended", "")
        assert told["what"] == "A kept proposal cannot be read, and is not asked about"
        assert told["detail"] == f"put aside as {first}.waiting.damaged"
        assert (folder / f"{first}.waiting.damaged").exists()
        assert "No proposal" in call(again, "await", proposal=first)
    finally:
        again.close()
