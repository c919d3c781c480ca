"""A cmdr that ends by itself stays for as long as somebody is there or something waits."""

import asyncio

import pytest

from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import SAME_USER
from cmdr.core.runtime import idle_shutdown
from cmdr.core.runtime.idle_shutdown import IdleShutdown
from cmdr.model.panes.workspace import Workspace
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb

SOON = 0.01


@pytest.fixture
def with_commander(tmp_path):
    def run(errand):
        async def live():
            commander = Commander(Workspace.at(b"/", b"/"), Audit(str(tmp_path / "audit")), watch=False)
            staying = IdleShutdown(commander, SOON)
            try:
                await asyncio.wait_for(errand(commander, staying), 60)
            finally:
                staying.close()

        asyncio.run(live())

    return run


class Looks:
    """Tells how often it was looked whether somebody is there."""

    def __init__(self, monkeypatch, staying):
        self._looked, look = asyncio.Event(), staying._is_needed

        def counting():
            needed = look()
            self._looked.set()
            return needed

        monkeypatch.setattr(staying, "_is_needed", counting)

    async def twice(self):
        for _ in range(2):
            self._looked.clear()
            await self._looked.wait()


def test_left_alone_it_quits(with_commander):
    async def errand(commander, staying):
        staying.start()
        await commander.quitting.wait()

    with_commander(errand)


def test_it_stays_while_a_line_is_open_and_quits_after_the_last(with_commander, monkeypatch):
    async def errand(commander, staying):
        looks = Looks(monkeypatch, staying)
        staying.came()
        staying.came()
        staying.start()
        staying.left()
        await looks.twice()
        assert not commander.quitting.is_set()
        staying.left()
        await commander.quitting.wait()

    with_commander(errand)


def test_it_stays_while_a_proposal_waits(with_commander, monkeypatch):
    async def errand(commander, staying):
        item = PlanItem(StepName.MAKE, Kind.FOLDER, target=Place(b"/", b"new"), totals=Totals(0, 1))
        proposal = commander.proposals.add(Plan(Verb.MKDIR, (item,), (Root(b"/", 1, 1),)), SAME_USER)
        looks = Looks(monkeypatch, staying)
        staying.start()
        await looks.twice()
        assert not commander.quitting.is_set()
        commander.proposals.cancel(proposal.id, SAME_USER)
        await commander.quitting.wait()

    with_commander(errand)


def test_it_stays_while_a_client_is_connected(with_commander, monkeypatch):
    connected = {7}

    async def errand(commander, staying):
        monkeypatch.setattr(idle_shutdown, "client_sockets", lambda ports: frozenset(connected))
        looks = Looks(monkeypatch, staying)
        staying.start()
        await looks.twice()
        assert not commander.quitting.is_set()
        connected.clear()
        await commander.quitting.wait()

    with_commander(errand)


def test_it_stays_while_a_page_is_open(with_commander, monkeypatch):
    async def errand(commander, staying):
        commander.desktop.pages = 1
        looks = Looks(monkeypatch, staying)
        staying.start()
        await looks.twice()
        assert not commander.quitting.is_set()
        commander.desktop.pages = 0
        await commander.quitting.wait()

    with_commander(errand)
