"""What agents ask of the editor: put an edit before the person, show a file, say what is wrong in one."""

import asyncio
import json
import os
from collections.abc import Awaitable
from typing import Annotated, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from cmdr.commands.editor.editor_paths import EditorPath, check_may_read, editor_path, folder_around, format_path
from cmdr.commands.editor.edits_of_many import NewText, propose_many
from cmdr.commands.editor.review_outcome import REVIEW_TIMEOUT_S, wait_until_over
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Fields, Json, Unlisted
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.editing.diagnostics import PATIENT_TIMEOUT_S
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.editing.reviews import Opening, new_review
from cmdr.core.editing.text_files import text_now
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.editor.diagnostics.service import Asker, CheckResult
from cmdr.model.content_part import TextPart
from cmdr.model.names import printable, raw_bytes, to_wire
from cmdr.model.results.result import Said
from cmdr.model.texts.diagnostic import Diagnostic
from cmdr.model.texts.proposed_edit import ReviewState
from cmdr.model.texts.text_edits import TextEdit, apply_edits
from cmdr.model.texts.text_format import FileText
from cmdr.model.texts.text_selection import Position, TextSelection

MAX_DIAGNOSTICS_CHARS = 15_000
"""Characters of diagnostics in one answer; an editor's client takes any number."""

NOT_SEEN = "Not known: this file is outside of what cmdr shows, or is not there."
Edits = Annotated[list[dict[str, str]] | None, Fields(("old", "new"), ("path",))]


class _NumberedEdit(NamedTuple):
    """One edit, and which it was of the call."""

    number: int
    old: str
    new: str


@command("open_diff", access=Access.PROPOSE, toolset="review", title="Edit", blocking=True)
def open_diff(
    call: Call,
    *,
    path: Annotated[str | None, Also(("old_file_path",))] = None,
    contents: Annotated[str | None, Also(("new_file_contents",))] = None,
    edits: Edits = None,
    new_path: Annotated[str | None, Also(("new_file_path",))] = None,
    title: Annotated[str, Also(("tab_name",))] = "",
) -> Awaitable[Said]:
    """Propose an edit: path with contents, or edits [{path,old,new}] of one or many files."""
    by_file = _by_file(path, edits)
    if len(by_file) > 1:
        if contents is not None or new_path is not None or call.connection:
            raise CommandError('Of many files open_diff takes "edits" alone, each with its path.')
        return _reviewed_many(call, by_file, title)
    (path,) = by_file
    own_edits = None if edits is None else by_file[path]
    # Noted in this very step, and the rest in its own time: a later call that closes the tab finds it.
    named = title if call.connection else printable(title, 80)
    opening = call.commander.editor.reviews.announce(
        call.connection or call.principal.id,
        named or os.path.basename(path if new_path is None else new_path),
        replaces=bool(call.connection),
    )
    return _reviewed(call, path, contents, own_edits, new_path, title, opening)


def _by_file(path: str | None, edits: Edits) -> dict[str, list[_NumberedEdit]]:
    """The edits of each file that is named, in the order of their first; never empty."""
    by_file: dict[str, list[_NumberedEdit]] = {} if path is None else {path: []}
    for number, edit in enumerate(edits or (), start=1):
        named = edit.get("path", path)
        if named is None:
            raise CommandError(f'Edit {number} of open_diff needs a "path".')
        by_file.setdefault(named, []).append(_NumberedEdit(number, edit["old"], edit["new"]))
    if not by_file:
        raise CommandError('open_diff needs "path" with "contents", or "edits" as [{path, old, new}].')
    if edits and path is not None and not by_file[path]:
        del by_file[path]  # every edit names its own
    return by_file


async def _reviewed_many(call: Call, by_file: dict[str, list[_NumberedEdit]], title: str) -> Said:
    check_may_read(call, "Editing a part")
    texts = []
    for path, edits in by_file.items():
        target = await editor_path(call, path, writes=True)
        base = await text_now(target.real)
        texts.append(NewText(target, base, _edited(target, base, edits)))
    case = await propose_many(call, texts, title)
    return Said(await wait_until_over(call, case, REVIEW_TIMEOUT_S))


