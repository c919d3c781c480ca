"""Every system call of every operation, killed and failed: `python tests/hostile/torture.py [part of a title]`."""

import errno
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import (
    ABILITIES,
    KILLS,
    NAMED,
    Action,
    Before,
    FaultySyscalls,
    Scenario,
    Traits,
    World,
    devices,
    inside,
    judge,
    mounted,
    traits,
    tree,
)
from side_by_side import side_by_side
from test_operation_names import hostile_names, through_everything

from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState

ERRORS: tuple[Action, ...] = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS, "short", errno.EPERM, errno.EINTR)


@dataclass
class Goal:
    """What an undisturbed run leaves behind."""

    contents: dict[bytes, bytes]
    traits: Traits

    @classmethod
    def of(cls, world: World) -> "Goal":
        return cls({**tree(world.here), **tree(world.there)}, {**traits(world.here), **traits(world.there)})

    def differs(self, now: "Goal") -> list[object]:
        """The first names that are not as they should be."""
        is_now, should_be = now.contents, self.contents
        if not self.traits:
            # A world put together again has other times and modes, and archives tell of them.
            is_now, should_be = ({name: inside(name, it) for name, it in of.items()} for of in (is_now, should_be))
        bad: list[object] = _difference(is_now, should_be)
        return (
            bad or [(name, now.traits.get(name), it) for name, it in self.traits.items() if now.traits[name] != it][:4]
        )


def calls_of(world: World, scenario: Scenario, ability: str) -> tuple[int, Goal]:
    """How many calls an undisturbed run makes, and what it leaves behind."""
    world.reset()
    found = scenario.prepare(world)
    plan = scenario.plan(world, found)
    counting = FaultySyscalls(inner=ABILITIES[ability]())
    journal = world.journal()
    outcome = world.run(plan, counting, journal)
    journal.close()
    if not outcome.is_clean:
        raise AssertionError([(item.item.place.path, item.reason) for item in outcome.items if item.reason])
    return counting.count, Goal.of(world)


def kill_point(
    world: World, scenario: Scenario, at: int, action: Action, goal: Goal, ability: str = "all"
) -> list[str]:
    """Kill a run at one call, start again, and look; then go on or take back, and look again."""
    world.reset()
    found = scenario.prepare(world)
    before = Before.of(world)
    plan = scenario.plan(world, found)
    child = os.fork()
    if child == 0:
        try:
            journal = world.journal()
            world.run(plan, FaultySyscalls(at, action, ABILITIES[ability]()), journal)
            journal.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    world.recover()
    bad = judge(world, scenario, before, plan)
    if not bad:
        journal = world.journal()
        try:
            bad = go_on(world, scenario, before, goal, journal) if at % 2 else []
            bad = bad or take_back(world, scenario, before, journal, is_resumed=bool(at % 2))
        finally:
            journal.close()
    return bad


def go_on(world: World, scenario: Scenario, before: Before, goal: Goal, journal: Journal) -> list[str]:
    """Resume what was interrupted; what is wrong then."""
    for entry in journal.interrupted():
        record = journal.operation(entry.id)
        try:
            rest = plan_resume(record)
        except NothingToDo:
            continue
        if any(item.data is None and item.step == "create" for item in rest.items):
            return []
        world.run(rest, recorder=journal)
        if differs := goal.differs(Goal.of(world)):
            return [f"resumed to something else: {differs}"]
        return judge(world, scenario, before, record.plan)
    return []


def take_back(
    world: World, scenario: Scenario, before: Before, journal: Journal, *, is_resumed: bool = False
) -> list[str]:
    """Undo what was interrupted, whether it went on or not; what is wrong then."""
    if scenario.destroys:
        return []
    state = OperationState.CONTINUED if is_resumed else OperationState.INTERRUPTED
    for entry in [entry for entry in journal.history() if entry.state is state]:
        try:
            inverse = plan_undo(*journal.runs(entry.id))
        except NothingToDo:
            continue
        outcome = world.run(inverse, recorder=journal)
        if not outcome.is_clean:
            return [
                f"could not be undone: {[(it.item.place.path, it.reason) for it in outcome.items if it.reason][:4]}"
            ]
        then = Goal({**before.here, **before.there}, before.traits)
        # A folder that was there before and took things in, or gave them away, has other times than it had.
        joined = {path for path in before.there if path.replace(world.there, world.here, 1) in before.here}
        joined |= {path.replace(world.there, world.here, 1) for path in joined}
        joined |= {path for path, text in before.there.items() if scenario.new and text == b"/"}
        then.traits = {path: it for path, it in then.traits.items() if path not in joined}
        if differs := then.differs(Goal.of(world)):
            return [f"undone to something else: {differs}"]
    return []


