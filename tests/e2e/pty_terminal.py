"""A program in a real pseudo-terminal, and the screen a person would see, as far as text goes."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

from rich.cells import cell_len

from cmdr.core.agents.agent_detection import MARKS

KEYS = {
    "up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D", "home": b"\x1b[H", "end": b"\x1b[F",
    "pageup": b"\x1b[5~", "pagedown": b"\x1b[6~", "insert": b"\x1b[2~", "delete": b"\x1b[3~", "enter": b"\r",
    "escape": b"\x1b", "tab": b"\t", "backspace": b"\x7f", "f1": b"\x1bOP", "f2": b"\x1bOQ", "f3": b"\x1bOR",
    "f4": b"\x1bOS", "f5": b"\x1b[15~", "f6": b"\x1b[17~", "f7": b"\x1b[18~", "f8": b"\x1b[19~", "f9": b"\x1b[20~",
    "f10": b"\x1b[21~", "shift+f8": b"\x1b[19;2~", "ctrl+pagedown": b"\x1b[6;5~",
    **{f"ctrl+{letter}": bytes([ord(letter) & 31]) for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{f"alt+{letter}": b"\x1b" + letter.encode() for letter in "abcdefghijklmnopqrstuvwxyz."},
}  # fmt: skip

# Everything a well-behaved program may send: text, and these sequences. Anything else came from the data.
_SEQUENCE = re.compile(
    rb"\x1b\[(?P<args>[0-9;?<>=$]*)(?P<end>[A-Za-z])"
    rb"|\x1b\](?:22;[a-z-]+|0;[^\x07\x1b]*|52;c;[A-Za-z0-9+/=]*|10;\?|11;\?)(?:\x1b\\|\x07)?"
    rb"|\x1b\](?P<told>(?:2|9|99|777);[^\x00-\x1f\x7f]*)\x1b\\"
    rb"|\x1b[()][A-Z0-9]|\x1b[=>78cM]|\x1bP[^\x1b]*\x1b\\"
)
_ALLOWED_ENDS = set(b"mHhlJKABCDGupntcrq")
_ALSO_UNDERSTOOD = set(b"dfPXbLMST@")
"""What other programs move the cursor and the lines with; cmdr has no reason to send it."""


class Screen:
    """A grid of characters, written by text and cursor movements; colours are dropped."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.grid = [[" "] * columns for _ in range(rows)]
        self.x = self.y = 0
        self.strange = []
        """Bytes no program of ours has a reason to send."""
        self.bells = 0
        self.told = []
        """Titles and notifications, as they were sent."""
        self._rest = b""
        self._top, self._bottom = 0, rows
        self._last = " "

    def feed(self, data):
        data = self._rest + data
        self._rest = b""
        at = 0
        while at < len(data):
            byte = data[at]
            if byte == 0x1B:
                found = _SEQUENCE.match(data, at)
                if not found:
                    if len(data) - at < 64 or (data[at : at + 2] == b"\x1b]" and len(data) - at < 400):
                        self._rest = data[at:]
                        return
                    self.strange.append(data[at : at + 24])
                    at += 1
                    continue
                self._act(found)
                at = found.end()
            elif byte < 0x20 or byte == 0x7F:
                if byte == 0x0D:
                    self.x = 0
                elif byte == 0x0A:
                    if self.y == self._bottom - 1:
                        self._scroll(self._top, 1)
                    else:
                        self.y = min(self.y + 1, self.rows - 1)
                elif byte == 0x08:
                    self.x = max(0, self.x - 1)
                elif byte == 0x07:
                    self.bells += 1
                elif byte not in (0x0F, 0x0E):
                    self.strange.append(data[max(0, at - 8) : at + 16])
                at += 1
            else:
                end = at
                while end < len(data) and data[end] >= 0x20 and data[end] not in (0x1B, 0x7F):
                    end += 1
                text = data[at:end]
                if end == len(data):
                    # A character may be cut in half at the end of what was read.
                    for cut in range(1, 4):
                        if len(text) >= cut and text[-cut] >= 0xC0:
                            with contextlib.suppress(UnicodeDecodeError):
                                text[-cut:].decode()
                                break
                            self._rest, text = text[-cut:], text[:-cut]
                            break
                self._write(text.decode("utf-8", "replace"))
                at = end

    def _act(self, found):
        end = found["end"]
        if not end:
            if found["told"]:
                self.told.append(found["told"].decode())
            if found.group() == b"\x1bM":
                self._scroll(self.y, -1) if self.y == self._top else self._go(self.y - 1, self.x)
            return
        if end[0] not in _ALLOWED_ENDS:
            self.strange.append(found.group())
            if end[0] not in _ALSO_UNDERSTOOD:
                return
        if found["args"][:1] in (b"?", b">", b"<", b"="):
            return  # a mode or a question, whatever its last letter means elsewhere
        numbers = [int(part) for part in re.findall(rb"\d+", found["args"])]
        self._move(chr(end[0]), numbers) or self._change(chr(end[0]), numbers)

    def _go(self, y, x):
        self.y, self.x = max(0, min(y, self.rows - 1)), max(0, min(x, self.columns - 1))

    def _move(self, end, numbers):
        """Move the cursor; whether that is what a sequence is for."""
        many = max(1, (numbers or [1])[0])
        if end in "Hf":
            row, column = [*numbers, 1, 1][:2] if numbers else (1, 1)
            self._go(row - 1, column - 1)
        elif end in "ABCD":
            self._go(
                self.y + {"A": -many, "B": many}.get(end, 0),
                min(self.x, self.columns) + {"C": many, "D": -many}.get(end, 0),
            )
        elif end == "G":
            self._go(self.y, many - 1)
        elif end == "d":
            self._go(many - 1, self.x)
        elif end == "r":
            self._top, self._bottom = (numbers[0] - 1, numbers[1]) if len(numbers) == 2 else (0, self.rows)
            self._go(0, 0)
        else:
            return False
        return True

    def _change(self, end, numbers):
        """Clear, insert, take away or repeat."""
        many = max(1, (numbers or [1])[0])
        row, part = self.grid[self.y], (numbers or [0])[0]
        if end == "J":
            first, last = {0: (self.y + 1, self.rows), 1: (0, self.y)}.get(part, (0, self.rows))
            self.grid[first:last] = [[" "] * self.columns for _ in range(first, last)]
        if end in "JK":
            begin, stop = {0: (self.x, self.columns), 1: (0, self.x + 1)}.get(part, (0, self.columns))
            if end == "K" or part < 2:
                row[begin:stop] = [" "] * (stop - begin)
        elif end == "X":
            row[self.x : self.x + many] = [" "] * (min(self.columns, self.x + many) - self.x)
        elif end == "P":
            row[self.x :] = (row[self.x + many :] + [" "] * many)[: self.columns - self.x]
        elif end == "@":
            row[self.x :] = ([" "] * many + row[self.x :])[: self.columns - self.x]
        elif end == "b":
            self._write(self._last * many)
        elif end in "LM":
            self._scroll(self.y, -many if end == "L" else many)
        elif end in "ST":
            self._scroll(self._top, many if end == "S" else -many)

    def _scroll(self, first, lines):
        """Move the lines from one on up, or down when `lines` is negative."""
        kept = self.grid[first : self._bottom]
        blank = [[" "] * self.columns for _ in range(min(abs(lines), len(kept)))]
        moved = kept[lines:] + blank if lines > 0 else blank + kept[:lines]
        self.grid[first : self._bottom] = moved[: len(kept)]

    def _write(self, text):
        for char in text:
            if 0x80 <= ord(char) <= 0x9F or 0x202A <= ord(char) <= 0x202E or 0x2066 <= ord(char) <= 0x2069:
                self.strange.append(char.encode())
            width = cell_len(char)
            if not width:
                continue
            if self.x + width > self.columns:
                self.strange.append(b"past the edge: " + text.encode()[:40])
                return
            self.grid[self.y][self.x] = self._last = char
            for extra in range(1, width):
                self.grid[self.y][self.x + extra] = ""
            self.x += width
            if self.x >= self.columns:
                self.x = self.columns - 1 if width == 0 else self.columns
                if self.x == self.columns:
                    self.x = self.columns
        if self.x > self.columns:
            self.x = self.columns

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self.grid]

    @property
    def text(self):
        return "\n".join(self.lines)


