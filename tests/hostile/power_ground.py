"""Power loss: what was asked of the disk, call by call, and everything a disk may hold when the power goes.

Nothing is on the disk until it was waited for. Until then a file's data may be missing, zero or short, and a change of
names may be lost: in the order of a journalling file system (`ordered`: what is lost is the end of the list), or each
one by itself (`weak`). A change of names is one step: it is there or not, and it says which file each name stands for,
so losing an earlier change does not alter what a later one wrote.
"""

import dataclasses
import os
import random
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

from ops_ground import World

from cmdr.engine.fs.names import is_temp_name
from cmdr.engine.fs.syscalls import EXCHANGE, Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.records import Intent, ItemRecord, ItemUpdate, OperationRecord, Unrecovered
from cmdr.model.history import OperationState
from cmdr.model.plans.attributes import AttributeChange, Attributes
from cmdr.model.plans.plan import Fingerprint, Place, Plan, Root
from cmdr.model.plans.plan_item import Member

Id = tuple[int, int]


@dataclass(frozen=True)
class Names:
    """Names that change together: in a directory, a name now stands for a file, or for nothing."""

    written: tuple[tuple[Id, bytes, Id | None], ...]


@dataclass(frozen=True)
class Data:
    """A file's contents and time."""

    file: Id
    text: bytes
    mtime: int


@dataclass(frozen=True)
class LineTheme:
    """Permissions, owner, group and time of a file or directory."""

    file: Id
    look: Attributes


@dataclass(frozen=True)
class Waited:
    """A file's data, or a directory's names, are on the disk."""

    what: Id


@dataclass(frozen=True)
class Told:
    """The journal returned from a call: this is what it knows, and it is on the disk."""

    records: tuple[OperationRecord, ...]


Event = Names | Data | LineTheme | Waited | Told


@dataclass
class Tree:
    """What a disk holds: directories as names, files as contents."""

    folders: dict[Id, dict[bytes, Id]] = field(default_factory=dict)
    files: dict[Id, tuple[bytes, int]] = field(default_factory=dict)
    links: dict[Id, tuple[bytes, int]] = field(default_factory=dict)
    looks: dict[Id, Attributes] = field(default_factory=dict)
    """Of what gets other attributes."""

    def key(self, roots: Sequence[Id]) -> object:
        """The same for trees that look the same."""
        return tuple(self._key(root) for root in roots)

    def _key(self, at: Id) -> object:
        if at in self.folders:
            inside = tuple(sorted((name, self._key(inside)) for name, inside in self.folders[at].items()))
            return at, self.looks.get(at), inside
        return at, self.looks.get(at), self.files.get(at), self.links.get(at)


