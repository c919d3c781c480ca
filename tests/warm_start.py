"""Starts cmdr by forking a process that has imported it already: a start costs tenths of a second instead of seconds.

What is forked runs the console script's own `main` as a child of whoever asked, with the arguments, variables, folder,
streams, session and terminal that it would have been started with, and ends as the interpreter ends. What differs is
what the kernel shows of it: its command line and first variables are those of the process it was forked from. Tests of
that, of the start itself and of the installed script say `cold_start`.
"""

import array
import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import time

PROGRAM = os.path.join(os.path.dirname(sys.executable), "cmdr")
MODULES = (
    "cmdr.app.building cmdr.app.handover cmdr.app.opening cmdr.app.serving cmdr.app.terminal cmdr.commands "
    "cmdr.core.runtime.instance cmdr.core.runtime.control_socket cmdr.http.server cmdr.ide.face cmdr.mcp.face "
    "cmdr.cli.main cmdr.core.editing.editor_services cmdr.core.runtime.log_file cmdr.tui.app cmdr.web.face "
    "anyio._backends._asyncio textual.drivers.linux_driver tomlkit watchfiles"
).split()
"""What a cmdr that serves, one with panes and the verbs load; all of it is plain Python without threads."""
READ_BY_THE_INTERPRETER = ("LANG", "LC_", "PYTHON", "TEXTUAL", "COVERAGE")
"""Variables that count when a program or a library is loaded: who sets them otherwise is started from the beginning."""

