"""Agents' commands: shown to the person first, unless granted; two at once; gone when the person says so."""

import asyncio
import os
import sys
import time
from types import SimpleNamespace

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hostile"))

from evil_commands import survivors
from walls_ground import AGENT, OTHER, Ground

from cmdr.core.agents import shell_commands
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Principal
from cmdr.core.errors import CommandError
from cmdr.files.process_sandbox import runner
from cmdr.files.process_sandbox.backend import ALLOWS_WHOLE_FOLDERS_ONLY, Backend, holds, probe
from cmdr.model.plans.plan_text import summary_of, title_of, word_to_type
from cmdr.model.root_spec import RootSpec

pytestmark = pytest.mark.skipif(probe() is None, reason="no sandbox works here")


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Ground(tmp_path, shell=True) as made:
        yield made


def grant(ground, *clients):
    for client in clients or (AGENT,):
        ground.ask("grants.give", PERSON, client=client.name, grant="shell")


async def pending(ground):
    """The next proposal, once there is one."""
    while not ground.commander.proposals.pending():
        await ground.commander.events.beyond(ground.commander.events.rev)
    return ground.commander.proposals.pending()[0]


def test_a_granted_client_runs_at_once_and_learns_the_tier(ground):
    grant(ground)
    answer = ground.ask("shell_run", command="echo hello; pwd; exit 3", cwd="sub")
    first, *rest = answer.splitlines()
    assert first.startswith("OK: exit code 3, ")
    assert first.endswith(str(ground.commander.shells.backend))
    assert rest == ["hello", f"{ground.root}/sub"]
    assert ground.ask("shell.run", command="cat file.txt").endswith("inside")


def test_an_ungranted_command_waits_for_the_person_and_shows_exactly_what_runs(ground):
    async def scene():
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "echo a\nprintf '\\033[2Jb'"}))
        proposal = await pending(ground)
        assert title_of(proposal.plan) == "Run echo a …"
        lines = summary_of(proposal.plan)
        assert lines[:3] == ["Run a command:", "│ echo a", "│ printf '\\\\033[2Jb'"]
        assert f"it can change {ground.root}" in lines
        assert any("without network" in line for line in lines)
        assert word_to_type(proposal.plan) is None
        shown = await ground.commander.run(PERSON, "proposal.show", {"proposal": proposal.id})
        assert "echo a" in shown
        with pytest.raises(CommandError, match="not the plan"):
            await ground.commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": "0" * 64})
        assert not call.done()
        await ground.commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
        return await call

    answer = ground.run(scene())
    assert answer.startswith("OK: exit code 0")
    assert "\na\n" in answer


def test_what_became_protected_while_a_command_waited_cannot_be_changed_by_it(ground):
    """A command may wait for a day; what it must leave alone is looked for again when it runs."""
    if ground.commander.shells.backend in ALLOWS_WHOLE_FOLDERS_ONLY:
        pytest.skip("this sandbox holds whole folders only")
    hooks = ground.root / "later" / ".git" / "hooks"

    async def scene():
        command = f"echo evil > {hooks}/pre-commit; echo tried"
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": command}))
        proposal = await pending(ground)
        hooks.mkdir(parents=True)
        await ground.commander.run(PERSON, "approve", {"proposal": proposal.id, "digest": proposal.plan.digest})
        return await call

    assert ground.run(scene()).endswith("tried")
    assert not (hooks / "pre-commit").exists()


def test_a_rejected_command_never_runs(ground):
    async def scene():
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "touch ran"}))
        proposal = await pending(ground)
        await ground.commander.run(PERSON, "reject", {"proposal": proposal.id})
        with pytest.raises(CommandError, match="The person said no"):
            await call

    ground.run(scene())
    assert not (ground.root / "ran").exists()


def test_an_answer_that_comes_late_can_be_awaited(ground, monkeypatch):
    monkeypatch.setattr("cmdr.commands.agents.shell.ANSWER_TIMEOUT_S", 0.05)
    answer = ground.ask("shell_run", command="echo late")
    id = answer.partition("proposal: ")[2].split()[0]
    (proposal,) = ground.commander.proposals.pending()
    ground.ask("approve", PERSON, proposal=id, digest=proposal.plan.digest)
    told = ground.ask("await", proposal=id)
    assert told.startswith("OK: Approved. exit code 0")
    assert told.endswith("\nlate")


