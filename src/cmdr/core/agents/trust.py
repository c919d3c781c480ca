"""Trusted folders: language servers may run code of them, in a sandbox, once the person said yes.

A folder is known by its real path and by its identity, so that another folder, or a link, put in its place is not
trusted. Only the person's own commands change the list; no agent, no file of a folder and no variable does.
"""

import asyncio
import json
import os
import secrets
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cmdr.core import places
from cmdr.core.changes.jobs import Jobs
from cmdr.core.dispatch.principals import Access, Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.proposals.proposals import Proposals
from cmdr.core.threads import in_thread
from cmdr.files.file_stat import stat_entry
from cmdr.model.job import Job, JobState
from cmdr.model.names import is_within, to_wire
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.trust_plan import NOTHING_MORE, Extras, Identity, TrustPlan

FILE_NAME = "trusted.json"
_MAX_FILE_BYTES = 1 << 20


MAX_QUESTIONS = 10
"""Questions about trust in one run of the program; after that folders are trusted with `cmdr trust`."""


class CannotTrust(CommandError):
    """What should be trusted is no folder, or another one than was shown."""


class UnreadableTrustList(CommandError):
    """The list of trusted folders cannot be understood; nothing is trusted then."""


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """One folder, as it was when the person said yes."""

    path: bytes
    identity: Identity
    extras: Extras = NOTHING_MORE

    @property
    def stands(self) -> bool:
        """Whether the folder at this path is still the one that was trusted; looks at the disk."""
        return os.path.realpath(self.path) == self.path and identity_of(self.path) == self.identity


