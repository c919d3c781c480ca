"""The epoch with a patch laid over it: the view that is served between two compactions.

Replaced rows of the epoch are marked dead and the new listings follow behind its last row. Totals are computed again
for the directories that changed and for those above them, and for no others.
"""

from dataclasses import replace

import numpy as np

from cmdr.index.columns import FORMAT_DIR, FORMAT_FILE, INCOMPLETE, ROW_COLUMNS, Column, DirState, Flag
from cmdr.index.extensions import extension
from cmdr.index.folding import fold
from cmdr.index.patch import Entry, Listing, Patch
from cmdr.index.segment import Segment
from cmdr.index.view import View

_NO_TIME = -(1 << 63)


def lay_over(base: View, patch: Patch, revision: int) -> View:
    """A view of the stored epoch `base` (without overlay) as the patch changes it."""
    if not patch.listings:
        return replace(base, next_id=max(base.next_id, patch.next_id), extra_gone=patch.gone, revision=revision)
    return _Overlay(base, patch).view(revision)


class _Overlay:
    def __init__(self, base: View, patch: Patch) -> None:
        self.base, self.patch = base, patch
        self.dead = np.zeros(base.base_rows, bool)
        self.dead_spans: list[tuple[int, int]] = []
        self.entries: list[Entry] = []
        self.parents: list[int] = []
        self.new_dirs: list[dict[str, int]] = []
        self.changed: dict[str, dict[int, int]] = {name: {} for name in base.dirs}
        self.numbers: dict[bytes, int] = {base.root: 0}
        self.extra_dirs: dict[int, int] = {}
        self.touched: set[int] = set()

    def view(self, revision: int) -> View:
        for path in sorted(self.patch.listings, key=lambda one: (one.count(b"/"), one)):
            number = self.number(path)
            if number is not None:
                self.replace_block(number, path, self.patch.listings[path])
        dead_dirs = np.zeros(self.base.base_dirs + len(self.new_dirs), bool)
        for first, last in self.dead_spans:
            dead_dirs[first:last] = True
        view = View(
            self.base.root,
            self.base.epoch,
            self.base.facts,
            self.base.base,
            self.directories(),
            self.base.stored,
            self.segment(),
            self.dead,
            dead_dirs,
            {entry.nid: self.base.base_rows + at for at, entry in enumerate(self.entries)},
            self.extra_dirs,
            self.patch.gone,
            next_id=max(self.base.next_id, self.patch.next_id),
            revision=revision,
        )
        self.roll_up(view)
        return view

    def number(self, path: bytes) -> int | None:
        """A directory's number; None when it is no longer there."""
        if path in self.numbers:
            return self.numbers[path]
        above, _, name = path.rpartition(b"/")
        above = above or b"/"
        if len(above) < len(self.base.root):
            return None
        parent = self.number(above)
        if parent is None or parent >= self.base.base_dirs or parent in self.touched:
            return None  # a listing of the parent would have named it
        row = self.base.child(parent, name)
        number = None if row is None else self.base.directory(row)
        if number is not None:
            self.numbers[path] = number
        return number

    def replace_block(self, number: int, path: bytes, listing: Listing) -> None:
        before: dict[bytes, int] = {}
        if number < self.base.base_dirs:
            rows = self.base.child_rows(number)
            self.dead[rows.start : rows.stop] = True
            places = np.arange(rows.start, rows.stop)
            below = self.base.directories(places)
            for row, child in zip(places[below >= 0].tolist(), below[below >= 0].tolist(), strict=True):
                before[self.base.name(row)] = child
        first = self.base.base_rows + len(self.entries)
        facts = {"dcs": first, "dcn": len(listing.entries), "dstate": int(listing.state), "dlisted": listing.listed_ns}
        for name, value in facts.items():
            self.put(number, name, value)
        for at, entry in enumerate(listing.entries):
            child = before.get(entry.name)
            followed = child is not None and not entry.is_dir and self.inode(child) == entry.ino
            self.entries.append(entry._replace(flags=entry.flags | int(Flag.FOLLOWED)) if followed else entry)
            self.parents.append(number)
            if entry.is_dir or followed:
                before.pop(entry.name, None)
                self.keep_or_add(number, path, first + at, entry, child)
        for child in before.values():
            self.bury(child)
        self.touched.add(number)

    def put(self, number: int, name: str, value: int) -> None:
        if number < self.base.base_dirs:
            self.changed[name][number] = value
        else:
            self.new_dirs[number - self.base.base_dirs][name] = value

    def keep_or_add(self, parent: int, path: bytes, row: int, entry: Entry, child: int | None) -> None:
        if child is not None and self.inode(child) != entry.ino:
            self.bury(child)
            child = None
        if child is None:
            child = self.base.base_dirs + len(self.new_dirs)
            depth = self.depth(parent) + 1
            self.new_dirs.append({"dpar": parent, "ddepth": depth, "dstate": int(DirState.UNLISTED)})
            self.touched.add(child)
        self.put(child, "drow", row)
        self.extra_dirs[row] = child
        self.numbers[path.rstrip(b"/") + b"/" + entry.name] = child

    def inode(self, number: int) -> int:
        return self.base.value("ino", int(self.base.dirs["drow"][number]))

    def depth(self, number: int) -> int:
        if number < self.base.base_dirs:
            return int(self.base.dirs["ddepth"][number])
        return self.new_dirs[number - self.base.base_dirs]["ddepth"]

    def bury(self, number: int) -> None:
        """A directory of the epoch is gone, with everything below it."""
        dirs = self.base.dirs
        self.dead[int(dirs["dcs"][number]) : int(dirs["dend"][number])] = True
        self.dead_spans.append((number, int(dirs["dlast"][number])))

    def directories(self) -> dict[str, Column]:
        out: dict[str, Column] = {}
        for name, column in self.base.dirs.items():
            blank = _NO_TIME if name == "dnewest" else 0
            behind = np.array([one.get(name, blank) for one in self.new_dirs], column.dtype)
            out[name] = np.concatenate([column, behind])
            for number, value in self.changed[name].items():
                out[name][number] = value
        return out

    def segment(self) -> Segment:
        base, rows = self.base.base, self.entries
        noff = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(one.name) + 1 for one in rows], out=noff[1:])
        folded = [fold(one.name) for one in rows]
        foff = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(one) + 1 for one in folded], out=foff[1:])
        values = {
            "pdir": self.parents,
            "owner": _codes(base, "owners", [one.uid for one in rows], 65535),
            "dev": _codes(base, "devices", [one.device for one in rows], 255),
            "ext": [_extension_code(base, one) for one in rows],
            "flags": self.flags(),
        }
        columns = {
            name: np.array(values[name] if name in values else [getattr(one, name) for one in rows], dtype)
            for name, dtype in ROW_COLUMNS.items()
        }
        return Segment(
            columns,
            np.frombuffer(b"".join(one.name + b"\0" for one in rows), np.uint8),
            noff,
            np.frombuffer(b"".join(one + b"\0" for one in folded), np.uint8),
            foff,
            base.owners,
            base.extensions,
            base.devices,
        )

    def flags(self) -> list[int]:
        """Of several names of a file one counts: the epoch's if one is left, else the first of these."""
        flags = [one.flags & ~int(Flag.SHARED) for one in self.entries]
        many = [at for at, one in enumerate(self.entries) if one.flags & Flag.HARD]
        if many:
            stored = self.base.base["flags"]
            counted = np.flatnonzero((stored & int(Flag.HARD | Flag.SHARED)) == int(Flag.HARD))
            counted = counted[~self.dead[counted]]
            seen = set(self.base.base["ino"][counted].tolist())
            for at in many:
                if self.entries[at].ino in seen:
                    flags[at] |= int(Flag.SHARED)
                seen.add(self.entries[at].ino)
        return flags

    def roll_up(self, view: View) -> None:
        """Totals again for what changed and everything above it, the deepest first."""
        above: set[int] = set()
        for changed in self.touched:
            number = changed
            while number not in above:
                above.add(number)
                number = int(view.dirs["dpar"][number])
        for number in sorted(above, key=lambda one: -int(view.dirs["ddepth"][one])):
            _total(view, number)


