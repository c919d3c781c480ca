"""`cmdr stop` at a real terminal, against a real server: agents are refused from then on, and twice stays stopped."""

import importlib.util
import subprocess
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
CMDR = str(Path(sys.executable).with_name("cmdr"))


def told_at_a_terminal(environment):
    line = pty_terminal.own_terminal(CMDR, "stop")
    with pty_terminal.PtyTerminal(line, columns=120, rows=10, **environment) as prompt:
        code, _ = prompt.wait_end()
        return code, prompt.screen.text.strip()


def test_stop_ends_what_agents_may_do_twice_stays_stopped_and_without_a_cmdr_there_is_nothing_to_stop(start_server):
    served = start_server()
    assert "stopped all agents" not in served.call("state")
    for _ in range(2):
        assert told_at_a_terminal(served.environment) == (0, "All agents are stopped")
        assert "stopped all agents" in served.call("state")
    served.close()
    assert told_at_a_terminal(served.environment) == (0, "cmdr is not running: no agent can call.")


def test_only_at_a_terminal(start_server):
    served = start_server()
    told = subprocess.run(
        [CMDR, "stop"], env=served.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (
        2, "Only a person stops the agents: run this at an interactive terminal.\n",
    )  # fmt: skip
    assert "stopped all agents" not in served.call("state")
