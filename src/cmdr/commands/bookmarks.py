"""Folders to come back to."""

from typing import Annotated

from cmdr.commands.navigation import arrived
from cmdr.commands.places import PaneRef, pane_of, path_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.names import printable, to_wire
from cmdr.model.results.result import PlainText, Said
from cmdr.model.yaml_text import document


@command("bookmark.add", access=Access.VIEW, title="Bookmark this folder", lasting=True)
def add(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Remember a folder."""
    here = pane_of(call.workspace, pane).tab.path
    target = here if path is None else path_of(path, here)
    call.commander.bookmarks.mark(target)
    call.events.changed()
    return Said(f"Bookmarked {to_wire(target)}")


@command("bookmark.remove", access=Access.VIEW, title="Remove a bookmark", lasting=True)
def remove(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Forget a bookmark."""
    here = pane_of(call.workspace, pane).tab.path
    target = here if path is None else path_of(path, here)
    call.commander.bookmarks.unmark(target)
    call.events.changed()
    return Said(f"Removed the bookmark {to_wire(target)}")


@command("bookmark.list", access=Access.READ, title="Bookmarks", idempotent=True)
def list_bookmarks(call: Call) -> PlainText:
    """The bookmarks and the folders used most."""
    bookmarks = call.commander.bookmarks
    return PlainText(
        document(
            {
                "bookmarks": [to_wire(path) for path in bookmarks.marked()],
                "frequent": [to_wire(path) for path in bookmarks.frequent(limit=20)],
            }
        )
    )


@command("nav.jump", access=Access.VIEW, title="Jump to a frequent folder")
async def jump(
    call: Call, *, pane: PaneRef = "focused", text: Annotated[str, Doc("words of the path, in order")]
) -> Said:
    """Go to the folder used most whose path holds the words."""
    shown = pane_of(call.workspace, pane)
    found = next((path for path in call.commander.bookmarks.frequent(text) if path != shown.tab.path), None)
    if found is None:
        raise CommandError(f"No folder visited before matches {printable(text)}.")
    return Said(arrived(await call.browser.open(shown, found)))
