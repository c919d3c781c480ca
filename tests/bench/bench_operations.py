"""How fast durable operations are, as ratios to the usual tools within one run.

Run `python tests/bench/bench_operations.py`. Options: a directory to work in (default: a temporary one), and
`--small` for a quick look.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_trash
from cmdr.engine.run.control import Unattended
from cmdr.engine.run.operation import Operation
from cmdr.model.plans.plan import ConflictPolicy, Plan

LIMITS = Limits(top=1_000_000, leaves=10_000_000)


Job = Callable[[], None]


def duel(ours: Job, theirs: Job, prepare_ours: Job, prepare_theirs: Job, rounds: int = 3) -> tuple[float, float]:
    """The shortest run of each, taken in turns, so that a busy machine is busy for both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, job, prepare in ((times[0], ours, prepare_ours), (times[1], theirs, prepare_theirs)):
            prepare()
            os.sync()
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])


class Bench:
    """A directory, a journal, and a table of ratios."""

    def __init__(self, top: str, small: bool) -> None:
        self.top = top
        self.size = (64 if small else 1024) << 20
        self.files = 2_000 if small else 20_000
        self.journal = Journal(os.fsencode(top + "/journal.db"))
        self.bad = 0

    def run(self, plan: Plan) -> None:
        outcome = Operation(plan, Syscalls(), self.journal, trash_home=os.fsencode(self.top + "/Trash")).run(
            Unattended()
        )
        if not outcome.is_clean:
            raise SystemExit(f"not clean: {[item.reason for item in outcome.failed][:3]}")

    def say(self, what: str, ours: float, theirs: float, most: float) -> None:
        ratio = ours / theirs
        self.bad += ratio > most
        print(f"{what:62} {ours:8.3f} s {theirs:8.3f} s  ratio {ratio:5.2f}  (at most {most})", flush=True)

    def clear(self) -> None:
        for name in ("to", "Trash"):
            shutil.rmtree(f"{self.top}/{name}", ignore_errors=True)
        os.mkdir(f"{self.top}/to")

    def one_large_file(self) -> None:
        source = self.top + "/large"
        block = os.urandom(1 << 20)
        with open(source, "wb") as file:
            for _ in range(self.size >> 20):
                file.write(block)
        to = os.fsencode(self.top + "/to")
        ours, theirs = duel(
            lambda: self.run(plan_copy([os.fsencode(source)], to)),
            lambda: tool(f"cp '{source}' '{self.top}/to/x' && sync '{self.top}/to/x'"),
            self.clear,
            self.clear,
        )
        self.say(f"durable copy of {self.size >> 20} MiB / cp + fsync", ours, theirs, 1.2)
        os.unlink(source)

    def many_small_files(self) -> None:
        make_tree(self.top + "/many", self.files)
        source, to = os.fsencode(self.top + "/many"), os.fsencode(self.top + "/to")
        before = memory()
        ours, theirs = duel(
            lambda: self.run(plan_copy([source], to, Choices(limits=LIMITS))),
            lambda: tool(f"cp -a '{self.top}/many' '{self.top}/to/' && sync -f '{self.top}/to'"),
            self.clear,
            self.clear,
        )
        self.say(f"durable copy of {self.files} small files / cp -a; sync -f", ours, theirs, 2.0)
        print(f"{'memory for it':62} {memory() - before:8} KiB")

    def memory_for_many(self) -> None:
        """What a copy of many more files needs: planning and running, each in a process of its own."""
        for count in (self.files, 25 * self.files):
            done = subprocess.run(
                [sys.executable, __file__, "--memory", str(count), self.top], check=True, capture_output=True, text=True
            )
            print(f"{f'memory for a copy of {count} files, planning and running':62} {done.stdout.strip()}", flush=True)

    def memory_for_planning(self) -> None:
        """What planning needs at its height when all files are chosen one by one, or lie in one single folder."""
        count = 25 * self.files
        for how in ("chosen", "in one folder"):
            done = subprocess.run(
                [sys.executable, __file__, "--planning", str(count), self.top, how],
                check=True,
                capture_output=True,
                text=True,
            )
            print(f"{f'memory for planning a copy of {count} files {how}':62} {done.stdout.strip()}", flush=True)

    def trash_a_folder(self) -> None:
        def again() -> None:
            self.clear()
            tool(f"cp -a '{self.top}/many' '{self.top}/victim'")

        plans: list[Plan] = []

        def plan() -> None:
            again()
            plans[:] = [plan_trash([os.fsencode(self.top + "/victim")], Choices(limits=LIMITS, trash_home=self.home))]

        ours, theirs = duel(
            lambda: self.run(plans[0]),
            # Ours looks once more at all names, so that nothing goes along that was not shown.
            lambda: tool(f"cd '{self.top}' && find victim >/dev/null && mv victim to/ && sync -f to"),
            plan,
            again,
        )
        self.say(f"a folder of {self.files} files to the trash / find; mv; sync -f", ours, theirs, 1.5)

    def trash_many(self) -> None:
        count = self.files // 10

        def again() -> None:
            self.clear()
            shutil.rmtree(self.top + "/victims", ignore_errors=True)
            make_tree(self.top + "/victims", count, folders=1)

        chosen = [os.fsencode(f"{self.top}/victims/d0/f{number}") for number in range(count)]
        ours, theirs = duel(
            lambda: self.run(plan_trash(chosen, Choices(limits=LIMITS, trash_home=self.home))),
            lambda: tool(f"mv '{self.top}'/victims/d0/* '{self.top}/to/' && sync -f '{self.top}/to'"),
            again,
            again,
        )
        self.say(f"{count} single files to the trash with notes / mv; sync -f", ours, theirs, 100)

    def overwrite_and_delete(self) -> None:
        to = os.fsencode(self.top + "/to")
        source = os.fsencode(self.top + "/many")
        self.clear()
        self.run(plan_copy([source], to, Choices(limits=LIMITS)))
        start = time.perf_counter()
        self.run(plan_copy([source], to, Choices(limits=LIMITS, policy=ConflictPolicy.OVERWRITE)))
        over = time.perf_counter() - start
        start = time.perf_counter()
        self.run(plan_delete([to + b"/many"], Choices(limits=LIMITS)))
        print(f"{'overwriting them all, each old one kept':62} {over:8.3f} s")
        print(f"{'deleting them for good, each checked':62} {time.perf_counter() - start:8.3f} s")

    @property
    def home(self) -> bytes:
        return os.fsencode(self.top + "/Trash")


