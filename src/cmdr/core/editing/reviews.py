"""The reviews of proposed edits: who asked, in which order, and one answer each."""

import asyncio
import logging
import secrets
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass

from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.dispatch.principals import Principal
from cmdr.core.editing.kept_reviews import kept_form, restored
from cmdr.core.editing.review_record import ReviewRecord
from cmdr.core.editing.review_writer import ReviewWriter
from cmdr.core.editing.text_files import text_now
from cmdr.core.errors import CommandError, NotAllowed, NotThere
from cmdr.core.events import Events
from cmdr.core.proposals.ended_proposals import EndedProposal
from cmdr.core.proposals.kept_forms import KeptEdit, KeptEdits
from cmdr.core.proposals.proposals import EXPIRED, LIFETIME_S, NOT_KEPT, WITHDRAWN, Proposals
from cmdr.model.agent_text import one_line
from cmdr.model.names import display_name, printable, to_wire
from cmdr.model.plans.plan import Plan
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.files_review import FilesReview
from cmdr.model.texts.merge import Choice
from cmdr.model.texts.proposed_edit import Outcome, Reason, ReviewState, StaleReviewError
from cmdr.model.texts.review import Review
from cmdr.model.texts.review_queue import ReviewQueue

log = logging.getLogger(__name__)

UNATTENDED_LIFETIME_S = LIFETIME_S
"""Seconds that an edit waits for its answer while its agent does not wait for it."""
_TOLD: dict[Reason, str] = {
    "time is up": EXPIRED,
    "client gone": WITHDRAWN,
    "shutdown": NOT_KEPT,
}
"""How an edit ended that nobody answered, where the person is told of it."""
MAX_PENDING_PER_CALLER = 5


@dataclass(slots=True, eq=False, weakref_slot=True)
class Opening:
    """An edit on its way into the queue: asked for, and not read and compared yet."""

    connection: str
    tab: str
    closed: Reason | None = None
    """Why it is not wanted any more, once it was closed or replaced before it stood."""


