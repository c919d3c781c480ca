"""Ground for tests of the walls: a core with the direct tools switched on, in a private home, without sockets."""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.engine.journal.journal import Journal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.panes.workspace import Workspace
from cmdr.model.root_spec import RootSpec

AGENT = Principal("agent", "tester", token=True)
OTHER = Principal("agent", "other", token=True)
SECRET = "TOP-SECRET-CONTENTS"
SOURCE = str(Path(__file__).resolve().parents[2] / "src")
NOBODY = 65534


class Ground:
    """`root` is the agents' folder, `outside` is not; both hold files, `outside` with the secret in them."""

    def __init__(self, home, *, write=True, shell=False, roots=None, toolsets=ALL_TOOLSETS, kernel=True, run_from=()):
        self.home = Path(home)
        self.root = self.home / "root"
        self.outside = self.home / "outside"
        self.own = self.home / "state"
        for folder in (self.root / "sub" / "deep", self.outside / "folder", self.own):
            folder.mkdir(parents=True, exist_ok=True)
        (self.root / "file.txt").write_text("inside\n")
        (self.root / "sub" / "inner.txt").write_text("inner\n")
        (self.outside / "secret.txt").write_text(SECRET)
        (self.outside / "folder" / "secret.txt").write_text(SECRET)
        (self.own / "token").write_text(SECRET)
        self._runner = asyncio.Runner()
        self._settings = (write, shell, toolsets)
        roots = [RootSpec(os.fsencode(self.root))] if roots is None else roots
        private = PrivatePlaces(own=(os.path.realpath(os.fsencode(self.own)),), homes=(os.fsencode(self.home),))
        self.sandbox = Sandbox(roots, private, kernel=kernel, run_from=run_from)

    def __enter__(self):
        commands.register()
        self._runner.run(self._start())
        return self

    def __exit__(self, *_):
        self._runner.run(self.commander.close())
        self._runner.close()

    async def _start(self):
        write, shell, toolsets = self._settings
        workspace = Workspace.at(os.fsencode(self.root), os.fsencode(self.outside))
        engine = Engine(Journal(os.fsencode(self.own / "journal.db")))
        self.commander = Commander(
            workspace,
            Audit(str(self.own / "audit")),
            policy=Policy(toolsets, allow_write=write, allow_shell=shell),
            rates=RateLimiter(scale=1e9),
            engine=engine,
            sandbox=self.sandbox,
            watch=False,
        )
        self.commander.shells.rate_scale = 1e9
        if shell:
            self.commander.shells.start_probe()
        await self.commander.start()

    def run(self, work):
        """Run a coroutine on the core's loop."""
        return self._runner.run(work)

    def ask(self, tool, principal=AGENT, /, **arguments):
        """A tool's answer, or the error it gives instead, as text."""
        try:
            return self.run(self.commander.run(principal, tool, arguments))
        except CommandError as error:
            return f"ERROR: {error}"
        except UnknownCommand as error:
            return f"UNKNOWN: {error}"

    def names(self, principal=AGENT):
        """The tools a caller is shown."""
        return [command.name for command in self.commander.available(principal) if command.toolset]


def plant_escapes(ground):
    """Links of every kind that lead out of the root."""
    root, outside = ground.root, ground.outside
    links = {
        "abs_file": outside / "secret.txt",
        "abs_dir": outside,
        "rel_file": "../outside/secret.txt",
        "rel_dir": "../outside",
        "sub/up": "../..",
        "sub/up_file": "../../outside/secret.txt",
        "to_link": "rel_file",
        "to_link_dir": "rel_dir",
        "dots": "sub/../../outside",
        "proc_root": "/proc/self/root",
        "proc_cwd": "/proc/self/cwd",
        "proc_fd": "/proc/self/fd",
        "slash": "/",
        "etc": "/etc",
        "own": ground.own,
        "own_rel": "../state",
        "loop_a": "loop_b",
        "loop_b": "loop_a",
        "self": "self",
        "long": "sub/" * 50 + "../" * 60 + "outside",
    }
    for name, target in links.items():
        path = root / name
        if not path.is_symlink():
            path.symlink_to(target)
    (root / ".ssh").mkdir(exist_ok=True)
    (root / ".ssh" / "id_ed25519").write_text(SECRET)
    (root / ".netrc").write_text(SECRET)
    (root / ".aws").mkdir(exist_ok=True)
    (root / ".aws" / "credentials").write_text(SECRET)
    if not (root / "twin.txt").exists():
        (ground.home / ".gnupg").mkdir(exist_ok=True)
        (ground.home / ".gnupg" / "key").write_text(SECRET)
        os.link(ground.home / ".gnupg" / "key", root / "twin.txt")
    if not (root / "pipe").exists():
        os.mkfifo(root / "pipe")


