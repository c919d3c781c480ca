"""A world that several processes change, and a walk by hand that says what is true in it.

The changers use nothing of cmdr. Each makes, moves, deletes and edits in an order of its own, told by a seed; between
two rounds the world stands still, so that a walk and a question see the same one.
"""

import multiprocessing
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

MAX_FILES = 400
NAMES = ("a.txt", "b.txt", "c.log", "d.md", "e.py", "f.dat", "g.txt", "h")


class Changer:
    """Makes random changes below a folder."""

    def __init__(self, root: str, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.number, self.seed = 0, seed
        self.open: list[int] = []  # files that are written to and not closed

    def change(self) -> None:
        """One change; what somebody else was quicker with is let be."""
        kinds: list[Callable[[], None]] = [
            *[self.make] * 6,
            *[self.edit] * 4,
            *[self.append] * 2,
            *[self.move] * 4,
            *[self.delete] * 4,
            *[self.save_anew] * 2,
            *[self.touch] * 2,
            self.link,
            self.make_folder,
            self.fill_folder,
            self.move_folder,
            self.remove_folder,
            self.swap_folders,
        ]
        with suppress(OSError, IndexError):
            self.random.choice(kinds)()

    # -- files ----------------------------------------------------------------------------------------------------
    def make(self) -> None:
        if sum(len(files) for _, _, files in os.walk(self.root)) > MAX_FILES:
            return self.remove_folder()
        return self._write(self._new(self._folder()))

    def edit(self) -> None:
        self._write(self._file(editable=True))

    def append(self) -> None:
        """Write to a file and leave it open: nobody is told that it was closed."""
        if len(self.open) > 5:
            os.close(self.open.pop(0))
        self.open.append(os.open(self._file(editable=True), os.O_WRONLY | os.O_APPEND))
        os.write(self.open[-1], b"+" * self.random.randrange(1, 500))

    def move(self) -> None:
        os.rename(self._file(), self._new(self._folder()))

    def delete(self) -> None:
        os.unlink(self._file())

    def save_anew(self) -> None:
        """The way in which editors save."""
        path = self._file()
        self._write(path + "~")
        os.rename(path + "~", path)

    def touch(self) -> None:
        when = self.random.randrange(10**9, 2 * 10**9)
        os.utime(self._file(editable=True), (when, when))

    def link(self) -> None:
        os.link(self._file(), self._new(self._folder()))

    # -- folders --------------------------------------------------------------------------------------------------
    def make_folder(self) -> None:
        os.mkdir(self._new(self._folder()) + ".d")

    def fill_folder(self) -> None:
        """A folder that is full before anybody can watch it."""
        path = self._new(self._folder()) + ".d"
        os.makedirs(path + "/in/ner")
        for name in NAMES[: self.random.randrange(1, 8)]:
            self._write(f"{path}/in/{name}")
            self._write(f"{path}/in/ner/{name}")

    def move_folder(self) -> None:
        os.rename(self._folder(), self._new(self._folder()) + ".d")

    def remove_folder(self) -> None:
        path = self._folder()
        if path != self.root:
            shutil.rmtree(path)

    def swap_folders(self) -> None:
        """Another folder takes the name of one."""
        path = self._folder()
        if path != self.root:
            os.rename(path, self._new(self._folder()) + ".d")
            os.mkdir(path)
            self._write(path + "/instead.txt")

    def _write(self, path: str) -> None:
        with open(path, "wb") as out:
            out.write(b"x" * self.random.randrange(0, 3000))

    def _new(self, folder: str) -> str:
        self.number += 1
        return f"{folder}/{self.seed}_{self.number}_{self.random.choice(NAMES)}"

    def _folder(self) -> str:
        found, depth = self.root, self.random.randrange(0, 4)
        for _ in range(depth):
            inner = sorted(entry.name for entry in os.scandir(found) if entry.is_dir(follow_symlinks=False))
            if not inner:
                break
            found = f"{found}/{self.random.choice(inner)}"
        return found

    def _file(self, *, editable: bool = False) -> str:
        """A file; one with several names is never edited, for the name by which it is may be gone before anybody can
        look, and the system tells of no other."""
        for _ in range(5):
            folder = self._folder()
            files = sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
            path = f"{folder}/{self.random.choice(files)}" if files else ""
            if path and not (editable and os.lstat(path).st_nlink > 1):
                return path
        raise IndexError


def changing(root: str, seed: int, orders: Connection) -> None:
    """The life of one process: so many changes whenever it is told to, until it is told 0."""
    changer = Changer(root, seed)
    while changes := orders.recv():
        for _ in range(changes):
            changer.change()
        orders.send("done")


class Changers:
    """Several processes that change one world at the same time."""

    def __init__(self, root: str, seed: int, count: int) -> None:
        start = multiprocessing.get_context("spawn")
        self._pipes, self._processes = [], []
        for number in range(count):
            ours, theirs = start.Pipe()
            process = start.Process(target=changing, args=(root, seed * 100 + number, theirs), daemon=True)
            process.start()
            self._pipes.append(ours)
            self._processes.append(process)

    def change(self, times: int) -> None:
        """Let each make so many changes; afterwards the world stands still."""
        self.begin(times)
        self.end()

    def begin(self, times: int) -> None:
        """Let each begin."""
        for pipe in self._pipes:
            pipe.send(times)

    def end(self) -> None:
        """Wait until all are done."""
        for pipe in self._pipes:
            assert pipe.recv() == "done"

    def close(self) -> None:
        """End the processes."""
        self.begin(0)
        for process in self._processes:
            process.join()


@contextmanager
def changers(root: str, seed: int, count: int = 3) -> Iterator[Changers]:
    """Processes that change a world while they are needed."""
    found = Changers(root, seed, count)
    try:
        yield found
    finally:
        found.close()


MOVING = 60  # files


def moving_files(root: str, seed: int, orders: Connection) -> None:
    """The life of a process that moves files between folders until it is told to end."""
    chance = random.Random(seed)
    places = {number: number % 6 for number in range(MOVING)}
    while not orders.poll():
        for _ in range(chance.randrange(1, 4)):
            number, to = chance.randrange(MOVING), chance.randrange(6)
            os.rename(f"{root}/{places[number]}/{number}", f"{root}/{to}/{number}")
            places[number] = to
        orders.poll(chance.random() * 0.05)


@contextmanager
def moving(root: str, seed: int) -> Iterator[int]:
    """Files that move all the time between folders of a new world; answers how many."""
    for folder in range(6):
        os.makedirs(f"{root}/{folder}")
    for number in range(MOVING):
        with open(f"{root}/{number % 6}/{number}", "wb"):
            pass
    start = multiprocessing.get_context("spawn")
    ours, theirs = start.Pipe()
    process = start.Process(target=moving_files, args=(root, seed, theirs), daemon=True)
    process.start()
    try:
        yield MOVING
    finally:
        ours.send("end")
        process.join()


@dataclass(frozen=True)
class Seen:
    """An entry as a walk by hand sees it."""

    kind: str
    size: int
    mtime_ns: int


def walked(root: bytes) -> dict[bytes, Seen]:
    """Everything below a folder, by a walk that uses nothing of the index."""
    found: dict[bytes, Seen] = {}
    for folder, dirs, files in os.walk(root):
        for name in (*dirs, *files):
            path = os.path.join(folder, name)
            facts = os.lstat(path)
            kind = "dir" if os.path.isdir(path) and not os.path.islink(path) else "file"
            found[path] = Seen(kind, 0 if kind == "dir" else facts.st_size, facts.st_mtime_ns)
    return found
