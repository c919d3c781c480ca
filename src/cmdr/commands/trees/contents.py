"""Questions about contents: who may read what, and the lines that were found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cmdr.commands._paths import reach_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotOffered
from cmdr.core.threads import in_thread
from cmdr.model.contents import ContentPattern, FileLines
from cmdr.model.filters.filter import And, Content, Filter, Not, Or, checked, content_leaves, normal
from cmdr.model.names import is_within, to_wire
from cmdr.model.results.contents import ContentAnswer, ContentLines
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.contents.content_query import ContentReading
    from cmdr.index.library import Library
    from cmdr.index.query.queries import IndexQueries, QueryResult

MAX_CONTEXT = 10
"""Lines before and behind one that matches."""
LINES_PER_FILE = 20
"""Lines of one file that an agent gets; `fs_read` has the others."""
MAX_SHOWN_CHARS = 8000
"""About so much text of lines is in one answer to an agent."""
PAGE_LINES = 1000
"""Lines in one answer to a program."""
_FILES_AT_ONCE = 64
_READS_FILES = "fs_read"
"""Who may not read files does not learn what is in them either."""


def content_leaf(content: str, regex: bool, case: bool = False) -> Filter:
    """The condition that a file holds a text, or something that an expression fits."""
    return checked(Content("regex" if regex else "contains", content, case), "content")


@contextmanager
def reading_of(call: Call, *, is_whole: bool = False) -> Iterator[ContentReading]:
    """How this caller's questions read files: agents only what they could read by name, and never for long.

    `is_whole` reads however long it takes; people may ask for that.
    """
    from cmdr.index.contents.content_query import ContentReading  # noqa: PLC0415
    from cmdr.index.contents.scanners import scanner  # noqa: PLC0415

    if not call.principal.is_person:
        check_may_read(call)
        with reach_of(call).opener() as opener:
            yield ContentReading(scanner(), opener)
    elif is_whole:
        yield ContentReading(scanner(), seconds=None, total_bytes=None, files=None)
    else:
        yield ContentReading(scanner())


def check_may_read(call: Call) -> None:
    """Refuse a caller that may not read files."""
    try:
        call.commander.policy.admit(call.commander.registry.find(_READS_FILES), call.principal)
    except NotOffered as refused:
        raise CommandError(f"Searching in files is for callers that may read them; {refused}.") from refused


def _check_place(call: Call, place: bytes) -> None:
    """Refuse a folder in which an agent may read nothing."""
    reach = reach_of(call)
    roots = {spec.path for spec in (*reach.roots, *reach.trees)}
    if not any(is_within(root, place) for root in roots):
        reach.folder(place).close()


def ask_index(
    call: Call,
    answers: IndexQueries,
    wanted: Filter,
    place: str | bytes | None,
    stop: Callable[[], bool] = lambda: False,
    *,
    is_whole: bool = False,
) -> QueryResult:
    """What a filter finds in an index; contents are read as the caller may. Blocks: for a thread."""
    if not content_leaves(wanted):
        return answers.ask(wanted, place, stop)
    if isinstance(place, bytes) and not call.principal.is_person:
        _check_place(call, place)
    with reading_of(call, is_whole=is_whole) as reading:
        return answers.ask(wanted, place, stop, reading)


def patterns_in(wanted: Filter) -> tuple[ContentPattern, ...]:
    """What files that satisfy a filter may hold: its questions about contents, without those that are denied."""
    return tuple(_told(normal(wanted)))


def _told(node: Filter) -> Iterator[ContentPattern]:
    match node:
        case Content():
            yield node.pattern
        case Not():
            return
        case And(items) | Or(items):
            for item in items:
                yield from _told(item)


@dataclass(frozen=True)
class LinesWanted:
    """Which lines of files are told, and how many."""

    patterns: tuple[ContentPattern, ...]
    context: int = 0
    lines: int = PAGE_LINES
    chars: int | None = None
    """About so much text at most."""
    lines_per_file: int = 1 << 30
    stop: Callable[[], bool] = field(default=lambda: False)


def lines_of(
    call: Call, paths: list[bytes], wanted: Filter, most: int, stop: Callable[[], bool]
) -> tuple[FileLines, ...]:
    """The first lines of these files that match, so many of each. Blocks: for a thread."""
    from cmdr.index.contents.matching_lines import MatchingLines  # noqa: PLC0415

    with reading_of(call) as reading:
        looked = MatchingLines(patterns_in(wanted), 0, reading.opener, stop)
        return tuple(found for path in paths if (found := looked.of(path, most)) is not None)


async def lines_of_set(call: Call, set: str, wanted: LinesWanted, cursor: str | None = None) -> ContentLines:
    """The lines of a set's files from a cursor on; files that hold nothing any more are passed over."""
    library = await call.commander.indexing.library()
    return await in_thread(_lines_of_set, call, library, set, wanted, cursor)


