"""Looking for words in a text that is being edited."""

import re
from typing import NamedTuple

from textual.widgets import TextArea
from textual.widgets.text_area import Document, Selection


class Place(NamedTuple):
    """Where words stand in a text, and whether the search went round its end."""

    start: int
    end: int
    went_round: bool


def next_place(text: str, words: str, after: int) -> Place | None:
    """The next place of some words; small letters match capitals too."""
    pattern = re.compile(re.escape(words), re.NOFLAG if words != words.lower() else re.IGNORECASE)
    ahead = pattern.search(text, after)
    found = ahead or pattern.search(text)
    return None if found is None or not words else Place(found.start(), found.end(), went_round=ahead is None)


def go_to_next(area: TextArea, words: str) -> Place | None:
    """Select the next place behind the cursor and bring it into view."""
    document = area.document
    assert isinstance(document, Document)
    found = next_place(area.text, words, document.get_index_from_location(max(area.selection)))
    if found is not None:
        start, end = document.get_location_from_index(found.start), document.get_location_from_index(found.end)
        area.selection = Selection(start, end)
        area.scroll_cursor_visible(center=True)
    return found