async def ask_for(ground, *commands):
    """Proposals made while nothing runs yet, so that all of them can be approved afterwards."""
    calls = []
    for number, command in enumerate(commands, 1):
        calls.append(asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": command})))
        while len(ground.commander.proposals.pending()) < number:
            await ground.commander.events.beyond(ground.commander.events.rev)
    return calls


async def approve_all(ground):
    answers = []
    for proposal in ground.commander.proposals.pending():
        arguments = {"proposal": proposal.id, "digest": proposal.plan.digest}
        answers.append(await ground.commander.run(PERSON, "approve", arguments))
    return answers


WAIT = "while [ ! -e go ]; do sleep 0.05; done"


def test_more_commands_than_two_wait_although_approved_and_the_person_is_told_why(ground):
    async def scene():
        calls = await ask_for(ground, WAIT, WAIT, "touch third")
        *told, last = await approve_all(ground)
        assert all("not yet" not in answer for answer in told)
        assert last.endswith("not yet: 2 commands of agent:tester are running; it waits for one to end")
        job = ground.commander.jobs.all()[-1]
        assert job.state == "queued"
        assert "2 commands of agent:tester" in await ground.commander.run(PERSON, "jobs.show", {"job": job.id})
        assert not (ground.root / "third").exists()
        (ground.root / "go").touch()
        return await asyncio.gather(*calls)

    assert all(answer.startswith("OK: exit code 0") for answer in ground.run(scene()))
    assert (ground.root / "third").exists()


@pytest.mark.parametrize("how", ["job.cancel", "agents.stop"])
def test_a_command_that_is_stopped_while_it_waits_never_runs(ground, how):
    async def scene():
        calls = await ask_for(ground, WAIT, WAIT, "touch third")
        await approve_all(ground)
        job = ground.commander.jobs.all()[-1]
        await ground.commander.run(PERSON, how, {"job": job.id} if how == "job.cancel" else {})
        await ground.commander.jobs.finished(job)
        assert job.outcome.endswith("before it ran")
        assert job.state == "cancelled"
        (ground.root / "go").touch()
        await asyncio.gather(*calls, return_exceptions=True)

    ground.run(scene())
    assert not (ground.root / "third").exists()


def test_no_agent_answers_its_own_question(ground):
    async def scene():
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "touch ran"}))
        proposal = await pending(ground)
        arguments = {"proposal": proposal.id, "digest": proposal.plan.digest}
        for caller in (AGENT, OTHER, SAME_USER):
            for name, given in (("approve", arguments), ("command", {"id": "approve", "args": arguments})):
                with pytest.raises(CommandError, match="person"):
                    await ground.commander.run(caller, name, given)
        call.cancel()
        await asyncio.wait([call])

    ground.run(scene())
    assert not (ground.root / "ran").exists()


def test_a_grant_is_for_one_client_and_can_be_taken_back(ground):
    grant(ground)
    assert "shell" in ground.ask("grants.list", PERSON)
    commands = ground.commander
    assert commands.policy.grants.has(AGENT, "shell")
    assert not commands.policy.grants.has(OTHER, "shell")
    assert not commands.policy.grants.has(Principal("agent", AGENT.name), "shell")  # the name alone proves nothing
    ground.ask("grants.revoke", PERSON, client=AGENT.name, grant="shell")
    assert not commands.policy.grants.has(AGENT, "shell")


async def stopped(ground, seconds):
    """How long it takes from the kill switch until a command that would sleep is gone."""
    call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": f"sleep {seconds}"}))
    while not survivors(seconds):
        await asyncio.sleep(0.01)
    started = time.monotonic()
    await ground.commander.run(PERSON, "agents.stop", {})
    while survivors(seconds):
        await asyncio.sleep(0.005)
    took = time.monotonic() - started
    with pytest.raises(CommandError):
        await call
    return took


def test_the_kill_switch_ends_commands(ground):
    """How quickly, `make torture` tells."""
    grant(ground)
    ground.run(stopped(ground, "4111.5"))
    assert "stopped all agents" in ground.ask("shell_run", command="id")


def test_a_caller_that_leaves_takes_its_command_along(ground):
    grant(ground)

    async def scene():
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "sleep 4222.5"}))
        while not survivors("4222.5"):
            await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.wait([call])
        while ground.commander.jobs.running():
            await ground.commander.events.beyond(ground.commander.events.rev)
        return survivors("4222.5")

    assert ground.run(scene()) == []


