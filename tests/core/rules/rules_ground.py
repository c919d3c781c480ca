"""A core with rules on a small home, for whoever tries them."""

import os
from contextlib import asynccontextmanager

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
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
            sandbox=Sandbox(roots, private, is_chosen=how.pop("is_chosen", True)),
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

    async def undo(self, operation=None, by=PERSON):
        """The person takes an operation back; the job that did it."""
        plan = await self.commander.engine.undo_plan(operation)
        job = self.commander.jobs.start(plan, by.id)
        await self.commander.jobs.finished(job)
        return job

    async def reject(self, proposal):
        return await self.person("reject", proposal=proposal.id)

    async def rules(self):
        """The rules as they are listed, by number."""
        return {row["number"]: row for row in (await self.person("rules.list"))["rows"]}

    @property
    def settings_text(self):
        return (self.config / "settings.toml").read_text()