def make_tree(path: str, files: int, folders: int = 200) -> None:
    for number in range(files):
        folder = f"{path}/d{number % folders}"
        if number < folders:
            os.makedirs(folder)
        with open(f"{folder}/f{number}", "wb") as file:
            file.write(os.urandom(2048))


class Unsynced(Syscalls):
    """Does not wait for the disk: half a million waits are not what is measured."""

    def sync_data(self, fd: int) -> None:
        pass

    def sync_folder(self, fd: int) -> None:
        pass


def memory_of(count: int, top: str) -> None:
    """Copy so many files and say by how much this process grew."""
    many = f"{top}/many of {count}"
    make_tree(many, count, folders=count // 100)
    os.makedirs(f"{top}/to", exist_ok=True)
    journal = Journal(os.fsencode(f"{top}/journal of {count}.db"))
    before = memory()
    plan = plan_copy([os.fsencode(many)], os.fsencode(f"{top}/to"), Choices(limits=LIMITS))
    planned = memory()
    Operation(plan, Unsynced(), journal, trash_home=os.fsencode(top + "/Trash")).run(Unattended())
    journal.close()
    print(f"{planned - before:8} KiB + {memory() - planned} KiB")
    shutil.rmtree(many)
    shutil.rmtree(f"{top}/to/many of {count}")


def planning_of(count: int, top: str, how: str) -> None:
    """Plan a copy of so many files and say by how much this process grew; only the names matter, so all are empty."""
    flat, to = os.fsencode(f"{top}/flat"), os.fsencode(f"{top}/to")
    os.makedirs(flat, exist_ok=True)
    os.makedirs(to, exist_ok=True)
    paths = [flat + b"/file number %d.txt" % number for number in range(count)]
    for path in paths:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    chosen = paths if how == "chosen" else [flat]
    before = memory()
    plan_copy(chosen, to, Choices(limits=LIMITS))
    print(f"{memory() - before:8} KiB")
    shutil.rmtree(flat)


def tool(command: str) -> None:
    subprocess.run(["sh", "-c", command], check=True)


def memory() -> int:
    """The most this process has held so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> int:
    if sys.argv[1:2] == ["--memory"]:
        memory_of(int(sys.argv[2]), sys.argv[3])
        return 0
    if sys.argv[1:2] == ["--planning"]:
        planning_of(int(sys.argv[2]), *sys.argv[3:5])
        return 0
    where = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    top = tempfile.mkdtemp(prefix="ops-bench-", dir=where[0] if where else None)
    bench = Bench(top, "--small" in sys.argv)
    try:
        bench.one_large_file()
        bench.many_small_files()
        bench.memory_for_many()
        bench.memory_for_planning()
        bench.trash_a_folder()
        bench.trash_many()
        bench.overwrite_and_delete()
    finally:
        bench.journal.close()
        shutil.rmtree(top)
    return 1 if bench.bad else 0


if __name__ == "__main__":
    sys.exit(main())
