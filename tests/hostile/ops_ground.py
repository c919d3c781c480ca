"""Proving ground for the operation engine: faults at the Nth call, small worlds on two devices, and a judge."""

import contextlib
import errno
import gzip
import io
import os
import shutil
import signal
import stat
import subprocess
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cmdr.engine.fs.names import is_temp_name
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.records import NoRecord, Recorder
from cmdr.engine.plan.archive_plan import plan_pack, plan_unpack
from cmdr.engine.plan.attribute_plan import plan_attributes
from cmdr.engine.plan.new_plan import Writing, plan_write, plan_writes
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.engine.run.crash_recovery import RecoveryReport, recover
from cmdr.engine.run.operation import Operation
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.run.undo import plan_undo
from cmdr.engine.steps.attributes import has
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.file_mode import ModeChange
from cmdr.model.plans.plan import ConflictPolicy, Plan

CALLS = [name for name in vars(Syscalls) if not name.startswith("_") and name not in ("discard",)]
Action = str | int
KILLS: tuple[Action, ...] = ("kill before", "kill after")


def stride(step):
    """How far apart the tried moments are: `make test` tries every second of those that `make coverage` tries.

    An odd number, as those given are: a step that goes into the length of a cycle would always meet the same call.
    """
    return 2 * step + 1 if os.environ.get("TEST_EXAMPLES", "few") == "few" else step


class FaultySyscalls(Syscalls):
    """Counts every call; at the Nth it kills the process, fails, or does half the work."""

    def __init__(self, at: int = 0, action: Action = "count", inner: Syscalls | None = None) -> None:
        self.inner = inner or Syscalls()
        self.at = at
        self.action = action
        self.count = 0
        self.hit = ""
        self._lock = threading.Lock()

    def _step(self, name: str) -> bool:
        with self._lock:
            self.count += 1
            if self.count == self.at:
                self.hit = name
                return True
        return False