in_use = None
"""What forks in this process, for those that start programs otherwise than by `subprocess`."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_NAME = 15  # PR_SET_NAME
_MESSAGE_BYTES = 1 << 20
_HIGH = 200
"""Where received descriptors are kept while the low numbers are given out."""


# -- the side that asks -----------------------------------------------------------------------------------------------
class Forker:
    """The process that forks, started when it is first needed."""

    def __init__(self, without=()):
        self.enabled = sys.platform == "linux" and not any(name.startswith("COVERAGE") for name in os.environ)
        self.paused = False
        """Whether what is started now is started from the beginning."""
        self._without = tuple(without)
        """Beginnings of variables that no cmdr may see above itself."""
        self._lock = threading.Lock()
        self._process = self._socket = None

    def takes(self, words, environment):
        """Whether a program can be started this way."""
        if not (self.enabled and not self.paused and words and words[0] == PROGRAM) or "mcp" in words[1:2]:
            return False  # the bridge is known by its command line
        given = {name: value for name, value in environment.items() if name.startswith(READ_BY_THE_INTERPRETER)}
        if "LANG" in given and given["LANG"] == "C.UTF-8":
            given["LANG"] = os.environ.get("LANG", "C.UTF-8")  # the interpreter makes the same of both
        usual = {name: value for name, value in os.environ.items() if name.startswith(READ_BY_THE_INTERPRETER)}
        marked = any(name.startswith(self._without) for name in environment if not name.startswith(("CMDR_", "XDG_")))
        return not marked and given.items() <= usual.items()

    def start(self, words, environment, streams, *, cwd=None, passed=(), session=False, terminal=False, orphan=False):
        """Start it; the process id of what is now a child of this process."""
        order = {
            "words": words,
            "environment": environment,
            "cwd": os.fspath(cwd or os.getcwd()),
            "passed": list(passed),
            "session": session,
            "terminal": terminal,
            "orphan": orphan,
        }
        with self._lock:
            if self._process is None:
                self._begin()
            held, go = os.pipe()
            descriptors = array.array("i", [*streams, held, *passed])
            # Only now: what others leave behind at other times is not ours to end.
            _control_process(_SUBREAPER, 1)
            try:
                message = json.dumps(order).encode("ascii")
                self._socket.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
                answer = self._socket.recv(100)
            finally:
                _control_process(_SUBREAPER, 0)
                os.close(held)
                os.close(go)  # it goes on
            if not answer:
                raise ChildProcessError("the process that forks cmdr has ended")
            return int(answer)

    def _begin(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MESSAGE_BYTES)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(self._without)}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                env={**kept, "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._socket = ours

    def close(self):
        """End the process that forks; what was forked goes on."""
        if self._process is not None:
            self._socket.close()
            self._process.wait()
            self._process = self._socket = None


def forked_by_popen(forker, execute=subprocess.Popen._execute_child):
    """What starts a program for `subprocess.Popen`, cmdr by forking."""

    def start(
        self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
        start_new_session, process_group,
    ):  # fmt: skip
        words = [] if isinstance(args, str | bytes | os.PathLike) else [os.fsdecode(word) for word in args]
        environment = {
            os.fsdecode(name): os.fsdecode(value) for name, value in (os.environ if env is None else env).items()
        }
        if words[:3] == [sys.executable, "-m", "cmdr"]:
            words[:3] = [PROGRAM]
        usual = preexec_fn is None and not shell and executable is None and close_fds and process_group == -1
        if usual and (gid, gids, uid, umask) == (None, None, None, -1) and forker.takes(words, environment):
            streams = [own if given == -1 else given for own, given in enumerate((p2cread, c2pwrite, errwrite))]
            self.pid = forker.start(
                words, environment, streams, cwd=cwd, passed=pass_fds, session=bool(start_new_session)
            )
            self._child_created = True
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)
            return
        execute(
            self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
            p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
            start_new_session, process_group,
        )  # fmt: skip

    return start


def _control_process(what, value):
    if ctypes.CDLL(None, use_errno=True).prctl(what, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


# -- the side that forks ----------------------------------------------------------------------------------------------
def serve(number):
    """Fork for each order until nobody is there to give one; in what was forked, return how it is to be run."""
    from cmdr import commands
    from cmdr.cli import verbs

    commands.register()
    _load([*MODULES, *(f"cmdr.cli.verbs.{found.name}" for found in pkgutil.iter_modules(verbs.__path__))])
    orders = socket.socket(fileno=number)
    while True:
        message, descriptors, *_ = socket.recv_fds(orders, _MESSAGE_BYTES, 64)
        if not message:
            os._exit(0)
        told, tell = os.pipe()
        between = os.fork()
        if between == 0:
            if child := os.fork():
                os.write(tell, str(child).encode())
                os._exit(0)
            orders.close()
            os.close(told)
            os.close(tell)
            return json.loads(message), descriptors
        os.close(tell)
        os.waitpid(between, 0)
        orders.send(os.read(told, 100))
        os.close(told)
        for descriptor in descriptors:
            os.close(descriptor)


def _load(modules):
    for name in modules:
        importlib.import_module(name)
    tasks = os.listdir("/proc/self/task")
    assert len(tasks) == 1, f"{len(tasks)} threads: what they hold would be held for ever in what is forked"
    gc.collect()
    gc.freeze()


def become(order, descriptors):
    """Be the process that was ordered; its exit code."""
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _HIGH) for descriptor in descriptors]
    os.closerange(3, _HIGH)
    *streams, held = high[:4]
    while os.read(held, 1):
        pass  # until whoever asked lets go
    for target, descriptor in (*enumerate(streams), *zip(order["passed"], high[4:], strict=True)):
        os.dup2(descriptor, target)
    for descriptor in high:
        os.close(descriptor)
    if order["session"]:
        os.setsid()
    if order["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    _control_process(_NAME, ctypes.c_char_p(b"cmdr"))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["orphan"] and (code := _in_a_family_of_its_own()) is not None:
        return code
    _open_streams()
    sys.argv = order["words"]
    sys.path[0] = os.path.dirname(PROGRAM)
    from cmdr.app import main

    return main()


def _in_a_family_of_its_own():
    """Wait for a fork that nobody of the test's is above, and return its exit code; None in the fork."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended, tell = os.pipe()
    left, leave = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(ended)
            os.close(leave)
            os.read(left, 1)  # nothing comes; it ends when our parent and its parent have let go
            os.close(left)
            child = os.fork()
            if child == 0:
                os.close(tell)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                return None
            os.write(tell, bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255]))
        os._exit(0)
    os.wait()
    for number in (tell, leave, left):
        os.close(number)
    os._exit(os.read(ended, 1)[0])


def _open_streams():
    """Standard streams as the interpreter opens them: by line at a terminal, in blocks elsewhere."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        opened = open(number, "rb" if number == 0 else "wb", closefd=False)  # noqa: SIM115
        opened.raw.name = f"<{name}>"
        by_line = number == 2 or opened.isatty()
        stream = io.TextIOWrapper(
            opened, old.encoding, old.errors, line_buffering=by_line, write_through=old.write_through
        )
        stream.mode = old.mode
        old.detach()
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    sys.exit(become(*serve(int(sys.argv[1]))))