async def _reviewed(
    call: Call,
    path: str,
    contents: str | None,
    edits: list[_NumberedEdit] | None,
    new_path: str | None,
    title: str,
    opening: Opening,
) -> Said:
    reviews = call.commander.editor.reviews
    case = await _proposed(call, path, contents, edits, new_path, title, opening)
    if not call.connection:
        return Said(await wait_until_over(call, case, REVIEW_TIMEOUT_S))
    try:
        return await _for_the_writing_client(call, case)
    except asyncio.CancelledError:
        quitting = call.commander.quitting.is_set()
        reviews.end(case, "shutdown" if quitting else "client gone")
        if quitting:
            return await _for_the_writing_client(call, case)  # over by now; its client is still there to hear it
        raise


async def _for_the_writing_client(call: Call, case: ReviewRecord) -> Said:
    await case.over.wait()
    outcome = case.review.outcome
    if outcome is not None and outcome.state is ReviewState.ACCEPTED:
        if case.problem:  # the answer would say that it is written
            raise CommandError(case.problem)
        call.parts.append(TextPart(outcome.text or ""))
        return Said("FILE_SAVED")
    call.parts.append(TextPart(case.review.tab))
    return Said("DIFF_REJECTED")


async def _proposed(
    call: Call,
    path: str,
    contents: str | None,
    edits: list[_NumberedEdit] | None,
    new_path: str | None,
    title: str,
    opening: Opening,
) -> ReviewRecord:
    if (contents is None) == (edits is None):
        raise CommandError('open_diff needs "contents" or "edits".')
    editor = call.commander.editor
    if not call.client_writes:
        call.commander.engine  # noqa: B018 - says so when this cmdr cannot write
        editor.reviews.check_quota(call.principal.id)
    target = await editor_path(call, path, writes=True)
    after = target if new_path is None else await editor_path(call, new_path, writes=True)
    if await editor.text.is_dirty(target.real):
        raise CommandError(f"{to_wire(target.real)} has unsaved changes in the editor. Ask the person to save it.")
    base = await text_now(target.real)
    if edits is not None:
        check_may_read(call, "Editing a part")
    proposed = contents if contents is not None else _edited(target, base, edits or [])
    same = base is not None and after.real == target.real and proposed == base.text
    if same and not call.connection:
        raise CommandError("The edit changes nothing.")
    protected = await in_thread(_protected, call, target, after)
    return await editor.reviews.propose(_case(call, target, after, base, proposed, title, protected), opening)


def _protected(call: Call, target: EditorPath, after: EditorPath) -> str:
    protection = call.commander.sandbox.protection
    return after.protection(protection) or target.protection(protection)


def _case(
    call: Call,
    target: EditorPath,
    after: EditorPath,
    base: FileText | None,
    proposed: str,
    title: str,
    protected: str,
) -> ReviewRecord:
    reviews = call.commander.editor.reviews
    told = to_wire(os.path.basename(after.real))
    review = new_review(
        reviews,
        connection=call.connection or call.principal.id,
        agent=call.client or call.principal.name,
        tab=title or told if call.connection else reviews.unused_tab(call.principal.id, printable(title, 80) or told),
        path=target.real if base is not None else after.real,
        new_path=after.real,
        base=base,
        proposed=proposed,
    )
    return ReviewRecord(review, call.principal.id, not call.client_writes, protected, after.link or target.link)


def _edited(target: EditorPath, base: FileText | None, edits: list[_NumberedEdit]) -> str:
    if base is None:
        if any(edit.old for edit in edits):
            told = to_wire(target.asked)
            raise CommandError(
                f'{told} does not exist, so there is nothing to replace. Check the path, or give "contents".'
            )
        text, pairs = "", False
    else:
        text, pairs = base.text, base.format.eol == "\r\n"
    clean = [
        TextEdit(*(part.replace("\r\n", "\n") if pairs else part for part in (edit.old, edit.new))) for edit in edits
    ]
    try:
        return apply_edits(text, clean, [edit.number for edit in edits])
    except ValueError as error:
        raise CommandError(str(error)) from error