def _faulty(name: str) -> Callable[..., object]:
    def call(self: FaultySyscalls, *args: object) -> object:
        real = getattr(self.inner, name)
        if not self._step(name):
            return real(*args)
        if self.action == "kill before":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.action == "kill after":
            real(*args)
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(self.action, int):
            if name == "close":
                real(*args)
            raise OSError(self.action, os.strerror(self.action))
        if self.action == "short" and name == "write":
            fd, data, offset = args
            return real(fd, data[: max(1, len(data) // 2)], offset)
        if self.action == "short" and name in ("copy_range", "read"):
            first, *rest = args
            at = 1 if name == "copy_range" else 0
            rest[at] = max(1, rest[at] // 2)
            return real(first, *rest)
        return real(*args)

    return call


for _name in CALLS:
    setattr(FaultySyscalls, _name, _faulty(_name))


class Stops(Unattended):
    """A person who says stop at a certain look, if the operation comes to it."""

    def __init__(self, after: int) -> None:
        self.left = after

    def checkpoint(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


class Denies(Syscalls):
    """A disk on which some files cannot be made, counted from 1."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers
        self.count = 0

    def create(self, name: bytes, folder: int, mode: int = 0o600) -> int:
        self.count += 1
        if self.count in self.numbers:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().create(name, folder, mode)


class Plain(Syscalls):
    """A file system that knows fewer tricks: no rename flags, and if asked no hard links or kernel copies."""

    def __init__(self, *, exchange: bool = False, noreplace: bool = False, links: bool = True, kernel: bool = True):
        self._able = {1: noreplace, 2: exchange, 0: True}
        self._links = links
        self._kernel = kernel

    def rename(self, name, folder, new_name, new_folder, flags=0):
        if not self._able[flags]:
            raise OSError(22, "Invalid argument")
        super().rename(name, folder, new_name, new_folder, flags)

    def link(self, name, folder, new_name, new_folder):
        if not self._links:
            raise OSError(1, "Operation not permitted")
        super().link(name, folder, new_name, new_folder)

    def copy_range(self, source, target, count, offset):
        if not self._kernel:
            raise OSError(18, "Invalid cross-device link")
        return super().copy_range(source, target, count, offset)


ABILITIES: dict[str, Callable[[], Syscalls]] = {
    "all": Syscalls,
    "no exchange": lambda: Plain(noreplace=True),
    "no flags": Plain,
    "no links": lambda: Plain(links=False, kernel=False),
}


@dataclass
class Devices:
    """Two directories; on different devices where that was possible."""

    one: bytes
    two: bytes | None

    def places(self) -> list[tuple[str, bytes, bytes]]:
        found = [("same", self.one, self.one)]
        if self.two is not None:
            found.append(("other", self.one, self.two))
        return found


@contextlib.contextmanager
def mounted(size: str = "64m", count: int = 2) -> Iterator[list[bytes]]:
    """Small file systems of our own; an empty list where mounting is not allowed."""
    top = tempfile.mkdtemp(prefix="ops-mount-", dir="/tmp").encode()
    paths = []
    try:
        for number in range(count):
            path = top + b"/%d" % number
            os.mkdir(path)
            try:
                done = subprocess.run(
                    ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", path], capture_output=True
                )
            except OSError:
                break
            if done.returncode:
                break
            paths.append(path)
        yield paths if len(paths) == count else []
    finally:
        for path in paths:
            subprocess.run(["umount", "-l", path], check=True, capture_output=True)
        shutil.rmtree(top)


@contextlib.contextmanager
def devices() -> Iterator[Devices]:
    with mounted() as paths:
        if paths:
            yield Devices(paths[0], paths[1])
            return
        one = tempfile.mkdtemp(prefix="ops-", dir="/tmp").encode()
        try:
            yield Devices(one, None)
        finally:
            shutil.rmtree(one)


@dataclass
class World:
    """A small world: sources, a destination, a trash, a journal."""

    top: bytes
    far: bytes
    keep_journal_open: bool = False

    @property
    def here(self) -> bytes:
        return self.top + b"/here"

    @property
    def there(self) -> bytes:
        return self.far + b"/there"

    @property
    def home(self) -> bytes:
        return self.top + b"/home/Trash"

    @property
    def journal_path(self) -> bytes:
        return self.top + b"/journal.db"

    def reset(self) -> None:
        for path in {self.top, self.far}:
            for name in os.listdir(path):
                full = path + b"/" + name
                shutil.rmtree(full) if os.path.isdir(full) else os.unlink(full)
        os.makedirs(self.here)
        os.makedirs(self.there)
        os.makedirs(os.path.dirname(self.home))

    def write(self, path: bytes, contents: bytes) -> bytes:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(contents)
        return path

    def journal(self) -> Journal:
        return Journal(self.journal_path)

    def run(
        self, plan: Plan, syscalls: Syscalls | None = None, recorder: Recorder | None = None, control=None
    ) -> Outcome:
        operation = Operation(plan, syscalls or Syscalls(), recorder or NoRecord(), trash_home=self.home)
        return operation.run(control or Unattended())

    def recover(self) -> RecoveryReport:
        journal = self.journal()
        try:
            return recover(journal, Syscalls(), trash_home=self.home)
        finally:
            journal.close()

    def trashes(self) -> list[bytes]:
        found = [self.home]
        found += [base + b"/.Trash-%d" % os.getuid() for base in {self.top, self.far}]
        return [path for path in found if os.path.isdir(path)]

    def trashed(self) -> dict[bytes, bytes]:
        return {path: text for trash in self.trashes() for path, text in tree(trash + b"/files").items()}

    def leftovers(self) -> list[bytes]:
        """Temporaries, notes without files and files without notes."""
        found = []
        for base in {self.top, self.far}:
            for folder, folders, files in os.walk(base):
                found += [folder + b"/" + name for name in files + folders if is_temp_name(name)]
        for trash in self.trashes():
            files = set(os.listdir(trash + b"/files")) if os.path.isdir(trash + b"/files") else set()
            notes = set(os.listdir(trash + b"/info")) if os.path.isdir(trash + b"/info") else set()
            found += [trash + b"/info/" + note for note in notes if note.removesuffix(b".trashinfo") not in files]
            found += [trash + b"/files/" + name for name in files if name + b".trashinfo" not in notes]
        return found


def tree(top: bytes) -> dict[bytes, bytes]:
    """Every name below a directory and what it holds."""
    out: dict[bytes, bytes] = {}
    for folder, folders, files in os.walk(top):
        for name in files + [name for name in folders if os.path.islink(folder + b"/" + name)]:
            path = folder + b"/" + name
            if os.path.islink(path):
                out[path] = b"-> " + os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    out[path] = file.read()
        for name in folders:
            if not os.path.islink(folder + b"/" + name):
                out[folder + b"/" + name] = b"/"
    return out


LONG_AGO = 1_000_000_000
"""Seconds; what lies before was set on purpose, what lies after is of the run itself."""


Traits = dict[bytes, tuple[int, int | None, dict[str, bytes]]]


def traits(top: bytes) -> Traits:
    """Permissions, time and attributes of every name below a directory; no time where it is of the run itself."""
    out = {}
    for folder, folders, files in os.walk(top):
        for name in files + folders:
            path = folder + b"/" + name
            found = os.lstat(path)
            kept = {key: os.getxattr(path, key, follow_symlinks=False) for key in _attributes(path)}
            then = found.st_mtime_ns if found.st_mtime < LONG_AGO else None
            out[path] = (stat.S_IMODE(found.st_mode), then, kept)
    return out


def _attributes(path: bytes) -> list[str]:
    return [name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user.")]


def aged(top: bytes) -> None:
    """Give everything below a directory permissions and times of its own, and folders an attribute where they can."""
    for number, (folder, folders, files) in enumerate(os.walk(top, topdown=False)):
        for at, name in enumerate(sorted(files + folders)):
            path = folder + b"/" + name
            if not os.path.islink(path):
                os.chmod(path, 0o750 if os.path.isdir(path) else 0o640)
                if os.path.isdir(path):
                    with contextlib.suppress(OSError):
                        os.setxattr(path, "user.kept", b"with it")
            when = (1000 + 10 * number + at) * 10**9 + 123
            os.utime(path, ns=(when, when), follow_symlinks=False)


@dataclass
class Scenario:
    """One kind of operation, in one world."""

    name: str
    prepare: Callable[[World], object]
    plan: Callable[[World, object], Plan]
    keeps_sources: bool = False
    destroys: bool = False
    new: tuple[bytes, ...] = ()
    moves: bool = False
    makes: bytes = b""
    """The archive that comes into being, by its name."""


def _sources(world: World) -> None:
    world.write(world.here + b"/pick/a", b"source a")
    world.write(world.here + b"/pick/sub/b", b"source b " * 40)
    world.write(world.here + b"/pick/sub/c\xff\n", b"source c")
    os.link(world.here + b"/pick/a", world.here + b"/pick/sub/twin of a")
    os.symlink(b"nowhere", world.here + b"/pick/link")
    world.write(world.here + b"/stays", b"not chosen")
    world.write(world.there + b"/own", b"destination only")
    aged(world.here)


def _standing(world: World) -> None:
    _sources(world)
    world.write(world.there + b"/pick/a", b"old a")
    world.write(world.there + b"/pick/sub/b", b"old b " * 30)
    os.symlink(b"old place", world.there + b"/pick/link")


def _flat(world: World) -> None:
    for name in (b"a", b"b", b"c", b"d"):
        world.write(world.there + b"/" + name, b"contents of " + name)


def _trashed(world: World) -> list[bytes]:
    world.write(world.there + b"/gone/x", b"trashed x")
    world.write(world.there + b"/gone2", b"trashed 2")
    world.write(world.there + b"/own", b"destination only")
    done = world.run(plan_trash([world.there + b"/gone", world.there + b"/gone2"], Choices(trash_home=world.home)))
    return [item.kept.place.path for item in done.items if item.kept is not None]


def _done(prepare: Callable[[World], object], plan: Callable[[World, object], Plan]) -> Callable[[World], object]:
    def go(world: World) -> object:
        found = prepare(world)
        journal = world.journal()
        try:
            operation = world.run(plan(world, found), recorder=journal).operation
            return journal.operation(operation)
        finally:
            journal.close()

    return go


def _copy(world: World, _: object) -> Plan:
    return plan_copy([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.SKIP))


def _overwrite(world: World, _: object) -> Plan:
    return plan_copy([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))


def _move(world: World, _: object) -> Plan:
    return plan_move([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.SKIP))


def _move_over(world: World, _: object) -> Plan:
    return plan_move([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))


def _move_into_new(world: World, _: object) -> Plan:
    return plan_move([world.here + b"/pick"], world.there + b"/new/deep", Choices(policy=ConflictPolicy.SKIP))


def _rename(world: World, _: object) -> Plan:
    base = world.there
    return plan_rename([(base + b"/a", b"b"), (base + b"/b", b"new"), (base + b"/c", b"sea")])


def _ring(world: World, _: object) -> Plan:
    base = world.there
    return plan_rename([(base + b"/a", b"b"), (base + b"/b", b"c"), (base + b"/c", b"a"), (base + b"/d", b"e")])


def _trash(world: World, _: object) -> Plan:
    return plan_trash([world.there + b"/a", world.there + b"/b"], Choices(trash_home=world.home))


def _dress(world: World, _: object) -> Plan:
    owner = None if os.geteuid() else 4242
    wish = AttributeWish(ModeChange.of("u+x,go="), 500 * 10**9, owner, inside=True)
    return plan_attributes([world.here + b"/pick"], Choices(attributes=wish))


_MEMBERS = {b"a": b"member a", b"sub/b": b"member b " * 40, b"sub/c": b"member c"}


def _archive(world: World) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in (b"pick", b"pick/sub"):
            info = tarfile.TarInfo(os.fsdecode(name))
            info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o750, 2000
            archive.addfile(info)
        for name, text in _MEMBERS.items():
            info = tarfile.TarInfo("pick/" + os.fsdecode(name))
            info.size, info.mode, info.mtime = len(text), 0o640, 3000
            archive.addfile(info, io.BytesIO(text))
        for name, kind, to in (("link", tarfile.SYMTYPE, "sub/b"), ("sub/twin of a", tarfile.LNKTYPE, "pick/a")):
            info = tarfile.TarInfo(f"pick/{name}")
            info.type, info.linkname, info.mtime = kind, to, 4000
            archive.addfile(info)
    world.write(world.here + b"/stays", b"not chosen")
    world.write(world.there + b"/own", b"destination only")
    path = world.write(world.here + b"/given.tar.gz", gzip.compress(made.getvalue(), mtime=0))
    aged(world.here)
    return path


def _standing_there(world: World) -> bytes:
    world.write(world.there + b"/pick/a", b"old a")
    world.write(world.there + b"/pick/sub/b", b"old b " * 30)
    os.symlink(b"old place", world.there + b"/pick/link")
    return _archive(world)


def _zipped(world: World) -> bytes:
    _archive(world)
    path = world.here + b"/given.zip"
    with zipfile.ZipFile(os.fsdecode(path), "w") as archive:
        for name, text in _MEMBERS.items():
            archive.writestr(zipfile.ZipInfo("pick/" + os.fsdecode(name)), text)
    aged(world.here)
    return path


def _unpack(world: World, found: object) -> Plan:
    return plan_unpack([bytes(found)], world.there, Choices(policy=ConflictPolicy.SKIP))


def _unpack_over(world: World, found: object) -> Plan:
    return plan_unpack([bytes(found)], world.there, Choices(policy=ConflictPolicy.OVERWRITE))


def _pack(name: bytes) -> Callable[[World, object], Plan]:
    return lambda world, _: plan_pack([world.here + b"/pick"], world.there + b"/new/" + name)


def _joined(world: World) -> None:
    """Folders that are there already: what is copied into them is taken back file by file."""
    _sources(world)
    world.write(world.there + b"/pick/sub/own", b"was there")


def _linked(world: World) -> None:
    """Names of one file: each step on one of them changes how the others look."""
    _flat(world)
    for name in (b"x", b"y"):
        os.link(world.there + b"/a", world.there + b"/" + name)


def _names(world: World) -> list[bytes]:
    return [world.there + b"/" + name for name in (b"a", b"b", b"x", b"y")]


_UNPACKED = (*_MEMBERS.values(), b"-> sub/b", b"/")


def _write_many(world: World, _: object) -> Plan:
    names = {b"a": b"new a", b"b": b"new b", b"new": b"new file"}
    plan, refused = plan_writes([Writing(world.there + b"/" + name, text) for name, text in names.items()])
    assert plan is not None
    assert not refused
    return plan


_WRITTEN = (b"new a", b"new b", b"new file")
SCENARIOS = [
    Scenario("unpack", _archive, _unpack, keeps_sources=True, new=_UNPACKED),
    Scenario("unpack zip", _zipped, _unpack, keeps_sources=True, new=_UNPACKED),
    Scenario("unpack and overwrite", _standing_there, _unpack_over, keeps_sources=True, new=_UNPACKED),
    Scenario("pack zip", _sources, _pack(b"made.zip"), keeps_sources=True, makes=b"made.zip"),
    Scenario("pack tar", _sources, _pack(b"made.tar.gz"), keeps_sources=True, makes=b"made.tar.gz"),
    Scenario(
        "undo unpack",
        _done(_archive, _unpack),
        lambda _, found: plan_undo(found),
        keeps_sources=True,
        new=_UNPACKED,
    ),
    Scenario("copy", _sources, _copy, keeps_sources=True),
    Scenario("overwrite", _standing, _overwrite, keeps_sources=True),
    Scenario("move", _sources, _move, moves=True),
    Scenario("move and overwrite", _standing, _move_over, moves=True),
    Scenario("move into new folders", _sources, _move_into_new, moves=True),
    Scenario("rename", _flat, _rename),
    Scenario("rename ring", _flat, _ring),
    Scenario("trash", _flat, _trash),
    Scenario("restore", _trashed, lambda world, found: plan_restore(found)),
    Scenario("undo copy", _done(_sources, _copy), lambda _, found: plan_undo(found), keeps_sources=True),
    Scenario("undo overwrite", _done(_standing, _overwrite), lambda _, found: plan_undo(found), keeps_sources=True),
    Scenario("undo move", _done(_sources, _move), lambda _, found: plan_undo(found)),
    Scenario("undo move and overwrite", _done(_standing, _move_over), lambda _, found: plan_undo(found)),
    Scenario("undo move into new folders", _done(_sources, _move_into_new), lambda _, found: plan_undo(found)),
    Scenario("undo trash", _done(_flat, _trash), lambda _, found: plan_undo(found)),
    Scenario("undo ring", _done(_flat, _ring), lambda _, found: plan_undo(found)),
    Scenario(
        "write",
        _flat,
        lambda world, _: plan_write(world.there + b"/a", b"new contents"),
        new=(b"new contents",),
    ),
    Scenario("write many", _flat, _write_many, new=_WRITTEN),
    Scenario("undo write many", _done(_flat, _write_many), lambda _, found: plan_undo(found), new=_WRITTEN),
    Scenario("attributes", _sources, _dress, keeps_sources=True),
    Scenario("undo attributes", _done(_sources, _dress), lambda _, found: plan_undo(found), keeps_sources=True),
    Scenario("undo joining copy", _done(_joined, _copy), lambda _, found: plan_undo(found), keeps_sources=True),
    Scenario("trash linked", _linked, lambda world, _: plan_trash(_names(world), Choices(trash_home=world.home))),
    Scenario("delete", _flat, lambda world, _: plan_delete([world.there + b"/a", world.there + b"/b"]), destroys=True),
]
NAMED = {scenario.name: scenario for scenario in SCENARIOS}


@dataclass
class Before:
    """What there was."""

    here: dict[bytes, bytes]
    there: dict[bytes, bytes]
    trash: dict[bytes, bytes]
    traits: Traits

    @classmethod
    def of(cls, world: World) -> "Before":
        looks = {**traits(world.here), **traits(world.there)}
        return cls(tree(world.here), tree(world.there), world.trashed(), looks)

    @property
    def contents(self) -> set[bytes]:
        return {text for part in (self.here, self.there, self.trash) for text in part.values()}


def _is_whole(path: bytes, before: Before) -> bool:
    """Whether an archive can be read to its end, and holds nothing but what was there."""
    name = os.fsdecode(path)
    if path.endswith(b".zip"):
        with zipfile.ZipFile(name) as archive:
            held = {archive.read(info) for info in archive.infolist() if not info.is_dir()}
        return {it for it in held if b"-> " + it not in before.contents} <= before.contents
    with tarfile.open(name) as archive:
        return {archive.extractfile(it).read() for it in archive if it.isfile()} <= before.contents  # type: ignore


def inside(name: bytes, contents: bytes) -> bytes:
    """Of an archive the names and contents of its files; anything else as it is."""
    if contents.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            return repr([(it.filename, archive.read(it)) for it in archive.infolist()]).encode()
    if name.endswith(b".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
            return repr([(it.name, archive.extractfile(it).read() if it.isfile() else b"") for it in archive]).encode()  # type: ignore
    return contents


def judge(world: World, scenario: Scenario, before: Before, plan: Plan) -> list[str]:
    """Everything that is wrong now; empty when nothing was lost, torn or left over."""
    now = Before.of(world)
    bad = []
    known = before.contents | set(scenario.new)
    for text in before.contents - now.contents:
        # What was unpacked and is taken back is still in the archive.
        if not scenario.destroys and text not in scenario.new:
            bad.append(f"lost {text[:30]!r}")
    for path, text in {**now.here, **now.there}.items():
        if text not in known and not (scenario.makes and path.endswith(scenario.makes) and _is_whole(path, before)):
            bad.append(f"torn {path!r} {text[:30]!r}")
    touched = {place.path for item in plan.items for place in (item.source, item.target) if place is not None}
    for path, text in {**before.here, **before.there}.items():
        after = {**now.here, **now.there}.get(path)
        if path not in touched and not any(path.startswith(other + b"/") for other in touched) and after != text:
            bad.append(f"stranger touched {path!r}")
        if scenario.keeps_sources and path in before.here and after != text:
            bad.append(f"source changed {path!r}")
    for item in plan.items:
        if item.change is not None:
            looks = os.lstat(item.place.path)
            if not has(looks, item.change) and not has(looks, item.change, after=False):
                bad.append(f"half changed {item.place.path!r}")
    return bad + [f"left over {path!r}" for path in world.leftovers()]
