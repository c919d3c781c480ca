"""What a rule of the person's admits runs at once; everything else is asked about, and what went wrong suspends it."""

import asyncio
import os
import time
from contextlib import asynccontextmanager

import pytest

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.chain import read_log
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.core.settings import Settings
from cmdr.engine.journal.journal import Journal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.panes.workspace import Workspace
from cmdr.model.root_spec import RootSpec

CLAUDE = Principal("agent", "claude", token=True)


class House:
    """A core with rules on a small tree, and short ways to use it."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.config = folder / "config"
        self.state = folder / "state"
        for each in (self.home, self.config, self.state):
            each.mkdir(exist_ok=True)
        self.downloads = self.home / "Downloads"
        self.archive = self.downloads / "archive"
        self.commander = None

    def plant(self, *names, size=10):
        self.archive.mkdir(parents=True, exist_ok=True)
        paths = [self.downloads / name for name in names]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(size))
        return [str(path) for path in paths]

    def write_rules(self, text):
        (self.config / "settings.toml").write_text(text)

    def rule(self, **other):
        known = {
            "client": '"claude"',
            "verbs": '["move", "copy"]',
            "roots": f'["{self.downloads}"]',
            "files": "100",
            "bytes": '"1 GiB"',
            "operations": "50",
            **other,
        }
        lines = [f"{key} = {value}" for key, value in known.items() if value is not None]
        return "\n".join(["[[rules]]", *lines, ""])

    @asynccontextmanager
    async def open(self, **how):
        commands.register()
        roots = how.pop("roots", [RootSpec(os.fsencode(self.home))])
        self.plant()
        private = PrivatePlaces(own=(bytes(self.config), bytes(self.state)))
        self.commander = Commander(
            Workspace.at(bytes(self.downloads), bytes(self.archive)),
            Audit(str(self.folder / "audit")),
            watch=False,
            rates=RateLimiter(scale=1e6),
            engine=Engine(Journal(bytes(self.state / "journal.db"))),
            settings=Settings(str(self.config)),
            sandbox=Sandbox(roots, private),
            state=str(self.state),
            **how,
        )
        await self.commander.start_panes()
        try:
            yield self
        finally:
            await self.commander.close()

    async def agent(self, name, /, by=CLAUDE, **arguments):
        try:
            return await self.commander.run(by, name, arguments)
        except CommandError as error:
            return f"ERROR: {error}"

    async def person(self, name, /, **arguments):
        return (await self.commander.ask(PERSON, name, arguments)).json

    async def move(self, *paths, **more):
        return await self.agent("move", paths=list(paths), to=str(self.archive), **more)

    @property
    def pending(self):
        return self.commander.proposals.pending()


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return House(tmp_path)


async def test_a_plan_that_a_rule_admits_runs_at_once_and_names_the_rule_and_the_operation(house):
    house.write_rules(house.rule())
    first, second = house.plant("a.txt", "b.txt")
    async with house.open():
        answer = await house.move(first, second)
        assert answer.splitlines()[0] == "OK: Moved by rule 1, operation 1."
        assert answer.splitlines()[1].startswith("proposal: p_")
        assert (house.archive / "a.txt").exists() and not os.path.exists(first)
        assert house.pending == []
        assert house.commander.rules.rule_of(1) == 1
        assert house.commander.rules.latest.told == "claude moved 2 files, 20 B · Ctrl+Z undoes"
        assert not house.commander.workspace.dialogs
        listed = await house.commander.run(PERSON, "history.list", {})
        assert "by agent:claude, rule 1" in listed
    decided = [record["who"] for record in read_log(str(house.folder / "audit")) if record.get("decision") == "approved"]
    assert decided == ["rule 1"]
