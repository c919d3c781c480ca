"""Which exports stand in a folder, and whether they can be asked."""

import glob
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cmdr.index.errors import NoSuchFleet
from cmdr.index.fleets.parquet import FILE, HOST_KEY, ROOT_KEY, VERSION, VERSION_KEY, WHEN_KEY
from cmdr.model.installing import how_to_install
from cmdr.model.names import printable

if TYPE_CHECKING:
    import duckdb

_INSTALL = f"Asking exports needs ibis and DuckDB: {how_to_install('ibis-framework', 'duckdb')}"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of a fleet: whose tree it is, and when it was written."""

    path: str
    held: str
    """A name that goes on meaning this very file when another export takes its place."""
    host: str
    root: str
    exported_ns: int


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


def exports_in(folder: str, connection: "duckdb.DuckDBPyConnection", held: ExitStack) -> list[ExportFile]:
    """The exports of a folder, held open; one that cannot be asked spoils them all, as answers would be wrong."""
    shown = printable(folder, 200)
    try:
        os.fsencode(folder).decode()
    except UnicodeDecodeError:
        raise NoSuchFleet(f"{shown} is no name that DuckDB can open; rename it or link to it.") from None
    paths = sorted(glob.glob(os.path.join(glob.escape(os.path.abspath(folder)), "machine=*", "tree=*", FILE)))
    if not paths:
        raise NoSuchFleet(f"{shown} holds no exports; make some with `cmdr index export PATH {shown}`.")
    return [_export(path, connection, held) for path in paths]


def _export(path: str, connection: "duckdb.DuckDBPyConnection", held: ExitStack) -> ExportFile:
    import duckdb

    shown = printable(path, 300)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as trouble:
        raise NoSuchFleet(f"{shown} cannot be opened: {trouble.strerror}.") from trouble
    held.callback(os.close, fd)
    # DuckDB opens a file for each question and more than once for some: by its name it could get half of two exports.
    same = f"/dev/fd/{fd}"
    try:
        rows = connection.execute("SELECT key, value FROM parquet_kv_metadata(?)", [same]).fetchall()
    except duckdb.Error as trouble:
        raise NoSuchFleet(f"{shown} cannot be read: {printable(str(trouble), 200)}") from trouble
    told = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in rows}
    if told.get(VERSION_KEY) != VERSION:
        raise NoSuchFleet(f"{shown} was not written by this version of cmdr; export that tree again.")
    try:
        return ExportFile(path, same, told[HOST_KEY], told[ROOT_KEY], int(told[WHEN_KEY]))
    except (KeyError, ValueError) as trouble:
        raise NoSuchFleet(f"{shown} does not say whose tree it is; export that tree again.") from trouble
