"""An edit of many files: checked file by file, then one proposal with one review and one answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cmdr.commands.editor.editor_paths import EditorPath
from cmdr.core.dispatch.call import Call
from cmdr.core.editing.review_record import FileNotes, ReviewRecord, protected_of_many
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.names import printable, to_wire
from cmdr.model.texts.files_review import MAX_FILES, FilesReview, TooMuchToReviewError
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import FileText, UnencodableTextError, write_text

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class NewText:
    """What is proposed for one file."""

    target: EditorPath
    base: FileText | None
    """The file as it stands; None for one that does not exist."""
    text: str


async def propose_many(call: Call, texts: Sequence[NewText], title: str, told: Sequence[str] = ()) -> ReviewRecord:
    """Put edits of many files before the person, as one; `told` says what was left out, to them and to the agent.

    Raises `CommandError`, naming the file, when one of them cannot be proposed: then none is.
    """
    editor = call.commander.editor
    call.commander.engine  # noqa: B018 - says so when this cmdr cannot write
    if not call.principal.is_person:
        editor.reviews.check_quota(call.principal.id)
    if len(texts) > MAX_FILES:
        raise CommandError(f"{len(texts)} files are too many for one review; at most {MAX_FILES}. Edit them in parts.")
    real, times = Counter(each.target.real for each in texts).most_common(1)[0]
    if times > 1:
        raise CommandError(f"{to_wire(real)} is named twice, in other spellings. Name it the same way each time.")
    for each in texts:
        if await editor.text.is_dirty(each.target.real):
            raise CommandError(
                f"{to_wire(each.target.real)} has unsaved changes in the editor. Ask the person to save it."
            )
    id = editor.reviews.new_id()
    name = printable(title, 80) or f"{len(texts)} files"
    tab = editor.reviews.unused_tab(call.principal.id, name)
    agent = call.client or call.principal.name
    owner = call.principal.id

    def reviewed() -> tuple[FilesReview, tuple[FileNotes, ...]]:
        files = [_review(id, owner, agent, tab, each) for each in texts]
        review = FilesReview(id, connection=owner, agent=agent, tab=tab, files=files)
        protection = call.commander.sandbox.protection
        return review, tuple(FileNotes(each.target.protection(protection), each.target.link) for each in texts)

    try:
        review, notes = await in_thread(reviewed)  # differences of many files take a while
    except TooMuchToReviewError as error:
        raise CommandError(str(error)) from error
    protected = protected_of_many(review.files, notes)
    record = ReviewRecord(review, owner, True, protected, notes=notes, told=tuple(told))
    return await editor.reviews.propose(record)


def _review(id: str, connection: str, agent: str, tab: str, each: NewText) -> Review:
    base = each.base
    if base is not None and each.text == base.text:
        raise CommandError(f"{to_wire(each.target.real)}: the edit changes nothing.")
    # A mark of the file's own is no part of its text, and one that follows it is.
    proposed = _MARK + each.text if base is not None and base.format.bom else each.text
    try:
        review = Review(
            id, connection=connection, agent=agent, tab=tab, path=each.target.real, base=base, proposed=proposed
        )
        write_text(review.result_text, review.format)
    except (UnencodableTextError, ValueError) as error:
        raise CommandError(f"{to_wire(each.target.real)}: {error}") from error
    return review
