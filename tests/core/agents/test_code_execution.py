"""Code of agents: shown first, run behind walls in a kernel of the client's own, and gone with it."""

import asyncio
import base64
import contextlib

import psutil
import pytest

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.files.process_sandbox.backend import probe
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.content_part import ImagePart, TextPart
from cmdr.model.root_spec import RootSpec

try:
    import ipykernel  # noqa: F401
    import jupyter_client  # noqa: F401
except ImportError:
    pytestmark = pytest.mark.skip(reason="ipykernel and jupyter_client are not installed")

AGENT = Principal("agent", "coder", token=True)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(32)).decode()


@pytest.fixture(scope="module")
def tier():
    found = probe()
    if found is None:
        pytest.skip("no sandbox works here")
    return found


@contextlib.asynccontextmanager
async def opened(core, root, tier):
    from cmdr.core.changes.engine import Engine
    from cmdr.engine.journal.journal import Journal

    root.mkdir(exist_ok=True)
    how = {"policy": Policy(allow_shell=True), "sandbox": Sandbox((RootSpec(bytes(root)),))}
    engine = Engine(Journal(bytes(root.parent / "journal.db")))
    async with core(engine=engine, **how) as commander:
        commander.shells.backend = tier
        commander.shells.rate_scale = 100
        yield commander


async def test_without_a_kernel_nobody_is_asked(core, tmp_path, tier, monkeypatch):
    """The person said yes to code that could not run at all."""
    monkeypatch.setattr("cmdr.editor.kernel.find_spec", lambda name: None)
    async with opened(core, tmp_path / "root", tier) as commander:
        with pytest.raises(CommandError, match="needs Jupyter's kernel"):
            await commander.run(AGENT, "execute_code", {"code": "1"})
        assert not commander.proposals.all()


async def run(commander, code, *, client=AGENT):
    """Run code as an agent, with a person who says yes."""
    from cmdr.core.dispatch.call import Call

    call = Call(commander, client)
    known = len(commander.proposals.all())
    task = asyncio.create_task(commander.perform(commander.registry.find("execute_code"), {"code": code}, call))
    while len(commander.proposals.all()) == known and not task.done():
        await commander.events.beyond(commander.events.rev)
    for proposal in commander.proposals.pending():
        assert "Run Python" in proposal.plan.title
        await commander.proposals.approve(proposal.id, proposal.plan.digest, PERSON)
    answer = await task
    return answer.text, call.parts


def text_of(parts):
    return "".join(part.text for part in parts if isinstance(part, TextPart))


async def test_code_is_shown_first_and_its_kernel_remembers(core, tmp_path, tier):
    async with opened(core, tmp_path / "root", tier) as commander:
        answer, parts = await run(commander, "x = 6 * 7\nprint('hello')\nx")
        assert answer.startswith("OK: done")
        assert text_of(parts) == "hello\n42\n"
        _, parts = await run(commander, "x + 1")
        assert text_of(parts) == "43\n"
        assert list((tmp_path / "root").iterdir()) == []


async def test_code_sees_the_roots_and_nothing_else(core, tmp_path, tier):
    (tmp_path / "secret.txt").write_text("secret")
    async with opened(core, tmp_path / "root", tier) as commander:
        code = f"open('made.txt', 'w').write('made')\nprint(open({str(tmp_path / 'secret.txt')!r}).read())"
        answer, parts = await run(commander, code)
        assert answer.startswith("OK: raised an error")
        assert "secret" not in text_of(parts).replace("secret.txt", "")
        assert (tmp_path / "root" / "made.txt").read_text() == "made"


async def test_code_cannot_change_what_other_programs_obey(core, tmp_path, tier):
    """Commands could not, but a kernel could write a git hook."""
    hook = tmp_path / "root" / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("harmless")
    async with opened(core, tmp_path / "root", tier) as commander:
        plan = await commander.code.plan("1", "client", AGENT)
        answer, _ = await run(commander, "open('.git/hooks/pre-commit', 'w').write('evil')")
    if plan.kept:
        assert answer.startswith("OK: raised an error")
        assert hook.read_text() == "harmless"
    else:  # the sandbox cannot carve it out, so the person is told, whatever was granted
        assert any("could also change" in line for line in plan.summary)


async def test_pictures_come_back_as_pictures(core, tmp_path, tier):
    async with opened(core, tmp_path / "root", tier) as commander:
        code = f"from IPython.display import Image, display; import base64; display(Image(base64.b64decode('{PNG}')))"
        _, parts = await run(commander, code)
        assert parts == [ImagePart("image/png", PNG)]


async def test_a_no_runs_nothing(core, tmp_path, tier):
    async with opened(core, tmp_path / "root", tier) as commander:
        before = {child.pid for child in psutil.Process().children(recursive=True)}
        task = asyncio.create_task(commander.run(AGENT, "execute_code", {"code": "1"}))
        while not commander.proposals.pending():
            await commander.events.beyond(commander.events.rev)
        commander.proposals.reject(commander.proposals.pending()[0].id, PERSON)
        with pytest.raises(CommandError, match="Nothing was run"):
            await task
        assert {child.pid for child in psutil.Process().children(recursive=True)} == before


async def test_the_kill_switch_ends_code_that_never_returns(core, tmp_path, tier):
    async with opened(core, tmp_path / "root", tier) as commander:
        before = {child.pid for child in psutil.Process().children(recursive=True)}
        await run(commander, "1")
        task = asyncio.create_task(run(commander, "while True: pass"))
        while not any(job.title.startswith("Run Python: while") for job in commander.jobs.running()):
            await commander.events.beyond(commander.events.rev)
        await asyncio.sleep(0)  # it has begun
        commander.stop_agents()
        with contextlib.suppress(CommandError):
            await task  # told why, or what became of the run, whichever comes first
        await commander.code.close()
        assert commander.jobs.all()[-1].outcome == "stopped; the kernel's state is lost"
        assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


async def test_it_is_not_there_without_the_switch(core):
    async with core() as commander:
        assert "execute_code" not in {command.name for command in commander.available(AGENT)}
