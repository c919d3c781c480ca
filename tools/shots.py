"""Pictures of the main screens for the README: drawn by the program itself, turned into PNG by Chromium."""

import asyncio
import os
import re
import shutil
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
    from cmdr.core.commander import Commander
    from cmdr.core.engine import Engine
    from cmdr.core.journal import Journal
    from cmdr.core.principals import Principal
    from cmdr.core.settings import Settings
    from cmdr.model.workspace import Workspace
    from cmdr.tui.terminal import Terminal

    commands.register()
    with _home() as root:
        left, right = plant(root)
        os.environ["HOME"] = str(root)
        settings = Settings()
        settings.choose("appearance.theme", theme)
        engine = Engine(Journal(os.fsencode(root / "journal.db")))
        workspace = Workspace.at(os.fsencode(left), os.fsencode(right))
        commander = Commander(workspace, Audit(str(root / "audit")), engine=engine, settings=settings, watch=False)
        terminal = Terminal(commander)
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
                await terminal.main.orders.idle()
                await pilot.pause(0.9)
                svg = terminal.export_screenshot(title="cmdr")
        finally:
            await commander.close()
    _keep(svg, target)


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
    return 0


if __name__ == "__main__":
    sys.exit(main())
