"""Async tests run on a loop of their own with a deadline, and a core stands ready on temporary folders."""

from contextlib import asynccontextmanager

import pytest
from tests.commands.conftest import desk, small_tree  # noqa: F401 - the same desk as that of commands

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.dispatch.principals import Principal
from cmdr.model.panes.workspace import Workspace


@pytest.fixture
def agent():
    return Principal("agent", "tester")


@pytest.fixture
def audit(tmp_path):
    log = Audit(str(tmp_path / "audit"))
    yield log
    log.close()


@pytest.fixture
def core(tmp_path):
    """Opens a core on two folders: `async with core(left=…) as commander`."""
    from cmdr.core.commander import Commander

    commands.register()

    @asynccontextmanager
    async def opened(left=None, right=None, *, watch=False, **how):
        (tmp_path / "left").mkdir(exist_ok=True)
        (tmp_path / "right").mkdir(exist_ok=True)
        workspace = Workspace.at(bytes(left or tmp_path / "left"), bytes(right or tmp_path / "right"))
        how.setdefault("rates", RateLimiter(scale=1e6))
        commander = Commander(workspace, Audit(str(tmp_path / "audit")), watch=watch, **how)
        await commander.start()
        try:
            yield commander
        finally:
            await commander.close()

    return opened
