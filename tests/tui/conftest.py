"""The terminal face without a terminal: keys through Textual's pilot, the core on temporary folders."""

import asyncio
import inspect
import os
import unicodedata
from contextlib import asynccontextmanager

import pytest
from textual.events import Key
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.core.panes.bookmarks import Bookmarks
from cmdr.core.settings import Settings
from cmdr.engine.journal.journal import Journal
from cmdr.model.panes.workspace import Workspace
from cmdr.tui.input.key_forwarding import when_processed

DEADLINE = 60


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), DEADLINE))
    return True


AGENT = Principal("agent", "claude")


class Clock:
    """A time that passes only when a test says so, however slow the machine is."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def forward(self, seconds):
        self.now += seconds


class Face:
    """A running terminal face and the hands that use it."""

    def __init__(self, terminal, pilot, left, right):
        self.terminal, self.pilot, self.left, self.right = terminal, pilot, left, right
        self.clock = terminal.clock
        self.commander = terminal.commander
        self.main = terminal.main

    @property
    def tab(self):
        return self.main.tab

    @property
    def name(self):
        """The name under the cursor."""
        return ".." if self.tab.on_parent_row else self.tab.cursor_name().decode()

    @property
    def selected(self):
        tab = self.tab
        return [tab.listing.columns.name(row).decode() for row in tab.selection.rows()]

    @property
    def window(self):
        """What is in front."""
        return type(self.terminal.screen).__name__

    async def press(self, *keys):
        """Press keys and wait until everything they ordered is done."""
        for key in keys:
            # Not by the pilot, which waits for a process without work after each key: that says little and takes long.
            self._post(key)
            await self._acted()
            await self.settled()
        if not keys:
            await self._acted()
            await self.settled()

    async def settled(self):
        """Wait until the screen in front stands, its widgets have dealt with what they were told, and all is drawn."""
        front = None
        while self._is_open and front is not self.terminal.screen:
            front = self.terminal.screen
            await self._while_in_front(front, getattr(front, "ready", None))
            for _ in range(2):
                await self.pilot._wait_for_screen()
                self.terminal.screen._on_timer_update()
                drawn = asyncio.Event()
                if front.call_after_refresh(drawn.set):
                    await self._while_in_front(front, drawn)

    async def _while_in_front(self, front, event):
        while event is not None and not event.is_set() and self._is_open and self.terminal.screen is front:
            await asyncio.sleep(0.001)  # a screen that goes away meanwhile sets nothing any more

    def _post(self, key):
        named = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
        try:
            character = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(named, named)))
        except KeyError:
            character = named if len(named) == 1 else None
        event = Key(named, character)
        event.set_sender(self.terminal)
        self.terminal.post_message(event)

    @property
    def _is_open(self):
        return self.terminal.is_running and not self.commander.quitting.is_set()

    async def _acted(self):
        """Wait until the keys that came so far have done what they are for."""
        arrived = asyncio.Event()
        self.terminal.call_later(arrived.set)
        while not arrived.is_set() and self._is_open:
            await asyncio.sleep(0)  # until the application has handed the keys on, or ends
        await self.main.queue.idle()
        await self._processed()
        await self.main.queue.idle()

    async def _processed(self):
        """The queue waits for the screen in front only so long; a test waits until it has dealt with its keys."""
        if not self._is_open:
            return
        front = self.terminal.screen
        processed = when_processed(front)
        while not processed.is_set() and self.terminal.is_running and self.terminal.screen is front:
            await asyncio.sleep(0)

    def burst(self, *keys):
        """Keys that arrive all at once, as over a slow line: none waits for what the one before does."""
        for key in keys:
            event = Key(key, key if len(key) == 1 else None)
            event.set_sender(self.terminal)
            self.terminal.post_message(event)

    async def type(self, text):
        signs = {"*": "asterisk", ".": "full_stop", "/": "slash", " ": "space", "-": "minus", ";": "semicolon"}
        await self.press(*(signs.get(char, char) for char in text))

    async def until(self, truth, seconds=60.0):
        """Wait for something to become true."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not truth():
            assert asyncio.get_running_loop().time() < deadline, f"not in time; status: {self.status}"
            await asyncio.sleep(0.01)
        await self.settled()

    @property
    def status(self):
        return "".join(segment.text for segment in self.main.status.line(0))

    def lines(self, widget):
        """What a widget draws."""
        return [widget.render_line(y).text for y in range(widget.size.height)]

    @property
    def window_text(self):
        """What the lists of the window in front say; what goes on in the next line is one word again."""
        lists = self.terminal.screen.query("LineList")
        return "".join(line.strip(" ╎") for one in lists for line in self.lines(one))

    @property
    def drawn(self):
        """All text that is on the screen, line by line."""
        width, height = self.terminal.size
        lines = self.terminal.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines[:height])[: (width + 1) * height]


@pytest.fixture
def places(tmp_path):
    left, right = tmp_path / "left", tmp_path / "right"
    for folder in ("docs", "src"):
        (left / folder).mkdir(parents=True)
    right.mkdir()
    for number in range(1, 6):
        (left / f"file{number}.txt").write_text(f"hello {number}\n" * number)
        os.utime(left / f"file{number}.txt", (1_700_000_000 + number * 86400,) * 2)
    (left / "main.py").write_text("import os\nprint(os.name)\n")
    (left / "readme.md").write_text("# Read me\n")
    (left / ".hidden").write_text("")
    (right / "file1.txt").write_text("other\n")
    return left, right


@pytest.fixture
def face(places, tmp_path, monkeypatch):
    """Opens the face: `async with face() as it`."""
    commands.register()
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "config").mkdir()

    @asynccontextmanager
    async def opened(
        *,
        size=(100, 28),
        left=None,
        right=None,
        watch=False,
        indexes=None,
        saved_tabs=None,
        policy=None,
        sandbox=None,
    ):
        from cmdr.tui.app import TerminalApp

        one, two = left or places[0], right or places[1]
        commander = Commander(
            Workspace.at(os.fsencode(one), os.fsencode(two)),
            Audit(str(tmp_path / "audit")),
            engine=Engine(Journal(os.fsencode(tmp_path / "journal.db"))),
            settings=Settings(str(tmp_path / "config")),
            bookmarks=Bookmarks(),
            rates=RateLimiter(scale=1e6),
            policy=policy,
            sandbox=sandbox,
            watch=watch,
            indexes=indexes,
        )
        terminal = TerminalApp(commander, clock=Clock(), saved_tabs=saved_tabs)
        try:
            async with terminal.run_test(size=size) as pilot:
                it = Face(terminal, pilot, one, two)
                await it.until(lambda: terminal.started)
                yield it
        finally:
            await commander.close()

    return opened