def test_two_at_once_and_ten_a_minute(ground, monkeypatch):
    monkeypatch.setattr(shell_commands, "time", SimpleNamespace(monotonic=lambda: 1000.0))  # all in one minute
    grant(ground, AGENT, OTHER)

    async def scene():
        calls = [
            asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "sleep 4333.5"})) for _ in (1, 2)
        ]
        while len(ground.commander.jobs.running()) < 2:
            await asyncio.sleep(0.01)
        with pytest.raises(CommandError, match="2 of your commands"):
            await ground.commander.run(AGENT, "shell_run", {"command": "id"})
        other = await ground.commander.run(OTHER, "shell_run", {"command": "echo other"})
        assert other.endswith("other")
        for job in ground.commander.jobs.running():
            await ground.commander.run(PERSON, "job.cancel", {"job": job.id})
        answers = await asyncio.gather(*calls)
        assert all("cancelled" in answer for answer in answers)

    ground.run(scene())
    ground.commander.shells.rate_scale = 1
    answers = [ground.ask("shell_run", OTHER, command="true") for _ in range(12)]
    assert sum(answer.startswith("ERROR: Too many shell calls") for answer in answers) == 3


def test_a_command_cannot_be_paused_but_is_listed(ground):
    grant(ground)

    async def scene():
        call = asyncio.create_task(ground.commander.run(AGENT, "shell_run", {"command": "sleep 4444.5"}))
        while not (jobs := ground.commander.jobs.running()):
            await asyncio.sleep(0.01)
        assert "Run sleep 4444.5" in await ground.commander.run(PERSON, "jobs.list", {})
        with pytest.raises(CommandError, match="cannot be paused"):
            await ground.commander.run(PERSON, "job.pause", {"job": jobs[0].id})
        await ground.commander.run(AGENT, "job.cancel", {"job": jobs[0].id})
        await call

    ground.run(scene())


def test_the_deadline_is_kept_and_told(ground, monkeypatch):
    """Ten minutes have gone by for the run as soon as the command says so, however slow the machine is."""
    over = ground.root / "over"
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 600 * over.exists())
    monkeypatch.setattr(runner, "time", clock)
    grant(ground)
    answer = ground.ask("shell_run", command="touch over; echo before; sleep 600", timeout=300)
    assert answer.startswith("OK: timed out after 300 s")
    assert answer.endswith("before")
    assert "from 1 to 600" in ground.ask("shell_run", command="id", timeout=601)


def test_long_output_keeps_its_beginning_and_end(ground):
    grant(ground)
    answer = ground.ask("shell_run", command="echo first; seq 100000; echo last")
    assert len(answer) <= 20_000
    assert "\nfirst\n" in answer
    assert answer.endswith("last")
    assert "bytes left out" in answer


def test_only_the_roots_are_there_and_read_only_ones_stay_so(ground):
    roots = (RootSpec(os.fsencode(ground.root)), RootSpec(os.fsencode(ground.outside), read_only=True))
    wide = Principal("agent", "wide", token=True, roots=roots)
    grant(ground, AGENT, wide)
    assert "TOP-SECRET" not in ground.ask("shell_run", command=f"cat {ground.outside}/secret.txt")
    assert "TOP-SECRET" in ground.ask("shell_run", wide, command=f"cat {ground.outside}/secret.txt")
    ground.ask("shell_run", wide, command=f"echo changed > {ground.outside}/secret.txt")
    assert (ground.outside / "secret.txt").read_text().startswith("TOP-SECRET")


@pytest.mark.skipif(not holds(Backend.BUBBLEWRAP), reason="only bubblewrap can hide")
def test_private_places_inside_a_root_are_out_of_sight(ground):
    grant(ground)
    (ground.root / ".ssh").mkdir()
    (ground.root / ".ssh" / "id").write_text("TOP-SECRET")
    (ground.root / ".netrc").write_text("TOP-SECRET")
    answer = ground.ask("shell_run", command="cat .ssh/* .netrc; ls -A .ssh; echo x > .netrc; echo x > .ssh/id; true")
    assert "TOP-SECRET" not in answer
    assert (ground.root / ".netrc").read_text() == "TOP-SECRET"
    assert (ground.root / ".ssh" / "id").read_text() == "TOP-SECRET"