def _lines_of_set(call: Call, library: Library, set: str, wanted: LinesWanted, cursor: str | None) -> ContentLines:
    from cmdr.index.contents.matching_lines import MatchingLines  # noqa: PLC0415

    files: list[FileLines] = []
    left, chars = wanted.lines, wanted.chars
    with reading_of(call) as reading:
        looked = MatchingLines(wanted.patterns, wanted.context, reading.opener, wanted.stop)
        while True:
            page = library.sets.page(set, _FILES_AT_ONCE, cursor)
            for member in page.members:
                if left <= 0 or (chars is not None and chars <= 0):
                    return ContentLines(tuple(files), cursor)
                cursor = member.node
                path, most = member.path_now, min(left, wanted.lines_per_file)
                if path is not None and (found := looked.of(path, most)) is not None:
                    files.append(shown := _fitting(found, chars))
                    left -= max(1, sum(line.is_match for line in shown.lines))
                    chars = None if chars is None else chars - _chars(shown)
            if page.cursor is None:
                return ContentLines(tuple(files))


def _fitting(found: FileLines, chars: int | None) -> FileLines:
    """As many lines of a file as there is room for, and one at least."""
    if chars is None or _chars(found) <= chars:
        return found
    kept, used = 0, 0
    for line in found.lines:
        used += _line_chars(found, line.text)
        if kept and used > chars:
            break
        kept += 1
    lines = found.lines[:kept]
    if not any(line.is_match for line in lines):  # what stands before the first match fills the room
        lines = tuple(line for line in found.lines if line.is_match)[:1]
    return FileLines(found.path, found.count, lines)


def _chars(found: FileLines) -> int:
    return sum(_line_chars(found, line.text) for line in found.lines)


def _line_chars(found: FileLines, text: str) -> int:
    return len(found.path) + len(text) + 8


async def content_answer(
    call: Call, answer: QueryResult, wanted: Filter, place: bytes, set: str, context: int, limit: int | None
) -> ContentAnswer:
    """What a question about contents found, with the first lines; it is kept as this set."""
    hits = answer.contents
    assert hits is not None
    page = await lines_of_set(call, set, _for_agents(wanted, context, limit))
    is_partial = hits.coverage.is_partial
    return ContentAnswer(
        place,
        answer.count,
        hits.line_count(answer.rows),
        page.files,
        set,
        None if page.cursor is None else f"{set}.{page.cursor}",
        not_covered=() if answer.explanation.complete else tuple(answer.explanation.not_covered),
        is_partial=is_partial,
        offer=_offer(place) if is_partial and not hits.is_indexed else "",
    )


async def further_lines(
    call: Call, wanted: Filter, place: bytes, cursor: str, context: int, limit: int | None
) -> ContentAnswer:
    """The next lines of what a question found, from the cursor of its last answer on."""
    named, _, node = cursor.partition(".")
    patterns = patterns_in(wanted)
    if not named.startswith("s_") or not node or not patterns:
        raise CommandError("This cursor is not one of ours; ask the same with the cursor of its answer.")
    library = await call.commander.indexing.library()
    set = await call.commander.indexing.sets.find(named, call.principal)
    page = await lines_of_set(call, set, _for_agents(wanted, context, limit), node)
    held = (await in_thread(library.sets.info, set)).count
    return ContentAnswer(place, held, None, page.files, set, None if page.cursor is None else f"{set}.{page.cursor}")


def _for_agents(wanted: Filter, context: int, limit: int | None) -> LinesWanted:
    lines = PAGE_LINES if limit is None else limit
    return LinesWanted(patterns_in(wanted), context, lines, MAX_SHOWN_CHARS, LINES_PER_FILE)


def _offer(place: bytes) -> str:
    """What makes the next search in a folder whole."""
    return f"; to search all of it: cmdr index --contents {quoted_name(to_wire(place))}"


@command("content.lines", access=Access.READ, toolset="index", programs_only=True, contents=True)
async def content_lines(
    call: Call,
    *,
    set: str,
    content: str,
    regex: bool = False,
    case: bool = False,
    context: Annotated[int, Whole(0, MAX_CONTEXT, cut=True)] = 0,
    limit: Annotated[int, Whole(1, PAGE_LINES, cut=True), Doc("lines")] = PAGE_LINES,
    cursor: str | None = None,
) -> ContentLines:
    """The lines of a set's files that hold a text, a page at a time."""
    leaf = content_leaf(content, regex, case)
    found = await call.commander.indexing.sets.find(set, call.principal)
    return await lines_of_set(call, found, LinesWanted(patterns_in(leaf), context, limit), cursor)