AGENTS = tuple(mark.variable for mark in MARKS)
"""What an agent that runs the tests says of itself; the person's terminals know nothing of it."""


def own_terminal(*words):
    """The words that run a program in this terminal as if the person had opened it: nobody of the test's is above it.

    A test plays both the agent and the person; cmdr would rightly see that the agent opened the person's prompt.
    """
    return [sys.executable, __file__, *map(str, words)]


def _in_a_family_of_its_own(words):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended, tell = os.pipe()
    left, leave = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(ended)
            os.close(leave)
            os.read(left, 1)  # nothing comes; it ends when our parent and its parent have let go
            child = subprocess.Popen(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            os.write(tell, bytes([child.wait() & 255]))
        os._exit(0)
    os.wait()
    os.close(tell)
    os.close(leave)
    return os.read(ended, 1)[0]


class PtyTerminal:
    """Runs a program in a pty; sends keys, reads the screen, waits for text with a deadline."""

    PATIENCE = 60.0

    def __init__(self, argv, *, columns=100, rows=28, cwd=None, **environment):
        self.screen = Screen(columns, rows)
        self.raw = bytearray()
        self.started = time.perf_counter()
        dropped = ("CMDR_", "XDG_", "TMUX", "COLUMNS", "LINES", "NO_COLOR", "TEXTUAL", "PYTHON", *AGENTS)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        base = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.pid, self.fd = self._start(list(map(str, argv)), columns, rows, cwd, {**kept, **base, **environment})
        self.exit_code = None
        self.read_at = self.started
        """When something last came from the program."""
        self.processor_seconds = 0.0
        """What the program has used, its ended children included; known once it has ended."""

    @staticmethod
    def _start(argv, columns, rows, cwd, environment):
        """The process id and the terminal's other end."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        forker = getattr(sys.modules.get("warm_start"), "in_use", None)
        orphan = argv[:2] == own_terminal()
        words = argv[2:] if orphan else argv
        if forker and forker.takes(words, environment):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
            how = {"cwd": cwd, "session": True, "terminal": True, "orphan": orphan}
            pid = forker.start(words, environment, [theirs] * 3, **how)
            os.close(theirs)
            return pid, ours
        pid, terminal = pty.fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore Ctrl+C
                if cwd:
                    os.chdir(cwd)
                fcntl.ioctl(1, termios.TIOCSWINSZ, size)
                os.execvpe(argv[0], argv, environment)
            finally:
                os._exit(127)
        return pid, terminal

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self, seconds):
        """Read what comes within some time; whether anything came."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self._reap()
            return False
        self.read_at = time.perf_counter()
        self.raw += data
        self.screen.feed(data)
        return True

    def send(self, *keys):
        """Press keys; anything that is no key's name is typed."""
        for key in keys:
            os.write(self.fd, KEYS.get(key) or key.encode())

    def wait(self, what, *, seconds=None, gone=False, reading=True):
        """Wait until a text is on the screen, or until it is gone, maybe without reading; how long that took."""
        begun = time.perf_counter()
        deadline = begun + (seconds or self.PATIENCE)
        while True:
            there = what(self.screen) if callable(what) else what in self.screen.text
            if there != gone:
                return time.perf_counter() - begun
            left = deadline - time.perf_counter()
            if left <= 0 or self.exit_code is not None:
                raise AssertionError(f"{what!r} {'still' if gone else 'not'} on the screen:\n{self.screen.text}")
            if reading:
                self.read(min(left, 0.2))
            else:
                time.sleep(0.02)

    def settle(self, quiet=0.15):
        """Read until nothing comes any more."""
        while self.read(quiet):
            pass

    @contextlib.contextmanager
    def read_meanwhile(self):
        """Read what it writes while something else is waited for: it stands still when nobody reads."""
        over = threading.Event()

        def read():
            while not over.is_set() and self.exit_code is None:
                self.read(0.05)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield
        finally:
            over.set()
            reader.join()

    def resize(self, columns, rows):
        """Another window size."""
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def hang_up(self):
        """Close the terminal's window under the program: the kernel hangs up, and lets it go on so that it can end."""
        os.close(self.fd)
        self.fd, _ = os.pipe()  # from which nothing comes

    def wait_end(self, seconds=None):
        """Wait until the program has ended; its exit code and how long that took."""
        begun = time.perf_counter()
        deadline = begun + (seconds or self.PATIENCE)
        while self.exit_code is None and time.perf_counter() < deadline:
            if not self.read(0.05):
                self._reap()
        assert self.exit_code is not None, f"still running:\n{self.screen.text}"
        return self.exit_code, time.perf_counter() - begun

    def _reap(self):
        if self.exit_code is None:
            self._await_end(os.WNOHANG)

    def _await_end(self, options):
        pid, status, usage = os.wait4(self.pid, options)
        if pid:
            self.exit_code = os.waitstatus_to_exitcode(status)
            self.processor_seconds = usage.ru_utime + usage.ru_stime

    def close(self):
        """End the program, if it still runs."""
        if self.exit_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                self._await_end(0)
        with contextlib.suppress(OSError):
            os.close(self.fd)


if __name__ == "__main__":
    sys.exit(_in_a_family_of_its_own(sys.argv[1:]))
