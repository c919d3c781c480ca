"""A small tree under a real core, and callers that get their answers as text."""

import os
from contextlib import asynccontextmanager

import pytest
import yaml

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import CommandError
from cmdr.model.panes.workspace import Workspace

AGENT = Principal("agent", "tester")


class Desk:
    """A core that stands, and short ways to use it."""

    def __init__(self, root, commander):
        self.root = root
        self.commander = commander
        self.workspace = commander.workspace

    async def agent(self, name, /, **arguments):
        """What an agent gets: the answer, or `ERROR: …`."""
        return await self.ask(AGENT, name, arguments)

    async def person(self, name, /, **arguments):
        """What the person gets."""
        return await self.ask(PERSON, name, arguments)

    async def data(self, name, /, **arguments):
        """What the person's faces get: the JSON of the result."""
        return (await self.commander.ask(PERSON, name, arguments)).json

    async def ask(self, principal, name, arguments):
        try:
            return await self.commander.run(principal, name, arguments)
        except CommandError as error:
            assert len(str(error).splitlines()) == 1
            return f"ERROR: {error}"

    async def state(self, **arguments):
        """The state as a YAML reader sees it."""
        return yaml.safe_load(await self.agent("state", **arguments))

    def path(self, name="left"):
        return str(self.root / name)

    def tab(self, side="left"):
        return getattr(self.workspace, side).tab

    def names(self, side="left"):
        listing = self.tab(side).listing
        return [os.fsdecode(listing.name(place)) for place in range(len(listing))]

    def selected(self, side="left"):
        tab = self.tab(side)
        return {os.fsdecode(tab.listing.columns.name(row)) for row in tab.selection.rows()}


@pytest.fixture
def small_tree(tmp_path):
    """left: two folders, four files and two hidden ones. right: one file."""
    root = tmp_path / "tree"
    for folder in ("left/docs/deep", "left/src", "left/.git", "right"):
        (root / folder).mkdir(parents=True)
    for name, size, seconds in (
        ("left/README.md", 2403, 400),
        ("left/package.json", 1183, 100),
        ("left/a10.txt", 5, 300),
        ("left/a9.txt", 7, 200),
        ("left/.env", 1, 500),
        ("left/docs/guide.md", 10, 1),
        ("right/other.txt", 3, 1),
    ):
        (root / name).write_bytes(b"x" * size)
        os.utime(root / name, (1_700_000_000 + seconds, 1_700_000_000 + seconds))
    return root


@pytest.fixture
def desk(small_tree, tmp_path):
    """Opens the desk: `async with desk() as at`."""
    from cmdr.core.commander import Commander

    commands.register()

    @asynccontextmanager
    async def opened(*, engine=False, watch=False, **how):
        workspace = Workspace.at(bytes(small_tree / "left"), bytes(small_tree / "right"))
        how.setdefault("rates", RateLimiter(scale=1e6))
        if engine:
            from cmdr.core.changes.engine import Engine
            from cmdr.engine.journal.journal import Journal

            how["engine"] = Engine(Journal(bytes(tmp_path / "journal.db")))
        commander = Commander(workspace, Audit(str(tmp_path / "audit")), watch=watch, **how)
        await commander.start()
        try:
            yield Desk(small_tree, commander)
        finally:
            await commander.close()

    return opened
