"""`cmdr index`, `cmdr find`, `cmdr du`: big trees at a shell prompt."""

import argparse
import os
import sys
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.verbs.find_contents import add_arguments, find_contents
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.errors import NotThere
from cmdr.model.names import to_wire
from cmdr.model.units import SIZE_HINT, UnitError, human_size, read_size

PAGE_SIZE = 1000
_INDEX_USAGE = "cmdr index [--contents | --forget-contents] PATH\n       cmdr index export PATH DIR"


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    scan = verbs.add_parser("index", help="read a tree into an index, or export one as Parquet", usage=_INDEX_USAGE)
    scan.add_argument("words", metavar="PATH", nargs="+")
    scan.add_argument(
        "--contents", action="store_true", help="also index what is in the files, told before what it takes"
    )
    scan.add_argument("--forget-contents", action="store_true", help="forget the index of what is in the files")
    scan.set_defaults(verb=lambda chosen, launcher: _index_or_export(scan, launcher, chosen))
    find = verbs.add_parser("find", help="find files by part of their name, by what is in them, and more")
    find.add_argument("text", metavar="TEXT", nargs="?", help="part of the name, whatever its case")
    find.add_argument("--in", dest="root", metavar="PATH", default=".", help="below this folder (default: here)")
    find.add_argument("--name", metavar="GLOB", help="names that fit, as in '*.jpg'")
    find.add_argument("--ext", metavar="EXT", action="append", help="an extension; may be given several times")
    find.add_argument("--kind", choices=("file", "dir", "link"))
    find.add_argument("--min-size", type=_bytes, metavar="SIZE", help="at least, as in 10M")
    find.add_argument("--max-size", type=_bytes, metavar="SIZE")
    find.add_argument("--newer-than", metavar="WHEN", help="as in 30d, '2 weeks', yesterday, or a date")
    find.add_argument("--older-than", metavar="WHEN")
    find.add_argument("--filter", metavar="FILTER", help="the full filter as one line of text")
    add_arguments(find)
    find.set_defaults(verb=lambda chosen, launcher: as_person(launcher, lambda ask: _find(ask, chosen)))
    usage = verbs.add_parser("du", help="what takes the space in a folder")
    usage.add_argument("path", metavar="PATH", nargs="?", default=".")
    usage.add_argument("-n", type=_rows, default=20, metavar="N", help="how many entries (default: 20)")
    usage.set_defaults(verb=lambda chosen, launcher: as_person(launcher, lambda ask: _du(ask, chosen.path, chosen.n)))


def _index_or_export(verb: argparse.ArgumentParser, launcher: Launcher, chosen: argparse.Namespace) -> int:
    match chosen.words:
        case ["export", path, folder]:
            return as_person(launcher, lambda ask: _export(ask, path, folder))
        case [path] if chosen.forget_contents:
            return as_person(launcher, lambda ask: _forget_contents(ask, path))
        case [path] if chosen.contents:
            return as_person(launcher, lambda ask: _index(ask, path) or _index_contents(ask, path))
        case [path]:
            return as_person(launcher, lambda ask: _index(ask, path))
    verb.error("give one PATH, or export PATH DIR")


def _index_contents(ask: Ask, path: str) -> int:
    root = os.path.abspath(path)
    print(ask("contents.tell", {"root": root}).words)
    if status := _follow(ask, ask("contents.build", {"root": root}).result["job"]):
        return status
    print(ask("contents.tell", {"root": root}).words)
    return 0


def _forget_contents(ask: Ask, path: str) -> int:
    print(ask("contents.forget", {"root": os.path.abspath(path)}).words)
    return 0


def _index(ask: Ask, path: str) -> int:
    return _follow(ask, ask("index", {"root": os.path.abspath(path)}).result["job"])


def _follow(ask: Ask, job: str) -> int:
    """Show how far a scan is until it is over."""
    while (scan := ask("await", {"job": job, "timeout": 1}).result)["kind"] == "stillWaiting":
        if sys.stderr.isatty():
            line = ask("job_progress", {"jobId": job}).result["headline"]
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(scan["headline"])
    if scan["state"] != "done" and scan.get("problem"):
        print(scan["problem"], file=sys.stderr)
    return 0 if scan["state"] == "done" else 1


def _export(ask: Ask, path: str, folder: str) -> int:
    root = os.path.abspath(path)
    try:
        ask("node.find", {"path": root})
    except NotThere:
        if status := _index(ask, root):
            return status
    print(ask("index.export", {"root": root, "to": os.path.abspath(folder)}).words)
    return 0


def _find(ask: Ask, chosen: argparse.Namespace) -> int:
    wanted: Arguments = {
        "root": os.path.abspath(chosen.root),
        "text": chosen.text,
        "name": chosen.name,
        "ext": chosen.ext,
        "kind": chosen.kind,
        "minSize": chosen.min_size,
        "maxSize": chosen.max_size,
        "newerThan": chosen.newer_than,
        "olderThan": chosen.older_than,
        "filter": chosen.filter,
        "limit": 0,
    }
    wanted = {name: value for name, value in wanted.items() if value is not None}
    if chosen.content is not None:
        return find_contents(ask, chosen, wanted)
    found = ask("query_run", wanted).result
    request: Arguments = {"setId": found["set"], "limit": PAGE_SIZE}
    while True:
        page = ask("set.entries", request).result
        for member in page["members"]:
            print(member["path"])
        if page["cursor"] is None:
            return 0 if page["total"] else 1
        request["cursor"] = page["cursor"]


def _du(ask: Ask, path: str, count: int) -> int:
    folder = os.path.abspath(path)
    try:
        found = ask("node.find", {"path": folder}).result
        is_known = found["node"]["size"] is not None or found["node"]["kind"] != "dir"
    except NotThere:
        is_known = False
    if not is_known:  # in no index, or in one that did not look into it: beyond its depth, or on another disk
        if status := _index(ask, folder):
            return status
        found = ask("node.find", {"path": folder}).result
    request: Arguments = {"indexId": found["index"], "parent": found["node"]["id"], "limit": count}
    page = ask("tree.page", {**request, "sort": "size", "order": "desc"}).result
    print(f"{_size(found['node']):>12}  {to_wire(os.fsencode(folder))}")
    for entry in page["entries"]:
        print(f"{_size(entry):>12}  {entry['name']}{'/' if entry['kind'] == 'dir' else ''}")
    if page["total"] is None:
        print(f"{to_wire(os.fsencode(folder))} could not be read.", file=sys.stderr)
        return 1
    if page["total"] > len(page["entries"]):
        print(f"{'':>12}  … {page['total'] - len(page['entries'])} more")
    return 0


def _size(node: dict[str, Any]) -> str:
    """How big an entry is; of a folder that is not known whole, at least."""
    if node["size"] is None:
        return "?"
    is_whole = node["totals"] is None or node["totals"]["complete"]
    return f"{'' if is_whole else '≥'}{human_size(node['size'])}"


def _rows(text: str) -> int:
    if text.isdecimal() and int(text) <= PAGE_SIZE:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {PAGE_SIZE}")


def _bytes(text: str) -> int:
    try:
        return read_size(text)
    except UnitError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; {SIZE_HINT}") from None
