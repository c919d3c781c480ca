"""Pictures of the main screens for the README: drawn by the program itself, turned into PNG by Chromium."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHOTS = Path(__file__).parent.parent / "docs" / "shots"
SIZE = (110, 32)
_FILES = {
    "README.md": 3_912,
    "main.py": 812,
    "photo.jpg": 2_348_213,
    "notes.md": 771,
    "run.sh": 93,
    "backup.tar.gz": 34_000_000,
    "data.json": 88_120,
    "song.flac": 31_204_112,
    "report.pdf": 420_333,
    "index.html": 5_120,
    "style.css": 2_048,
}
_CODE = """from pathlib import Path


def main() -> None:
    for path in sorted(Path().iterdir()):
        print(f"hello {path.name}")
"""
_SCREENS = {
    "panes": ("end", "insert", "up", "up", "insert"),
    "brief": ("ctrl+b",),
    "palette": ("f9", "s", "o", "r"),
    "viewer": ("m", "f3"),
    "settings": ("alt+s", "tab"),
    "bulk-rename": ("ctrl+a", "f2"),
    "approval": ("ctrl+y",),
    "help": ("f1",),
}


def plant(root: Path) -> tuple[Path, Path]:
    """A folder worth a picture."""
    left, right = root / "project", root / "archive"
    for folder in (left / "docs", left / "src", left / "tests", right / "2024", right / "2025"):
        folder.mkdir(parents=True)
    for number, (name, size) in enumerate(_FILES.items()):
        with (left / name).open("wb") as file:
            file.truncate(size)
        os.utime(left / name, (1_760_000_000 + number * 400_000,) * 2)
    (left / "main.py").write_text(_CODE)
    (left / "run.sh").chmod(0o755)
    (right / "notes.md").write_text("older\n")
    return left, right


async def shoot(name: str, keys: tuple[str, ...], theme: str, target: Path) -> None:
    """One screen as SVG."""
    from cmdr import commands
    from cmdr.core.audit import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.core.principals import Principal
    from cmdr.core.settings import Settings
    from cmdr.engine.journal.journal import Journal
    from cmdr.model.panes.workspace import Workspace
    from cmdr.tui.app import TerminalApp

    commands.register()
    with _home() as root:
        left, right = plant(root)
        os.environ["HOME"] = str(root)
        settings = Settings()
        settings.choose("appearance.theme", theme)
        engine = Engine(Journal(os.fsencode(root / "journal.db")))
        workspace = Workspace.at(os.fsencode(left), os.fsencode(right))
        commander = Commander(workspace, Audit(str(root / "audit")), engine=engine, settings=settings, watch=False)
        terminal = TerminalApp(commander)
        try:
            async with terminal.run_test(size=SIZE) as pilot:
                await pilot.pause(0.5)
                if name == "approval":
                    await commander.run(
                        Principal("agent", "claude"),
                        "move",
                        {
                            "paths": ["report.pdf", "backup.tar.gz", "notes.md"],
                            "reason": "These belong in the archive.",
                        },
                    )
                await pilot.press(*keys)
                await terminal.main.queue.idle()
                await pilot.pause(0.9)
                svg = terminal.export_screenshot(title="cmdr")
        finally:
            await commander.close()
    _keep(svg, target)


async def shoot_page(target: Path) -> None:
    """The page in the browser, with a proposal that waits."""
    from playwright.async_api import async_playwright

    from cmdr import commands
    from cmdr.app.http_server import http_server
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.audit import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.core.principals import Principal
    from cmdr.engine.journal.journal import Journal
    from cmdr.model.panes.workspace import Workspace

    commands.register()
    with _home() as root:
        left, right = plant(root)
        workspace = Workspace.at(os.fsencode(left), os.fsencode(right))
        engine = Engine(Journal(os.fsencode(root / "journal.db")))
        commander = Commander(workspace, Audit(str(root / "audit")), engine=engine, watch=False)
        await commander.start()
        listener = socket.create_server(("127.0.0.1", 0))
        server = http_server(commander, Tokens(str(root), str(root)), listener.getsockname()[1])
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"))
                page = await browser.new_page(viewport={"width": 1180, "height": 640}, color_scheme="light")
                assert commander.new_login_link is not None  # it is there with the server, which is about to listen
                await page.goto(commander.new_login_link())
                await page.wait_for_selector(".row")
                for key in ("Tab", "Control+b", "Tab", "Control+b", "End", "Insert", "ArrowUp", "ArrowUp", "Insert"):
                    await page.keyboard.press(key)
                moved = {"paths": ["report.pdf"], "reason": "It belongs in the archive."}
                await commander.run(Principal("agent", "claude"), "move", moved)
                await page.wait_for_selector("#waiting:not([hidden])")
                await page.wait_for_selector("#left .row.selected >> nth=1")
                await page.screenshot(path=target)
                await browser.close()
        finally:
            server.should_exit = True
            await serving
            await commander.close()


@contextmanager
def _home() -> Iterator[Path]:
    """A home with a short name, because it is seen in the pictures."""
    root = Path(tempfile.mkdtemp(prefix="h"))
    try:
        yield root
    finally:
        shutil.rmtree(root)


def _keep(svg: str, target: Path) -> None:
    target.write_text(svg, encoding="utf-8")


def to_png(svg: Path, png: Path) -> None:
    """Chromium draws exactly what a terminal would show; install it and fonts-firacode."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg.read_text(encoding="utf-8"))
    assert found is not None
    width, height = (int(float(number)) for number in found.groups())
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--window-size={width},{height}", f"--screenshot={png}", svg.absolute().as_uri()],
        check=True, capture_output=True,
    )  # fmt: skip


def main() -> int:
    """Draw every screen, in the dark look and the panes in all of them."""
    if not shutil.which("chromium"):
        sys.stderr.write("Pictures need chromium: apt-get install chromium fonts-firacode\n")
        return 1
    os.environ |= {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    SHOTS.mkdir(parents=True, exist_ok=True)
    wanted = [(name, keys, "dark", name) for name, keys in _SCREENS.items()]
    wanted += [("panes", _SCREENS["panes"], theme, f"panes-{theme}") for theme in ("light", "classic")]
    with tempfile.TemporaryDirectory(prefix="cmdr-svg-") as folder:
        for name, keys, theme, file in wanted:
            svg = Path(folder) / f"{file}.svg"
            asyncio.run(shoot(name, keys, theme, svg))
            to_png(svg, SHOTS / f"{file}.png")
    asyncio.run(shoot_page(SHOTS / "browser.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