class Recording(Syscalls):
    """The real calls, each written down with what it did."""

    def __init__(self, events: list[Event], tree: Tree, inner: Syscalls) -> None:
        self._events = events
        self._tree = tree
        self._inner = inner
        self._lock = threading.Lock()
        self._pins: list[int] = []

    def __getattribute__(self, name: str) -> object:
        # What is not recorded below goes to the file system that is played.
        if name.startswith("_") or name in vars(Recording):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "_inner"), name)

    def let_go(self) -> None:
        for fd in self._pins:
            os.close(fd)

    def create(self, name, folder, mode=0o600):
        fd = self._inner.create(name, folder, mode)
        self._named(name, folder)
        self._contents(fd)
        return fd

    def write(self, fd, data, offset):
        done = self._inner.write(fd, data, offset)
        self._contents(fd)
        return done

    def copy_range(self, source, target, count, offset):
        done = self._inner.copy_range(source, target, count, offset)
        self._contents(target)
        return done

    def truncate(self, fd, size):
        self._inner.truncate(fd, size)
        self._contents(fd)

    def set_times(self, fd, atime_ns, mtime_ns):
        self._inner.set_times(fd, atime_ns, mtime_ns)
        if stat.S_ISREG(os.fstat(fd).st_mode):
            self._contents(fd)

    def set_link_times(self, name, folder, atime_ns, mtime_ns):
        self._inner.set_link_times(name, folder, atime_ns, mtime_ns)
        found = os.lstat(name, dir_fd=folder)
        self._tree.links[_id(found)] = (os.readlink(name, dir_fd=folder), found.st_mtime_ns)

    def set_held_mode(self, held, mode):
        self._dressed(held, self._inner.set_held_mode, mode)

    def set_held_owner(self, held, uid, gid):
        self._dressed(held, self._inner.set_held_owner, uid, gid)

    def set_held_times(self, held, atime_ns, mtime_ns):
        self._dressed(held, self._inner.set_held_times, atime_ns, mtime_ns)

    def sync_data(self, fd):
        self._inner.sync_data(fd)
        self._add(Waited(_id(os.fstat(fd))))

    def sync_folder(self, fd):
        self._inner.sync_folder(fd)
        self._add(Waited(_id(os.fstat(fd))))

    def mkdir(self, name, folder, mode=0o700):
        self._inner.mkdir(name, folder, mode)
        self._named(name, folder)

    def symlink(self, target, name, folder):
        self._inner.symlink(target, name, folder)
        self._named(name, folder)

    def link(self, name, folder, new_name, new_folder):
        self._inner.link(name, folder, new_name, new_folder)
        self._named(new_name, new_folder)

    def unlink(self, name, folder):
        self._inner.unlink(name, folder)
        self._add(Names(((_id(os.fstat(folder)), name, None),)))

    def rmdir(self, name, folder):
        self._inner.rmdir(name, folder)
        self._add(Names(((_id(os.fstat(folder)), name, None),)))

    def rename(self, name, folder, new_name, new_folder, flags=0):
        moved = _id(os.lstat(name, dir_fd=folder))
        other = _id(os.lstat(new_name, dir_fd=new_folder)) if flags == EXCHANGE else None
        self._inner.rename(name, folder, new_name, new_folder, flags)
        here, there = _id(os.fstat(folder)), _id(os.fstat(new_folder))
        self._add(Names(((there, new_name, moved), (here, name, other))))

    def _named(self, name, folder):
        pin = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
        self._pins.append(pin)  # a number that is never given to another file
        found = os.fstat(pin)
        new = _id(found)
        if stat.S_ISDIR(found.st_mode):
            self._tree.folders.setdefault(new, {})
        elif stat.S_ISLNK(found.st_mode):
            self._tree.links[new] = (os.readlink(name, dir_fd=folder), found.st_mtime_ns)
        self._add(Names(((_id(os.fstat(folder)), name, new),)))

    def _dressed(self, held, call, *args):
        at = _id(os.fstat(held))
        self._tree.looks.setdefault(at, _look_of(os.fstat(held)))
        call(held, *args)
        self._add(LineTheme(at, _look_of(os.fstat(held))))

    def _contents(self, fd):
        found = os.fstat(fd)
        self._add(Data(_id(found), os.pread(fd, found.st_size, 0), found.st_mtime_ns))

    def _add(self, event):
        with self._lock:
            self._events.append(event)


class ToldJournal:
    """The real journal, each of its answers written down with what it knows by then."""

    def __init__(self, journal: Journal, events: list[Event]) -> None:
        self._journal = journal
        self._events = events
        self._tell()

    def begin(self, plan: Plan, by: str) -> int:
        number = self._journal.begin(plan, by)
        self._tell()
        return number

    def intend(self, operation: int, intents: Sequence[Intent]) -> None:
        self._journal.intend(operation, intents)
        self._tell()

    def note(self, operation: int, notes: Sequence[ItemUpdate]) -> None:
        self._journal.note(operation, notes)
        self._tell()

    def finish(self, operation: int, state: OperationState) -> None:
        self._journal.finish(operation, state)
        self._tell()

    def unrecovered(self) -> Iterable[Unrecovered]:
        return self._journal.unrecovered()

    def _tell(self) -> None:
        numbers = sorted(entry.id for entry in self._journal.history(1000))
        self._events.append(Told(tuple(self._journal.operation(number) for number in numbers)))


