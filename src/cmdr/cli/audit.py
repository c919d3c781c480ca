"""`cmdr audit`: who did what, and whether the record is whole."""

import argparse
import os
import sys
from datetime import datetime

from cmdr.cli.launcher import Launcher
from cmdr.core.audit_chain import Verdict, read_log, verify


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("audit", help="list every call, or check that none was changed")
    parser.add_argument("--verify", action="store_true", help="check the chain of hashes")
    parser.add_argument("--limit", type=_count, default=50, metavar="N", help="how many calls to list (default: 50)")
    parser.set_defaults(verb=_run)


def _count(text: str) -> int:
    if text.isdecimal() and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of calls; write 1 or more")


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    from cmdr.core import places

    folder = os.path.join(places.state(), "audit")
    if chosen.verify:
        return _told(verify(folder))
    for row in list(read_log(folder))[-chosen.limit :]:
        at = row.get("at")
        when = datetime.fromtimestamp(at).astimezone().strftime("%F %T") if isinstance(at, float | int) else "?"
        parts = [when, row.get("who"), row.get("what"), row.get("decision"), row.get("result")]
        print(" ".join(str(part) for part in parts if part))
    return 0


def _told(verdict: Verdict) -> int:
    if verdict.broken_at is not None:
        print(f"Line {verdict.broken_at} does not fit: the record was changed there.", file=sys.stderr)
        return 1
    if verdict.cut_off:
        print(f"{verdict.lines} lines fit, but the newest ones are missing.", file=sys.stderr)
        return 1
    print(f"{verdict.lines} lines, nothing changed.")
    return 0
