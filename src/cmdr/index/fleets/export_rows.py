"""The rows of an index as the columns of an export.

What is unknown is null, never 0. `size` is an entry's own; `tree_…` is everything below a folder, each file once.

Engines compare text, and a name is bytes. So three forms go with it: *raw* is the name itself, *text* is what regular
expressions are asked of, *folded* is what is compared when case does not matter. Where a form says nothing new it is
null: raw and text when they equal the printable form, folded when lower case of it will do.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cmdr.index.query.nodes import user_name
from cmdr.index.snapshots.columns import KIND_OF_FORMAT, KINDS, Column, Flag
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.view import View
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState

if TYPE_CHECKING:
    import polars as pl

_BYTES = 0x10FE00  # a byte that is part of no character stands as the private character so far behind it
_STRAY = {0xDC00 + byte: chr(_BYTES + byte) for byte in range(0x80, 0x100)} | {
    # The private characters themselves are told by their bytes, so that no two names have one raw form.
    _BYTES + byte: "".join(chr(_BYTES + one) for one in chr(_BYTES + byte).encode())
    for byte in range(0x80, 0x100)
}
_UNKNOWABLE = ("size", "allocated", "mtime", "ctime", "mtime_ns", "ctime_ns", "mode", "owner", "owner_name", "inode")
_TREE = {"tree_size": "dbytes", "tree_allocated": "dalloc", "tree_files": "dfiles", "tree_dirs": "ddirs"}
_WITH_TOTALS = (int(DirState.LISTED), int(DirState.CANCELLED))
_FORMS = ("raw", "text", "folded")
COLUMNS = {
    **dict.fromkeys(("host", "root", "root_raw"), "string"),
    "node": "int64",
    **dict.fromkeys(
        (f"{field}{form}" for field in ("name", "path") for form in ("", "_raw", "_text", "_folded")), "string"
    ),
    **dict.fromkeys(("ext", "kind"), "string"),
    **dict.fromkeys(("size", "allocated"), "int64"),
    **dict.fromkeys(("mtime", "ctime"), "timestamp('UTC', 9)"),
    **dict.fromkeys(("mtime_ns", "ctime_ns"), "int64"),
    "mode": "int32",
    "owner": "int64",
    "owner_name": "string",
    "depth": "int32",
    **dict.fromkeys(("children", *_TREE), "int64"),
    **dict.fromkeys(("inode", "device"), "uint64"),
    **dict.fromkeys(("broken", "hardlinked", "shared"), "boolean"),
}
"""Every column of an export, in its order, and its type in the words of ibis."""


class Texts(NamedTuple):
    """One name or path in all its forms, none of them left out."""

    shown: str
    raw: str
    text: str
    folded: str

    @property
    def is_plain(self) -> bool:
        """Whether the printable form is all that is needed."""
        return self.shown.isascii() and self.shown == self.raw

    def under(self, above: "Texts") -> "Texts":
        """The path of this name inside a folder."""
        return Texts(*(f"{folder.rstrip('/')}/{name}" for folder, name in zip(above, self, strict=True)))

    def beside(self) -> tuple[str | None, str | None, str | None]:
        """Raw, text and folded as they stand beside the printable form."""
        raw, text = (None if one == self.shown else one for one in (self.raw, self.text))
        return raw, text, None if self.is_plain else self.folded


def texts(name: bytes) -> Texts:
    """All forms of a name or path."""
    return Texts(to_wire(name), raw_text(name), name.decode("utf-8", "replace"), raw_text(fold(name)))


def raw_text(name: bytes) -> str:
    """Bytes as text: a character for each character, and one for each byte that is part of none."""
    return name.decode("ascii") if name.isascii() else name.decode("utf-8", "surrogateescape").translate(_STRAY)


class ExportedRows:
    """The columns for any rows of a view, for one host and root."""

    def __init__(self, view: View, host: str, root: bytes) -> None:
        self.view, self.host, self.root = view, host, texts(root)
        paths = view.directory_paths()
        shown = [to_wire(path) for path in paths]
        self.folders, self.odd = [path.rstrip("/") for path in shown], _odd(paths, shown)
        self.known: dict[int, Texts] = {}
        self.people = [user_name(int(uid)) for uid in view.base.owners]
        self.extensions = [to_wire(one) for one in view.base.extensions]

    def frame(self, rows: Column) -> "pl.DataFrame":
        """These rows, in their order."""
        import polars as pl  # heavy, and only needed here

        names = self.view.names(rows)
        above = self.view.gather("pdir", rows).astype(np.int64)
        if len(rows) and int(rows[0]) == 0:  # the root stands in no folder
            names[0] = self.view.root.rpartition(b"/")[2]
        shown = [to_wire(name) for name in names]
        frame = pl.DataFrame(self._facts(rows, above)).with_columns(
            host=pl.lit(self.host),
            root=pl.lit(self.root.shown),
            root_raw=pl.lit(self.root.beside()[0], pl.String),
            name=pl.Series(shown, dtype=pl.String),
            mtime=pl.col("mtime_ns").cast(pl.Datetime("ns", "UTC")),
            ctime=pl.col("ctime_ns").cast(pl.Datetime("ns", "UTC")),
        )
        parents = _named(self.folders, above)
        frame = frame.with_columns(path=parents + "/" + frame["name"], **self._beside(names, shown, above))
        unknown = pl.Series((self.view.gather("flags", rows) & int(Flag.UNKNOWN)) != 0)
        frame = frame.with_columns(
            pl.when(unknown).then(None).otherwise(pl.col(name)).name.keep() for name in _UNKNOWABLE
        )
        if len(rows) and int(rows[0]) == 0:
            whole = texts(self.view.root)
            frame[0, "path"], frame[0, "depth"] = whole.shown, 0
            frame[0, "path_raw"], frame[0, "path_text"], frame[0, "path_folded"] = whole.beside()
        return frame.select(*COLUMNS)

    def _facts(self, rows: Column, above: Column) -> dict[str, Any]:
        """What needs no text made."""
        import polars as pl

        view = self.view
        flags, mode, owner = (view.gather(name, rows) for name in ("flags", "mode", "owner"))
        folders = view.directories(rows)
        state = view.dirs["dstate"][folders.clip(0)]
        devices = view.base.devices
        below = {name: view.dirs[column][folders.clip(0)].astype(np.int64) for name, column in _TREE.items()}
        without_totals, unlisted = (
            (folders < 0) | ~np.isin(state, _WITH_TOTALS),
            (folders < 0) | (state != int(DirState.LISTED)),
        )
        inside = view.dirs["dcn"][folders.clip(0)].astype(np.int64)
        return {
            "node": view.gather("nid", rows).astype(np.int64),
            "ext": _named(self.extensions, view.gather("ext", rows)),
            "kind": _named(KINDS, KIND_OF_FORMAT[mode >> 12]),
            "size": view.gather("size", rows).astype(np.int64),
            "allocated": view.gather("allocated", rows).astype(np.int64),
            "mtime_ns": view.gather("mtime", rows).astype(np.int64),
            "ctime_ns": view.gather("ctime", rows).astype(np.int64),
            "mode": mode.astype(np.int32) & 0o7777,
            "owner": view.base.owners[owner.astype(np.int64)].astype(np.int64),
            "owner_name": _named(self.people, owner),
            "depth": view.dirs["ddepth"][above].astype(np.int32) + 1,
            "children": pl.Series(inside).set(pl.Series(unlisted), None),
            **{name: pl.Series(values).set(pl.Series(without_totals), None) for name, values in below.items()},
            "inode": view.gather("ino", rows).astype(np.uint64),
            "device": devices[np.minimum(view.gather("dev", rows), len(devices) - 1)].astype(np.uint64),
            "broken": (flags & int(Flag.BROKEN)) != 0,
            "hardlinked": (flags & int(Flag.HARD)) != 0,
            "shared": (flags & int(Flag.SHARED)) != 0,
        }

    def _beside(self, names: list[bytes], shown: list[str], above: Column) -> dict[str, "pl.Series"]:
        """The further forms of names and paths; most trees have none."""
        import polars as pl

        odd = _odd(names, shown) | self.odd[above]
        every = [f"{field}_{form}" for field in ("name", "path") for form in _FORMS]
        if not odd.any():
            return {column: pl.repeat(None, len(names), dtype=pl.String, eager=True) for column in every}
        of_name: list[list[str | None]] = [[None] * len(names) for _ in _FORMS]
        of_path: list[list[str | None]] = [[None] * len(names) for _ in _FORMS]
        for at in np.flatnonzero(odd).tolist():
            name = texts(names[at])
            for column, value in zip(of_name, name.beside(), strict=True):
                column[at] = value
            for column, value in zip(of_path, name.under(self._folder(int(above[at]))).beside(), strict=True):
                column[at] = value
        return {name: pl.Series(values, dtype=pl.String) for name, values in zip(every, of_name + of_path, strict=True)}

    def _folder(self, number: int) -> Texts:
        if number not in self.known:
            self.known[number] = texts(self.view.directory_path(number))
        return self.known[number]


def _named(words: Sequence[str], codes: Column) -> "pl.Series":
    import polars as pl

    return pl.Series(words, dtype=pl.String).gather(codes.astype(np.int64))


def _odd(names: list[bytes], shown: list[str]) -> Column:
    """Which names are not just their printable form: an escape is always longer than what it stands for."""
    pairs = zip(names, shown, strict=True)
    return np.array([len(name) != len(text) or not name.isascii() for name, text in pairs], bool)
