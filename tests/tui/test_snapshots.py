"""Every screen as a picture: a change that nobody wanted is seen."""

import asyncio
import os
import re

import pytest
from textual.widgets import Input

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.core.panes.free_space import Space
from cmdr.engine.journal.journal import Journal
from cmdr.model.panes.workspace import Volume, Workspace

MOMENT = 1_700_000_000


@pytest.fixture
def terminal(tmp_path, monkeypatch):
    """A face whose every letter is the same on every machine and at any time."""
    from cmdr.model import units
    from cmdr.tui.app import TerminalApp

    commands.register()
    for name, value in {"COLORTERM": "truecolor", "TERM": "xterm-256color", "TZ": "UTC", "HOME": "/work/demo"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    units._date.cache_clear()
    left, right = tmp_path / "left", tmp_path / "right"
    (left / "docs").mkdir(parents=True)
    (left / "src").mkdir()
    right.mkdir()
    for name, size in {
        "main.py": 812,
        "photo.png": 48_213,
        "notes.md": 77,
        "run.sh": 9,
        "backup.tar.gz": 3_400_000,
    }.items():
        with (left / name).open("wb") as file:
            file.truncate(size)
    (left / "main.py").write_text("import os\n\n\ndef main() -> None:\n    print(os.name)\n")
    (right / "notes.md").write_text("other\n")
    (left / "run.sh").chmod(0o755)
    for path in (*left.iterdir(), *right.iterdir()):
        os.utime(path, (MOMENT, MOMENT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "cmdr.core.panes.browser.volumes", lambda: (Volume("Root", b"/", "ext4"), Volume("usb", b"/mnt/usb", "vfat"))
    )
    monkeypatch.setattr(
        "cmdr.core.panes.free_space.FreeSpaceCache.at", lambda self, path, changed: Space(50 << 30, 200 << 30)
    )
    monkeypatch.setattr(
        "cmdr.tui.panes.frame.abbreviate_home", lambda path, home: "~/" + os.path.basename(path).decode()
    )
    for face in ("cmdr.tui.panes.frame", "cmdr.model.panes.pane"):
        monkeypatch.setattr(f"{face}.human_size", lambda size: "50.0 GiB" if size > 1 << 35 else f"{size:,} B")
    monkeypatch.setattr("cmdr.model.units.time.time", lambda: float(MOMENT + 86400))
    commander = Commander(
        Workspace.at(os.fsencode(left), os.fsencode(right)),
        Audit(str(tmp_path / "audit")),
        engine=Engine(Journal(os.fsencode(tmp_path / "journal.db"))),
        rates=RateLimiter(scale=1e6),
        watch=False,
    )
    yield TerminalApp(commander, clock=lambda: 0.0)
    commander.audit.close()


async def ready(pilot):
    import asyncio

    while not pilot.app.started:
        await asyncio.sleep(0.01)
    await pilot.app.main.queue.idle()
    for view in (pilot.app.main.left, pilot.app.main.right):
        while view.prefetch.is_fetching:
            await asyncio.sleep(0.01)
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False  # whatever the moment of the picture is, its cursor is there
    await pilot.pause()


def keys(*pressed):
    async def before(pilot):
        await ready(pilot)
        await pilot.press(*pressed)
        await ready(pilot)

    return before


SCREENS = {
    "panes": ("insert", "insert"),
    "brief": ("ctrl+b",),
    "help": ("f1",),
    "palette": ("f9", "s", "o", "r"),
    "sort": ("ctrl+s",),
    "mask": ("plus",),
    "volumes": ("ctrl+v",),
    "settings": ("alt+s", "tab"),
    "shortcuts": ("alt+s", "tab", "tab"),
    "agents": ("alt+a",),
    "jobs": ("ctrl+j",),
    "bulk-rename": ("ctrl+a", "f2"),
    "tabs": ("ctrl+t", "alt+p"),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_screen(snap_compare, terminal, screen):
    assert snap_compare(terminal, terminal_size=(80, 24), run_before=keys(*SCREENS[screen]))


def test_attributes(snap_compare, terminal):
    async def before(pilot):
        await keys("end", "alt+e", "down", "right", "space")(pilot)
        while "; or" not in pilot.app.screen._modified.placeholder:
            await pilot.pause(0.01)
        await pilot.pause()

    assert snap_compare(terminal, terminal_size=(80, 24), run_before=before)


@pytest.mark.parametrize("theme", ["light", "terminal", "classic"])
def test_theme(snap_compare, terminal, theme):
    asyncio.run(terminal.commander.settings.choose("appearance.theme", theme))
    assert snap_compare(terminal, terminal_size=(80, 24), run_before=keys("insert"))


def test_confirmation_of_an_agents_proposal(snap_compare, terminal, tmp_path, monkeypatch):
    shown = re.compile(re.escape(str(tmp_path)))
    from cmdr.tui.changes import confirm

    real = confirm.facts_of
    monkeypatch.setattr(
        confirm,
        "facts_of",
        lambda plan: [fact._replace(text=shown.sub("/work/demo", fact.text)) for fact in real(plan)],
    )

    async def before(pilot):
        await ready(pilot)
        await terminal.commander.run(
            Principal("agent", "claude"), "delete", {"paths": ["notes.md", "docs"], "reason": "They are old."}
        )
        await pilot.press("ctrl+y", "enter")
        await ready(pilot)
        pilot.app.screen._grace_period._ends = 0.0
        pilot.app.screen._answers.show([pilot.app.screen._answer_row()])
        await pilot.pause()

    assert snap_compare(terminal, terminal_size=(90, 24), run_before=before)


def test_viewer(snap_compare, terminal, monkeypatch):
    from cmdr.tui.viewer.viewer import Viewer

    monkeypatch.setattr(Viewer, "_named", lambda self: " main.py   /work/demo")

    async def before(pilot):
        await keys("m", "f3")(pilot)
        for _ in range(50):
            await pilot.pause()
            if pilot.app.screen.file.view is not None and pilot.app.screen.file.view.is_counted:
                break
        await pilot.pause(0.1)

    assert snap_compare(terminal, terminal_size=(80, 12), run_before=before)
