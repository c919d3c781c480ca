"""`cmdr audit`: who did what, and whether the record is whole."""

import argparse
import os
import sys
from datetime import datetime

from cmdr.cli.launcher import Launcher
from cmdr.core.audit.chain import Verdict, read_log, verify
from cmdr.model.units import count


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("audit", help="list every call, or check that none was changed")
    parser.add_argument("--verify", action="store_true", help="check the chain of hashes")
    parser.add_argument("--limit", type=_count, default=50, metavar="N", help="how many calls to list (default: 50)")
    parser.add_argument("--arguments", action="store_true", help="with what each call was asked, secrets left out")
    parser.set_defaults(verb=_run)


def _count(text: str) -> int:
    if text.isdecimal() and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of calls; write 1 or more")


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    from cmdr.core import places

    folder = os.path.join(places.state(), "audit")
    if chosen.verify:
        return _print_verdict(verify(folder))
    for row in list(read_log(folder))[-chosen.limit :]:
        at = row.get("at")
        when = datetime.fromtimestamp(at).astimezone().strftime("%F %T") if isinstance(at, float | int) else "?"
        parts = [when, row.get("who"), row.get("what"), row.get("decision"), row.get("result")]
        if chosen.arguments:
            parts.append(row.get("given"))
        print(" ".join(str(part) for part in parts if part))
    return 0


def _print_verdict(verdict: Verdict) -> int:
    for gap in verdict.gaps:
        print(f"Not recorded: {gap.text()}", file=sys.stderr)
    problem = _problem(verdict)
    if problem:
        print(problem, file=sys.stderr)
    elif not verdict.gaps:
        print(f"{verdict.lines} lines, nothing changed.")
        return 0
    else:
        print(f"{verdict.lines} lines, nothing changed, but records are missing: see above.")
    return 1


def _problem(verdict: Verdict) -> str:
    """What was done to the record, in words; empty when nothing was."""
    if verdict.broken_at is not None:
        if verdict.is_missing:
            return f"Line {verdict.broken_at} is not the next one: records before it were taken out."
        return f"Line {verdict.broken_at} does not fit: the record was changed there."
    if not verdict.cut_off:
        return ""
    if not verdict.lines:
        return f"The record is gone: {count(verdict.kept, 'call')} were in it."
    return f"{verdict.lines} lines fit, but the newest ones are missing."
