"""A proposed edit as the page draws it: rows of the diff, what is decided of each change, what a yes takes."""

from collections.abc import Iterator, Sequence

from cmdr.core.dispatch.parameter import Json
from cmdr.core.editing.review_record import FileNotes, ReviewRecord
from cmdr.model.invisible_chars import visible
from cmdr.model.names import display_name, printable
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.diff_rows import DiffRows, Row, RowLine, Span, WordMarks
from cmdr.model.texts.merge import Merge
from cmdr.model.texts.review import Review

CONTEXT_ROWS = 3
MAX_ROWS = 400
"""Rows that one answer carries."""


def review_json(
    case: ReviewRecord, start: int, count: int, *, unified: bool, folded: bool, file: int = 0
) -> dict[str, Json]:
    """The edit and a stretch of the rows of one of its files."""
    file = max(0, min(file, len(case.files) - 1))
    review, note = case.files[file], case.notes[file] if case.notes else FileNotes(case.protected, case.link)
    rows = DiffRows(review.diff, unified=unified, context=CONTEXT_ROWS if folded else None)
    start = max(0, min(start, len(rows)))
    stop = min(len(rows), start + max(1, min(count, MAX_ROWS)))
    return {
        "id": case.id,
        "path": display_name(review.new_path),
        "from": display_name(review.path) if review.is_rename else None,
        "isNew": review.is_new_file,
        "title": case.title,
        "by": "" if case.is_of_person else printable(review.agent, 60),
        "state": case.review.state.value,
        "digest": case.review.digest,
        "word": case.word,
        "protected": note.protected,
        "care": case.care,
        "link": None if note.link is None else display_name(note.link),
        "file": file,
        "files": [*map(_file, case.files)] if case.is_of_many else [],
        "told": [*case.told],
        "joined": review.merge is None and bool(review.base_changes),
        "ended": "" if (over := case.review.outcome) is None else f"{over.state.value}: {over.reason}",
        "decisions": [decision.value for decision in review.decisions],
        "hunkRows": [rows.row_of_hunk(hunk) for hunk in range(len(review.diff.hunks))],
        "conflicts": _conflicts(review.merge),
        "start": start,
        "count": len(rows),
        "rows": [_row(rows[at], rows.marks(at)) for at in range(start, stop)],
    }


def _file(file: Review) -> Json:
    """One of many files in a line: its name, what would change, and what is decided of that."""
    dropped = sum(said is Decision.REJECTED for said in file.decisions)
    taken = sum(said is Decision.ACCEPTED for said in file.decisions)
    return {
        "path": display_name(file.new_path),
        "changes": len(file.decisions),
        "added": file.diff.added,
        "removed": file.diff.removed,
        "taken": taken,
        "dropped": dropped,
    }


def _row(row: Row, marks: WordMarks) -> Json:
    return {
        "kind": row.kind,
        "hunk": row.hunk,
        "hidden": row.hidden,
        "old": _line(row.old, marks.old),
        "new": _line(row.new, marks.new),
    }


def _line(line: RowLine | None, marks: tuple[Span, ...]) -> Json:
    if line is None:
        return None
    return {"number": line.number, "ending": line.ending, "pieces": [*_pieces(line.text, marks)]}


def _pieces(text: str, marks: tuple[Span, ...]) -> Iterator[Json]:
    """The text in stretches, each with whether it is marked. Cut here: a browser counts characters in another way.

    What cannot be seen becomes a sign, so that no text reads as something else than what would be written.
    """
    at = 0
    for start, end in marks:
        if start > at:
            yield [visible(text[at:start]), False]
        yield [visible(text[start:end]), True]
        at = end
    if at < len(text):
        yield [visible(text[at:]), False]


def _conflicts(merge: Merge | None) -> list[Json]:
    if merge is None:
        return []
    return [{"mine": _lines(each.mine), "theirs": _lines(each.theirs)} for each in merge.conflicts]


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(visible(line.rstrip("\r\n")) for line in lines)
