"""What an index of contents knows of each file, by its id: what it was, its stamp, and where its documents are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.contents.scan_job import FileState
from cmdr.index.contents.segments.content_store import OtherFiles
from cmdr.index.contents.segments.segment_file import RACY, SegmentFile
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View

NO_SEGMENT = np.uint16(0xFFFF)
_UNSEEN = 255
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)  # as in the library


def row_stamps(view: View, rows: Column) -> Column:
    """The stamps that files in these rows have, as the index of names knows them."""
    changed, size, inode = (view.gather(one, rows) for one in ("ctime", "size", "ino"))
    return stamps(changed, size, inode)


def stamps(changed_ns: Column, size: Column, inode: Column) -> Column:
    """Another number whenever a file was changed or is another one; as the library makes it."""
    with np.errstate(over="ignore"):
        first = (changed_ns.astype(np.uint64) * _FIRST) ^ size.astype(np.uint64)
        return np.asarray((first * _SECOND) ^ inode.astype(np.uint64))


@dataclass(frozen=True, eq=False)
class KnownFiles:
    """By id; a stamp of 0 is unknown, and so is every id beyond the last."""

    segments: tuple[SegmentFile, ...]
    others: OtherFiles
    stamp: Column
    owner: Column
    """The newest segment that has the file: it answers for all of it."""
    state: Column

    @classmethod
    def of(cls, segments: list[SegmentFile], others: OtherFiles) -> "KnownFiles":
        """All that these segments and lists say; whoever asks has compared their checksums."""
        last = max(
            (int(one.max()) for one in (*(s.docs["id"] for s in segments), others.ids, others.links) if one.size),
            default=-1,
        )
        stamp, owner = np.zeros(last + 1, np.uint64), np.full(last + 1, NO_SEGMENT)
        state = np.full(last + 1, _UNSEEN, np.uint8)
        stamp[others.ids], state[others.ids] = others.stamps, others.states
        for number, segment in enumerate(segments):
            ids = segment.docs["id"]
            racy = (segment.docs["flags"] & RACY) != 0  # what changed just before may have changed again unseen
            stamp[ids] = np.where(racy, 0, segment.docs["stamp"])
            owner[ids], state[ids] = number, FileState.TEXT
        further, first = others.links[:, 0], others.links[:, 1]
        stamp[further], state[further] = stamp[first], state[first]
        return cls(tuple(segments), others, stamp, owner, state)

    def has_stamps(self, ids: Column, found: Column) -> Column:
        """Which of these files are as they were indexed."""
        out = np.zeros(len(ids), bool)
        inside = ids < len(self.stamp)
        known = self.stamp[ids[inside]]
        out[inside] = (known != 0) & (known == found[inside])
        return out

    def states(self, ids: Column) -> Column:
        """What these files were seen as."""
        out = np.full(len(ids), _UNSEEN, np.uint8)
        inside = ids < len(self.state)
        out[inside] = self.state[ids[inside]]
        return out

    def with_further_names(self, hit: Column) -> Column:
        """A mask over ids, in which a further name of a file is what its first name is."""
        hit[self.others.links[:, 0]] = hit[self.others.links[:, 1]]
        return hit

    @cached_property
    def owned(self) -> Column:
        """Of each segment, how many documents are of files that it answers for."""
        found = [int((self.owner[one.docs["id"]] == number).sum()) for number, one in enumerate(self.segments)]
        return np.array(found, np.int64)

    def live_docs(self, live: Column) -> Column:
        """Of each segment, how many documents are of files that it answers for and that still exist, by id."""
        found = []
        for number, one in enumerate(self.segments):
            ids = one.docs["id"]
            found.append(int(((self.owner[ids] == number) & live[ids]).sum()))
        return np.array(found, np.int64)
