"""Which exports stand in a folder, and whether they can be asked."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from cmdr.index.errors import DamagedExport, NoSuchFleet
from cmdr.index.fleets.export_rows import COLUMNS
from cmdr.index.fleets.parquet_export import FILE, HOST_KEY, ROOT_KEY, VERSION, VERSION_KEY, WHEN_KEY
from cmdr.model.install_hint import install_command
from cmdr.model.names import printable

if TYPE_CHECKING:
    import duckdb

_INSTALL = f"Asking exports needs ibis and DuckDB: {install_command('ibis-framework', 'duckdb')}"
_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "int32": "INTEGER", "uint64": "UBIGINT", "boolean": "BOOLEAN"}
"""How DuckDB calls the types of columns; moments have different names in its versions."""
_DESCRIBE = "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)"
_READ_ALL = "SELECT bit_xor(hash(one)) FROM read_parquet(?, hive_partitioning = false) one"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of a fleet: whose tree it is, and when it was written."""

    path: str
    held: str
    """A name that goes on meaning this very file when another export takes its place."""
    host: str
    root: str
    exported_ns: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An export that cannot be asked: whose it is, as its folders say, and why."""

    machine: str
    tree: str
    why: str

    def __str__(self) -> str:
        return f"{printable(self.machine, 255)}:{printable(self.tree, 255)} {self.why}"


def connected(**settings: Any) -> "duckdb.DuckDBPyConnection":
    """DuckDB in this process, fetching nothing from anywhere; a kind word when it is not installed."""
    try:
        import duckdb
        import ibis  # type: ignore[import-untyped]  # noqa: F401  # it ships no types
    except ImportError as missing:
        raise NoSuchFleet(_INSTALL) from missing
    return duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False, **settings}
    )


def exports_in(
    folder: str, connect: "Callable[[], duckdb.DuckDBPyConnection]", held: ExitStack
) -> tuple[list[ExportFile], list[LeftOut]]:
    """The exports of a folder, held open, and those that cannot be asked.

    Raises `NoSuchFleet` when there is none of either.
    """
    shown = printable(folder, 200)
    try:
        os.fsencode(folder).decode()
    except UnicodeDecodeError:
        raise NoSuchFleet(f"{shown} is no name that DuckDB can open; rename it or link to it.") from None
    exports, left_out = [], []
    engine = connect()
    try:
        for place in _places(os.path.abspath(folder)):
            with ExitStack() as opened:
                try:
                    exports.append(_export(place, engine, opened))
                    held.push(opened.pop_all())
                except DamagedExport as trouble:
                    left_out.append(left_out_at(place, str(trouble)))
                    engine.close()  # what a damaged file does to it is not to be relied on
                    engine = connect()
    except OSError as trouble:
        raise NoSuchFleet(f"{shown} cannot be listed: {trouble.strerror}.") from trouble
    finally:
        engine.close()
    if not exports and not left_out:
        raise NoSuchFleet(f"{shown} holds no exports; make some with `cmdr index export PATH {shown}`.")
    return exports, left_out


def left_out_at(place: str, why: str) -> LeftOut:
    """An export at a place, by the names of its folders."""
    machine, tree = os.path.split(place)
    name = os.path.basename(machine).removeprefix("machine=")
    return LeftOut(unquote(name), unquote(tree.removeprefix("tree=")), why)


def damaged(
    exports: Iterable[ExportFile], connect: "Callable[[], duckdb.DuckDBPyConnection]"
) -> Iterator[tuple[ExportFile, str]]:
    """Those whose rows cannot be read to the end, each with the reason."""
    import duckdb

    for export in exports:
        engine = connect()
        try:
            engine.execute(_READ_ALL, [export.held]).fetchall()
        except duckdb.Error as trouble:
            yield export, f"cannot be read to the end: {_first_line(trouble)}"
        finally:
            engine.close()


def _places(folder: str) -> Iterator[str]:
    """Where exports belong, `machine=NAME/tree=NAME`, whatever stands there."""
    for machine in _folders(folder, "machine="):
        try:
            yield from _folders(machine, "tree=")
        except OSError:
            yield os.path.join(machine, "tree=*")  # nobody can tell how many there are


def _folders(folder: str, prefix: str) -> list[str]:
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.name.startswith(prefix) and entry.is_dir())
    return []


def _export(place: str, engine: "duckdb.DuckDBPyConnection", held: ExitStack) -> ExportFile:
    """The export at a place, held open; raises `DamagedExport`."""
    import duckdb

    path = os.path.join(place, FILE)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise DamagedExport("holds no rows: nothing was exported there to the end; export that tree again") from None
    except OSError as trouble:
        raise DamagedExport(f"cannot be opened: {trouble.strerror}") from trouble
    held.callback(os.close, fd)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise DamagedExport("cannot be read: it is no file")
    # DuckDB opens a file for each question and more than once for some: by its name it could get half of two exports.
    same = f"/dev/fd/{fd}"
    try:
        rows = engine.execute("SELECT key, value FROM parquet_kv_metadata(?)", [same]).fetchall()
        columns = engine.execute(_DESCRIBE, [same]).fetchall()
    except duckdb.Error as trouble:
        raise DamagedExport(f"cannot be read: {_first_line(trouble)}") from trouble
    told = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in rows}
    if told.get(VERSION_KEY) != VERSION:
        raise DamagedExport("was not written by this version of cmdr; export that tree again")
    try:
        export = ExportFile(path, same, told[HOST_KEY], told[ROOT_KEY], int(told[WHEN_KEY]))
    except (KeyError, ValueError) as trouble:
        raise DamagedExport("does not say whose tree it is; export that tree again") from trouble
    if not _as_written({name: kind for name, kind, *_ in columns}):
        raise DamagedExport("has other columns than an export; export that tree again")
    return export


def _as_written(columns: dict[str, str]) -> bool:
    return list(columns) == list(COLUMNS) and all(
        columns[name] == _TYPES[kind] if kind in _TYPES else columns[name].startswith("TIMESTAMP")
        for name, kind in COLUMNS.items()
    )


def _first_line(trouble: Exception) -> str:
    """What an engine says, without the name it was given for the file."""
    lines = str(trouble).splitlines() or [type(trouble).__name__]
    return printable(re.sub(r"\s*'?/dev/fd/\d+'?", "", lines[0]), 200)
