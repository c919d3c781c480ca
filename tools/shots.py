"""Pictures for the README, drawn by the program itself and by Chromium: the main screens, and a minute with an agent.

`tools/shots.py` makes all of them, `tools/shots.py minute panes` those two.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from cmdr.core.commander import Commander
    from cmdr.core.dispatch.principals import Principal
    from cmdr.tui.app import TerminalApp

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
_WIDTH = 1000
_LINES_SHOWN = 5
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #14181f; font: 17px/25px "Fira Code", "DejaVu Sans Mono", monospace; color: #c8ccd4; }
main { height: 125px; padding: 12px 16px; display: flex; flex-direction: column; justify-content: flex-end; }
p { margin: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
b { display: inline-block; width: 72px; }
.you b { color: #7ee787; } .agent b { color: #e3b05f; } .cmdr b { color: #58a6ff; }
svg { display: block; width: 100%; }
</style><main>ROWS</main>PANES"""


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


@asynccontextmanager
async def opened(theme: str, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[Commander, TerminalApp, Pilot[None]]]:
    """The terminal with two folders worth a picture, as a person has it before them."""
    from cmdr import commands
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.core.settings import Settings
    from cmdr.engine.journal.journal import Journal
    from cmdr.model.panes.workspace import Workspace
    from cmdr.tui.app import TerminalApp

    commands.register()
    with _home() as root:
        left, right = plant(root)
        settings = Settings()
        await settings.choose("appearance.theme", theme)
        engine = Engine(Journal(os.fsencode(root / "journal.db")))
        workspace = Workspace.at(os.fsencode(left), os.fsencode(right))
        commander = Commander(workspace, Audit(str(root / "audit")), engine=engine, settings=settings, watch=False)
        terminal = TerminalApp(commander)
        try:
            async with terminal.run_test(size=size) as pilot:
                await pilot.pause(0.5)
                yield commander, terminal, pilot
        finally:
            await commander.close()


async def shoot(name: str, keys: tuple[str, ...], theme: str) -> str:
    """One screen as SVG."""
    async with opened(theme) as (commander, terminal, pilot):
        if name == "approval":
            wish = {"paths": ["report.pdf", "backup.tar.gz", "notes.md"], "reason": "These belong in the archive."}
            await commander.run(_agent(), "move", wish)
        await pilot.press(*keys)
        await terminal.main.queue.idle()
        await pilot.pause(0.9)
        return terminal.export_screenshot(title="cmdr")


async def shoot_page(target: Path) -> None:
    """The page in the browser, with a proposal that waits."""
    from playwright.async_api import async_playwright

    from cmdr import commands
    from cmdr.app.serving import http_server
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
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
                await commander.run(_agent(), "move", moved)
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
    root = Path(tempfile.gettempdir()) / "ada"
    root.mkdir(mode=0o700)
    before, os.environ["HOME"] = os.environ["HOME"], str(root)
    try:
        yield root
    finally:
        os.environ["HOME"] = before
        shutil.rmtree(root)


def _agent() -> Principal:
    from cmdr.core.dispatch.principals import Principal

    return Principal("agent", "claude")


class Minute:
    """A minute with an agent: what it says and is answered stands above the panes, frame by frame."""

    def __init__(self, commander: Commander, terminal: TerminalApp, pilot: Pilot[None]) -> None:
        self._commander, self._terminal, self._pilot = commander, terminal, pilot
        self._lines: list[tuple[str, str]] = []
        self.frames: list[tuple[str, float]] = []
        """The page of each frame, and for how many seconds it is shown."""

    async def say(self, who: str, words: str, seconds: float) -> None:
        """One more line above the panes."""
        self._lines.append((who, words))
        await self._keep(seconds)

    async def call(self, command: str, arguments: dict[str, object], shown: str, seconds: float) -> str:
        """The agent calls a tool; its real answer is the next line."""
        await self.say("agent", f"{command} {shown}", 1.4)
        answer = await self._commander.run(_agent(), command, arguments)
        await self.say("cmdr", answer, seconds)
        return answer

    async def press(self, key: str, words: str, seconds: float) -> None:
        """The person presses a key in the panes."""
        self._lines.append(("you", words))
        await self._pilot.press(key)
        await self._terminal.main.queue.idle()
        await self._keep(seconds)

    async def _keep(self, seconds: float) -> None:
        await self._pilot.pause(0.9)
        panes = self._terminal.export_screenshot(title="cmdr")
        rows = "".join(
            f'<p class="{who}"><b>{who}</b>{html.escape(" · ".join(words.splitlines()))}</p>'
            for who, words in self._lines[-_LINES_SHOWN:]
        )
        self.frames.append((_PAGE.replace("ROWS", rows).replace("PANES", panes), seconds))


