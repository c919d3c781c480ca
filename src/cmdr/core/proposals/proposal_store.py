"""Where proposals and edits of agents are kept over quit, restart and crash: a folder of the person's own.

One file each, put in place whole and durable before the agent is answered. What was approved keeps its file, under
another ending, until its job is over: a crash in between is told, and never asks a second time for the same yes.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field

from cmdr.core import places
from cmdr.core.proposals.ended_proposals import EndedProposal
from cmdr.core.proposals.kept_forms import Damaged, Kept, KeptProposal, TooLarge, decode, encode

MAX_FILE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 128 << 20
"""All that is kept, together."""
MAX_FILES = 1000
MAX_ENDED_BYTES = 1 << 20
_WAITING, _APPROVED = ".waiting", ".approved"
_ENDED = "ended.json"
_NAME = re.compile(r"([pr]_[A-Za-z0-9_-]{8,40})(\.waiting|\.approved)")


class NotKept(Exception):
    """It could not be kept; says why, shortly."""


@dataclass(slots=True)
class Found:
    """What there was at a start."""

    waiting: list[Kept] = field(default_factory=list)
    """Oldest first."""
    approved: list[KeptProposal] = field(default_factory=list)
    """What the person had said yes to when the program ended."""
    ended: list[EndedProposal] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)
    aside: list[str] = field(default_factory=list)
    """Files that could not be read or are not ours, under the names that they were given."""
    problem: str = ""
    """Why nothing could be read at all."""


class ProposalStore:
    """Blocking: called in threads, one call at a time."""

    def __init__(self, state: str) -> None:
        """`state` is the person's own folder for what outlives the program."""
        self._folder = os.path.join(state, "proposals")

    def keep(self, kept: Kept) -> None:
        """Write it down, durable and whole, or raise `NotKept` and leave nothing."""
        try:
            data = encode(kept)
            if len(data) > MAX_FILE_BYTES:
                raise NotKept(f"it is larger than {MAX_FILE_BYTES >> 20} MiB")
            sizes = [entry.stat(follow_symlinks=False).st_size for entry in self._entries()]
            if sum(sizes) + len(data) > MAX_TOTAL_BYTES or len(sizes) >= MAX_FILES:
                raise NotKept("too many others are kept already")
            places.write(self._path(kept.id + _WAITING), data)
        except TooLarge as error:
            raise NotKept(str(error)) from error
        except (OSError, places.UnsafePlace) as error:
            raise NotKept(getattr(error, "strerror", None) or str(error)) from error

    def approve(self, id: str) -> None:
        """Take note that the person said yes, before anything is done about it."""
        with suppress(FileNotFoundError):
            os.rename(self._path(id + _WAITING), self._path(id + _APPROVED))
            places.sync_directory(self._folder)

    def forget(self, id: str) -> None:
        """It is answered, or over."""
        for ending in (_WAITING, _APPROVED):
            with suppress(FileNotFoundError):
                os.unlink(self._path(id + ending))

    def keep_ended(self, ended: Sequence[EndedProposal], more: Mapping[str, int]) -> None:
        """Write down what the person has not seen yet."""
        places.own(self._folder)
        told = {"ended": [astuple(one) for one in ended], "more": dict(more)}
        places.write(self._path(_ENDED), json.dumps(told).encode("ascii"))

    def load(self) -> Found:
        """All that is kept; what is damaged or not ours is put aside, and nothing of it is believed."""
        found = Found()
        for entry in list(self._entries()):
            if entry.name.endswith(".tmp"):
                with suppress(OSError):
                    os.unlink(entry.path)  # the program was killed while it wrote; nobody was told of it
            elif entry.name == _ENDED:
                self._load_ended(found)
            elif not entry.name.endswith(".damaged"):
                self._load_one(entry.name, found)
        found.waiting.sort(key=lambda kept: kept.since)
        return found

    def _load_one(self, name: str, found: Found) -> None:
        try:
            kept = self._read(name)
        except (Damaged, OSError, places.UnsafePlace):
            self._set_aside(name, found)
            return
        if name.endswith(_WAITING):
            found.waiting.append(kept)
        elif isinstance(kept, KeptProposal):
            found.approved.append(kept)

    def _read(self, name: str) -> Kept:
        named = _NAME.fullmatch(name)
        if named is None:
            raise Damaged("not a file of ours")
        data = places.read(self._path(name), MAX_FILE_BYTES + 1) or b""
        if len(data) > MAX_FILE_BYTES:
            raise Damaged("larger than any that is kept")
        kept = decode(data)
        if kept.id != named[1] or not kept.by.startswith("agent:"):
            raise Damaged("not the one that its name says")
        return kept

    def _load_ended(self, found: Found) -> None:
        try:
            told = json.loads(places.read(self._path(_ENDED), MAX_ENDED_BYTES) or b"")
            found.ended = [
                EndedProposal(str(id), str(by), str(what), str(how), float(at))
                for id, by, what, how, at in told["ended"]
            ]
            found.more = {str(caller): int(number) for caller, number in told["more"].items()}
        except (OSError, places.UnsafePlace, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            found.ended, found.more = [], {}
            self._set_aside(_ENDED, found)

    def _set_aside(self, name: str, found: Found) -> None:
        places.set_aside(self._path(name))
        found.aside.append(f"{name}.damaged")

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        with os.scandir(places.own(self._folder)) as entries:
            yield from entries

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)