class TrustStore:
    """The list, in a private file of the state folder; every question reads it anew and looks at the disk."""

    def __init__(self, folder: str | None = None) -> None:
        """Without a folder it is kept in memory only."""
        self._path = None if folder is None else os.path.join(folder, FILE_NAME)
        self._kept: tuple[TrustedFolder, ...] = ()
        self._changing = threading.Lock()

    def of(self, path: bytes) -> TrustedFolder | None:
        """The innermost trusted folder that holds a path, or None; raises `UnreadableTrustList`."""
        real = os.path.realpath(path)
        holding = [folder for folder in self.all() if is_within(real, folder.path)]
        return next((folder for folder in sorted(holding, key=lambda each: -len(each.path)) if folder.stands), None)

    def all(self) -> tuple[TrustedFolder, ...]:
        """Every folder on the list, those too that are gone or others by now; raises `UnreadableTrustList`."""
        if self._path is None:
            return self._kept
        try:
            data = places.read(self._path, _MAX_FILE_BYTES)
            return () if data is None else tuple(_folder(row) for row in json.loads(data)["trusted"])
        except (places.UnsafePlace, ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableTrustList(
                f"The list of trusted folders, {self._path}, cannot be understood, so nothing is trusted. "
                "Move it away, then trust your folders again."
            ) from error

    def add(self, path: bytes, extras: Extras = NOTHING_MORE, shown: Identity | None = None) -> TrustedFolder:
        """Trust a folder; with `shown`, only if it is still that one. Raises `CannotTrust`, `UnreadableTrustList`."""
        real = os.path.realpath(path)
        identity = identity_of(real)
        if identity is None:
            raise CannotTrust(f"{to_wire(path)} is no folder that can be trusted.")
        if shown is not None and identity != shown:
            raise CannotTrust(f"{to_wire(path)} is another folder than the one that was shown. Look at it again.")
        read = tuple(dict.fromkeys(os.path.realpath(each) for each in extras.read))
        for each in read:
            if not os.path.isdir(each):
                raise CannotTrust(f"{to_wire(each)} is no folder, so nothing can be read there.")
        folder = TrustedFolder(real, identity, Extras(extras.network, extras.write, read))
        with self._changing:
            self._store([*(known for known in self.all() if known.path != real), folder])
        return folder

    def remove(self, path: bytes) -> bool:
        """Trust a folder no more; False when it is not on the list. Raises `UnreadableTrustList`."""
        named = {path, os.path.realpath(path)}
        with self._changing:
            known = self.all()
            kept = [each for each in known if each.path not in named]
            if len(kept) < len(known):
                self._store(kept)
        return len(kept) < len(known)

    def _store(self, folders: list[TrustedFolder]) -> None:
        self._kept = tuple(sorted(folders, key=lambda each: each.path))
        if self._path is not None:
            data = json.dumps({"trusted": [_row(folder) for folder in self._kept]}, indent=1)
            places.write(self._path, data.encode("ascii") + b"\n")


def identity_of(path: bytes) -> Identity | None:
    """Which folder stands at a path that is no link; None when there is none."""
    try:
        handle = os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        facts = stat_entry(handle, b".")
    finally:
        os.close(handle)
    return None if facts is None else (facts.device, facts.inode, facts.created_ns)


def _row(folder: TrustedFolder) -> dict[str, object]:
    device, inode, born = folder.identity
    extras = folder.extras
    return {
        "path": os.fsdecode(folder.path),
        "device": device,
        "inode": inode,
        "born_ns": born,
        "network": extras.network,
        "write": extras.write,
        "read": [os.fsdecode(path) for path in extras.read],
    }


def _folder(row: dict[str, object]) -> TrustedFolder:
    path, read, born = row["path"], row["read"], row["born_ns"]
    device, inode, network, write = row["device"], row["inode"], row["network"], row["write"]
    if not (isinstance(path, str) and os.path.isabs(path) and isinstance(device, int) and isinstance(inode, int)):
        raise TypeError("path")
    if not (isinstance(network, bool) and isinstance(write, bool) and (born is None or isinstance(born, int))):
        raise TypeError("flags")
    if not (isinstance(read, list) and all(isinstance(each, str) and os.path.isabs(each) for each in read)):
        raise TypeError("read")
    extras = Extras(network, write, tuple(os.fsencode(each) for each in read))
    return TrustedFolder(os.fsencode(path), (device, inode, born), extras)


class TrustRequests:
    """Belongs to the loop. A folder that was asked about is not asked about again in this run, whatever the answer."""

    def __init__(
        self, trust: TrustStore, proposals: Proposals, jobs: Jobs, events: Events, homes: tuple[bytes, ...]
    ) -> None:
        """`homes` and what holds them are too much to trust at once: nobody is asked about those."""
        self.trust = trust
        self._proposals = proposals
        self._jobs = jobs
        self._events = events
        self._homes = homes
        self._asked: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed: Callable[[], Awaitable[None]] | None = None
        """Called after the list has changed."""

    async def is_trusted(self, path: bytes) -> bool:
        """Whether a path lies in a folder that the person trusts."""
        try:
            return await in_thread(self.trust.of, path) is not None
        except UnreadableTrustList:
            return False

    async def ask(self, folder: bytes, principal: Principal) -> None:
        """Put the question before the person, if it may be asked; the caller hears nothing of the answer."""
        may_ask = not principal.is_person and not principal.read_only and Access.PROPOSE in principal.access
        if not may_ask or len(self._asked) >= MAX_QUESTIONS:
            return
        if any(is_within(folder, asked) for asked in self._asked) or any(
            is_within(each, folder) for each in self._homes
        ):
            return
        self._asked.append(folder)
        identity = await in_thread(identity_of, folder)
        try:
            if identity is None:
                raise CannotTrust(to_wire(folder))
            await self._proposals.propose(TrustPlan(Verb.TRUST, (), folder=folder, identity=identity), principal)
        except CommandError:
            self._asked.remove(folder)  # too much of this caller's waits already: another time

    def asked(self, folder: bytes) -> None:
        """The question about a folder waits already, since before a restart."""
        self._asked.append(folder)

    def begin(self, plan: TrustPlan, by: str) -> Job:
        """Trust the folder that the person was shown."""
        job = Job(f"j_{secrets.token_urlsafe(9)}", plan.title, by, frozenset(), JobState.RUNNING)
        self._jobs.adopt(job, lambda: None)
        task = asyncio.get_running_loop().create_task(self._carry_out(job, plan))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def add(self, folder: bytes, extras: Extras = NOTHING_MORE) -> TrustedFolder:
        """Trust a folder by the person's own word; raises `CannotTrust`, `UnreadableTrustList`."""
        added = await in_thread(self.trust.add, folder, extras)
        await self._tell()
        return added

    async def remove(self, folder: bytes) -> bool:
        """Take trust back; what runs by it ends. False when the folder was not trusted."""
        removed = await in_thread(self.trust.remove, folder)
        await self._tell()
        return removed

    async def close(self) -> None:
        """Wait for what is being written."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _carry_out(self, job: Job, plan: TrustPlan) -> None:
        state = JobState.FAILED
        try:
            await in_thread(self.trust.add, plan.folder, plan.extras, plan.identity)
            job.outcome, state = f"{to_wire(plan.folder)} is trusted", JobState.DONE
            await self._tell()
        except (CannotTrust, UnreadableTrustList, OSError) as error:
            job.outcome = f"not trusted: {error}"
        finally:
            job.state = state
            self._events.changed()

    async def _tell(self) -> None:
        if self.changed is not None:
            await self.changed()
        self._events.changed()
