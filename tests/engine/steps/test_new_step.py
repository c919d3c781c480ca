"""A new kind of step is a class and a row: nothing that runs, shows or records plans is told of it."""

import os
from dataclasses import replace

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.journal.records import NoRecord
from cmdr.engine.steps.registry import STEPS
from cmdr.engine.steps.step import Step, StepResult, source_of
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Root, Totals, Verb
from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.steps import KINDS, StepKind, StepName

TOUCH = str.__new__(StepName, "touch")


class Touch(Step):
    """Sets a file's time to now."""

    name = TOUCH
    commits_alone = True

    @classmethod
    def inverse(cls, item, found, undo):
        undo.leave(item, item.place, "its time is not kept")

    def commit(self):
        place, expected = source_of(self.item)
        spot = self.context.spot(place)
        if not expected.matches(spot.found):
            raise Drifted("it has changed since the plan")
        held = self.context.syscalls.hold(spot.name, spot.folder)
        try:
            self.context.syscalls.set_held_times(held, 5, 7)
        finally:
            self.context.syscalls.discard(held)
        self.touched |= {spot.folder}
        return StepResult(landed=spot.found)


def test_a_step_nobody_knew_is_shown_and_carried_out(world, monkeypatch):
    monkeypatch.setitem(STEPS, TOUCH, Touch)
    monkeypatch.setitem(KINDS, TOUCH, StepKind())
    found = os.stat(world.here)
    mark = fingerprint.of_path(world.here + b"/a")
    item = PlanItem(TOUCH, Kind.FILE, Place(world.here, b"a"), fingerprint=mark, totals=Totals(1, 0, 0))
    plan = Plan(Verb.ATTRIBUTES, (item,), (Root(world.here, found.st_dev, found.st_ino),))
    assert "a" in page_of(plan, 0, 1).lines[0]
    outcome = world.run(plan, recorder=NoRecord())
    assert (outcome.state, outcome.is_clean, len(outcome.done)) == (OperationState.DONE, True, 1)
    assert os.stat(world.here + b"/a").st_mtime_ns == 7
    changed = world.run(replace(plan), recorder=NoRecord())
    assert [result.reason for result in changed.drifted] == ["it has changed since the plan"]