@dataclass
class Recorded:
    """One operation as the disk saw it."""

    world: World
    first: Tree
    """What stood there before; all of it on the disk."""
    roots: tuple[Id, ...]
    events: list[Event]

    @property
    def shape(self) -> object:
        """The same for runs that asked the same of the disk, whatever numbers and temporary names they were given."""
        numbers: dict[object, int] = {}

        def number(of: object) -> int:
            return numbers.setdefault(of, len(numbers))

        def walk(at: Id) -> None:
            number(at)
            for _, inside in sorted(self.first.folders.get(at, {}).items()):
                walk(inside)

        for root in self.roots:
            walk(root)

        def name(given: bytes) -> object:
            return number(given) if is_temp_name(given) else given

        def shape(event: Event) -> object:
            match event:
                case Names(written):
                    return [(number(at), name(given), number(file)) for at, given, file in written]
                case Data(file, text, _):
                    return number(file), text
                case Waited(what):
                    return number(what)
                case LineTheme(file, look):
                    return number(file), look[:3]
                case Told(records):
                    return [[(item.index, item.state) for item in record.items] for record in records]

        return [(type(event), shape(event)) for event in self.events]


def record(world: World, plan: Plan, inner: Syscalls | None = None) -> Recorded:
    """Run a plan and write down what it asked of the disk."""
    tree = Tree()
    tops = sorted({world.top, world.far})
    roots = tuple(_look(top, tree) for top in tops)
    events: list[Event] = []
    journal = world.journal()
    recording = Recording(events, tree, inner or Syscalls())
    try:
        outcome = world.run(plan, recording, ToldJournal(journal, events))
    finally:
        journal.close()
        recording.let_go()
    if not outcome.is_clean:
        raise AssertionError([(item.item.place.path, item.reason) for item in outcome.items if item.reason])
    return Recorded(world, tree, roots, events)


@dataclass(frozen=True)
class Remains:
    """What is there after the power went."""

    tree: Tree
    records: tuple[OperationRecord, ...]


def remains(
    recorded: Recorded, model: str, most: int, dice: random.Random, step: int = 1, seen: set[object] | None = None
) -> Iterator[Remains]:
    """Everything the disk may hold when the power goes, at every `step`-th moment; each different one once."""
    seen = set() if seen is None else seen
    for upto in range(1, len(recorded.events) + 1, step):
        events = recorded.events[:upto]
        told = next(index for index in reversed(range(upto)) if isinstance(events[index], Told))
        records = recorded.events[told].records
        for kept in _kept(events, model, most, dice):
            for tree in _with_data(recorded, events, kept):
                key = (told, tree.key(recorded.roots))
                if key not in seen:
                    seen.add(key)
                    yield Remains(tree, records)


def _kept(events: list[Event], model: str, most: int, dice: random.Random) -> Iterator[frozenset[int]]:
    """Which changes of names are on the disk, of those that are not waited for."""
    changes = [index for index, event in enumerate(events) if isinstance(event, Names)]
    if model == "ordered":
        safe, loose = _in_order(events, changes)
        ends = [[loose_here[:end] for end in range(len(loose_here) + 1)] for loose_here in loose]
        if len(ends) == 1:
            picks = [[part] for part in ends[0]]
        else:
            picks = [[part, other] for part in ends[0] for other in (ends[1][0], ends[1][-1])]
            picks += [[other, part] for part in ends[1] for other in (ends[0][0], ends[0][-1])]
        for pick in picks:
            yield frozenset(chain(safe, *pick))
        return
    loose = [index for index in changes if not _is_waited_for(events, index)]
    safe = [index for index in changes if index not in set(loose)]
    for some in _subsets(loose, most, dice):
        yield frozenset(chain(safe, some))