async def record() -> list[tuple[str, float]]:
    """The frames of the story: asked, proposed, read, approved, taken back."""
    async with opened("dark", (96, 23)) as (commander, terminal, pilot):
        minute = Minute(commander, terminal, pilot)
        await minute.say("you", "Move everything I do not work on into the archive.", 2.5)
        chosen = ["report.pdf", "backup.tar.gz", "song.flac", "photo.jpg"]
        shown = "{pane: left, names: [report.pdf, backup.tar.gz, song.flac, photo.jpg]}"
        await minute.call("select", {"pane": "left", "names": chosen}, shown, 2)
        wish = {"pane": "left", "reason": "None of these changed this month."}
        answer = await minute.call("move", wish, '{pane: left, reason: "None of these changed this month."}', 3)
        found = re.search(r"p_\w+", answer)
        assert found is not None  # every answer to a proposal names it
        waiting = asyncio.create_task(commander.run(_agent(), "await", {"proposal": found[0]}))
        await minute.press("ctrl+y", "Ctrl+Y: what does it want to do?", 4)
        await minute.press("y", "y: yes, do it", 0.1)
        await minute.say("cmdr", (await waiting).partition("\n")[0], 3)
        await minute.press("ctrl+z", "Ctrl+Z: on second thought …", 3)
        await minute.press("y", "y: everything is back", 3)
    return minute.frames


async def animate(frames: list[tuple[str, float]], target: Path) -> None:
    """One GIF of all frames, with one palette for all of them so that it stays small."""
    from PIL import Image
    from playwright.async_api import async_playwright

    pictures = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = await browser.new_page(viewport={"width": _WIDTH, "height": 100})
        for content, _ in frames:
            await page.set_content(content, wait_until="networkidle")
            pictures.append(Image.open(BytesIO(await page.screenshot(full_page=True))).convert("RGB"))
        await browser.close()
    all_of_them = Image.new("RGB", (_WIDTH, sum(picture.height for picture in pictures)))
    for number, picture in enumerate(pictures):
        all_of_them.paste(picture, (0, number * picture.height))
    palette = all_of_them.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    small = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    durations = [int(seconds * 1000) for _, seconds in frames]
    small[0].save(target, save_all=True, append_images=small[1:], duration=durations, loop=0, optimize=True)


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


def main(names: list[str]) -> int:
    """Draw every picture, or only those that are named."""
    if not shutil.which("chromium"):
        sys.stderr.write("Pictures need chromium: apt-get install chromium fonts-firacode\n")
        return 1
    os.environ |= {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    SHOTS.mkdir(parents=True, exist_ok=True)
    wanted = [(name, keys, "dark", name) for name, keys in _SCREENS.items()]
    wanted += [("panes", _SCREENS["panes"], theme, f"panes-{theme}") for theme in ("light", "classic")]
    with tempfile.TemporaryDirectory(prefix="cmdr-svg-") as folder:
        for name, keys, theme, file in wanted:
            if not names or file in names:
                svg = Path(folder) / f"{file}.svg"
                svg.write_text(asyncio.run(shoot(name, keys, theme)), encoding="utf-8")
                to_png(svg, SHOTS / f"{file}.png")
    if not names or "browser" in names:
        asyncio.run(shoot_page(SHOTS / "browser.png"))
    if not names or "minute" in names:
        asyncio.run(animate(asyncio.run(record()), SHOTS / "minute.gif"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
