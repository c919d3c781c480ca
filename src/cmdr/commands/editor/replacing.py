"""`replace`: a text or expression replaced in many files, as one edit with one review."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from cmdr.commands._paths import pane_of, path_of
from cmdr.commands.changes.planning import MAX_NAMED_PATHS
from cmdr.commands.editor.editor_paths import EditorPath, check_may_read, path_now
from cmdr.commands.editor.edits_of_many import NewText, propose_many
from cmdr.commands.editor.review_outcome import REVIEW_TIMEOUT_S, wait_until_over
from cmdr.commands.panes.file import nothing_there
from cmdr.commands.trees.sessions import place_in
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Unlisted
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.editing.replacing import Found, Replacement, find_and_replace, summary_of_left_out
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError
from cmdr.model.filters.filter import And, Filter, KindIs, Text, checked
from cmdr.model.filters.filter_terms import is_wild, named
from cmdr.model.filters.filter_text import given_filter, placed
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.results.proposals import EditProposed
from cmdr.model.results.result import Result, Said
from cmdr.model.texts.files_review import MAX_CHANGES
from cmdr.model.units import count

MAX_PATHS = 100_000
"""Files that one replacement looks at."""
PROGRESS_INTERVAL_S = 2.0
_OF_VERSIONS = frozenset({b".git", b".hg", b".svn", b".jj", b".bzr"})
"""What version control keeps for itself: found by a search, and never meant."""


@command("replace", access=Access.PROPOSE, toolset="review", title="Replace in files", blocking=True)
async def replace(
    call: Call,
    *,
    find: str,
    with_: str,
    set: str | None = None,
    paths: list[str] | None = None,
    root: str | None = None,
    name: Annotated[str | None, Doc("glob"), Unlisted()] = None,
    filter: Annotated[dict[str, object] | str | None, Unlisted()] = None,
    regex: Annotated[bool, Doc("with $1")] = False,
    case: Annotated[bool, Doc("false ignores it"), Unlisted()] = True,
    reason: str = "",
) -> Result:
    """Replace text in the files of a set, paths, or root (name, filter, case:false): one review."""
    check_may_read(call, "Replacing in files")
    started = time.monotonic()
    wanted = Replacement(find, with_, regex, case)
    wanted.check()
    chosen = await _chosen(call, set, paths, root, name, filter)
    found = await _found(call, chosen, wanted)
    names = [to_wire(each.asked) for each in chosen.paths]
    if not found.hits:
        raise CommandError(_nothing(wanted, found, names))
    hits = found.hits[: _within_changes(found)]
    texts = [NewText(chosen.paths[hit.number], hit.base, hit.text) for hit in hits]
    told = _told(chosen, found, names, len(hits))
    record = await propose_many(call, texts, reason or _title(wanted), told)
    if call.principal.is_person:
        return EditProposed(record.id, len(record.files), sum(hit.places for hit in hits), tuple(told))
    left = max(1.0, REVIEW_TIMEOUT_S - (time.monotonic() - started))
    return Said(await wait_until_over(call, record, left))


@dataclass(slots=True)
class _Chosen:
    """The files that are meant, each once by its real path."""

    paths: list[EditorPath] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Names that are not looked at, and why."""
    note: str = ""


async def _chosen(
    call: Call,
    set: str | None,
    paths: list[str] | None,
    root: str | None,
    name: str | None,
    filter: dict[str, object] | str | None,
) -> _Chosen:
    if root is None and (name is not None or filter is not None):
        root = "."
    if call.principal.is_person and (set, paths, root) == (None, None, None):
        return await in_thread(_resolved, call, _selected(call), True)
    if sum(given is not None for given in (set, paths, root)) != 1:
        raise CommandError('replace needs one of "set", "paths" or "root" (with "name" or "filter").')
    note = ""
    asked: Sequence[bytes]
    if paths is not None:
        asked = _named_paths(call, paths)
    elif set is not None:
        taken = await call.commander.indexing.sets.worked_on(set, call.principal)
        asked, note = taken.paths, taken.note
    else:
        asked = await _searched(call, root or ".", name, filter)
    if len(asked) > MAX_PATHS:
        raise CommandError(f"{len(asked):,} files are too many to look at; at most {MAX_PATHS:,}. Narrow them by name.")
    if not asked:
        raise CommandError("No file is meant by that. Look with query_run which there are.")
    chosen = await in_thread(_resolved, call, asked, paths is not None)
    chosen.note = note
    return chosen


def _named_paths(call: Call, paths: list[str]) -> Sequence[bytes]:
    if call.principal.is_person:
        base = pane_of(call.workspace, "focused").tab.path
        return [path_of(path, base) for path in paths]
    if len(paths) > MAX_NAMED_PATHS:
        raise CommandError(
            f"{len(paths)} paths are too many to name one by one; at most {MAX_NAMED_PATHS}. Use a set or root."
        )
    return [from_wire(path) for path in paths]


