"""What an agent pays for a job, in tokens of arguments and answer, counted by a real tokenizer."""

import asyncio
import json
import os
import re
import tempfile
from pathlib import Path

import pytest

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.engine.journal.journal import Journal
from cmdr.mcp.tools import tool_of
from cmdr.model.panes.workspace import Workspace

AGENT = Principal("agent", "thrifty", token=True)
COUNT = """
import { encode } from "./gpt-tokenizer/esm/encoding/o200k_base.js";
import { readFileSync } from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((text) => encode(text).length)));
"""


@pytest.fixture(scope="module")
def transcript(tmp_path_factory):
    """The calls of every budgeted job with their answers, over 50,000 files."""
    with tempfile.TemporaryDirectory(prefix="b") as short:  # the name of a test is no part of what a job costs
        yield _planted(Path(short), tmp_path_factory)


def _planted(root, tmp_path_factory):
    photos = root / "photos"
    photos.mkdir()
    folder = os.open(photos, os.O_RDONLY)
    for number in range(50_000):
        file = os.open(f"IMG_{number:05d}.jpg", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=folder)
        if number % 5000 == 0:
            os.write(file, b"x" * (number + 1000))
        os.close(file)
    os.close(folder)
    (root / "docs").mkdir()
    for number in range(100):
        (root / "docs" / f"report draft {number:03d}.txt").write_text("text")
    (root / "elsewhere").mkdir()
    return asyncio.run(_calls(root, tmp_path_factory.mktemp("state")))


async def _calls(root, state):
    commands.register()
    os.chmod(state, 0o700)
    commander = Commander(
        Workspace.at(os.fsencode(root / "docs"), os.fsencode(root / "photos")),
        Audit(str(state / "audit")),
        engine=Engine(Journal(os.fsencode(state / "journal.db"))),
        rates=RateLimiter(scale=1e9),
        watch=False,
        indexes=str(state),
    )
    commander.base_url = "http://127.0.0.1:9224"
    await commander.start()
    told = {}

    async def call(job, name, **arguments):
        answer = await commander.run(AGENT, name, arguments)
        told.setdefault(job, []).append(json.dumps(arguments) + "\n" + answer)
        return answer

    try:
        photos = str(root / "photos")
        await call("look at 50,000 files", "cd", path=photos)
        await commander.run(AGENT, "query_run", {"root": str(root), "text": "nothing"})
        await call("look at 50,000 indexed files", "cd", path=photos)
        await call("find by name", "query_run", root=str(root), text="draft 042")
        found = await call("a predicate", "query_run", root=str(root), ext=["jpg"], minSize=1000)
        chosen = re.search(r"set: (s_\w+)", found)[1]
        await call("copy a set", "copy", set=chosen, to=str(root / "elsewhere"))
        await commander.run(AGENT, "select", {"pane": "left", "count": "all"})
        await call("rename 100", "rename", folder=str(root / "docs"), match="report draft (.*)", replace="final $1")
        await call("both panes", "sort", pane="right", by="size", order="desc")
        await call("both panes", "state", limit=15)
        for number in range(20):
            (root / "docs" / f"dump {number:03d}.sql").write_bytes(b"x" * (number + 1) * 1000)
        scan = await commander.run(AGENT, "index", {"root": str(root)})
        await commander.run(AGENT, "await", {"job": re.search(r"jobId: (\S+)", scan)[1]})
        await call("what filled the disk", "report", kind="growth", root=str(root))
    finally:
        await commander.close()
    return told


@pytest.fixture(scope="module")
def costs(transcript, node):
    jobs = list(transcript)
    ran = node.run(
        "--input-type=module",
        "--eval",
        COUNT,
        input=json.dumps(["\n".join(transcript[job]) for job in jobs]),
        cwd=node.modules,
    )
    assert ran.returncode == 0, ran.stderr
    return dict(zip(jobs, json.loads(ran.stdout), strict=True))


@pytest.mark.parametrize(
    ("job", "tokens"),
    [
        ("look at 50,000 files", 300),
        ("look at 50,000 indexed files", 300),
        ("find by name", 150),
        ("a predicate", 250),
        ("copy a set", 120),
        ("rename 100", 200),
        ("both panes", 900),
        ("what filled the disk", 250),
    ],
)
def test_a_job_stays_in_its_budget(costs, transcript, job, tokens):
    assert costs[job] <= tokens, "\n".join(transcript[job])


@pytest.mark.parametrize(("toolsets", "tokens"), [(None, 4000), (frozenset({"ops", "index", "review"}), 2000)])
def test_the_lists_of_tools_stay_in_their_budgets(node, toolsets, tokens):
    commands.register()
    tools = [
        tool_of(command).model_dump(mode="json", by_alias=True, exclude_none=True)
        for command in REGISTRY
        if command.is_tool and Policy().shows(command, AGENT, toolsets)
    ]
    assert len(tools) <= 50
    text = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
    ran = node.run("--input-type=module", "--eval", COUNT, input=json.dumps([text]), cwd=node.modules)
    assert json.loads(ran.stdout)[0] <= tokens
