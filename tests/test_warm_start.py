"""A cmdr that was forked is what one that was started would be, as far as tests can tell."""

import os
import subprocess
import sys

import pytest

import warm_start

pytestmark = pytest.mark.skipif(not warm_start.in_use.enabled, reason="here cmdr is always started from the beginning")


def test_what_is_forked_is_a_child_with_the_session_folder_streams_and_variables_it_was_given(tmp_path):
    home = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "run"), "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "run").mkdir(mode=0o700)
    with subprocess.Popen(
        [warm_start.PROGRAM, "serve", "--port", "0", "--left", "."],
        env={**os.environ, **home},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as served:
        assert b"listens at" in served.stdout.readline()
        with open(f"/proc/{served.pid}/cmdline") as file:
            assert "warm_start.py" in file.read()
        with open(f"/proc/{served.pid}/stat") as file:
            _, parent, group, session = file.read().rpartition(")")[2].split()[:4]
        assert (int(parent), int(group), int(session)) == (os.getpid(), served.pid, served.pid)
        assert os.readlink(f"/proc/{served.pid}/cwd") == str(tmp_path)
        assert (tmp_path / "run" / "cmdr" / "token").exists()
        served.terminate()
        assert served.wait() == 0


def test_exit_codes_and_both_streams_come_through():
    done = subprocess.run([warm_start.PROGRAM, "serv"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean serve?" in done.stderr


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        ([sys.executable, "-c", "pass"], {}),
        (["env", warm_start.PROGRAM], {}),
        ([warm_start.PROGRAM, "mcp"], {}),  # known by its command line
        ([warm_start.PROGRAM], {"CLAUDECODE": "1"}),  # an agent is known by what the kernel shows of its variables
        ([warm_start.PROGRAM], {"PYTHONPATH": "/elsewhere"}),
    ],
)
def test_what_a_fork_could_not_be_is_started_from_the_beginning(words, variables):
    assert not warm_start.in_use.takes(words, variables)


@pytest.mark.cold_start
def test_a_test_can_say_that_it_wants_a_start_from_the_beginning():
    assert not warm_start.in_use.takes([warm_start.PROGRAM], {})
