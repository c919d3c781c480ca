"""Which exports stand in a folder, and whether they can be asked."""

import glob
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cmdr.index.errors import NoSuchFleet
from cmdr.index.parquet import FILE, HOST_KEY, ROOT_KEY, VERSION, VERSION_KEY, WHEN_KEY
from cmdr.model.installing import how_to_install
from cmdr.model.names import printable

if TYPE_CHECKING:
    import duckdb

_INSTALL = f"Asking exports needs ibis and DuckDB: {how_to_install('ibis-framework', 'duckdb')}"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of a fleet: whose tree it is, and when it was written."""

    path: str
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


def escaped(path: str) -> str:
    """A path that DuckDB does not take for a pattern."""
    return glob.escape(path)


def exports_in(folder: str, connection: "duckdb.DuckDBPyConnection") -> list[ExportFile]:
    """The exports of a folder; one that cannot be asked spoils them all, as an answer without it would be wrong."""
    shown = printable(folder, 200)
    try:
        os.fsencode(folder).decode()
    except UnicodeDecodeError:
        raise NoSuchFleet(f"{shown} is no name that DuckDB can open; rename it or link to it.") from None
    paths = sorted(glob.glob(os.path.join(glob.escape(os.path.abspath(folder)), "machine=*", "tree=*", FILE)))
    if not paths:
        raise NoSuchFleet(f"{shown} holds no exports; make some with `cmdr index export PATH {shown}`.")
    return [_export(path, connection) for path in paths]


def _export(path: str, connection: "duckdb.DuckDBPyConnection") -> ExportFile:
    import duckdb

    shown = printable(path, 300)
    try:
        rows = connection.execute("SELECT key, value FROM parquet_kv_metadata(?)", [escaped(path)]).fetchall()
    except duckdb.Error as trouble:
        raise NoSuchFleet(f"{shown} cannot be read: {printable(str(trouble), 200)}") from trouble
    told = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in rows}
    if told.get(VERSION_KEY) != VERSION:
        raise NoSuchFleet(f"{shown} was not written by this version of cmdr; export that tree again.")
    try:
        return ExportFile(path, told[HOST_KEY], told[ROOT_KEY], int(told[WHEN_KEY]))
    except (KeyError, ValueError) as trouble:
        raise NoSuchFleet(f"{shown} does not say whose tree it is; export that tree again.") from trouble
