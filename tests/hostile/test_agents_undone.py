"""Random days of two agents, then one yes: the tree is as it was before, byte for byte, with modes and times."""

import asyncio
import os
import shutil
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.commands.agents.agents_at_work import CLAUDE, CODEX, Desk, approve, make_zip, tree_of, undo

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.errors import CommandError
from cmdr.model.job import JobState
from cmdr.model.panes.workspace import Workspace

NAMES = ("a", "b.txt", "sub", "with space", "é")
STEPS = st.tuples(
    st.sampled_from(["copy", "move", "rename", "mkdir", "mkfile", "delete", "attributes", "pack", "unpack", "undo"]),
    st.sampled_from([CLAUDE, CODEX]),
    st.integers(0, 99),
    st.integers(0, 99),
    st.sampled_from(["skip", "overwrite", "rename"]),
)


@asynccontextmanager
async def ground():
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.engine.journal.journal import Journal

    commands.register()
    top = Path(tempfile.mkdtemp(prefix="day-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        for folder in ("tree/left/sub/deep", "tree/right"):
            (top / folder).mkdir(parents=True)
        for number, name in enumerate(("left/a", "left/b.txt", "left/sub/a", "left/sub/deep/c", "right/a")):
            path = top / "tree" / name
            path.write_text(f"contents {number}")
            os.utime(path, ns=(number * 10**9, 10**18 + number))
            path.chmod((0o600, 0o640, 0o644, 0o755, 0o666)[number])
        make_zip(top / "tree/left/old.zip", a="packed", z="packed too")
        (top / "tree/left/link").symlink_to("sub")
        workspace = Workspace.at(bytes(top / "tree/left"), bytes(top / "tree/right"))
        commander = Commander(
            workspace,
            Audit(str(top / "audit")),
            watch=False,
            rates=RateLimiter(scale=1e6),
            engine=Engine(Journal(bytes(top / "journal.db"))),
        )
        await commander.start()
        try:
            yield Desk(top / "tree", commander)
        finally:
            await commander.close()
    finally:
        shutil.rmtree(top)


def wish(at, step, pick, other, conflict, done):
    """The arguments of one step, from what stands there now."""
    paths = sorted(str(path) for path in at.root.rglob("*"))
    folders = [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]
    path, folder = paths[pick % len(paths)], folders[other % len(folders)]
    name = NAMES[other % len(NAMES)]
    return {
        "copy": {"paths": [path], "to": folder, "onConflict": conflict},
        "move": {"paths": [path], "to": folder, "onConflict": conflict},
        "rename": {"path": path, "newName": name},
        "mkdir": {"path": f"{folder}/{name}"},
        "mkfile": {"path": f"{folder}/{name}"},
        "delete": {"paths": [path]},
        "attributes": {"paths": [path], "mode": ("600", "640", "700")[other % 3], "modified": "2021-02-03T04:05"},
        "pack": {"paths": [path], "to": f"{folder}/{pick}.zip"},
        "unpack": {"paths": [path], "to": folder, "onConflict": conflict},
        "undo": {"operation": done[pick % len(done)] if done else 1},
    }[step]


async def a_day(steps):
    async with ground() as at:
        before, done = tree_of(at.root), []
        for step, by, pick, other, conflict in steps:
            if not any(at.root.rglob("*")):
                break
            try:
                answer = await at.commander.ask(by, step, wish(at, step, pick, other, conflict, done))
            except CommandError:
                continue  # refused: nothing was changed
            job = await approve(at, answer.result.proposal)
            if job.operation:
                done.append(job.operation)
        while (job := await undone(at)) is not None and (asked := at.commander.proposals.pending()):
            # What opens something up again takes a word; then it goes on.
            assert asked[0].plan.risk.is_high, job.outcome
            assert (await approve(at, asked[0].id)).state is JobState.DONE
        assert job is None or job.state is JobState.DONE, (job.outcome, job.problems)
        assert tree_of(at.root) == before


async def undone(at):
    """All of it, on one yes; the job, or None when nothing is left to undo."""
    try:
        offered = await at.data("agents.undoOffer", since=0)
    except CommandError:
        return None
    return await undo(at, operations=offered["operations"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_one_yes_takes_a_whole_day_of_agents_back(steps):
    asyncio.run(a_day(steps))