def _total(view: View, number: int) -> None:
    dirs = view.dirs
    rows = np.arange(view.child_rows(number).start, view.child_rows(number).stop)
    form, flags = view.gather("mode", rows) >> 12, view.gather("flags", rows)
    counted = (flags & int(Flag.SHARED)) == 0
    below = view.directories(rows[(form == FORMAT_DIR) | ((flags & int(Flag.FOLLOWED)) != 0)])
    below = below[below >= 0]
    is_dir = int((form == FORMAT_DIR).sum())
    dirs["dfiles"][number] = len(rows) - is_dir + int(dirs["dfiles"][below].sum())
    dirs["ddirs"][number] = is_dir + int(dirs["ddirs"][below].sum())
    sizes = view.gather("size", rows)
    dirs["dbytes"][number] = int(sizes[counted & (form == FORMAT_FILE)].sum()) + int(dirs["dbytes"][below].sum())
    dirs["dalloc"][number] = int(view.gather("allocated", rows)[counted].sum()) + int(dirs["dalloc"][below].sum())
    times = np.concatenate([view.gather("mtime", rows), dirs["dnewest"][below]])
    dirs["dnewest"][number] = int(times.max()) if len(times) else _NO_TIME
    unread = int(DirState(int(dirs["dstate"][number])) in INCOMPLETE)
    dirs["dmiss"][number] = unread + int((flags & int(Flag.UNKNOWN) != 0).sum()) + int(dirs["dmiss"][below].sum())


def _codes(base: Segment, table: str, values: list[int], most: int) -> list[int]:
    """Codes of values; new ones are added behind the epoch's, whose codes stay what they are."""
    known = {int(one): code for code, one in enumerate(getattr(base, table).tolist())}
    fresh = [one for one in dict.fromkeys(values) if one not in known]
    if fresh:
        column = getattr(base, table)
        setattr(base, table, np.concatenate([column, np.array(fresh, column.dtype)]))
        known |= {one: len(column) + at for at, one in enumerate(fresh)}
    return [min(known[one], most) for one in values]


def _extension_code(base: Segment, entry: Entry) -> int:
    if entry.mode >> 12 != FORMAT_FILE:
        return 0
    ext = extension(entry.name)
    if ext not in base.extension_code:
        if len(base.extensions) >= 65_000:
            return 0
        base.extensions.append(ext)
        base.extension_code[ext] = len(base.extensions) - 1
    return base.extension_code[ext]