def _in_order(events: list[Event], changes: list[int]) -> tuple[list[int], list[list[int]]]:
    """Per device: waiting for anything brings everything before it to the disk."""
    last: dict[int, int] = {}
    for index, event in enumerate(events):
        if isinstance(event, Waited):
            last[event.what[0]] = index
    devices = sorted({events[index].written[0][0][0] for index in changes})
    safe = [index for index in changes if index < last.get(events[index].written[0][0][0], -1)]
    loose = [
        [index for index in changes if index not in safe and events[index].written[0][0][0] == device]
        for device in devices
    ]
    return safe, loose or [[]]


def _is_waited_for(events: list[Event], index: int) -> bool:
    """Whether every directory that a change touched was waited for after it."""
    waited = {event.what for event in events[index + 1 :] if isinstance(event, Waited)}
    return all(folder in waited for folder, _, _ in events[index].written)


def _subsets(loose: list[int], most: int, dice: random.Random) -> Iterator[tuple[int, ...]]:
    if 2 ** len(loose) <= most:
        yield from chain.from_iterable(combinations(loose, size) for size in range(len(loose) + 1))
        return
    yield ()
    yield tuple(loose)
    for index in loose:
        yield (index,)
        yield tuple(other for other in loose if other != index)
    for _ in range(max(0, most - 2 * len(loose) - 2)):
        yield tuple(index for index in loose if dice.random() < 0.5)


def _with_data(recorded: Recorded, events: list[Event], kept: frozenset[int]) -> Iterator[Tree]:
    """The trees that these changes of names make, with what may be in their files."""
    folders = {at: dict(names) for at, names in recorded.first.folders.items()}
    files = dict(recorded.first.files)
    safe = dict(recorded.first.files)
    for index, event in enumerate(events):
        if isinstance(event, Data):
            files[event.file] = (event.text, event.mtime)
        elif isinstance(event, Waited) and event.what in files:
            safe[event.what] = files[event.what]
        elif isinstance(event, Names) and index in kept:
            for folder, name, file in event.written:
                if file is None:
                    folders[folder].pop(name, None)
                else:
                    folders[folder][name] = file
    visible = _visible(folders, recorded.roots)
    open_ = [file for file in visible if file in files and files[file] != safe.get(file)]
    if looks := list(_looks(recorded, events)):
        for some in looks:
            yield Tree(folders, files, recorded.first.links, some)
        return
    yield Tree(folders, files, recorded.first.links)
    for change in (_empty, _zeros, _half) if open_ else ():
        torn = {file: change(*files[file]) if file not in safe else safe[file] for file in open_}
        yield Tree(folders, {**files, **torn}, recorded.first.links)


def _looks(recorded: Recorded, events: list[Event]) -> Iterator[dict[Id, Attributes]]:
    """What attributes may be on the disk: all that were waited for, and of the others some, in their order."""
    waited = {event.what: index for index, event in enumerate(events) if isinstance(event, Waited)}
    changes = [(index, event) for index, event in enumerate(events) if isinstance(event, LineTheme)]
    safe = {**recorded.first.looks, **{it.file: it.look for at, it in changes if at < waited.get(it.file, -1)}}
    loose = [it for at, it in changes if at >= waited.get(it.file, -1)]
    for upto in range(len(loose) + 1 if recorded.first.looks else 0):
        yield {**safe, **{it.file: it.look for it in loose[:upto]}}


def _empty(text: bytes, mtime: int) -> tuple[bytes, int]:
    return b"", mtime - 1


def _zeros(text: bytes, mtime: int) -> tuple[bytes, int]:
    return bytes(len(text)), mtime - 1


