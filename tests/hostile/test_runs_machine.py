"""Random work that is stopped, fails, goes on and is taken back, against a model that knows every trait of every file.

The model is what the two folders looked like before each operation. However an operation was stopped and went on, when
it is complete the disk looks as if it had run once; and when it is taken back, as if it had never been.
"""

import contextlib
import os
import shutil
import stat
import sys
import tempfile

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import Denies, Stops, World, mounted

from cmdr.engine.plan.refusals import NothingToDo, PlanRefused
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy, StepName

NAMES = st.sampled_from([b"a", b"b", b"c", b"sub", b"\xff"])
POLICIES = st.sampled_from([ConflictPolicy.SKIP, ConflictPolicy.OVERWRITE, ConflictPolicy.RENAME])
PICK = st.integers(0, 99)
SHM = "/dev/shm" if os.path.isdir("/dev/shm") else None


def look(*tops):
    """All of every file below some folders; which names are one file, and the times of what nobody wrote into."""
    found, names = {}, {}
    for top in tops:
        for folder, folders, files in os.walk(top):
            for name in files + folders:
                path = folder + b"/" + name
                seen = os.lstat(path)
                kept = {key: os.getxattr(path, key, follow_symlinks=False) for key in _attributes(path)}
                facts = [stat.S_IFMT(seen.st_mode), stat.S_IMODE(seen.st_mode), kept]
                if stat.S_ISLNK(seen.st_mode):
                    facts.append(os.readlink(path))
                elif stat.S_ISREG(seen.st_mode):
                    with open(path, "rb") as file:
                        facts.append(file.read())
                    names.setdefault((seen.st_dev, seen.st_ino), []).append(path)
                facts.append(seen.st_mtime_ns)
                found[path] = facts
    return found, {tuple(sorted(group)) for group in names.values()}