def _selected(call: Call) -> Sequence[bytes]:
    """What the person has selected, or what is under their cursor."""
    pane = pane_of(call.workspace, "focused")
    listed = call.chosen or SelectedEntries.of(pane.tab)
    if listed is None:
        raise nothing_there(pane)
    if listed.count > MAX_PATHS:
        raise CommandError(f"{listed.count:,} files are too many to look at; at most {MAX_PATHS:,}.")
    return listed.paths()


async def _searched(
    call: Call, root: str, name: str | None, filter: dict[str, object] | str | None
) -> tuple[bytes, ...]:
    place = place_in(call, root)
    answers, _ = await call.commander.indexing.ensure(place, call.principal)
    leaves: list[Filter] = [KindIs(("file",))]
    if name is not None:
        leaves.append(named(name, "name") if is_wild(name) else checked(Text("name", "glob", name), "name"))
    if filter is not None:
        leaves.append(given_filter(filter))
    wanted = await call.commander.indexing.sets.named_in(And(tuple(leaves)), call.principal)

    def ask() -> tuple[bytes, ...]:
        answer = answers.ask(placed(wanted, to_wire(place)), place)
        if answer.count > MAX_PATHS:
            raise CommandError(
                f"{answer.count:,} files are too many to look at; at most {MAX_PATHS:,}. Narrow them by name."
            )
        return tuple(sorted(answer.view.paths(answer.rows)))

    return await in_thread(ask)


def _resolved(call: Call, asked: Sequence[bytes], is_named: bool) -> _Chosen:
    """Where the paths lead; what may not be read, and of a search what is no plain file, is left out."""
    chosen, seen = _Chosen(), {b""}
    for path in asked:
        if not is_named and (not _OF_VERSIONS.isdisjoint(path.split(b"/")) or os.path.islink(path)):
            continue
        try:
            found = path_now(call, path)
        except (CommandError, DiskError) as error:
            if is_named:
                raise
            chosen.refused.append((to_wire(path), printable(str(error), 80)))
            continue
        if found.real not in seen and (is_named or not os.path.isdir(found.real)):
            seen.add(found.real)
            chosen.paths.append(found)
    return chosen


async def _found(call: Call, chosen: _Chosen, wanted: Replacement) -> Found:
    """What would be replaced; whoever gives up waiting ends the work."""
    is_stopped = False
    reals = [each.real for each in chosen.paths]
    task = asyncio.ensure_future(in_thread(find_and_replace, reals, wanted, lambda: is_stopped))
    begun = time.monotonic()
    try:
        while not (await asyncio.wait({task}, timeout=PROGRESS_INTERVAL_S))[0]:
            await call.progress(time.monotonic() - begun, f"looking in {len(reals):,} files")
        return task.result()
    finally:
        is_stopped = True
        task.cancel()


def _within_changes(found: Found) -> int:
    """How many of the files fit into one review by their changes; at least one."""
    places = 0
    for number, hit in enumerate(found.hits):
        places += hit.places
        if places > MAX_CHANGES:
            return max(1, number)
    return len(found.hits)


def _told(chosen: _Chosen, found: Found, names: list[str], kept: int) -> list[str]:
    """What is not in the review, a line each."""
    lines = [chosen.note] if chosen.note else []
    if kept < found.files:
        lines.append(f"{kept} of {found.files} files; narrow it, or ask again for the rest")
    if found.unreached:
        lines.append(f"not looked at for lack of time: {found.unreached:,} of {len(names):,} files; narrow it")
    left = summary_of_left_out(
        [*names, *(name for name, _ in chosen.refused)],
        [*found.left_out, *((len(names) + at, why) for at, (_, why) in enumerate(chosen.refused))],
    )
    return [*lines, left] if left else lines


def _nothing(wanted: Replacement, found: Found, names: list[str]) -> str:
    """Why there is nothing to replace, and on what it was tried."""
    first = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    told = f'"{printable(wanted.find, 60)}"'
    if found.same:
        return f"{told} stands in {count(found.same, 'file')}, and replacing it changes nothing."
    left = summary_of_left_out(names, found.left_out)
    if left and not found.looked_at:
        return f"Nothing could be replaced; {left}."
    hints = ["case counts" if wanted.is_case_exact else "case was ignored"]
    if not wanted.is_regex:
        hints.append('it was taken as it stands; "regex": true makes it an expression')
    told += f" stands in none of {count(found.looked_at, 'file')} looked at ({first}): {'; '.join(hints)}."
    if found.unreached:
        told += f" {found.unreached:,} were not reached for lack of time; narrow it."
    return f"{told} Besides {left}." if left else told


def _title(wanted: Replacement) -> str:
    return f"replace {printable(wanted.find, 30)} with {printable(wanted.new, 30)}"
