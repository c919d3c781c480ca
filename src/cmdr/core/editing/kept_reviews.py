"""An edit that waits, as it is kept over a restart, and back."""

from cmdr.core.editing.review_record import FileNotes, ReviewRecord, protected_of_many
from cmdr.core.proposals.kept_forms import KeptEdit, KeptEdits, KeptText
from cmdr.model.texts.files_review import FilesReview


def kept_form(record: ReviewRecord) -> KeptEdit | KeptEdits:
    """All of an edit, as its agent proposed it."""
    review = record.review
    if isinstance(review, FilesReview):
        texts = tuple(
            KeptText(file.path, file.base, file.sent_text, note.protected, note.link)
            for file, note in zip(review.files, record.notes, strict=True)
        )
        return KeptEdits(
            record.id,
            record.owner,
            record.since,
            record.expires_at or 0.0,
            review.agent,
            review.tab,
            texts,
            record.told,
            review.digest,
        )
    return KeptEdit(
        record.id,
        record.owner,
        record.since,
        record.expires_at or 0.0,
        review.agent,
        review.tab,
        review.path,
        review.new_path,
        review.base,
        review.sent_text,
        record.protected,
        record.link,
        review.digest,
    )


def restored(kept: KeptEdit | KeptEdits, expires: float) -> ReviewRecord:
    """The record of what was kept; raises `ValueError` when it cannot be shown."""
    if isinstance(kept, KeptEdits):
        review = kept.review()
        notes = tuple(FileNotes(text.protected, text.link) for text in kept.texts)
        return ReviewRecord(
            review,
            kept.by,
            True,
            protected_of_many(review.files, notes),
            notes=notes,
            told=kept.told,
            since=kept.since,
            expires_at=expires,
        )
    return ReviewRecord(kept.review(), kept.by, True, kept.protected, kept.link, since=kept.since, expires_at=expires)
