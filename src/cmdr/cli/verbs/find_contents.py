"""`cmdr find --content`: lines in files at a shell prompt, printed as grep prints them."""

import argparse
import json
import sys
from typing import Any

from cmdr.cli.launcher import Ask
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.errors import CommandError
from cmdr.model.invisible_chars import visible

FOUND, NOTHING, FAILED = 0, 1, 2
"""Exit codes, as grep has them: a search that could not look at everything and found nothing has failed."""
MAX_CONTEXT = 10


def add_arguments(find: argparse.ArgumentParser) -> None:
    """What `cmdr find` takes about contents."""
    inside = find.add_argument_group("in files")
    inside.add_argument("--content", metavar="TEXT", help="files that hold it, and their lines as grep prints them")
    inside.add_argument("--regex", action="store_true", help="TEXT is a regular expression")
    inside.add_argument("-i", dest="any_case", action="store_true", help="whatever its case")
    inside.add_argument("-l", dest="names_only", action="store_true", help="names of files only")
    inside.add_argument("-C", dest="context", metavar="N", type=_context, default=0, help="with N lines around each")
    inside.add_argument("--json", action="store_true", help="one JSON object a file")
    inside.add_argument("--all", action="store_true", help="read on, however long it takes")


def find_contents(ask: Ask, chosen: argparse.Namespace, wanted: Arguments) -> int:
    """Print what files hold; the exit code. `wanted` are the other conditions."""
    pattern: Arguments = {"content": chosen.content, "regex": chosen.regex, "case": not chosen.any_case}
    try:
        found = ask("query_run", {**wanted, **pattern, "all": chosen.all}).result
        if found["notCovered"]:
            print(f"not covered: {'; '.join(found['notCovered'])}{found['offer']}", file=sys.stderr)
        context = 0 if chosen.names_only else chosen.context
        request: Arguments = {"set": found["set"], **pattern, "context": context}
        printer = _Printer(chosen)
        while True:
            page = ask("content.lines", request).result
            for file in page["files"]:
                printer.show(file)
            if page["cursor"] is None:
                break
            request["cursor"] = page["cursor"]
    except CommandError as error:
        print(error, file=sys.stderr)
        return FAILED
    if printer.is_empty:
        return FAILED if found["notCovered"] else NOTHING
    return FOUND


class _Printer:
    """Prints one file after the other."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._chosen = chosen
        self._is_seen = sys.stdout.isatty()
        self.is_empty = True

    def show(self, file: dict[str, Any]) -> None:
        if self._chosen.names_only:
            print(json.dumps({"path": file["path"], "count": file["count"]}) if self._chosen.json else file["path"])
        elif self._chosen.json:
            print(json.dumps(file, ensure_ascii=False))
        else:
            self._lines(file["path"], file["lines"])
        self.is_empty = False

    def _lines(self, path: str, lines: list[dict[str, Any]]) -> None:
        last = None
        for line in lines:
            is_apart = last is None or line["line"] != last + 1
            if self._chosen.context and is_apart and not (self.is_empty and last is None):
                print("--")
            sign = ":" if line["isMatch"] else "-"
            # A terminal would obey what stands in a file; a program gets it as it is.
            text = visible(line["text"]) if self._is_seen else line["text"]
            print(f"{path}{sign}{line['line']}{sign}{text}")
            last = line["line"]


def _context(text: str) -> int:
    if text.isdecimal() and int(text) <= MAX_CONTEXT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MAX_CONTEXT}")
