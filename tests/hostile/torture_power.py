"""The power goes at every moment of every operation: `python tests/hostile/torture_power.py [part of a title]`."""

import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import ABILITIES, NAMED, Before, Scenario, World, devices, judge, tree
from power_ground import Recorded, Remains, record, remains, restart
from side_by_side import side_by_side
from torture import Goal, go_on, take_back

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.records import ItemState
from cmdr.engine.run import executor as running
from cmdr.engine.run.crash_recovery import recover
from cmdr.engine.steps.attributes import has
from cmdr.model.plans.plan import Plan, PlanItem, StepName

MODELS = ("ordered", "weak")
# Without links and flags a name is held by an empty file for a moment: the one gap, and a known one.
KINDS = [ability for ability in ABILITIES if ability != "no links"]
_NEW = (StepName.COPY, StepName.TWIN, StepName.CREATE, StepName.LINK)


@dataclass
class Case:
    """One operation that ran undisturbed, and what its disk may hold if it had not."""

    world: World
    scenario: Scenario
    before: Before
    plan: Plan
    recorded: Recorded
    goal: Goal

    @classmethod
    def of(cls, world: World, scenario: Scenario, ability: str) -> "Case":
        world.reset()
        found = scenario.prepare(world)
        # Permissions and times are not among what is written back to the disk here, so they are not compared.
        before = replace(Before.of(world), traits={})
        plan = scenario.plan(world, found)
        recorded = record(world, plan, ABILITIES[ability]())
        return cls(world, scenario, before, plan, recorded, Goal({**tree(world.here), **tree(world.there)}, {}))

    def outages(
        self, model: str, *, most: int = 64, step: int = 1, seen: set[object] | None = None
    ) -> Iterator[list[str]]:
        """For every different disk that an outage may leave: what is wrong after the next start; empty when nothing."""
        dice = random.Random(self.scenario.name)
        for number, left in enumerate(remains(self.recorded, model, most, dice, step, seen)):
            yield self._after(left, goes_on=bool(number % 2))

    def _after(self, left: Remains, goes_on: bool) -> list[str]:
        world, scenario, before = self.world, self.scenario, self.before
        journal = restart(self.recorded, left)
        try:
            recover(journal, Syscalls(), trash_home=world.home)
            bad = judge(world, scenario, before, self.plan) + untrue(world, before, self.plan, journal)
            if bad:
                return bad
            if goes_on:
                return go_on(world, scenario, before, self.goal, journal)
            return take_back(world, scenario, before, journal)
        finally:
            journal.close()


def outages(
    world: World, scenario: Scenario, model: str, ability: str = "all", *, most: int = 64, step: int = 1
) -> Iterator[list[str]]:
    """What is wrong after each outage of one operation."""
    return Case.of(world, scenario, ability).outages(model, most=most, step=step)


def untrue(world: World, before: Before, plan: Plan, journal: Journal) -> list[str]:
    """Where the journal does not say what is so."""
    newest = journal.history(1)
    if not newest or newest[0].verb is not plan.verb:
        return []  # the outage came before it was written down
    record = journal.operation(newest[0].id)
    now, then = {**tree(world.here), **tree(world.there)}, {**before.here, **before.there}
    bad = []
    for known in record.items:
        item = record.plan.items[known.index]
        target = known.target or item.target
        says = f"{item.step} {item.place.path!r} is {known.state}"
        if item.change is not None and known.state.is_done is not has(os.lstat(item.place.path), item.change):
            bad.append(f"untrue: {says}, but its attributes say otherwise")
        if known.state.is_done:
            if target is not None and item.step is not StepName.REMOVE and not os.path.lexists(target.path):
                bad.append(f"untrue: {says}, but is not there")
            if item.step is StepName.TRASH and (known.kept is None or not os.path.lexists(known.kept.place.path)):
                bad.append(f"untrue: {says}, but is not in the trash")
            if known.state is ItemState.SOURCE_REMOVED and item.source and os.path.lexists(item.source.path):
                bad.append(f"untrue: {says}, but its source is there")
        elif known.state in (ItemState.PLANNED, ItemState.STAGED) and _has_happened(item, now, then):
            bad.append(f"untrue: {says}, but it has happened")
    return bad


def _has_happened(item: PlanItem, now: dict[bytes, bytes], then: dict[bytes, bytes]) -> bool:
    if item.step in _NEW and item.target is not None:
        return item.target.path in now and now[item.target.path] != then.get(item.target.path)
    if item.step in (StepName.TRASH, StepName.REMOVE, StepName.RENAME) and item.source is not None:
        return item.source.path in then and item.source.path not in now
    return False


@dataclass
class Score:
    """What one operation came to, under one model."""

    title: str
    outages: int = 0
    wrong: int = 0
    bad: list[str] = field(default_factory=list)
    same_as: str = ""


def row(label: str, group: int, scenario: str) -> list[Score]:
    """One scenario with every ability under every model, on file systems of its own."""
    running.GROUP_ITEMS = group
    scores = []
    known: list[tuple[object, str]] = []
    with devices() as found:
        _, one, two = next(place for place in found.places() if place[0] == label)
        for ability in KINDS:
            case = Case.of(World(one, two), NAMED[scenario], ability)
            shape = case.recorded.shape
            # Where the disk was asked the same, the same outages follow.
            twin = next((other for before, other in known if before == shape), "")
            known.append((shape, ability))
            seen: set[object] = set()
            for model in MODELS:
                score = Score(f"{model}, {label} device, {scenario}, {ability}, groups of {group}", same_as=twin)
                for bad in () if twin else case.outages(model, seen=seen):
                    score.outages += 1
                    score.wrong += bool(bad)
                    score.bad += [f"{score.title}: {text}" for text in bad]
                scores.append(score)
    return scores


def main() -> int:
    started = time.monotonic()
    with devices() as found:
        labels = [label for label, _, _ in found.places()]
    rows = product(labels, (running.GROUP_ITEMS, 2), NAMED)
    wanted = [it for it in rows if len(sys.argv) == 1 or sys.argv[1] in ", ".join(map(str, it))]
    scores = []
    for some in side_by_side(row, wanted):
        scores += some
        for score in some:
            told = f"as {score.same_as}" if score.same_as else f"{score.outages} outages"
            print(f"{score.title:70} {told:>15} {score.wrong:5} bad", flush=True)
    failures = [text for score in scores for text in score.bad]
    for text in failures[:40]:
        print("BAD", text[:300])
    total = sum(score.outages for score in scores)
    print(f"{total} outages, {len(failures)} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