def _attributes(path):
    return [name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user.")]


def without_times(found, paths, parted=()):
    """The same, but for the times of some folders, and for names that were parted from other names of their file."""
    looks, groups = found
    groups = {tuple(path for path in group if path not in parted) for group in groups} - {()}
    return {path: facts[:-1] if path in paths else facts for path, facts in looks.items()}, groups


class Runs(RuleBasedStateMachine):
    """A person who changes their mind, a disk that fails, and a program that is started again."""

    volumes = None
    """A second volume where there may be one."""

    def __init__(self):
        super().__init__()
        self.tops = [tempfile.mkdtemp(prefix="runs-", dir=where).encode() for where in self.volumes or (SHM,)]
        self.world = World(self.tops[0], self.tops[-1])
        self.number = 0
        self.rest = None
        """What is left of the operation that was stopped: its number, and the outcome while the program runs."""
        self.before = None

    @initialize()
    def fill(self):
        self.world.reset()
        self.journal = self.world.journal()
        for name in (b"/a", b"/sub/b", b"/sub/c", b"/sub/deep/a"):
            self.put(self.world.here + name)
        os.link(self.world.here + b"/a", self.world.here + b"/sub/a")
        os.symlink(b"nowhere", self.world.here + b"/sub/\xff")
        self.put(self.world.there + b"/sub/c")
        for top in (self.world.here, self.world.there):
            for folder, folders, files in os.walk(top, topdown=False):
                for name in files + folders:
                    self.age(folder + b"/" + name)

    def teardown(self):
        self.journal.close()
        for top in self.tops:
            shutil.rmtree(top)

    def put(self, path):
        self.number += 1
        self.world.write(path, b"contents %d" % self.number)
        with open(path, "r+b") as file:
            file.truncate(self.number * 10_000)

    def age(self, path):
        self.number += 1
        if not os.path.islink(path):
            os.chmod(path, (0o701 if os.path.isdir(path) else 0o600) + self.number % 7 * 8)
            with contextlib.suppress(OSError):
                os.setxattr(path, "user.n", b"%d" % self.number)
        os.utime(path, ns=(10**15, 10**15 + self.number * 1_000_003), follow_symlinks=False)

    def now(self):
        return look(self.world.here, self.world.there)

    def somewhere(self, pick, *, folder=False):
        paths = sorted(path for path, facts in self.now()[0].items() if not folder or facts[0] == stat.S_IFDIR)
        if folder:
            paths += [self.world.here, self.world.there]
        return paths[pick % len(paths)] if paths else None

    def begin(self, make, stop, fails):
        """Run an operation as one run would, look at it, take it back, and run it again with trouble."""
        self.before = self.now()
        try:
            plan = make()
        except PlanRefused:
            return
        outcome = self.world.run(plan, Denies(*fails), self.journal, Stops(stop))
        self.rest = (outcome.operation, outcome)

    calm = precondition(lambda self: self.rest is None)
    stopped = precondition(lambda self: self.rest is not None)
    stops = st.integers(0, 12)
    fails = st.sets(st.integers(1, 6), max_size=2)

    @calm
    @rule(pick=PICK, to=PICK, policy=POLICIES, stop=stops, fails=fails)
    def copy(self, pick, to, policy, stop, fails):
        path, folder = self.somewhere(pick), self.somewhere(to, folder=True)
        if path is not None:
            self.begin(lambda: plan_copy([path], folder, Choices(policy=policy)), stop, fails)

    @calm
    @rule(pick=PICK, to=PICK, policy=POLICIES, stop=stops, fails=fails)
    def move(self, pick, to, policy, stop, fails):
        path, folder = self.somewhere(pick), self.somewhere(to, folder=True)
        if path is not None:
            self.begin(lambda: plan_move([path], folder, Choices(policy=policy)), stop, fails)

    @calm
    @rule(pick=PICK, stop=stops)
    def trash(self, pick, stop):
        path = self.somewhere(pick)
        if path is not None:
            self.begin(lambda: plan_trash([path], Choices(trash_home=self.world.home)), stop, set())

    @calm
    @rule(pick=PICK, name=NAMES, stop=stops)
    def rename(self, pick, name, stop):
        path = self.somewhere(pick)
        if path is not None:
            self.begin(lambda: plan_rename([(path, name)]), stop, set())

    @stopped
    @rule(stop=stops, fails=fails)
    def try_again(self, stop, fails):
        number, outcome = self.rest
        try:
            rest = outcome.retry() if outcome is not None else plan_resume(self.journal.operation(number))
        except NothingToDo:
            return
        again = self.world.run(rest, Denies(*fails), self.journal, Stops(stop))
        self.rest = (again.operation, again)

    @stopped
    @rule()
    def start_anew(self):
        """The program ends and starts again: only the journal knows what is left."""
        self.journal.close()
        self.journal = self.world.journal()
        self.rest = (self.rest[0], None)

    @stopped
    @rule(stop=st.none() | stops)
    def take_back(self, stop):
        """All runs are taken back as one: everything is as it was, but for the times of folders around it."""
        runs = self.journal.runs(self.rest[0])
        self.rest = None
        try:
            plan = plan_undo(*runs)
        except NothingToDo:
            assert without_times(self.now(), self.used(runs)) == without_times(self.before, self.used(runs))
            return
        assert not [item.reason for item in plan.items if item.step is StepName.NOTHING]
        outcome = self.world.run(plan, recorder=self.journal, control=None if stop is None else Stops(stop))
        while outcome.state is OperationState.CANCELLED and outcome.can_retry:
            runs = [self.journal.operation(outcome.operation), *runs]
            outcome = self.world.run(outcome.retry(), recorder=self.journal)
        assert outcome.is_clean, [(item.item.place.path, item.reason) for item in outcome.items if item.reason]
        used, parted = self.used(runs), self.parted(runs)
        assert without_times(self.now(), used, parted) == without_times(self.before, used, parted)

    def parted(self, runs):
        """All names of files of which some were moved to another volume and others were not: what comes back from
        there is another file."""
        moved = {item.source.path for run in runs for item in run.plan.items if item.remove_source and item.source}
        parted = [group for group in self.before[1] if moved & set(group) and not moved >= set(group)]
        return {path for group in parted for path in group}

    def used(self, runs):
        """The folders that an operation put something into or took something from, and that are no part of it."""
        own, used = set(), set()
        for run in runs:
            for item in run.plan.items:
                if item.step is StepName.MAKE and item.source is not None:
                    own.add(item.source.path)
                for place in (item.source, item.target):
                    if place is not None:
                        used.add(os.path.dirname(place.path))
        return used - own

    @stopped
    @rule()
    def leave_it(self):
        self.rest = None

    @stopped
    @rule()
    def finish(self):
        """Gone on to its end, it looks as it does where it ran once."""
        number, outcome = self.rest
        self.rest = None
        runs = self.journal.runs(number)
        while True:
            try:
                rest = outcome.retry() if outcome is not None else plan_resume(self.journal.operation(number))
            except NothingToDo:
                break
            outcome = self.world.run(rest, recorder=self.journal)
            number = outcome.operation
            assert not outcome.failed
            assert outcome.state is OperationState.DONE
        for item, found in ((run.plan.items[found.index], found) for run in runs for found in run.items):
            self.looks_right(item, found)

    def looks_right(self, item, found):
        """A folder that was made anew for one of before has what that had."""
        target = found.target or item.target
        if item.step is not StepName.MAKE or item.source is None or found.landed is None or target is None:
            return
        if item.source.path in self.before[0] and os.path.isdir(target.path):
            seen, was = os.lstat(target.path), self.before[0][item.source.path]
            assert stat.S_IMODE(seen.st_mode) == was[1]
            assert seen.st_mtime_ns == was[-1], (target.path, item.source.path)

    @invariant()
    def nothing_is_left_lying_about(self):
        if hasattr(self, "journal"):
            assert self.world.leftovers() == []


def long_or_short():
    """`RUNS=2000 pytest …` looks longer."""
    count = int(os.environ.get("RUNS", "12"))
    return settings(
        max_examples=count,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=count == 12,
        print_blob=True,
        phases=(Phase.generate, Phase.shrink),
    )


class OneVolume(Runs.TestCase):
    settings = long_or_short()


class TwoVolumes(Runs.TestCase):
    settings = long_or_short()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls._mounted = mounted()
        Runs.volumes = [os.fsdecode(path) for path in cls._mounted.__enter__()] or None

    @classmethod
    def tearDownClass(cls):
        Runs.volumes = None
        cls._mounted.__exit__(None, None, None)
        super().tearDownClass()
