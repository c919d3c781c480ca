"""A program in a real pseudo-terminal, and the screen a person would see, as far as text goes."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from rich.cells import cell_len

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
    rb"|\x1b[()][A-Z0-9]|\x1b[=>78cM]|\x1bP[^\x1b]*\x1b\\"
)
_ALLOWED_ENDS = set(b"mHhlJKABCDGupntcrq")


class Screen:
    """A grid of characters, written by text and cursor movements; colours are dropped."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.grid = [[" "] * columns for _ in range(rows)]
        self.x = self.y = 0
        self.strange = []
        """Bytes no program of ours has a reason to send."""
        self._rest = b""

    def feed(self, data):
        data = self._rest + data
        self._rest = b""
        at = 0
        while at < len(data):
            byte = data[at]
            if byte == 0x1B:
                found = _SEQUENCE.match(data, at)
                if not found:
                    if len(data) - at < 64:
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
                    self.y = min(self.y + 1, self.rows - 1)
                elif byte == 0x08:
                    self.x = max(0, self.x - 1)
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
            return
        if end[0] not in _ALLOWED_ENDS:
            self.strange.append(found.group())
            return
        numbers = [int(part) for part in re.findall(rb"\d+", found["args"])]
        if end == b"H":
            row, column = [*numbers, 1, 1][:2] if numbers else (1, 1)
            self.y, self.x = min(row, self.rows) - 1, min(column, self.columns) - 1
        elif end == b"J":
            self.grid = [[" "] * self.columns for _ in range(self.rows)]
        elif end == b"K":
            self.grid[self.y][self.x :] = [" "] * (self.columns - self.x)
        elif end == b"C":
            self.x = min(self.columns - 1, self.x + (numbers or [1])[0])

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
            self.grid[self.y][self.x] = char
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


class PtyTerminal:
    """Runs a program in a pty; sends keys, reads the screen, waits for text with a deadline."""

    PATIENCE = 20.0

    def __init__(self, argv, *, columns=100, rows=28, cwd=None, **environment):
        self.screen = Screen(columns, rows)
        self.raw = bytearray()
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                if cwd:
                    os.chdir(cwd)
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                dropped = ("CMDR_", "XDG_", "TMUX", "COLUMNS", "LINES", "NO_COLOR", "TEXTUAL")
                kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
                base = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
                os.execvpe(argv[0], argv, {**kept, **base, **environment})
            finally:
                os._exit(127)
        self.exit_code = None

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
        self.raw += data
        self.screen.feed(data)
        return True

    def send(self, *keys):
        """Press keys; anything that is no key's name is typed."""
        for key in keys:
            os.write(self.fd, KEYS.get(key) or key.encode())

    def wait(self, what, *, seconds=None, gone=False):
        """Wait until a text is on the screen, or until it is gone; how long that took."""
        begun = time.perf_counter()
        deadline = begun + (seconds or self.PATIENCE)
        while True:
            there = what(self.screen) if callable(what) else what in self.screen.text
            if there != gone:
                return time.perf_counter() - begun
            left = deadline - time.perf_counter()
            if left <= 0 or self.exit_code is not None:
                raise AssertionError(f"{what!r} {'still' if gone else 'not'} on the screen:\n{self.screen.text}")
            self.read(min(left, 0.2))

    def settle(self, quiet=0.15):
        """Read until nothing comes any more."""
        while self.read(quiet):
            pass

    def resize(self, columns, rows):
        """Another window size."""
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

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
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status)

    def close(self):
        """End the program, if it still runs."""
        if self.exit_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
        with contextlib.suppress(OSError):
            os.close(self.fd)
