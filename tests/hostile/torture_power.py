"""The power goes at every moment of every operation: `python tests/hostile/torture_power.py [part of a title]`."""

import os
import random
import sys
import time
from collections.abc import Iterator
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import ABILITIES, SCENARIOS, Before, Scenario, World, devices, judge, tree
from power_ground import Recorded, record, remains, restart
from torture import _go_on, _take_back

from cmdr.core.journal import Journal
from cmdr.files.engine import item_line as running
from cmdr.files.engine.recorder import ItemState
from cmdr.files.engine.sweep import sweep
from cmdr.files.engine.syscalls import Syscalls
from cmdr.model.plan import Plan, PlanItem, Step

MODELS = ("ordered", "weak")
# Without links and flags a name is held by an empty file for a moment: the one gap, and a known one.
KINDS = [ability for ability in ABILITIES if ability != "no links"]
_NEW = (Step.COPY, Step.TWIN, Step.CREATE, Step.LINK)


def outages(
    world: World, scenario: Scenario, model: str, ability: str = "all", *, most: int = 64, step: int = 1
) -> Iterator[list[str]]:
    """For every different disk that an outage may leave: what is wrong after the next start; empty when nothing is."""
    world.reset()
    found = scenario.prepare(world)
    before = Before.of(world)
    plan = scenario.plan(world, found)
    recorded: Recorded = record(world, plan, ABILITIES[ability]())
    goal = {**tree(world.here), **tree(world.there)}
    dice = random.Random(scenario.name)
    for number, left in enumerate(remains(recorded, model, most, dice, step)):
        journal = restart(recorded, left)
        try:
            sweep(journal, Syscalls(), trash_home=world.home)
            bad = judge(world, scenario, before, plan) + untrue(world, before, plan, journal)
        finally:
            journal.close()
        if not bad:
            bad = _go_on(world, scenario, before, goal) if number % 2 else _take_back(world, scenario, before)
        yield bad


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
        if known.state.is_done:
            if target is not None and item.step is not Step.REMOVE and not os.path.lexists(target.path):
                bad.append(f"untrue: {says}, but is not there")
            if item.step is Step.TRASH and (known.kept is None or not os.path.lexists(known.kept.place.path)):
                bad.append(f"untrue: {says}, but is not in the trash")
            if known.state is ItemState.SOURCE_REMOVED and item.source and os.path.lexists(item.source.path):
                bad.append(f"untrue: {says}, but its source is there")
        elif known.state in (ItemState.PLANNED, ItemState.STAGED) and _has_happened(item, now, then):
            bad.append(f"untrue: {says}, but it has happened")
    return bad


def _has_happened(item: PlanItem, now: dict[bytes, bytes], then: dict[bytes, bytes]) -> bool:
    if item.step in _NEW and item.target is not None:
        return item.target.path in now and now[item.target.path] != then.get(item.target.path)
    if item.step in (Step.TRASH, Step.REMOVE, Step.RENAME) and item.source is not None:
        return item.source.path in then and item.source.path not in now
    return False


def main() -> int:
    started = time.monotonic()
    total, failures = 0, []
    with devices() as found:
        for (label, one, two), model, group in product(found.places(), MODELS, (running.GROUP, 2)):
            running.GROUP = group
            for scenario, ability in product(SCENARIOS, KINDS):
                title = f"{model}, {label} device, {scenario.name}, {ability}, groups of {group}"
                if len(sys.argv) > 1 and sys.argv[1] not in title:
                    continue
                count = wrong = 0
                for bad in outages(World(one, two), scenario, model, ability):
                    count += 1
                    wrong += bool(bad)
                    failures += [f"{title}: {text}" for text in bad]
                total += count
                print(f"{title:70} {count:6} outages {wrong:5} bad", flush=True)
    for text in failures[:40]:
        print("BAD", text[:300])
    print(f"{total} outages, {len(failures)} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