def _half(text: bytes, mtime: int) -> tuple[bytes, int]:
    return text[: len(text) // 2], mtime - 1


def _visible(folders: dict[Id, dict[bytes, Id]], roots: Sequence[Id]) -> set[Id]:
    seen: set[Id] = set()
    todo = list(roots)
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += folders.get(at, {}).values()
    return seen


def restart(recorded: Recorded, left: Remains) -> Journal:
    """Put what is left onto the disk again; the journal beside it, open, as the next start finds them."""
    world = recorded.world
    tops = sorted({world.top, world.far})
    for top in tops:
        for name in os.listdir(top):
            path = top + b"/" + name
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    now: dict[Id, Id] = {}
    paths: dict[Id, bytes] = {}
    for top, root in zip(tops, recorded.roots, strict=True):
        now[root] = _id(os.lstat(top))
        _build(left.tree, root, top, now, paths)
    journal = world.journal()
    try:
        for record in left.records:
            _tell_again(journal, _renumbered(record, now))
    except BaseException:
        journal.close()
        raise
    return journal


def _build(tree: Tree, at: Id, path: bytes, now: dict[Id, Id], paths: dict[Id, bytes]) -> None:
    for name, file in sorted(tree.folders[at].items()):
        full = path + b"/" + name
        if file in paths and file not in tree.folders:
            os.link(paths[file], full, follow_symlinks=False)
            continue
        if file in paths:
            continue  # a directory has one name; a check of the disk would take the second away
        paths[file] = full
        if file in tree.folders:
            os.mkdir(full)
            _build(tree, file, full, now, paths)
        elif file in tree.links:
            text, mtime = tree.links[file]
            os.symlink(text, full)
            os.utime(full, ns=(mtime, mtime), follow_symlinks=False)
        else:
            text, mtime = tree.files.get(file, (b"", 0))
            with open(full, "wb") as out:
                out.write(text)
            os.utime(full, ns=(mtime, mtime))
        now[file] = _id(os.lstat(full))
        if look := tree.looks.get(file):
            os.chown(full, look.uid, look.gid)
            os.chmod(full, look.mode)
            os.utime(full, ns=(look.mtime_ns, look.mtime_ns))


def _tell_again(journal: Journal, record: OperationRecord) -> None:
    number = journal.begin(record.plan, record.by)
    if number != record.id:
        raise AssertionError("the operations have other numbers now")
    journal.intend(number, [_intent(item) for item in record.items])
    journal.note(number, [_note(item) for item in record.items])
    if record.state is not OperationState.RUNNING:
        journal.finish(number, record.state)


def _intent(item: ItemRecord) -> Intent:
    return Intent(item.index, item.temp or b"", item.beside, item.kept, item.parks, item.traits)


def _note(item: ItemRecord) -> ItemUpdate:
    gone = item.temp is None
    return ItemUpdate(item.index, item.state, item.reason, item.target, item.staged, item.landed, item.kept, gone)


def _renumbered(value, now: dict[Id, Id]):
    """The same with the numbers that directories and files have now; stamps cannot be set, so none are known."""
    if isinstance(value, Fingerprint | Root):
        dev, ino = now.get((value.dev, value.ino), (value.dev, value.ino))
        if isinstance(value, Fingerprint):
            return value._replace(dev=dev, ino=ino, stamp_ns=None)
        return dataclasses.replace(value, dev=dev, ino=ino, birth_ns=None)
    if isinstance(value, Place | AttributeChange | Member):
        return value
    if isinstance(value, tuple):
        return tuple(_renumbered(part, now) for part in value)
    if dataclasses.is_dataclass(value):
        fields = [part.name for part in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: _renumbered(getattr(value, name), now) for name in fields})
    return value


def _look(path: bytes, tree: Tree) -> Id:
    found = os.lstat(path)
    at = _id(found)
    if stat.S_ISDIR(found.st_mode):
        names = [name for name in os.listdir(path) if not name.startswith(b"journal.db")]
        tree.folders[at] = {name: _look(path + b"/" + name, tree) for name in names}
    elif stat.S_ISLNK(found.st_mode):
        tree.links[at] = (os.readlink(path), found.st_mtime_ns)
    else:
        with open(path, "rb") as file:
            tree.files[at] = (file.read(), found.st_mtime_ns)
    return at


def _look_of(found: os.stat_result) -> Attributes:
    return Attributes(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, found.st_mtime_ns)


def _id(found: os.stat_result) -> Id:
    return found.st_dev, found.st_ino
