"""Keys in cmdr's own environment: no program behind walls finds them, in any process or file that it can see."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from walls_ground import NOBODY, SOURCE, can_be_nobody, open_the_way_to

from cmdr.files.process_sandbox.backend import BACKENDS, Backend, holds

PYTHON = "/usr/bin/python3"
PLANTED = {
    "ANTHROPIC_API_KEY": "sk-planted-1f7c",
    "AWS_SECRET_ACCESS_KEY": "aws-planted-93b0",
    "GITHUB_TOKEN": "ghp-planted-55ae",
    "DATABASE_URL": "postgres://u:pw-planted-20d1@h/db",
}
SECRETS = ["planted-1f7c", "planted-93b0", "planted-55ae", "planted-20d1"]

LOOK = """
import glob, json, os, sys

def look(secrets, with_files=True):
    '''Where one of some secrets can be read: every process, and every file that is no program.'''
    secrets = [secret[::-1].encode() for secret in secrets]  # told backwards, so that none of this is a find
    found, seen = [], 0
    places = [path for what in ("environ", "cmdline", "maps", "mountinfo", "comm", "auxv")
              for path in glob.glob(f"/proc/*/{what}") + glob.glob(f"/proc/*/task/*/{what}")]
    starts = ["/", os.getcwd(), "/etc", "/tmp", "/run", "/var", "/dev", os.environ["HOME"], os.environ["TMPDIR"]]
    for folder, inner, names in (found for start in starts if with_files for found in os.walk(start)):
        inner[:] = [] if folder in ("/usr", "/opt", "/proc", "/sys", "/lib", "/nix") else [
            name for name in inner if name not in ("site-packages", "lib", "lib64", "bin", "share")]
        places += [os.path.join(folder, name) for name in names if folder != "/proc"]
    for place in places:
        try:
            if os.path.isfile(place) and os.path.getsize(place) < 4_000_000:
                with open(place, "rb") as file:
                    text = file.read()
                seen += 1
                found += [place for secret in secrets if secret in text]
        except OSError:
            pass
    found += ["the environment" for value in os.environb.values() for secret in secrets if secret in value]
    return {"found": sorted(set(found)), "seen": seen, "processes": len(glob.glob("/proc/[0-9]*/environ"))}
"""

SHELL = """
import os, sys
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.backend import Backend
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
root, tier, secrets = os.fsencode(sys.argv[1]), Backend(sys.argv[2]), sys.argv[3]
words = [b"/usr/bin/python3", root + b"/look.py", secrets.encode()]
print(SandboxedRun(words, SandboxProfile(root, write=(root,)), tier, timeout_s=60).run().output.text())
"""

KERNEL = """
import json, os, sys
sys.path.insert(0, {hostile!r})
from walls_ground import Ground
from cmdr.core.agents import code_execution
from cmdr.core.dispatch.principals import PERSON
from cmdr.files.process_sandbox.backend import Backend
python = code_execution._python
code_execution._python = lambda: (*python(), {libraries!r})  # an ordinary user's Python has its libraries elsewhere
home, tier, secrets = sys.argv[1], Backend(sys.argv[2]), sys.argv[3]
with Ground(home, shell=True) as ground:
    ground.ask("shell_run", PERSON, command="true")  # the probe for a sandbox is over then
    ground.commander.shells.backend = tier
    code = open(os.path.join(home, "root", "look.py")).read().partition("if __name__")[0]
    plan = ground.run(ground.commander.code.plan(code + "\\nprint(json.dumps(look(" + repr(secrets.split(",")) + ")))",
                                                 "client", PERSON))
    async def run():
        job = ground.commander.code.begin(plan, PERSON.id)
        while not job.state.is_over:
            await ground.commander.events.beyond(ground.commander.events.rev)
        return job
    job = ground.run(run())
    print(job.output or json.dumps({{"refused": job.outcome}}))
"""


@pytest.fixture
def place(tmp_path):
    tmp_path.chmod(0o755)
    open_the_way_to(tmp_path)
    (tmp_path / "root").mkdir()
    end = 'if __name__ == "__main__":\n    print(json.dumps(look(sys.argv[1].split(","))))\n'
    (tmp_path / "root" / "look.py").write_text(LOOK + end)
    return tmp_path


def as_user(user, script, place, tier, *, python):
    """Run a script as root or as nobody with the secrets in its environment, as cmdr would have them; its answer."""
    line = [python, "-c", script, str(place), tier.value, ",".join(secret[::-1] for secret in SECRETS)]
    if user == "nobody":
        for path in (place, *place.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        line = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *line]
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": SOURCE, "HOME": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(line, env={**variables, **PLANTED}, cwd=place, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def python_for_everybody(place, libraries):
    """A Python that an ordinary user can run, with the libraries of this one."""
    told = subprocess.run([PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
    if told.stdout.split() != [str(number) for number in sys.version_info[:2]]:
        pytest.skip("the system's Python is another one")
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", place / "python"], check=True)
    (found,) = (place / "python" / "lib").glob("python3*/site-packages")
    (found / "libraries.pth").write_text(libraries)
    return str(place / "python" / "bin" / "python3")


def users():
    return ["root", pytest.param("nobody", marks=pytest.mark.skipif(not can_be_nobody(), reason="needs root"))]


@pytest.mark.skipif(not os.path.exists(PYTHON), reason="needs the system's Python inside the sandbox")
@pytest.mark.parametrize("user", users())
@pytest.mark.parametrize("tier", BACKENDS)
def test_no_command_finds_a_key_of_cmdrs_environment(place, tier, user):
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    told = as_user(user, SHELL.replace("sys.argv[1])", "sys.argv[1] + '/root')"), place, tier, python=PYTHON)
    assert told["found"] == []
    assert told["seen"] > 0
    if tier is Backend.BUBBLEWRAP:
        assert told["processes"] > 1  # the sandbox's first process was among them


@pytest.mark.parametrize("user", users())
@pytest.mark.parametrize("tier", BACKENDS)
def test_no_kernel_finds_a_key_of_cmdrs_environment(place, tier, user):
    """The first process of its sandbox kept cmdr's whole environment, where code could read it."""
    ipykernel = pytest.importorskip("ipykernel")
    pytest.importorskip("jupyter_client")
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    libraries = str(Path(ipykernel.__file__).parents[1])
    python = sys.executable if user == "root" else python_for_everybody(place, libraries)
    script = KERNEL.format(hostile=str(Path(__file__).parent), libraries=os.fsencode(libraries))
    told = as_user(user, script, place, tier, python=python)
    if tier is Backend.BUBBLEWRAP:
        assert told["found"] == []
        assert told["processes"] > 1
    else:
        assert "did not start" in told["refused"]  # there are no sockets, and a kernel needs them


def test_the_search_would_find_a_key(place):
    """Without walls it is in plain sight, in processes alone; otherwise the search would prove nothing."""
    code = f"{LOOK}\nprint(json.dumps(look(sys.argv[1:], with_files=False)))"
    line = [PYTHON, "-c", code, SECRETS[0][::-1]]
    variables = {"HOME": str(place), "TMPDIR": str(place)}
    done = subprocess.run(line, env={**variables, **PLANTED}, cwd=place, capture_output=True, text=True, check=True)
    assert "/proc/self/environ" in json.loads(done.stdout)["found"]