def escapes(ground):
    """A hundred and more paths that must never lead to anything outside the root."""
    root, home = os.fsencode(ground.root), os.fsencode(ground.home)
    plain = [
        *[b"../" * times + b"outside/secret.txt" for times in range(1, 12)],
        *[b"sub/" + b"../" * times + b"outside/secret.txt" for times in range(2, 8)],
        *[root + b"/" + b"../" * times + b"outside/secret.txt" for times in range(1, 8)],
        *[root + b"/sub/deep/" + b"../" * times + b"outside/secret.txt" for times in range(3, 8)],
        b"./../outside/secret.txt", b".//..//outside//secret.txt", b"sub/./.././../outside/secret.txt",
        b"sub//../../outside/secret.txt", b"file.txt/../../outside/secret.txt", b"nothing/../../outside/secret.txt",
        home + b"/outside/secret.txt", home + b"/outside", home, b"/", b"//", b"/etc/passwd", b"/etc/shadow",
        b"//etc/passwd", b"/./etc/passwd", b"/../../etc/passwd", b"~/.ssh/id_rsa", b"~", b"~root/.ssh",
        b"~/../etc/passwd",
        root + b"x/secret.txt", root + b"-other", root + b"/../root-other/secret.txt", root + b".bak",
        b"/proc/self/root" + home + b"/outside/secret.txt", b"/proc/self/environ", b"/proc/1/environ",
        b"/proc/self/mem",
        b"/proc/self/cwd/secret.txt", b"/proc/thread-self/root/etc/passwd", b"/dev/mem", b"/dev/fd/0", b"/dev/stdin",
        b"/sys/kernel/notes", b"file:///etc/passwd", b"file://" + home + b"/outside/secret.txt",
        b"\\\\etc\\\\passwd/..",
        b"%2e%2e/outside/secret.txt", b"..%2foutside/secret.txt", b"..\\outside\\secret.txt",
        b"....//outside/secret.txt",
        b"..;/outside/secret.txt", b"\xc0\xae\xc0\xae/outside/secret.txt",
        b"\xef\xbc\x8e\xef\xbc\x8e/outside/secret.txt",
        b"..\x00/outside/secret.txt", b"file.txt\x00/../../outside/secret.txt", b"\x00", b" ../outside/secret.txt",
        b"../outside/secret.txt ", b"..\n/outside/secret.txt", b"a" * 5000 + b"/../../outside/secret.txt",
        b"../" * 2000 + b"etc/passwd", b"..", b"../", b"sub/../..", b"sub/deep/../../..",
    ]  # fmt: skip
    links = [
        b"abs_file", b"abs_dir/secret.txt", b"abs_dir", b"rel_file", b"rel_dir/secret.txt",
        b"rel_dir/folder/secret.txt",
        b"sub/up/outside/secret.txt", b"sub/up", b"sub/up_file", b"to_link", b"to_link_dir/secret.txt",
        b"dots/secret.txt",
        b"proc_root/etc/passwd", b"proc_root", b"proc_cwd", b"proc_fd/0", b"slash/etc/passwd", b"slash", b"etc/passwd",
        b"etc", b"own/token", b"own", b"own_rel/token", b"own_rel/journal.db", b"loop_a", b"loop_a/x", b"self",
        b"self/x",
        b"long/secret.txt", b"sub/../rel_dir/secret.txt", b"sub/../sub/up/../outside/secret.txt",
        b".ssh/id_ed25519", b".ssh", b".SSH/id_ed25519", b"sub/../.ssh/id_ed25519", b".netrc", b".aws/credentials",
        b"twin.txt", root + b"/.ssh/id_ed25519", root + b"/rel_dir/secret.txt", root + b"/abs_file",
    ]  # fmt: skip
    return [*plain, *links]


def as_nobody(script, *arguments, timeout=60):
    """Run a Python script with this program's source as a user without rights; its output."""
    done = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
         "/usr/bin/python3", "-c", script, *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": SOURCE, "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/tmp",
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def can_be_nobody():
    """Whether this run is root and the system has a Python that everybody may use."""
    if os.geteuid() != 0 or not os.path.exists("/usr/bin/python3"):
        return False
    found = subprocess.run(
        ["/usr/bin/python3", "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True
    )
    return found.stdout.strip() == b"True"


class Swapper(threading.Thread):
    """Turns a folder into a link that leads outside and back, as fast as it can, in a process of its own."""

    def __init__(self, folder, elsewhere):
        super().__init__(daemon=True)
        script = (
            "import os, sys\n"
            "folder, aside, link, ready = sys.argv[1:5]\n"
            "import ctypes; libc = ctypes.CDLL(None)\n"
            "a, b = os.fsencode(folder), os.fsencode(link)\n"
            "n = 0\n"
            "print('ready', flush=True)\n"
            "while libc.renameat2(-100, a, -100, b, 2) == 0:\n"
            "    n += 1\n"
            "    if not n & 1023:\n"
            "        sys.stdout.write(f'{n}\\n'); sys.stdout.flush()\n"
        )
        self.link = f"{folder}.swap"
        os.symlink(elsewhere, self.link)
        self.swaps = 0
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder), "", self.link, ""], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "ready\n"

    def run(self):
        for line in self.process.stdout:
            self.swaps = int(line)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.join()
        self.process.stdout.close()
        return self.swaps


def open_the_way_to(folder):
    """Let every user get to a temporary folder, however deep the test runner made it."""
    for above in folder.parents:
        if above == Path(tempfile.gettempdir()):
            return
        above.chmod(0o755)