@command("open_file", access=Access.VIEW, toolset="review", title="Open")
async def open_file(
    call: Call,
    *,
    file_path: str,
    preview: Annotated[bool, Unlisted()] = False,
    start_text: Annotated[str | None, Unlisted()] = None,
    end_text: Annotated[str | None, Unlisted()] = None,
    select_to_end_of_line: Annotated[bool, Unlisted()] = False,
    make_frontmost: Annotated[bool, Unlisted()] = True,
) -> Said:
    """Show a file to the person."""
    target = await editor_path(call, file_path)
    opened = await call.commander.editor.text.open_file(
        target.real,
        call.principal.id,
        start_text,
        end_text,
        to_end_of_line=select_to_end_of_line,
        front=make_frontmost,
        # The person's Neovim would obey the file, and start what it starts for such projects, because an agent said so.
        inert=not call.principal.is_person and not await call.commander.trusting.is_trusted(target.real),
    )
    told = format_path(call, target.link or opened.path)
    if not make_frontmost:
        row: dict[str, Json] = {"success": True, "filePath": told}
        return Said(json.dumps({**row, "languageId": opened.language_id, "lineCount": opened.line_count}))
    note = f"\n{opened.message}" if opened.message and call.principal.token else ""
    return Said(f"Opened file: {told}{note}")


@command("get_diagnostics", access=Access.READ, toolset="review", title="Diagnostics")
async def get_diagnostics(call: Call, *, uri: str | None = None) -> Said:
    """Errors and warnings in files, lint."""
    findings = call.commander.editor.diagnostics
    if not call.connection:
        check_may_read(call, "get_diagnostics")
    if uri is None:
        # Others may have asked about files that are not this caller's business.
        known = {path: asker for path in findings.watched if (asker := await _asker(call, path)) is not None}
        found = await findings.of_all(known)
        found = {path: each for path, each in found.items() if path in known or await _asker(call, path) is not None}
    else:
        try:
            target = await editor_path(call, _path_in(uri))
        except CommandError:
            # A client that hears an error here stops asking, also about files that are fine.
            if call.connection:
                return Said(f"[{json.dumps(_unseen(call, uri), ensure_ascii=False)}]")
            raise
        # Where a root was moved meanwhile nothing is known of what lies around the file, so no more than its folder.
        asker = await _asker(call, target.real) or Asker(_name(call), os.path.dirname(target.real))
        found = await findings.of(target.real, asker, None if call.connection else PATIENT_TIMEOUT_S)
    for folder in sorted({each.untrusted for each in found.values() if each.untrusted is not None}):
        await call.commander.trusting.ask(folder, call.principal)
    told: list[str] = []
    for path, checked in sorted(found.items()):
        if checked.found or checked.unknown or uri is not None:
            told.append(json.dumps(_row(call, path, checked), ensure_ascii=False))
            if not call.connection and sum(map(len, told)) > MAX_DIAGNOSTICS_CHARS:
                told.pop()
                break
    return Said(f"[{', '.join(told)}]")


async def _asker(call: Call, path: bytes) -> Asker | None:
    """Who asks about a file, as far as it is theirs to know of."""
    around = await folder_around(call, path)
    return None if around is None else Asker(_name(call), around)


def _name(call: Call) -> str:
    return call.connection or call.principal.id


def _row(call: Call, path: bytes, checked: CheckResult) -> dict[str, Json]:
    """One file. What is not known is a note of its own, or for an editor's client, which has none, an information."""
    diagnostics: list[Json] = [_diagnostic(each) for each in checked.found]
    if call.connection:
        start = TextSelection(Position(0, 0), Position(0, 0))
        diagnostics += [_diagnostic(Diagnostic(each, "Info", start, "cmdr")) for each in checked.unknown]
        return {"uri": f"file://{quote(path)}", "diagnostics": diagnostics}
    row: dict[str, Json] = {"uri": f"file://{quote(path)}", "diagnostics": diagnostics}
    return {**row, "note": " ".join(checked.unknown)} if checked.unknown else row


def _unseen(call: Call, uri: str) -> dict[str, Json]:
    """A file that this client may not see: not one without errors."""
    start = TextSelection(Position(0, 0), Position(0, 0))
    return {"uri": uri, "diagnostics": [_diagnostic(Diagnostic(NOT_SEEN, "Info", start, "cmdr"))]}


def _path_in(uri: str) -> str:
    if not uri.startswith("file:"):
        return uri
    return to_wire(unquote_to_bytes(raw_bytes(urlsplit(uri).path)))


def _diagnostic(found: Diagnostic) -> dict[str, Json]:
    told: dict[str, Json] = {
        "message": found.message,
        "severity": found.severity,
        "range": {"start": _place(found.range.start), "end": _place(found.range.end)},
    }
    if found.source is not None:
        told["source"] = found.source
    if found.code is not None:
        told["code"] = found.code
    return told


def _place(position: Position) -> Json:
    return {"line": position.line, "character": position.character}