def _difference(now: dict[bytes, bytes], then: dict[bytes, bytes]) -> list[tuple[bytes, bytes | None, bytes | None]]:
    names = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    return [(name, now.get(name), then.get(name)) for name in sorted(names)][:4]


def error_point(world: World, scenario: Scenario, at: int, action: Action, ability: str = "all") -> list[str]:
    """Fail one call of a run; the run must end by itself, say so, and lose nothing."""
    world.reset()
    found = scenario.prepare(world)
    before = Before.of(world)
    plan = scenario.plan(world, found)
    journal = world.journal()
    try:
        outcome = world.run(plan, FaultySyscalls(at, action, ABILITIES[ability]()), journal)
    finally:
        journal.close()
    bad = [text for text in judge(world, scenario, before, plan) if not text.startswith("left over")]
    if outcome.state is not OperationState.DONE:
        bad.append(f"ended as {outcome.state}")
    for item in outcome.done:
        if item.landed is not None and item.target is not None and not os.path.lexists(item.target.path):
            bad.append(f"said done, is not there: {item.target.path!r}")
    world.recover()
    return bad + judge(world, scenario, before, plan)


def points(
    world: World, scenario: Scenario, ability: str = "all", step: int = 1, offset: int = 0
) -> Iterator[tuple[int, Action, list[str]]]:
    """Every point of one scenario, or every `step`-th."""
    count, goal = calls_of(world, scenario, ability)
    number = 0
    for at in range(1, count + 1):
        for action in (*KILLS, *ERRORS):
            number += 1
            if (number + offset) % step:
                continue
            if action not in KILLS:
                yield at, action, error_point(world, scenario, at, action, ability)
            elif ability != "no links":
                # Without links and flags a name is held by an empty file for a moment: the one gap, and a known one.
                yield at, action, kill_point(world, scenario, at, action, goal, ability)


def name_run(count: int) -> None:
    """Hostile names through every kind of change, byte for byte."""
    with mounted("1g", 1) as found:
        if found:
            through_everything(World(found[0], found[0]), hostile_names(count))
            print(f"{count} hostile names through copy, rename, trash, restore and undo: byte-identical", flush=True)


@dataclass
class Score:
    """Counts of one row."""

    title: str
    kills: int = 0
    errors: int = 0
    wrong: int = 0
    bad: list[str] = field(default_factory=list)


def row(label: str, scenario: str, ability: str) -> Score:
    """Every point of one scenario on file systems of its own."""
    score = Score(f"{label} device, {scenario}, {ability}")
    with devices() as found:
        _, one, two = next(place for place in found.places() if place[0] == label)
        for at, action, bad in points(World(one, two), NAMED[scenario], ability):
            score.kills += action in KILLS
            score.errors += action not in KILLS
            score.wrong += bool(bad)
            score.bad += [f"{score.title} call {at} {action}: {text}" for text in bad]
    return score


def main() -> int:
    started = time.monotonic()
    if len(sys.argv) == 1:
        name_run(10_000)
    with devices() as found:
        labels = [label for label, _, _ in found.places()]
    wanted = [it for it in product(labels, NAMED, ABILITIES) if len(sys.argv) == 1 or sys.argv[1] in ", ".join(it)]
    scores = []
    for score in side_by_side(row, wanted):
        scores.append(score)
        print(f"{score.title:50} {score.kills:5} kills {score.errors:6} errors {score.wrong:4} bad", flush=True)
    failures = [text for score in scores for text in score.bad]
    for text in failures[:40]:
        print("BAD", text[:300])
    kills, errors = sum(score.kills for score in scores), sum(score.errors for score in scores)
    print(f"{kills} kill points, {errors} error points, {len(failures)} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
