"""The edits that wait for the person, as the panes offer them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.editing.review_record import ReviewRecord
from cmdr.model.names import display_name
from cmdr.tui.windows.choose import Choice

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def waiting(screen: MainScreen) -> list[ReviewRecord]:
    """Those that are not on the screen already, first come first."""
    from cmdr.tui.review.screen import ReviewScreen

    shown = {open.case for open in screen.terminal.screen_stack if isinstance(open, ReviewScreen)}
    return [case for case in screen.commander.rooms.waiting_reviews() if case not in shown]


def choice_of(case: ReviewRecord) -> Choice:
    """One of them in a list of what waits."""
    review = case.review
    folder, name = (display_name(os.path.basename(part)) for part in os.path.split(review.new_path))
    title = f"Edit of {name}, +{review.diff.added} -{review.diff.removed}"
    return Choice(case.id, title, f"in {folder or '/'}", review.agent)


def show(screen: MainScreen, case: ReviewRecord) -> None:
    """Put one before the person."""
    from cmdr.tui.review.screen import ReviewScreen

    screen.terminal.push_screen(ReviewScreen(case, screen))


def show_next(screen: MainScreen) -> None:
    """The one that waits longest, if any does."""
    left = waiting(screen)
    if left:
        show(screen, left[0])
