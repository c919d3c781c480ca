"""`cmdr fleet`: the exported trees of many machines, asked as one."""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from cmdr.cli.launcher import Launcher
from cmdr.core.errors import CommandError
from cmdr.model.filters.filter import FilterError, Question, SortKey
from cmdr.model.filters.filter_text import from_text
from cmdr.model.names import printable
from cmdr.model.units import count, human_size

if TYPE_CHECKING:
    from cmdr.core.trees.fleet import ExportedTree, Fleet, Hit

DIALECTS = ("duckdb", "postgres", "clickhouse", "trino", "spark")
PARTIAL = 3
"""The exit code when the answer is without some of the machines."""
_DESCRIPTION = """Ask the exports in a folder that `cmdr index export PATH DIR` filled, from any number of machines.
Without a filter it says what they hold; with one it finds, as in: cmdr fleet DIR 'ext:log size>1G mtime<90d'
An export that cannot be read is named and left out; the exit code is 3 then."""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("fleet", help="ask exported trees of many machines", description=_DESCRIPTION)
    parser.add_argument("folder", metavar="DIR", help="where the exports are")
    parser.add_argument("filter", metavar="FILTER", nargs="?", help="what to find; '' is everything")
    parser.add_argument(
        "--sort", choices=get_args(SortKey), default="tree", help="the order (default: as in the trees)"
    )
    parser.add_argument("--reverse", action="store_true", help="the other way round: biggest or newest first")
    parser.add_argument("--limit", type=_whole, metavar="N", help="how many to list (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--sql", choices=DIALECTS, help="only print the question in SQL, over a table `entries`")
    parser.set_defaults(verb=run)


def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    """Print what was asked for; 1 when nothing was found or could be asked, `PARTIAL` when exports were left out."""
    from cmdr.core.trees.fleet import as_sql, open_fleet

    try:
        wanted = from_text(chosen.filter or "")
        question = Question(wanted, chosen.sort, chosen.reverse, chosen.limit)
        if chosen.sql:
            print(as_sql(question, chosen.sql))
            return 0
        with open_fleet(chosen.folder) as fleet:
            if chosen.filter is None:
                code = _print_trees(fleet.trees(), chosen.json)
            else:
                code = _find(fleet, question, chosen.json)
            return PARTIAL if _print_left_out(fleet) else code
    except (CommandError, FilterError) as error:
        print(error, file=sys.stderr)
    return 1


def _find(fleet: "Fleet", question: Question, as_json: bool) -> int:
    listed = 0
    totals, hits = fleet.ask(question)
    for hit in hits:
        print(json.dumps(asdict(hit), ensure_ascii=False) if as_json else _line(hit))
        listed += 1
    told = f"{count(totals.entries, 'entry', 'entries')} on {count(totals.hosts, 'host')}"
    told += f", {human_size(totals.bytes)} in files"
    if listed < totals.entries:
        told += f"; the first {listed} are listed"
    print(told, file=sys.stderr)
    return 0 if totals.entries else 1


def _print_left_out(fleet: "Fleet") -> bool:
    """Whether the answer is without some machines; each is named, with the reason."""
    if fleet.left_out:
        number = len(fleet.left_out) + len(fleet.exports)
        print(f"Not in this answer: {len(fleet.left_out)} of {count(number, 'export')}.", file=sys.stderr)
        for one in fleet.left_out:
            print(f"    {one}", file=sys.stderr)
    return bool(fleet.left_out)


def _line(hit: "Hit") -> str:
    size = "?" if hit.size is None else human_size(hit.size)
    place = f"{printable(hit.host, 255)}:{hit.path}{'/' if hit.kind == 'dir' else ''}"
    return f"{size:>10}  {_when(hit.mtime_ns):16}  {place}"


def _print_trees(trees: "Iterable[ExportedTree]", as_json: bool) -> int:
    known = list(trees)
    for tree in known:
        if as_json:
            print(json.dumps(asdict(tree), ensure_ascii=False))
            continue
        held = f"{human_size(tree.bytes):>10}  {tree.files:>11,} files  {tree.folders:>9,} folders"
        print(f"{held}  {_when(tree.exported_ns)}  {printable(tree.host, 255)}:{tree.root}")
    hosts = len({tree.host for tree in known})
    total = human_size(sum(tree.bytes for tree in known))
    files = count(sum(tree.files for tree in known), "file")
    print(f"{count(len(known), 'tree')} of {count(hosts, 'host')}: {files}, {total}", file=sys.stderr)
    return 0


def _when(ns: int | None) -> str:
    if ns is None:
        return "?"
    try:
        return datetime.fromtimestamp(ns // 10**9).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return "?"


def _whole(text: str) -> int:
    if not (text.isdecimal() and text.isascii()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)
