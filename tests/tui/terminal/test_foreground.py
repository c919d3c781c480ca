"""Programs in front of us: stopped together, and all of them go on."""

import sys

from cmdr.tui.terminal.foreground import run_in_foreground

# Stops all of its group, as the terminal does, once every other program of it waits to be woken.
_STOPS_ALL = """
import os, signal, subprocess, sys
others = [subprocess.Popen([sys.executable, "-c", one], stdout=subprocess.PIPE) for one in sys.argv[1:]]
for other in others:
    other.stdout.read(1)
os.kill(0, signal.SIGTSTP)
sys.exit(sum(other.wait() for other in others))
"""
_WOKEN = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
os.write(1, b".")
signal.sigwait({signal.SIGCONT})
"""
_DEAF = "import signal; signal.signal(signal.SIGTSTP, signal.SIG_IGN)"


def test_a_stop_of_all_programs_in_front_is_followed_by_all_of_them_going_on():
    others = [*[_WOKEN] * 5, f"{_DEAF}\n{_WOKEN}"]
    assert run_in_foreground([sys.executable, "-c", _STOPS_ALL, *others]) == 0


def test_a_program_that_stops_itself_alone_is_woken():
    script = "sleep 600 & kill -STOP $$; kill $!; exit 7"
    assert run_in_foreground(["/bin/sh", "-c", script]) == 7
