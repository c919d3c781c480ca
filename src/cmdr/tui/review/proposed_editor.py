"""Editing the proposed side of a review before accepting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from cmdr.core.editing.review_record import ReviewRecord
from cmdr.model.invisible_chars import INVISIBLE
from cmdr.model.names import display_name
from cmdr.model.texts.review import ReviewState
from cmdr.tui.input.key_forwarding import forward_to_front
from cmdr.tui.viewer.editor import TextScreen

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_KEYS = " F2 or Ctrl+S take this text   Ctrl+Z undo   F10 or Esc back without it "


def is_seen(text: str) -> bool:
    """Whether everything in a text can be seen while it is edited."""
    return not INVISIBLE.search(text)


class ProposedEditor(TextScreen, inherit_bindings=False):
    """The proposed text; taking it goes back to the review, where it is accepted or not."""

    def __init__(self, case: ReviewRecord, main: MainScreen) -> None:
        super().__init__(case.review.proposed_text, _KEYS, main.terminal)
        self._case = case
        self._main = main

    def on_mount(self) -> None:
        """Name the file, and follow what happens elsewhere."""
        self._title.say(f" What {self._case.review.agent} proposes for {display_name(self._case.review.new_path)}")
        self._stop = self._main.commander.events.listen(self._changed)

    def on_unmount(self) -> None:
        self._stop()

    async def on_key(self, event: events.Key) -> None:
        if forward_to_front(self, event):
            return
        if event.key in ("f2", "ctrl+s"):
            event.stop()
            self.run_update(self._take)
        elif event.key in ("f10", "escape"):
            event.stop()
            self.dismiss(None)

    async def _take(self) -> None:
        arguments = {"review": self._case.id, "text": self.area.text}
        if await self._main.queue.ask("review.edit", {**arguments}) is not None:
            self.dismiss(None)
        else:
            self._bar.say(f" {self._main.status.message}")

    def _changed(self, rev: int) -> None:
        if self.is_running:
            self.call_later(self._follow)

    def _follow(self) -> None:
        if self.is_attached and self._case.review.state is not ReviewState.PENDING:
            self._main.terminal.close_window(self)  # type: ignore[arg-type]
