"""Random operations and undos against a model tree: the disk and the model always agree."""

import os
import shutil
import sys
import tempfile

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import World, tree

from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import ConflictPolicy

NAMES = st.sampled_from([b"a", b"b", b"c", b"d.txt", b"\xff", b"sub"])
POLICIES = st.sampled_from([ConflictPolicy.SKIP, ConflictPolicy.OVERWRITE, ConflictPolicy.RENAME])


class Machine(RuleBasedStateMachine):
    """A person at work, with a journal; the model is the list of trees before each operation."""

    def __init__(self):
        super().__init__()
        top = tempfile.mkdtemp(prefix="ops-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None).encode()
        self.world = World(top, top)
        self.world.reset()
        self.journal = self.world.journal()
        self.before: list[tuple[int, dict[bytes, bytes]]] = []
        self.written: set[bytes] = set()
        self.deleted: set[bytes] = set()
        self.number = 0
        for name in (b"a", b"sub/b", b"sub/deep/c"):
            self.put(self.world.here + b"/" + name)

    def teardown(self):
        self.journal.close()
        shutil.rmtree(self.world.top)

    def put(self, path):
        self.number += 1
        text = b"contents %d" % self.number
        self.world.write(path, text)
        self.written.add(text)

    def now(self):
        return {**tree(self.world.here), **tree(self.world.there)}

    def act(self, make):
        before = self.now()
        try:
            plan = make()
        except PlanRefused:
            assert self.now() == before
            return None
        outcome = self.world.run(plan, recorder=self.journal)
        assert not outcome.failed, [item.reason for item in outcome.failed]
        assert not outcome.drifted
        self.before.append((outcome.operation, before))
        return outcome

    def somewhere(self, pick, kinds="all"):
        found = sorted(
            path for path, text in self.now().items() if kinds == "all" or (text == b"/") == (kinds == "folder")
        )
        return found[pick % len(found)] if found else None

    def folder(self, pick):
        return self.somewhere(pick, "folder") or self.world.there

    @rule(pick=st.integers(0, 99), to=st.integers(0, 99), policy=POLICIES)
    def copy(self, pick, to, policy):
        path = self.somewhere(pick)
        if path is not None:
            self.act(lambda: plan_copy([path], self.folder(to), Choices(policy=policy)))

    @rule(pick=st.integers(0, 99), to=st.integers(0, 99), policy=POLICIES)
    def move(self, pick, to, policy):
        path = self.somewhere(pick)
        if path is not None:
            self.act(lambda: plan_move([path], self.folder(to), Choices(policy=policy)))

    @rule(pick=st.integers(0, 99))
    def trash(self, pick):
        path = self.somewhere(pick)
        if path is not None:
            self.act(lambda: plan_trash([path], Choices(trash_home=self.world.home)))

    @rule(pick=st.integers(0, 99))
    def delete(self, pick):
        path = self.somewhere(pick, "file")
        if path is not None:
            text = self.now()[path]
            if self.act(lambda: plan_delete([path])) is not None:
                self.deleted.add(text)

    @rule(pick=st.integers(0, 99), name=NAMES)
    def rename(self, pick, name):
        path = self.somewhere(pick)
        if path is not None:
            self.act(lambda: plan_rename([(path, name)]))

    @rule(one=st.integers(0, 99), two=st.integers(0, 99))
    def swap(self, one, two):
        first = self.somewhere(one)
        second = self.somewhere(two)
        if first and second and first != second and os.path.dirname(first) == os.path.dirname(second):
            self.act(lambda: plan_rename([(first, os.path.basename(second)), (second, os.path.basename(first))]))

    @rule(pick=st.integers(0, 99), name=NAMES, kind=st.booleans())
    def make(self, pick, name, kind):
        path = self.folder(pick) + b"/" + name
        if kind:
            self.act(lambda: plan_mkdir(path))
        else:
            self.number += 1
            text = b"contents %d" % self.number
            if self.act(lambda: plan_mkfile(path, text)):
                self.written.add(text)

    @rule(pick=st.integers(0, 99))
    def write(self, pick):
        path = self.somewhere(pick, "file")
        if path is not None:
            self.number += 1
            text = b"contents %d" % self.number
            if self.act(lambda: plan_write(path, text)):
                self.written.add(text)

    @rule()
    def undo(self):
        while self.before:
            operation, then = self.before.pop()
            record = self.journal.operation(operation)
            try:
                plan = plan_undo(record)
            except PlanRefused:
                if record.plan.verb == "delete":
                    # Gone for good: nothing before it can be compared any more.
                    self.before.clear()
                return
            outcome = self.world.run(plan, recorder=self.journal)
            assert not outcome.failed
            assert not outcome.drifted
            if not any(item.step == "nothing" for item in plan.items):
                assert self.now() == then
            return

    @invariant()
    def nothing_is_lost(self):
        everything = set(self.now().values()) | set(self.world.trashed().values())
        assert self.written - self.deleted <= everything
        assert self.world.leftovers() == []


Machine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
TestRandomOperations = Machine.TestCase