class Reviews:
    """Belongs to the loop. Only a person accepts or rejects; closing a view or losing its client rejects too."""

    def __init__(self, events: Events, audit: Audit, save: ReviewWriter, proposals: Proposals) -> None:
        self._events = events
        self._proposals = proposals
        self._coming: list[str] = []
        """Whose edits are being kept, and do not wait yet."""
        self._audit = audit
        self._save = save
        self._queue = ReviewQueue()
        self._records: dict[str, ReviewRecord] = {}
        # Held by the calls that open them: a call that ends early, however it ends, leaves nothing behind.
        self._openings: weakref.WeakSet[Opening] = weakref.WeakSet()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self.show_in_editor: Callable[[ReviewRecord], None] | None = None
        """Shows a new review in the person's own editor, when one is attached."""

    def new_id(self) -> str:
        """An id that nobody guesses."""
        return f"r_{secrets.token_urlsafe(9)}"

    def check_quota(self, owner: str) -> None:
        """Refuse an agent whose edits already wait in number."""
        waiting = sum(record.owner == owner for record in self.waiting) + self._coming.count(owner)
        if waiting >= MAX_PENDING_PER_CALLER:
            raise CommandError(
                f"{MAX_PENDING_PER_CALLER} of your edits already wait for the person. Await one, then repeat."
            )

    def announce(self, connection: str, tab: str, *, replaces: bool) -> Opening:
        """Take note, before anything is read, that an edit will stand in a tab; hand the result to `add`.

        What its client does with that tab meanwhile holds for it, so calls count in the order in which they came;
        `replaces` says that a later edit in the same tab takes the place of an earlier one.
        """
        opening = Opening(connection, tab)
        if replaces:
            self._close_openings("replaced", connection, tab)
        self._openings.add(opening)
        return opening

    async def propose(self, record: ReviewRecord, opening: Opening | None = None) -> ReviewRecord:
        """Put an edit at the end of the queue; one that cmdr saves is kept over a restart before anybody is told."""
        if record.is_of_person:
            record.unkept = "it is your own"  # asked again in a moment; nobody waits for it
        elif record.saves:
            self.check_quota(record.owner)
            record.expires_at = time.time() + UNATTENDED_LIFETIME_S
            self._coming.append(record.owner)
            try:
                record.unkept = await self._proposals.keeper.keep(kept_form(record))
            finally:
                self._coming.remove(record.owner)
        return self.add(record, opening)

    def restore(self, kept: KeptEdit | KeptEdits) -> None:
        """Take in an edit that was kept over a restart, as its agent proposed it."""
        expires = min(kept.expires, time.time() + UNATTENDED_LIFETIME_S)
        record = restored(kept, expires)
        self._records[record.id] = record
        self._queue.add(record.review)
        record.review.when_resolved(lambda outcome: self._resolved(record, outcome))
        self._note(record, record.owner, "kept over a restart")
        self._wait(record, expires - time.time())
        if self.show_in_editor is not None:
            self.show_in_editor(record)
        self._events.changed()

    def add(self, record: ReviewRecord, opening: Opening | None = None) -> ReviewRecord:
        """Put an edit at the end of the queue; one that was closed on its way there is rejected at once."""
        review = record.review
        self._records[record.id] = record
        closed = None
        if opening is not None:
            self._openings.discard(opening)
            closed = opening.closed
        if closed is None:
            self._queue.add(review)
        review.when_resolved(lambda outcome: self._resolved(record, outcome))
        self._note(record, record.owner, "proposed")
        if closed is not None:
            review.reject(closed)
            return record
        self.keep(record)
        if self.show_in_editor is not None:
            self.show_in_editor(record)
        self._events.changed()
        return record

    @property
    def waiting(self) -> tuple[ReviewRecord, ...]:
        """What nobody has answered yet, first come first."""
        return tuple(self._records[review.id] for review in self._queue.waiting)

    def get(self, id: str, principal: Principal) -> ReviewRecord:
        """A review by its id; agents see only their own."""
        record = self._records.get(id)
        if record is None or not (principal.is_person or record.owner == principal.id):
            raise NotThere(f"No review {printable(id, 40)}. It may have been forgotten; propose the edit again.")
        return record

    def keep(self, record: ReviewRecord) -> None:
        """Its agent is there: the time it may wait begins anew."""
        if record.saves:
            self._wait(record, UNATTENDED_LIFETIME_S)

    def _wait(self, record: ReviewRecord, seconds: float) -> None:
        if timer := self._timers.pop(record.id, None):
            timer.cancel()
        if record.review.state is ReviewState.PENDING:
            later = asyncio.get_running_loop().call_later
            record.expires_at = time.time() + seconds
            self._timers[record.id] = later(max(0.0, seconds), lambda: self.end(record, "time is up"))

    async def accept(self, id: str, principal: Principal, digest: str | None = None, word: str = "") -> ReviewRecord:
        """Accept what the person saw, and save it where that is cmdr's task.

        Returns when it is saved, or when it is known that saving waits for another word of the person's.
        """
        record = self._for_person(id, principal)
        if word.strip().lower() != record.word:
            raise CommandError(f'{record.care.removesuffix(".")}: type the word "{record.word}" to accept.')
        try:
            if isinstance(record.review, FilesReview):
                outcome: Outcome | None = await self._accept_files(record, record.review, digest)
            else:
                outcome = await self.accept_if_same(record, digest)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if outcome is None:
            where = to_wire(record.one.path)
            raise CommandError(f"{where} changed on disk meanwhile. Look at the edit again, then answer.")
        while not record.over.is_set():
            rev = self._events.rev
            if record.job is not None and record.job.is_held:
                return record
            await self._events.beyond(rev)
        if record.problem:
            raise CommandError(record.problem)
        return record

    async def accept_if_same(self, record: ReviewRecord, digest: str | None = None) -> Outcome | None:
        """Accept unless the file changed since it was shown; then it is merged, to be looked at again.

        Raises what the model refuses: answered already, shown otherwise, conflicting, not to be encoded.
        """
        review = record.one
        before = review.base_changes
        review.base_changed(await text_now(review.path))
        if review.base_changes != before:
            self._events.changed()
            return None
        plan = await self._save.plan(record) if record.saves else None
        outcome = review.accept(digest)
        if plan is not None and outcome.state is ReviewState.ACCEPTED:
            self._begin(record, plan)
        return outcome

    async def _accept_files(self, record: ReviewRecord, review: FilesReview, digest: str | None) -> Outcome:
        """Accept an edit of many files; those that changed on disk since are left out, and the record says so."""
        shown = review.digest
        if digest not in (None, shown):
            raise StaleReviewError
        plan, left = await self._save.plan_many(review)
        outcome = review.accept(shown, left)
        record.left = left  # in the same step: whoever waits for the answer is told of them
        if plan is not None and outcome.state is ReviewState.ACCEPTED:
            self._begin(record, plan)
        return outcome

    def _begin(self, record: ReviewRecord, plan: Plan) -> None:
        # Decided in this very step: whatever comes now, also the end of this call, cannot change the answer.
        saving = asyncio.get_running_loop().create_task(self._carry_out(record, plan))
        self._saving.add(saving)
        saving.add_done_callback(self._saving.discard)

    def reject(self, id: str, principal: Principal, reason: str = "") -> ReviewRecord:
        """The person says no, and why if they like; the file stays as it is."""
        record = self._for_person(id, principal)

        def say_no() -> None:
            before, record.said = record.said, one_line(reason)
            try:
                record.review.reject()
            except ValueError:
                record.said = before
                raise

        return self._changed(record, say_no)

    def decide(
        self, id: str, principal: Principal, hunk: int | None, decision: Decision, file: int = 0
    ) -> ReviewRecord:
        """Accept or reject one change of a file, or with None all of them."""
        record = self._for_person(id, principal)

        def decide() -> None:
            if hunk is None:
                record.file(file).decide_all(decision)
            else:
                record.file(file).decide(hunk, decision)

        return self._changed(record, decide)

    def settle(self, id: str, principal: Principal, conflict: int, choice: Choice) -> ReviewRecord:
        """Choose a side where the file and the proposal changed the same lines."""
        record = self._for_person(id, principal)
        return self._changed(record, lambda: record.one.settle(conflict, choice))

    def edit(self, id: str, principal: Principal, text: str, file: int = 0) -> ReviewRecord:
        """Take the person's own version of the proposed side."""
        record = self._for_person(id, principal)
        return self._changed(record, lambda: record.file(file).edit_proposed(text))

    def end(self, record: ReviewRecord, reason: Reason) -> None:
        """Nobody needs the answer any more; an answer that was given stands. What is kept outlives the program."""
        if record.review.state is ReviewState.PENDING and not (reason == "shutdown" and self._is_kept(record)):
            record.review.reject(reason)

    def unused_tab(self, connection: str, title: str) -> str:
        """A title under which a caller has nothing open, so that one edit never replaces another."""
        if self._queue.in_tab(connection, title) is None:
            return title
        return f"{title} {secrets.token_hex(3)}"

    def close_tab(self, connection: str, tab: str) -> bool:
        """A client closes one of its own views; False when there was none."""
        return bool(self._close_openings("tab closed", connection, tab)) | self._queue.close_tab(connection, tab)

    def close_tabs(self, connection: str) -> int:
        """A client closes all of its own views."""
        return self._close_openings("tab closed", connection) + self._queue.close_tabs(connection)

    def disconnected(self, connection: str) -> None:
        """A client is gone."""
        self._close_openings("client gone", connection)
        self._queue.disconnected(connection)

    def drop_of_agents(self) -> None:
        """The kill switch: reject everything that waits."""
        self._close_openings("tab closed")
        for record in self.waiting:
            self.end(record, "tab closed")

    def close(self) -> None:
        """The program ends: reject what still waits and is not kept."""
        self._close_openings("shutdown")
        for record in self.waiting:
            self.end(record, "shutdown")
        for timer in self._timers.values():
            timer.cancel()

    def _close_openings(self, reason: Reason, connection: str | None = None, tab: str | None = None) -> int:
        """Edits on their way that are not wanted any more; how many there were."""
        closed = [
            opening
            for opening in self._openings
            if opening.closed is None and connection in (None, opening.connection) and tab in (None, opening.tab)
        ]
        for opening in closed:
            opening.closed = reason
        return len(closed)

    def _is_kept(self, record: ReviewRecord) -> bool:
        return record.saves and self._proposals.keeper.is_keeping and not record.unkept

    async def _carry_out(self, record: ReviewRecord, plan: Plan) -> None:
        record.problem = "Accepted, but not saved: cmdr failed inside; its log says how."
        try:
            await self._save.carry_out(record, plan)
        except Exception:
            log.exception("review %s was not saved", record.id)
        finally:
            record.over.set()
            self._forget_oldest()
            self._events.changed()

    def _for_person(self, id: str, principal: Principal) -> ReviewRecord:
        if not principal.is_person:
            raise NotAllowed("Only the person answers a review.")
        return self.get(id, principal)

    def _changed(self, record: ReviewRecord, change: Callable[[], object]) -> ReviewRecord:
        try:
            change()
        except ValueError as error:
            raise CommandError(str(error)) from error
        self._events.changed()
        return record

    def _resolved(self, record: ReviewRecord, outcome: Outcome) -> None:
        if timer := self._timers.pop(record.id, None):
            timer.cancel()
        accepted = outcome.state is ReviewState.ACCEPTED
        self._note(record, outcome.reason, outcome.state.value)
        if record.saves:
            if outcome.reason in _TOLD and not record.is_of_person:
                what = f"Edit {record.subject if record.is_of_many else display_name(record.one.new_path)}"
                ended = EndedProposal(record.id, record.owner, what, _TOLD[outcome.reason], time.time())
                self._proposals.ended.add(ended)
            self._proposals.keeper.forget(record.id)
        if not (record.saves and accepted):
            record.over.set()
        self._forget_oldest()
        self._events.changed()

    def _note(self, record: ReviewRecord, by: str, decision: str) -> None:
        paths = tuple(to_wire(file.new_path) for file in record.files)
        self._audit.record(AuditRecord(by, f"review {record.id}", "", "ok", paths=paths, decision=decision))

    def _forget_oldest(self) -> None:
        for id in [id for id, record in self._records.items() if record.over.is_set() and id not in self._queue]:
            del self._records[id]


def new_review(reviews: Reviews, **how: object) -> Review:
    """A review for this queue; raises `CommandError` when it cannot be shown."""
    try:
        return Review(reviews.new_id(), **how)  # type: ignore[arg-type]
    except ValueError as error:
        raise CommandError(str(error)) from error
