"""The editor that agents talk to: cmdr's own documents, or the Neovim that the person has open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from cmdr.core.editing.documents import Documents
from cmdr.core.errors import CommandError
from cmdr.model.texts.buffer import OpenedDocument, SelectedText, ShownDocument
from cmdr.model.texts.proposed_edit import ReviewState

if TYPE_CHECKING:
    from cmdr.core.editing.review_record import ReviewRecord
    from cmdr.core.editing.reviews import Reviews
    from cmdr.editor.neovim.documents import Neovim

T = TypeVar("T")


class TextEditor:
    """One way to open, select, save and review, whoever draws it."""

    def __init__(self, documents: Documents, reviews: Reviews) -> None:
        self.documents = documents
        self._reviews = reviews
        self._neovim: Neovim | None = None
        self._latest: SelectedText | None = None
        self._listeners: list[Callable[[], None]] = []
        self._showing: set[asyncio.Task[None]] = set()
        documents.on_selection(self._selected)

    @property
    def neovim(self) -> Neovim | None:
        """The attached Neovim, as long as it runs."""
        return self._neovim if self._neovim is not None and self._neovim.running else None

    async def attach(self, address: str) -> None:
        """From now on use the Neovim at this address; raises `CommandError` when it does not answer."""
        from cmdr.editor.neovim.connection import NeovimError
        from cmdr.editor.neovim.documents import Neovim

        try:
            self._neovim = await Neovim.attach(address)
            await self._neovim.documents.on_selection(self._selected)
        except NeovimError as error:
            raise CommandError(str(error)) from error
        self._reviews.show_in_editor = self._show

    async def close(self) -> None:
        """Let go of Neovim."""
        for task in self._showing:
            task.cancel()
        await asyncio.gather(*self._showing, return_exceptions=True)
        if self._neovim is not None:
            await self._neovim.close()

    def on_selection(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever the selection may be another one; returns how to stop."""
        self._listeners.append(call)
        return lambda: self._listeners.remove(call)

    async def open_file(
        self,
        path: bytes,
        by: str,
        start: str | None,
        end: str | None,
        *,
        to_end_of_line: bool,
        front: bool,
        inert: bool = False,
    ) -> OpenedDocument:
        """Open a file and select what the texts name; with `inert` Neovim obeys nothing in it."""
        if (nvim := self.neovim) is None:
            return await self.documents.open_file(path, by, start, end, to_end_of_line=to_end_of_line, front=front)
        return await _asked(
            nvim.documents.open_file(
                path, start_text=start, end_text=end, to_end_of_line=to_end_of_line, front=front, inert=inert
            )
        )

    async def selection(self) -> SelectedText | None:
        """What is selected now; None when no document is open."""
        if (nvim := self.neovim) is None:
            return self.documents.selection()
        now = await _asked(nvim.documents.selection())
        if now is not None and (not now.selection.is_empty or self._latest is None):
            self._latest = now
        return now

    async def latest_selection(self) -> SelectedText | None:
        """What was last selected."""
        if self.neovim is None:
            return self.documents.latest_selection()
        await self.selection()
        return self._latest

    async def shown(self) -> list[ShownDocument]:
        """Every open document."""
        if (nvim := self.neovim) is None:
            return self.documents.shown()
        return await _asked(nvim.documents.shown())

    async def is_dirty(self, path: bytes) -> bool | None:
        """Whether a document has unsaved changes; None when it is not open."""
        own = self.documents.is_dirty(path)
        if own or (nvim := self.neovim) is None:
            return own
        return await _asked(nvim.documents.is_dirty(path))

    async def save(self, path: bytes) -> bool | None:
        """Save a document; None when it is not open."""
        if (nvim := self.neovim) is None:
            return await self.documents.save(path)
        return await _asked(nvim.documents.save(path)) or None

    async def reload(self, path: bytes) -> None:
        """A client has written a file: show what stands there now."""
        if (nvim := self.neovim) is not None:
            await asyncio.gather(nvim.documents.reload(path), return_exceptions=True)

    def _selected(self) -> None:
        for call in list(self._listeners):
            call()

    def _show(self, record: ReviewRecord) -> None:
        if self.neovim is not None and not record.is_of_many:
            task = asyncio.get_running_loop().create_task(self._in_neovim(self.neovim, record))
            self._showing.add(task)
            task.add_done_callback(self._showing.discard)

    async def _in_neovim(self, nvim: Neovim, record: ReviewRecord) -> None:
        from cmdr.editor.neovim.connection import NeovimError
        from cmdr.editor.neovim.diffs import Consent
        from cmdr.editor.neovim.review_tab import review_in_neovim

        consent = Consent(record.word, record.care) if record.word else Consent()
        try:
            await review_in_neovim(nvim.diffs, record.one, lambda _: self._reviews.accept_if_same(record), consent)
        except (NeovimError, CommandError):
            # It stays in the queue, and the person answers it here.
            return
        if record.review.state is ReviewState.ACCEPTED and record.saves:
            await record.over.wait()
            await self.reload(record.one.new_path)


async def _asked(answer: Awaitable[T]) -> T:
    from cmdr.editor.neovim.connection import NeovimError

    try:
        return await answer
    except NeovimError as error:
        raise CommandError(str(error)) from error