@pytest.mark.skipif(not holds(Backend.LANDLOCK), reason="needs Landlock")
def test_a_sandbox_that_cannot_hide_refuses_roots_with_secrets(ground):
    grant(ground)
    ground.ask("shell_run", command="true")
    ground.commander.shells.backend = Backend.LANDLOCK
    assert "landlock" in ground.ask("shell_run", command="echo ok")
    (ground.root / ".ssh").mkdir()
    assert "cannot hide it" in ground.ask("shell_run", command="echo ok")


KEPT = {".git/hooks/pre-commit", ".vscode/tasks.json", "CLAUDE.md", "proj/.git/config", "proj/.envrc"}


def plant_kept(ground):
    for name in KEPT:
        (ground.root / name).parent.mkdir(parents=True, exist_ok=True)
        (ground.root / name).write_text("mine")


@pytest.mark.skipif(not holds(Backend.BUBBLEWRAP), reason="only bubblewrap can keep")
def test_what_other_programs_obey_is_kept_as_it_is(ground):
    grant(ground)
    plant_kept(ground)
    for name in KEPT:
        top = name.split("/")[0]
        for command in (
            f"echo evil > {name}",
            f"rm -rf {name}",
            f"mv {name} away",
            f"mv {top} away; mkdir -p $(dirname {name}); echo evil > {name}",
            f"ln -sf /dev/null {name}",
        ):
            ground.ask("shell_run", command=command)
            assert (ground.root / name).read_text() == "mine", command
    assert ground.ask(
        "shell_run", command="cat CLAUDE.md; echo new > new.txt; mkdir proj/x; echo y > proj/x/y"
    ).endswith("mine")
    assert (ground.root / "proj" / "x" / "y").read_text() == "y\n"


@pytest.mark.skipif(not holds(Backend.LANDLOCK), reason="needs Landlock")
def test_a_sandbox_that_cannot_keep_asks_in_spite_of_a_grant(ground, monkeypatch):
    monkeypatch.setattr("cmdr.commands.agents.shell.ANSWER_TIMEOUT_S", 0.05)
    grant(ground)
    ground.ask("shell_run", command="true")
    ground.commander.shells.backend = Backend.LANDLOCK
    plant_kept(ground)
    assert "Shown to the person" in ground.ask("shell_run", command="true")
    (proposal,) = ground.commander.proposals.pending()
    assert any("could also change" in line and ".git/hooks" in line for line in summary_of(proposal.plan))


def test_our_own_code_is_kept_when_it_lies_in_a_root():
    from cmdr.files.process_sandbox.read_only_paths import program_paths, protected_below
    from cmdr.files.protected import Protection

    package = program_paths()[0]
    assert package.endswith(b"/cmdr")
    assert package in protected_below(os.path.dirname(package), Protection())


def test_without_a_sandbox_nothing_runs(ground):
    grant(ground)
    ground.ask("shell_run", command="true")
    ground.commander.shells.backend = None
    assert "Install bubblewrap" in ground.ask("shell_run", command="touch ran")
    assert not (ground.root / "ran").exists()


def test_without_the_switch_the_tool_is_absent_and_refused(tmp_path):
    with Ground(tmp_path, shell=False) as made:
        assert "shell_run" not in made.names()
        assert made.ask("shell_run", command="touch ran").startswith("UNKNOWN")
        assert made.ask("shell_run", SAME_USER, command="touch ran").startswith("UNKNOWN")
        assert not (made.root / "ran").exists()


def test_impossible_commands_are_refused(ground):
    for command in ("", "  ", "a\0b", "x" * 5000, "true" + "\n" * 80 + "evil"):
        assert ground.ask("shell_run", command=command).startswith("ERROR: ")
    grant(ground)
    assert ground.ask("shell_run", command="echo \udc80").startswith("OK: ")


def test_the_launcher_runs_any_program_behind_the_walls(ground):
    import subprocess

    from cmdr.core.agents.shell_commands import profile_for

    ground.ask("shell_run", PERSON, command="true")
    walls = profile_for(ground.sandbox, ground.sandbox.resolver(), None)
    launch = ground.commander.shells.launcher(
        [b"/bin/cat", bytes(ground.root / "file.txt"), bytes(ground.outside / "secret.txt")], walls
    )
    how = {"capture_output": True, "text": True, "check": False, "stdin": subprocess.DEVNULL}
    done = subprocess.run(launch.words, env=launch.environment, **how)
    assert done.stdout == "inside\n"
    assert "secret.txt" in done.stderr
